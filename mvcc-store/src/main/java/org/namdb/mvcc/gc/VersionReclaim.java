package org.namdb.mvcc.gc;

import java.util.Arrays;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.record.OldVersionBuffer;
import org.namdb.mvcc.record.OverflowVersion;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.record.RecordHeader;

/// Gives back the old-version buffers of several records at once, in two round trips for all:
/// ```
/// WRITE intents to lock them
/// CAS header h -> h|L, READ versions pointer        those that changed meanwhile are left alone
/// WRITE versions pointer = null, WRITE header h; WRITE that the attempt is over
/// READ overflow pointer                             of a buffer that nothing points to any more
/// ```
/// So a record is locked over one await only, as short as can be: there the thread may lose its
/// processor.
///
/// Whatever fails on the way, the locks that were won are released on every server that answers.
final class VersionReclaim {
    /// The records of a batch. Few, so that they are locked for a short time.
    static final int MOST = 32;

    /// How far a record has come.
    private enum Step {
        /// Nothing was posted.
        ADDED,
        /// The swap is posted, and nobody has looked at what it has brought.
        POSTED,
        /// The swap was lost.
        LOST,
        /// The record is locked.
        LOCKED,
        /// Its header is posted: it is not locked any more.
        LET_GO
    }

    private final QueuePair queuePair;
    private final RemoteAllocator oldVersions;
    private final Intents intents;
    private final HashTable[] tables = new HashTable[MOST];
    private final long[] kinds = new long[MOST];
    private final long[] headers = new long[MOST];
    private final long[] headerAddresses = new long[MOST];
    private final long[] bodyAddresses = new long[MOST];
    private final long[] swapViews = new long[MOST];
    private final long[] views = new long[MOST];
    private final long[] found = new long[MOST];
    private final long[] versions = new long[MOST];
    private final long[] overflows = new long[MOST];
    private final Step[] steps = new Step[MOST];
    private final boolean[] isCut = new boolean[MOST];
    private final boolean[] isDone = new boolean[MOST];
    private final FirstFailure failures = new FirstFailure();
    private int count;
    private boolean isEveryLockReleased = true;

    /// Whether all is posted, and nobody knows yet that it has taken effect.
    private boolean isAwaitingCut;

    VersionReclaim(QueuePair queuePair, RemoteAllocator oldVersions, Intents intents) {
        this.queuePair = queuePair;
        this.intents = intents;
        this.oldVersions = oldVersions;
    }

    int count() {
        return count;
    }

    boolean isFull() {
        return count == MOST;
    }

    /// Adds a record that is expected to have the header `header`.
    ///
    /// @param kind what the caller wants to know of it later
    void add(HashTable table, long kind, long header, long headerAddress, long bodyAddress) {
        tables[count] = table;
        kinds[count] = kind;
        headers[count] = header;
        headerAddresses[count] = headerAddress;
        bodyAddresses[count] = bodyAddress;
        found[count] = header;
        steps[count] = Step.ADDED;
        isCut[count] = false;
        isDone[count] = false;
        count++;
    }

    /// Goes through with all that were added. What is not [done][#isDone] then is as it was.
    void run() {
        isAwaitingCut = false;
        try {
            lock();
            cut();
            intents.postEnd();
            isAwaitingCut = true;
            queuePair.await();
        } catch (Throwable e) {
            letGo(e);
            throw e;
        }
        for (int i = 0; i < count; i++) {
            overflows[i] = isCut[i] ? LocalMemory.longAt(views[i]) : RemoteAddress.NULL;
        }
        freeCut();
    }

    private void freeCut() {
        for (int i = 0; i < count; i++) {
            if (isCut[i]) {
                oldVersions.free(versions[i], tables[i].oldVersions().bytes());
            }
        }
    }

