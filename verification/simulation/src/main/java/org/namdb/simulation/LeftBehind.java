package org.namdb.simulation;

import org.jspecify.annotations.Nullable;
import org.namdb.compute.NamDb;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.hash.BucketEntries;
import org.namdb.mvcc.hash.BucketLayout;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.hash.HomeBuckets;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.tree.BLinkTree;
import org.namdb.mvcc.tree.TreeLatches;
import org.namdb.timestamp.SlotOwners;

/// What must not be in the memory when nobody is at work any more, looked for word by word:
/// whatever a session that has ended held, as locks, claims, latches and slots, and what no
/// snapshot needs, as old versions and deleted records.
public final class LeftBehind {
    private final NamDb db;
    private final QueuePair queuePair;
    private final SlotOwners owners;
    private final HomeBuckets homes;
    private final BucketEntries bucket;

    /// @param db of the only compute server that is left
    public LeftBehind(NamDb db, QueuePair queuePair, SlotOwners owners) {
        this.db = db;
        this.queuePair = queuePair;
        this.owners = owners;
        this.homes = new HomeBuckets(queuePair);
        this.bucket = new BucketEntries(queuePair);
    }

    /// What was left behind first; null if nothing was. The compute server's own background work
    /// may hold something for a moment.
    public @Nullable String find() {
        String found = findSlot();
        for (String name : db.tableNames()) {
            Table table = db.table(name);
            found = found == null ? findRecord(table.records(), name) : found;
            for (Index index : table.allIndexes()) {
                found = found == null ? findLatch(index) : found;
            }
        }
        return found;
    }

    private @Nullable String findSlot() {
        long[] words = owners.read();
        for (int slot = 0; slot < words.length; slot++) {
            if (words[slot] != 0 && SlotOwners.process(words[slot]) != db.process()) {
                return "slot %d is held by 0x%x, who has gone".formatted(slot, words[slot]);
            }
        }
        return null;
    }

    private @Nullable String findRecord(HashTable records, String table) {
        homes.start(records);
        while (homes.next()) {
            long home = homes.address();
            String found = findLatch(home, table);
            bucket.start(records, home);
            while (found == null && bucket.next()) {
                String wrong = wrong(bucket.header(), bucket.bodyAddress());
                if (wrong != null) {
                    String header = RecordHeader.describe(bucket.header());
                    found = "a record of %s, %s, %s".formatted(table, header, wrong);
                }
            }
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private @Nullable String wrong(long header, long body) {
        if (RecordHeader.isClaimed(header)) {
            return "stays claimed";
        }
        if (RecordHeader.isLocked(header) || RecordHeader.isSuspect(header)) {
            return "stays locked";
        }
        if (RecordHeader.isDeleted(header)) {
            return "is still there";
        }
        long versions = queuePair.readWord(body + RecordBody.VERSIONS_OFFSET);
        return RemoteAddress.isNull(versions) ? null : "has old versions that nobody needs";
    }

    private @Nullable String findLatch(Index index) {
        HashTable hash = index.hash();
        String found = null;
        if (hash != null) {
            homes.start(hash);
        }
        while (hash != null && found == null && homes.next()) {
            found = findLatch(homes.address(), index.name());
        }
        for (BLinkTree tree : index.trees()) {
            long[] latched = new long[1];
            TreeLatches.find(queuePair, tree, node -> latched[0] = node);
            if (latched[0] != 0) {
                found = "a node of %s stays latched".formatted(index.name());
            }
        }
        return found;
    }

    private @Nullable String findLatch(long home, String of) {
        long word = queuePair.readWord(home + BucketLayout.LATCH_OFFSET);
        return word == 0 ? null : "a bucket of %s stays latched by slot %d".formatted(of, word - 1);
    }
}
