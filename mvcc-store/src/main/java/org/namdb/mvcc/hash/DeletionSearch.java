package org.namdb.mvcc.hash;

import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.ViewScope;
import org.namdb.mvcc.record.OldVersionBuffer;
import org.namdb.mvcc.record.OverflowVersion;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.timestamp.snapshot.Snapshot;

/// Looks among a record's old versions for one that ended it. A record that is there now, and was
/// there for a snapshot, may have been deleted and inserted again in between; then there are
/// snapshots that don't show it.
///
/// Every version that the snapshot does not see is kept while the snapshot is in use, and moves
/// from the old-version buffer to the overflow region only. So a search of the buffer first, and
/// then of the overflow region, misses none, whatever writers do meanwhile.
public final class DeletionSearch {
    private DeletionSearch() {}

    /// Whether a version of the record that the snapshot does not see is a deletion. Two round
    /// trips, and one more for each version in the overflow region that the snapshot does not see.
    ///
    /// @param bodyAddress of the record, which the snapshot sees, and which has changed since
    /// @return true also if its versions can't be followed back to one that the snapshot sees
    public static boolean isDeletedSince(
            QueuePair queuePair, HashTable table, long bodyAddress, Snapshot snapshot) {
        long versions = queuePair.readWord(bodyAddress + RecordBody.VERSIONS_OFFSET);
        if (RemoteAddress.isNull(versions)) {
            return true;
        }
        OldVersionBuffer buffer = table.oldVersions();
        boolean isReached = false;
        long overflow;
        try (ViewScope _ = queuePair.openViews()) {
            long head = queuePair.read(versions, buffer.headBytes());
            long pointer = queuePair.read(versions + OldVersionBuffer.OVERFLOW_OFFSET, Long.BYTES);
            queuePair.await();
            for (int place = 0; place < buffer.versions(); place++) {
                long from = head + buffer.pairOffset(place) + OldVersionBuffer.FROM_OFFSET;
                long header = LocalMemory.longAcquire(from);
                if (header != RecordHeader.FREE && snapshot.sees(header)) {
                    isReached = true;
                } else if (RecordHeader.isDeleted(header)) {
                    return true;
                }
            }
            overflow = LocalMemory.longAcquire(pointer);
        }
        return isDeletedIn(queuePair, overflow, snapshot, isReached);
    }

    private static boolean isDeletedIn(
            QueuePair queuePair, long newest, Snapshot snapshot, boolean isReached) {
        long version = newest;
        try (ViewScope views = queuePair.openViews()) {
            while (!RemoteAddress.isNull(version)) {
                long view = queuePair.read(version, OverflowVersion.PAYLOAD_OFFSET);
                queuePair.await();
                long header = LocalMemory.longAt(view + OverflowVersion.FROM_OFFSET);
                if (snapshot.sees(header)) {
                    return false;
                }
                if (RecordHeader.isDeleted(header)) {
                    return true;
                }
                version = LocalMemory.longAt(view + OverflowVersion.OLDER_OFFSET);
                views.giveUp();
            }
        }
        return !isReached;
    }
}
