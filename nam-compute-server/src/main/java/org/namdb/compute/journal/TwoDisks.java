package org.namdb.compute.journal;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.TreeSet;
import org.namdb.fabric.disk.Disk;
import org.namdb.fabric.disk.DiskFile;

/// Files that are written to the disks of two memory servers, so that one of them may be lost. A
/// file counts on each by itself: when it was forced, both have it.
record TwoDisks(JournalClient.Files first, JournalClient.Files second) implements Disk {
    @Override
    public DiskFile open(String name) {
        return new BothFiles(first.open(name), second.open(name));
    }

    @Override
    public void remove(String name) {
        first.remove(name);
        second.remove(name);
    }

    /// Those that any of the two has: a new file has a name that is new on both.
    @Override
    public List<String> list() {
        TreeSet<String> names = new TreeSet<>(first.list());
        names.addAll(second.list());
        return List.copyOf(names);
    }

    @Override
    public void forceNames() {
        first.forceNames();
        second.forceNames();
    }

    @Override
    public Lock lock() {
        throw new UnsupportedOperationException("each of the disks has a lock of its own");
    }

    /// One file on each disk.
    private record BothFiles(JournalClient.RemoteFile first, JournalClient.RemoteFile second)
            implements DiskFile {
        @Override
        public long size() {
            return first.size();
        }

        @Override
        public int read(long offset, ByteBuffer into) {
            return first.read(offset, into);
        }

        @Override
        public void write(long offset, ByteBuffer from) {
            first.write(offset, from.duplicate());
            second.write(offset, from);
        }

        @Override
        public void force() {
            JournalClient.RemoteFile.forceAll(List.of(first, second));
        }

        @Override
        public void close() {
            first.close();
            second.close();
        }
    }
}
