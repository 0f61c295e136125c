package org.namdb.mvcc.gc;

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

/// Gives back the old-version buffers of several records at once, in three round trips for all:
/// ```
/// WRITE intents to lock them
/// CAS header h -> h|L, READ versions pointer        those that changed meanwhile are lost, and left alone
/// READ overflow pointer
/// WRITE versions pointer = null, WRITE header h; WRITE that the attempt is over
/// ```
final class VersionReclaim {
    /// The records of a batch. Few, so that they are locked for a short time.
    static final int MOST = 32;

    private final QueuePair queuePair;
    private final RemoteAllocator oldVersions;
    private final Intents intents;
    private final HashTable[] tables = new HashTable[MOST];
    private final long[] headers = new long[MOST];
    private final long[] headerAddresses = new long[MOST];
    private final long[] bodyAddresses = new long[MOST];
    private final long[] swapViews = new long[MOST];
    private final long[] views = new long[MOST];
    private final long[] found = new long[MOST];
    private final long[] versions = new long[MOST];
    private final long[] overflows = new long[MOST];
    private int count;

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
    void add(HashTable table, long header, long headerAddress, long bodyAddress) {
        tables[count] = table;
        headers[count] = header;
        headerAddresses[count] = headerAddress;
        bodyAddresses[count] = bodyAddress;
        count++;
    }

    private void postLocks() {
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
            views[i] = queuePair.read(bodyAddresses[i] + RecordBody.VERSIONS_OFFSET, 8);
        }
    }

    /// Goes through with all that were added.
    void run() {
        if (count == 0) {
            queuePair.await();
            return;
        }
        postLocks();
        queuePair.await();
        for (int i = 0; i < count; i++) {
            found[i] = LocalMemory.longAt(swapViews[i]);
            boolean locked = found[i] == headers[i];
            versions[i] = locked ? LocalMemory.longAt(views[i]) : RemoteAddress.NULL;
            if (!RemoteAddress.isNull(versions[i])) {
                views[i] = queuePair.read(versions[i] + OldVersionBuffer.OVERFLOW_OFFSET, 8);
            } else if (locked) {
                queuePair.writeWord(headerAddresses[i], headers[i]);
            }
        }
        queuePair.await();
        for (int i = 0; i < count; i++) {
            if (!RemoteAddress.isNull(versions[i])) {
                overflows[i] = LocalMemory.longAt(views[i]);
                queuePair.writeWord(
                        bodyAddresses[i] + RecordBody.VERSIONS_OFFSET, RemoteAddress.NULL);
                queuePair.writeWord(headerAddresses[i], headers[i]);
            }
        }
        intents.postEnd();
        for (int i = 0; i < count; i++) {
            if (!RemoteAddress.isNull(versions[i])) {
                freeOverflow(tables[i], overflows[i]);
                oldVersions.free(versions[i], tables[i].oldVersions().bytes());
            }
        }
        queuePair.await();
    }

    /// What the header of record `i` was when it was to be locked.
    long found(int i) {
        return found[i];
    }

    long header(int i) {
        return headers[i];
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

    /// Gives back a chain of versions in the overflow region that nothing points to any more.
    void freeOverflow(HashTable table, long newest) {
        int bytes = OverflowVersion.bytes(table.layout().payloadBytes());
        long version = newest;
        long mark = queuePair.landed();
        while (!RemoteAddress.isNull(version)) {
            long view = queuePair.read(version + OverflowVersion.OLDER_OFFSET, 8);
            queuePair.await();
            long older = LocalMemory.longAt(view);
            queuePair.giveUpViews(mark);
            oldVersions.free(version, bytes);
            version = older;
        }
    }
}
