package org.namdb.compute.journal;

import java.util.List;
import org.namdb.fabric.disk.Disk;
import org.namdb.fabric.disk.DiskFile;

/// The files of a disk whose names begin with the same text, by the rest of their names.
record PartDisk(Disk disk, String prefix) implements Disk {
    @Override
    public DiskFile open(String name) {
        return disk.open(prefix + name);
    }

    @Override
    public void remove(String name) {
        disk.remove(prefix + name);
    }

    @Override
    public List<String> list() {
        return disk.list().stream()
                .filter(name -> name.startsWith(prefix))
                .map(name -> name.substring(prefix.length()))
                .toList();
    }

    @Override
    public void forceNames() {
        disk.forceNames();
    }

    @Override
    public Lock lock() {
        throw new UnsupportedOperationException("a part has no lock of its own");
    }
}
