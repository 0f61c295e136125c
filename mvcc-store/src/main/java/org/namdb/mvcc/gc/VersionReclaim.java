package org.namdb.mvcc.gc;

import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.record.OldVersionBuffer;
import org.namdb.mvcc.record.OverflowVersion;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.record.RecordHeader;

/// Gives back the old-version buffers of several records at once, in three round trips for all:
/// ```
/// CAS header h -> h|L, READ versions pointer        those that changed meanwhile are lost, and left alone
/// READ overflow pointer
/// WRITE versions pointer = null, WRITE header h
/// ```
final class VersionReclaim {
    /// The records of a batch. Few, so that they are locked for a short time.
    static final int MOST = 32;

    private final QueuePair queuePair;
    private final RemoteAllocator oldVersions;
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

    VersionReclaim(QueuePair queuePair, RemoteAllocator oldVersions) {
        this.queuePair = queuePair;
        this.oldVersions = oldVersions;
    }

    int count() {
        return count;
    }

    boolean isFull() {
        return count == MOST;
    }

    /// Posts the lock of a record that is expected to have the header `header`.
    void add(HashTable table, long header, long headerAddress, long bodyAddress) {
        tables[count] = table;
        headers[count] = header;
        headerAddresses[count] = headerAddress;
        bodyAddresses[count] = bodyAddress;
        swapViews[count] =
                queuePair.compareAndSwap(headerAddress, header, RecordHeader.lock(header));
        views[count] = queuePair.read(bodyAddress + RecordBody.VERSIONS_OFFSET, 8);
        count++;
    }

    /// Goes through with all that were added.
    void run() {
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
