package org.namdb.mvcc.gc;

import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.record.RecordHeader;

/// The lock of one record at a time, for background maintenance that holds it for a moment.
/// Whatever fails meanwhile, the lock is released if the record's server answers.
///
/// Belongs to one thread.
final class RecordLock {
    private enum State {
        FREE,
        /// The CAS is posted, and its result was not read.
        POSTED,
        HELD
    }

    private final QueuePair queuePair;
    private final Intents intents;
    private final FirstFailure failures = new FirstFailure();
    private State state = State.FREE;
    private long header;
    private long headerAddress;
    private long casView;
    private long found;

    /// @param intents the session's intents
    RecordLock(QueuePair queuePair, Intents intents) {
        this.queuePair = queuePair;
        this.intents = intents;
    }

    /// Posts the CAS of a record's header to the same header, locked.
    void post(HashTable table, long expected, long address, long bodyAddress) {
        state = State.FREE;
        header = expected;
        headerAddress = address;
        found = expected;
        boolean inlined = table.layout().inlined();
        intents.start();
        intents.postLock(address, expected, table.id(), inlined ? bodyAddress : RemoteAddress.NULL);
        casView = queuePair.compareAndSwap(address, expected, RecordHeader.lock(expected));
        state = State.POSTED;
    }

    /// After the await: whether the record is locked now.
    boolean isWon() {
        if (state == State.POSTED) {
            found = LocalMemory.longAt(casView);
            state = found == header ? State.HELD : State.FREE;
        }
        return state == State.HELD;
    }

    /// What the header was when it was to be locked.
    long found() {
        return found;
    }

    /// Posts the header that unlocks the record.
    void postRelease(long newHeader) {
        queuePair.writeWord(headerAddress, newHeader);
        state = State.FREE;
    }

    /// Posts that the attempt is over. If the lock was won, its release was posted before.
    void postEnd() {
        intents.postEnd();
    }

    /// Something has failed: unlocks the record as it was, if it is locked.
    ///
    /// @return whether surely nothing is locked any more
    boolean letGo(Throwable failure) {
        failures.clear();
        failures.add(failure);
        boolean isKnown = awaitPosted();
        for (int tries = 2; tries > 0 && isWon(); tries--) {
            try {
                postRelease(header);
            } catch (Throwable e) {
                failures.add(e); // a verb that throws has done nothing
            }
        }
        if (!isKnown || state == State.HELD) {
            return false;
        }
        failures.attempt(intents::postEnd);
        return awaitPosted();
    }

    private boolean awaitPosted() {
        try {
            queuePair.await();
            return true;
        } catch (Throwable e) {
            failures.add(e);
            return false;
        }
    }
}
