package org.namdb.fabric;

import java.lang.invoke.VarHandle;

/// A header word and a body, guarded as records are: a writer locks with a CAS, writes the body,
/// unlocks with a WRITE. Word `i` of the body of version `v` is `v + i`. One for each thread.
/// ```
/// |  2 v, or 2 v + 1 while locked  | v | v + 1 | v + 2 | ...
/// ```
public final class GuardedRecord {
    private final QueuePair queuePair;
    private final long address;
    private final int bodyWords;
    private final long source;
    private final long[] body;

    /// What came of a read.
    public enum Outcome {
        REFUSED,
        CONSISTENT,
        INCONSISTENT
    }

    public GuardedRecord(QueuePair queuePair, long address, int bodyWords) {
        this.queuePair = queuePair;
        this.address = address;
        this.bodyWords = bodyWords;
        this.source = queuePair.localMemory(8L * bodyWords);
        this.body = new long[bodyWords];
    }

    /// Writes version 0.
    public void initialize() {
        postBody(0);
        queuePair.writeWord(address, 0);
        queuePair.await();
    }

    /// Writes the next version, if it gets the lock.
    public boolean tryUpdate() {
        long view = queuePair.read(address, 8);
        queuePair.await();
        long header = LocalMemory.longAcquire(view);
        if (isLocked(header)) {
            return false;
        }
        long found = queuePair.compareAndSwap(address, header, header + 1);
        queuePair.await();
        if (LocalMemory.longAt(found) != header) {
            return false;
        }
        postBody(header / 2 + 1);
        queuePair.writeWord(address, header + 2);
        queuePair.await();
        return true;
    }

    /// Reads as every validated read does.
    public Outcome read() {
        return read(true);
    }

    /// Reads without the READ that goes first: the guard is the header that the body's own
    /// READ brings.
    public Outcome readWithoutLeading() {
        return read(false);
    }

    /// Reads the body and accepts it as it is.
    public Outcome readUnvalidated() {
        long view = queuePair.read(address + 8, 8 * bodyWords);
        queuePair.await();
        copyBody(view);
        return isVersion(body[0]) ? Outcome.CONSISTENT : Outcome.INCONSISTENT;
    }

    /// The version that the last accepted read brought.
    public long versionRead() {
        return body[0];
    }

    private Outcome read(boolean leads) {
        long leading = leads ? queuePair.readLeading(address, 8) : 0;
        long whole = queuePair.read(address, 8 + 8 * bodyWords);
        long trailing = queuePair.read(address, 8);
        queuePair.await();
        long before = LocalMemory.longAcquire(leading == 0 ? whole : leading);
        copyBody(whole + 8);
        VarHandle.acquireFence();
        long after = LocalMemory.longAcquire(trailing);
        if (isLocked(before) || before != after) {
            return Outcome.REFUSED;
        }
        return isVersion(before / 2) ? Outcome.CONSISTENT : Outcome.INCONSISTENT;
    }

    private void postBody(long version) {
        for (int i = 0; i < bodyWords; i++) {
            LocalMemory.putLong(source + 8L * i, version + i);
        }
        queuePair.write(address + 8, source, 8 * bodyWords);
    }

    private void copyBody(long view) {
        for (int i = 0; i < bodyWords; i++) {
            body[i] = LocalMemory.longAt(view + 8L * i);
        }
    }

    private boolean isVersion(long version) {
        for (int i = 0; i < bodyWords; i++) {
            if (body[i] != version + i) {
                return false;
            }
        }
        return true;
    }

    private static boolean isLocked(long header) {
        return (header & 1) != 0;
    }
}