    private void lock() {
        intents.start();
        for (int i = 0; i < count; i++) {
            boolean inlined = tables[i].layout().inlined();
            long body = inlined ? bodyAddresses[i] : RemoteAddress.NULL;
            intents.addLock(headerAddresses[i], headers[i], tables[i].id(), body);
        }
        intents.post();
        for (int i = 0; i < count; i++) {
            swapViews[i] =
                    queuePair.compareAndSwap(
                            headerAddresses[i], headers[i], RecordHeader.lock(headers[i]));
            steps[i] = Step.POSTED;
            views[i] = queuePair.read(bodyAddresses[i] + RecordBody.VERSIONS_OFFSET, 8);
        }
        queuePair.await();
        settle();
    }

    private void settle() {
        for (int i = 0; i < count; i++) {
            if (steps[i] == Step.POSTED) {
                found[i] = LocalMemory.longAt(swapViews[i]);
                steps[i] = found[i] == headers[i] ? Step.LOCKED : Step.LOST;
            }
        }
    }

    private void cut() {
        for (int i = 0; i < count; i++) {
            versions[i] = LocalMemory.longAt(views[i]); // before more is read
        }
        for (int i = 0; i < count; i++) {
            if (steps[i] == Step.LOCKED) {
                if (!RemoteAddress.isNull(versions[i])) {
                    queuePair.writeWord(
                            bodyAddresses[i] + RecordBody.VERSIONS_OFFSET, RemoteAddress.NULL);
                    isCut[i] = true;
                }
                isDone[i] = true;
                postHeader(i);
            }
        }
        for (int i = 0; i < count; i++) {
            if (isCut[i]) {
                views[i] = queuePair.read(versions[i] + OldVersionBuffer.OVERFLOW_OFFSET, 8);
            }
        }
    }

    private void postHeader(int i) {
        queuePair.writeWord(headerAddresses[i], headers[i]);
        steps[i] = Step.LET_GO;
    }

    /// Unlocks what is locked, each alone, since others may fail. A buffer that was cut off is
    /// given back if it is known to be, except for what it has in the overflow region; else it is
    /// lost.
    private void letGo(Throwable failure) {
        failures.clear();
        failures.add(failure);
        Arrays.fill(overflows, RemoteAddress.NULL);
        boolean isAwaited = awaitPosted();
        settle();
        isEveryLockReleased = isAwaited;
        for (int i = 0; i < count; i++) {
            isEveryLockReleased &= steps[i] != Step.LOCKED || letGo(i);
        }
        if (isEveryLockReleased) {
            failures.attempt(intents::postEnd);
            isEveryLockReleased = awaitPosted();
        }
        if (isAwaited && !isAwaitingCut) {
            freeCut();
        } else {
            Arrays.fill(isCut, false);
        }
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

    private boolean letGo(int i) {
        for (int tries = 2; tries > 0 && steps[i] == Step.LOCKED; tries--) {
            try {
                postHeader(i);
                queuePair.await();
            } catch (Throwable e) {
                failures.add(e); // a verb that throws has done nothing
            }
        }
        return steps[i] == Step.LET_GO;
    }

    /// After a failure: whether nothing is locked any more, as far as is known.
    boolean isEveryLockReleased() {
        return isEveryLockReleased;
    }

    /// Whether nothing is left to be done about record `i`.
    boolean isDone(int i) {
        return isDone[i];
    }

    /// The overflow versions that were cut off record `i`, or null.
    long cutOverflow(int i) {
        return isCut[i] ? overflows[i] : RemoteAddress.NULL;
    }

    /// What the header of record `i` was when it was to be locked.
    long found(int i) {
        return found[i];
    }

    long header(int i) {
        return headers[i];
    }

    long kind(int i) {
        return kinds[i];
    }

    HashTable table(int i) {
        return tables[i];
    }

    long headerAddress(int i) {
        return headerAddresses[i];
    }

    long bodyAddress(int i) {
        return bodyAddresses[i];
    }

    void clear() {
        count = 0;
    }

    /// Gives back the newest of a chain of versions in the overflow region that nothing points to
    /// any more.
    ///
    /// @return the next older one, or null
    long freeNewest(HashTable table, long newest) {
        int bytes = OverflowVersion.bytes(table.layout().payloadBytes());
        long older = queuePair.readWord(newest + OverflowVersion.OLDER_OFFSET);
        oldVersions.free(newest, bytes);
        return older;
    }
}
