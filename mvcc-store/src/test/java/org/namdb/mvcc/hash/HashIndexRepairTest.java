package org.namdb.mvcc.hash;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.Host;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.BumpAllocator;
import org.namdb.mvcc.CrashingQueuePair;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.index.IndexContext;
import org.namdb.mvcc.owner.DeadSlots;
import org.namdb.mvcc.owner.IntentLayout;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.KeyLayout;
import org.namdb.mvcc.schema.RecordSchema;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.timestamp.snapshot.Snapshot;

/// A session dies at each verb of an insert into a hashed index, and of a removal from it; then the
/// index is repaired, and others go on with it. Buckets have two entries, so that areas are added.
final class HashIndexRepairTest {
    private static final int DEAD = 7;
    private static final KeyLayout KEY =
            new KeyLayout(List.of("value", "key"), List.of(ColumnType.INT64, ColumnType.INT64));
    private static final int REGION_BYTES = 1 << 16;
    private static final int RECORDS_BYTES = REGION_BYTES / 2;

    /// The slots' intents lie behind the buckets.
    private static final IntentLayout INTENTS =
            new IntentLayout(RemoteAddress.of(0, RECORDS_BYTES));

    private static final BucketLayout BUCKET = new BucketLayout(2, 2, 0, true);
    private static final RecordSchema SCHEMA =
            new RecordSchema(
                    TableDefinition.named("t")
                            .column("key", ColumnType.INT64)
                            .primaryKey("key")
                            .build());

    @Test
    void insertsAreRepaired() {
        for (int before = 0; before < 5; before++) {
            crashEverywhere(before, true);
        }
    }

    @Test
    void removalsAreRepaired() {
        for (int before = 1; before < 5; before++) {
            crashEverywhere(before, false);
        }
    }

    private static void crashEverywhere(int before, boolean inserts) {
        List<int[]> batches = run(before, inserts, -1, new int[1]);
        assertThat(batches.size()).isGreaterThan(1);
        for (int batch = 0; batch < batches.size(); batch++) {
            for (int[] cut : CrashingQueuePair.cuts(batches.get(batch))) {
                run(before, inserts, batch, cut);
            }
        }
    }

    private static List<int[]> run(int before, boolean inserts, int batch, int[] cut) {
        try (Fabric fabric = new ShmFabric(ShmFabric.Options.DEFAULT)) {
            Region region = fabric.register(0, REGION_BYTES);
            HashTable table =
                    new HashTable(1, KEY, 1, BUCKET, 1, new long[] {RemoteAddress.of(0, 64)}, 2);
            RemoteAllocator areas = new BumpAllocator(1, 4096, RECORDS_BYTES);
            QueuePair living = fabric.connect(List.of(region));
            HashIndex index = index(table, living, areas, 1);
            for (int key = 0; key < before; key++) {
                assertThat(index.insert(new long[] {5, key}, Snapshot.EVERYTHING)).isTrue();
            }
            living.await();
            long changed = inserts ? before : before - 1;
            CrashingQueuePair queuePair = new CrashingQueuePair(fabric.connect(List.of(region)), 1);
            HashIndex dying = index(table, queuePair, areas, DEAD);
            queuePair.arm(batch, batch < 0 ? null : cut);
            try {
                change(dying, inserts, changed);
                queuePair.await();
                assertThat(batch).as("it was to die").isNegative();
                return queuePair.batches();
            } catch (CrashingQueuePair.Crash died) {
                // As it was recorded.
            }
            HashIndexRepair repair = new HashIndexRepair(living, DeadSlots.of(DEAD));
            long _ = repair.repair(table);
            assertThat(repair.repair(table)).as("left").isZero();
            Set<Long> found = lookup(index);
            for (long key = 0; key < before; key++) {
                if (inserts || key != changed) {
                    assertThat(found).contains(key);
                }
            }
            found.remove(changed);
            assertThat(found).hasSize(inserts ? before : before - 1);
            index.insert(new long[] {5, changed}, Snapshot.EVERYTHING);
            living.await();
            assertThat(lookup(index)).as("insert again").contains(changed);
            index.remove(new long[] {5, changed});
            assertThat(lookup(index)).isEqualTo(found);
            return List.of();
        }
    }

    private static void change(HashIndex dying, boolean inserts, long key) {
        if (inserts) {
            dying.insert(new long[] {5, key}, Snapshot.EVERYTHING);
        } else {
            dying.remove(new long[] {5, key});
        }
    }

    private static Set<Long> lookup(HashIndex index) {
        List<Long> found = new ArrayList<>();
        index.lookup(new long[] {5, 0}, entry -> found.add(entry[1]));
        assertThat(found).doesNotHaveDuplicates();
        return new HashSet<>(found);
    }

    private static HashIndex index(
            HashTable table, QueuePair queuePair, RemoteAllocator areas, int slot) {
        LatchOwner owner =
                new LatchOwner(
                        slot,
                        Host.MACHINE,
                        Duration.ofSeconds(10).toNanos(),
                        LatchOwner.Cancellation.NEVER);
        Intents intents = new Intents(queuePair, INTENTS, slot, slot, areas);
        return new HashIndex(
                table,
                new IndexContext(queuePair, areas, owner, intents),
                new DueSplits(null),
                SCHEMA.nothing());
    }
}
