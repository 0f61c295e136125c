package org.namdb.mvcc.gc;

import java.util.Arrays;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.record.OldVersionBuffer;
import org.namdb.mvcc.record.OverflowVersion;
import org.namdb.mvcc.record.RecordBody;

/// Frees the old-version buffers of several records at once, in two round trips for all:
/// ```
/// WRITE intents to lock them
/// CAS header h -> h|L, READ versions pointer        those that changed meanwhile are skipped
/// WRITE versions pointer = null, WRITE header h; WRITE that the attempt is over
/// READ overflow pointer                             of a buffer that nothing points to any more
/// ```
/// So a record is locked over one await only, the minimum: there the thread may lose its processor.
///
/// Belongs to one thread.
final class VersionReclaim extends LockedBatch {
    /// The records of a batch: as many as the intents hold without more memory.
    static final int MAX_VERSIONS = Intents.ENTRIES_WITHOUT_MEMORY;

    private final RemoteAllocator oldVersions;
    private final long[] views = new long[MAX_VERSIONS];
    private final long[] versions = new long[MAX_VERSIONS];
    private final long[] overflows = new long[MAX_VERSIONS];
    private final boolean[] isCut = new boolean[MAX_VERSIONS];

    /// Whether all is posted, but not yet confirmed.
    private boolean isAwaitingCut;

    VersionReclaim(QueuePair queuePair, RemoteAllocator oldVersions, Intents intents) {
        super(queuePair, intents, MAX_VERSIONS);
        this.oldVersions = oldVersions;
    }

    /// Adds a record that is expected to have the header `header`.
    ///
    /// @param kind returned to the caller later
    void add(HashTable table, long kind, long header, long headerAddress, long bodyAddress) {
        isCut[count()] = false;
        addRecord(table, kind, header, headerAddress, bodyAddress);
    }

    /// Executes all that were added. What is not [done][#isDone] then is as it was.
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
        for (int i = 0; i < count(); i++) {
            overflows[i] = isCut[i] ? LocalMemory.longAt(views[i]) : RemoteAddress.NULL;
        }
        freeCut();
    }

    private void freeCut() {
        for (int i = 0; i < count(); i++) {
            if (isCut[i]) {
                oldVersions.free(versions[i], table(i).oldVersions().bytes());
            }
        }
    }

    @Override
    void postReads(int i) {
        views[i] = queuePair.read(bodyAddress(i) + RecordBody.VERSIONS_OFFSET, 8);
    }

    private void cut() {
        for (int i = 0; i < count(); i++) {
            versions[i] = LocalMemory.longAt(views[i]); // before more is read
        }
        for (int i = 0; i < count(); i++) {
            if (step(i) == Step.LOCKED) {
                if (!RemoteAddress.isNull(versions[i])) {
                    queuePair.writeWord(
                            bodyAddress(i) + RecordBody.VERSIONS_OFFSET, RemoteAddress.NULL);
                    isCut[i] = true;
                }
                isDone[i] = true;
                postRelease(i);
            }
        }
        for (int i = 0; i < count(); i++) {
            if (isCut[i]) {
                views[i] = queuePair.read(versions[i] + OldVersionBuffer.OVERFLOW_OFFSET, 8);
            }
        }
    }

    /// Unlocks what is locked, each alone, since others may fail. A buffer that is known to be cut
    /// off is freed, except for what it has in the overflow region; else it is lost.
    private void letGo(Throwable failure) {
        Arrays.fill(overflows, RemoteAddress.NULL);
        if (letGoOfAll(failure) && !isAwaitingCut) {
            freeCut();
        } else {
            Arrays.fill(isCut, false);
        }
    }

    /// The overflow versions that were cut off record `i`, or null.
    long cutOverflow(int i) {
        return isCut[i] ? overflows[i] : RemoteAddress.NULL;
    }

    /// Frees the newest overflow version of each record that has one which was cut off, and goes on
    /// to the next: one round trip for all.
    ///
    /// @return whether there was any
    boolean freeNewestOfAll() {
        boolean isAny = false;
        for (int i = 0; i < count(); i++) {
            if (!RemoteAddress.isNull(cutOverflow(i))) {
                views[i] = queuePair.read(overflows[i] + OverflowVersion.OLDER_OFFSET, Long.BYTES);
                isAny = true;
            }
        }
        if (isAny) {
            queuePair.await();
        }
        for (int i = 0; isAny && i < count(); i++) {
            long newest = cutOverflow(i);
            if (!RemoteAddress.isNull(newest)) {
                overflows[i] = LocalMemory.longAt(views[i]);
                oldVersions.free(newest, OverflowVersion.bytes(table(i).layout().payloadBytes()));
            }
        }
        return isAny;
    }

    /// Frees the newest of a chain of versions in the overflow region that nothing points to any
    /// more.
    ///
    /// @return the next older one, or null
    long freeNewest(HashTable table, long newest) {
        int bytes = OverflowVersion.bytes(table.layout().payloadBytes());
        long older = queuePair.readWord(newest + OverflowVersion.OLDER_OFFSET);
        oldVersions.free(newest, bytes);
        return older;
    }
}
