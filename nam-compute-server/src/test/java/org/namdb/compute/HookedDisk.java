package org.namdb.compute;

import java.nio.ByteBuffer;
import java.util.List;
import org.namdb.fabric.disk.Disk;
import org.namdb.fabric.disk.DiskFile;

/// A disk by which a test decides how long a force of a checkpoint's file takes.
record HookedDisk(Disk disk, Runnable atForce) implements Disk {
    @Override
    public DiskFile open(String name) {
        DiskFile file = disk.open(name);
        return name.contains("checkpoint-") ? new HookedFile(file, atForce) : file;
    }

    @Override
    public void remove(String name) {
        disk.remove(name);
    }

    @Override
    public List<String> list() {
        return disk.list();
    }

    @Override
    public void forceNames() {
        disk.forceNames();
    }

    @Override
    public Lock lock() {
        return disk.lock();
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
