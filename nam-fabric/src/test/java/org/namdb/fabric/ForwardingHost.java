package org.namdb.fabric;

import java.time.Instant;

/// This machine; a test overrides what shall differ.
public class ForwardingHost implements Host {
    @Override
    public long nanoTime() {
        return MACHINE.nanoTime();
    }

    @Override
    public Instant instant() {
        return MACHINE.instant();
    }

    @Override
    public void sleep(long nanos) {
        MACHINE.sleep(nanos);
    }

    @Override
    public Thread start(String name, Runnable work) {
        return MACHINE.start(name, work);
    }
}
