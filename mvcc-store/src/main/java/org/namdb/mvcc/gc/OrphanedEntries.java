package org.namdb.mvcc.gc;

import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.ViewScope;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.hash.DueSplits;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.hash.InsertClaims;
import org.namdb.mvcc.hash.RecordRead;
import org.namdb.mvcc.hash.RecordWrite;
import org.namdb.mvcc.index.EntryRemovals;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.schema.KeyLayout;
import org.namdb.mvcc.schema.Projection;
import org.namdb.timestamp.snapshot.Snapshot;

/// Removes index entries for former values of records that are not where they were: another session
/// has collected the record first, and may have inserted the same key again, elsewhere.
/// ```
/// look for the key        there: the entry has to wait for that record, like any other
/// claim an entry for it   as an insert does: no session can insert the key now
/// remove the index entry
/// free the claimed entry
/// ```
/// Without the claim, an insert of the key with the former value could find the index entry there,
/// not add it, and lose it here.
final class OrphanedEntries {
    private final QueuePair queuePair;
    private final RemoteAllocator bodies;
    private final RemoteAllocator oldVersions;
    private final Intents intents;
    private final IndexEntries indexes;
    private final EntryRemovals removals;
    private final InsertClaims claims;
    private final long[] key = new long[KeyLayout.MAX_WORDS];
    private final FirstFailure failures = new FirstFailure();
    private boolean isHeld;
    private boolean isReleasePosted;
    private long header;
    private long headerAddress;
    private long bodyAddress;

    /// Made at the first use: most threads never need them.
    private RecordRead read;

    private RecordWrite write;

    @SuppressWarnings("NullAway.Init") // read and write come with the first table
    OrphanedEntries(
            QueuePair queuePair,
            RemoteAllocator bodies,
            RemoteAllocator oldVersions,
            LatchOwner owner,
            Intents intents,
            IndexEntries indexes,
            EntryRemovals removals) {
        this.queuePair = queuePair;
        this.bodies = bodies;
        this.oldVersions = oldVersions;
        this.intents = intents;
        this.indexes = indexes;
        this.removals = removals;
        this.claims =
                new InsertClaims(
                        queuePair,
                        bodies,
                        owner,
                        intents,
                        new DueSplits(null),
                        queuePair::localMemory,
                        Long.MAX_VALUE);
    }

    /// Removes an entry.
    ///
    /// @param formerHeader of the version that replaced the entry's value
    /// @param formerAddress where that was
    /// @param formerBody where its body was; null if unknown
    /// @return whether it is gone; else it is to be retried, with the record at [#headerAddress]
    boolean remove(
            HashTable table,
            int index,
            long[] entry,
            long formerHeader,
            long formerAddress,
            long formerBody) {
        isHeld = false;
        header = formerHeader;
        headerAddress = formerAddress;
        // An entry of a bucket may have been given to another record, and has another body then,
        // unless its bodies have their places in the bucket.
        bodyAddress = table.layout().inlined() ? formerBody : RemoteAddress.NULL;
        if (!indexes.primaryKey(table.id(), index, entry, key)) {
            return true;
        }
        try (ViewScope _ = queuePair.openViews()) {
            if (isAbsent(table) && claim(table)) {
                indexes.removeFormer(table.id(), index, entry, key, 0, removals);
                removals.run();
                release();
                return true;
            }
        }
        return false;
    }

    private boolean isAbsent(HashTable table) {
        if (read == null) {
            read = new RecordRead(table, Projection.NOTHING);
            write = new RecordWrite(table);
        }
        read.prepare(table, key, Projection.NOTHING, 0);
        read.post(queuePair);
        do {
            queuePair.await();
        } while (!read.advance(queuePair, Snapshot.EVERYTHING));
        if (RemoteAddress.isNull(read.headerAddress())) {
            return true;
        }
        if (read.isCurrent()) {
            header = RecordHeader.unlocked(read.header());
            headerAddress = read.headerAddress();
            bodyAddress = read.bodyAddress();
        }
        return false;
    }

    private boolean claim(HashTable table) {
        write.prepareInsert(table);
        claims.clear();
        claims.add(read, write);
        intents.start();
        claims.addIntents();
        intents.post();
        isHeld = true;
        isReleasePosted = false;
        boolean isClaimed = claims.claimAll(Snapshot.EVERYTHING) && write.isClaimed();
        if (!isClaimed) {
            release();
        }
        return isClaimed;
    }

    /// Frees the claimed entry, or unlocks what was found in its place.
    private void release() {
        if (!isReleasePosted && (write.isClaimed() || write.isLocked())) {
            claims.postUndo(0);
            isReleasePosted = true; // a second one could undo what others have done since
        }
        intents.postEnd();
        queuePair.await();
        isHeld = false;
        if (write.isClaimed()) {
            write.freeUnused(bodies, oldVersions);
        }
    }

    /// Something has failed: frees what is claimed.
    ///
    /// @return whether surely nothing is held any more
    boolean letGo(Throwable failure) {
        removals.clear();
        for (int tries = 2; tries > 0 && isHeld; tries--) {
            try {
                queuePair.await();
                if (write.isUnsettled()) {
                    write.settle();
                }
                release();
            } catch (Throwable e) {
                failures.clear();
                failures.add(failure);
                failures.add(e);
            }
        }
        return !isHeld;
    }

    /// The header of the record that the entry has to wait for.
    long header() {
        return header;
    }

    long headerAddress() {
        return headerAddress;
    }

    /// Where its body is; null if unknown.
    long bodyAddress() {
        return bodyAddress;
    }
}
