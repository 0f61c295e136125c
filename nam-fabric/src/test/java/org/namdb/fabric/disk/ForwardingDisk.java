package org.namdb.fabric.disk;

import java.util.List;

/// Another disk; a test overrides what shall differ.
public class ForwardingDisk implements Disk {
    protected final Disk actual;

    public ForwardingDisk(Disk actual) {
        this.actual = actual;
    }

    @Override
    public DiskFile open(String name) {
        return actual.open(name);
    }

    @Override
    public void remove(String name) {
        actual.remove(name);
    }

    @Override
    public List<String> list() {
        return actual.list();
    }

    @Override
    public void forceNames() {
        actual.forceNames();
    }

    @Override
    public Lock lock() {
        return actual.lock();
    }
}
