package org.namdb.compute;

import java.nio.ByteBuffer;
import org.namdb.fabric.disk.Disk;
import org.namdb.fabric.disk.DiskFile;
import org.namdb.fabric.disk.ForwardingDisk;

/// A disk by which a test decides how long a force of a checkpoint's file takes.
final class HookedDisk extends ForwardingDisk {
    private final Runnable atForce;

    HookedDisk(Disk disk, Runnable atForce) {
        super(disk);
        this.atForce = atForce;
    }

    @Override
    public DiskFile open(String name) {
        DiskFile file = actual.open(name);
        return name.contains("checkpoint-") ? new HookedFile(file, atForce) : file;
    }

    private record HookedFile(DiskFile file, Runnable atForce) implements DiskFile {
        @Override
        public long size() {
            return file.size();
        }

        @Override
        public int read(long offset, ByteBuffer into) {
            return file.read(offset, into);
        }

        @Override
        public void write(long offset, ByteBuffer from) {
            file.write(offset, from);
        }

        @Override
        public void force() {
            atForce.run();
            file.force();
        }

        @Override
        public void close() {
            file.close();
        }
    }
}
