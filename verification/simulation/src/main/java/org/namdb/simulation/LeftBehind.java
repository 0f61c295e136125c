package org.namdb.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.NamDb;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.ViewScope;
import org.namdb.mvcc.hash.BucketEntries;
import org.namdb.mvcc.hash.BucketLayout;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.hash.HomeBuckets;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.tree.BLinkTree;
import org.namdb.mvcc.tree.TreeLatches;
import org.namdb.timestamp.SlotOwners;

/// What must not be in the memory when no session is at work any more, checked word by word: what
/// ended sessions held, as locks, claims, latches and slots, and what no snapshot needs, as old
/// versions and deleted records.
public final class LeftBehind {
    private static final int WORDS_PER_READ = 256;

    /// One that is to be zero, and what is said of another value.
    private record Word(long address, LongFunction<String> otherwise) {}

    private final NamDb db;
    private final QueuePair queuePair;
    private final SlotOwners owners;
    private final HomeBuckets homes;
    private final BucketEntries bucket;
    private final List<Word> expected = new ArrayList<>();

    /// @param db of the only compute server that is left
    public LeftBehind(NamDb db, QueuePair queuePair, SlotOwners owners) {
        this.db = db;
        this.queuePair = queuePair;
        this.owners = owners;
        this.homes = new HomeBuckets(queuePair);
        this.bucket = new BucketEntries(queuePair);
    }

    /// What was left behind first; null if nothing was. The compute server's own background
    /// maintenance may hold something for a moment.
    public @Nullable String find() {
        expected.clear();
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
                return "slot %d is held by 0x%x, which has left".formatted(slot, words[slot]);
            }
        }
        return null;
    }

    private @Nullable String findRecord(HashTable records, String table) {
        String found = null;
        homes.start(records);
        while (found == null && homes.next()) {
            expectNoLatch(homes.address(), table);
            bucket.start(records, homes.address());
            while (found == null && bucket.next()) {
                long header = bucket.header();
                String wrong = wrong(header);
                if (wrong == null) {
                    expectZero(
                            bucket.bodyAddress() + RecordBody.VERSIONS_OFFSET,
                            _ ->
                                    describe(
                                            table,
                                            header,
                                            "has old versions that no snapshot needs"));
                } else {
                    found = describe(table, header, wrong);
                }
            }
            if (expected.size() >= WORDS_PER_READ && found == null) {
                found = findWord();
            }
        }
        return found == null ? findWord() : found;
    }

    private static @Nullable String wrong(long header) {
        if (RecordHeader.isClaimed(header)) {
            return "stays claimed";
        }
        if (RecordHeader.isLocked(header) || RecordHeader.isSuspect(header)) {
            return "stays locked";
        }
        return RecordHeader.isDeleted(header) ? "is still there" : null;
    }

    private static String describe(String table, long header, String wrong) {
        return "a record of %s, %s, %s".formatted(table, RecordHeader.describe(header), wrong);
    }

    private void expectNoLatch(long home, String of) {
        expectZero(
                home + BucketLayout.LATCH_OFFSET,
                word -> "a bucket of %s stays latched by slot %d".formatted(of, word - 1));
    }

    private void expectZero(long address, LongFunction<String> otherwise) {
        expected.add(new Word(address, otherwise));
    }

    /// Reads the words that are to be zero, many in a round trip.
    private @Nullable String findWord() {
        String found = null;
        for (int from = 0; from < expected.size(); from += WORDS_PER_READ) {
            List<Word> some =
                    expected.subList(from, Math.min(expected.size(), from + WORDS_PER_READ));
            try (ViewScope _ = queuePair.openViews()) {
                long[] views = new long[some.size()];
                for (int i = 0; i < views.length; i++) {
                    views[i] = queuePair.read(some.get(i).address(), Long.BYTES);
                }
                queuePair.await();
                for (int i = 0; i < views.length && found == null; i++) {
                    long word = LocalMemory.longAcquire(views[i]);
                    found = word == 0 ? null : some.get(i).otherwise().apply(word);
                }
            }
        }
        expected.clear();
        return found;
    }

    private @Nullable String findLatch(Index index) {
        HashTable hash = index.hash();
        if (hash != null) {
            homes.start(hash);
        }
        while (hash != null && homes.next()) {
            expectNoLatch(homes.address(), index.name());
        }
        String found = findWord();
        for (BLinkTree tree : index.trees()) {
            long[] latched = new long[1];
            TreeLatches.find(queuePair, tree, node -> latched[0] = node);
            if (latched[0] != 0) {
                found = "a node of %s stays latched".formatted(index.name());
            }
        }
        return found;
    }
}
