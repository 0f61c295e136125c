package org.namdb.mvcc.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.Host;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.BumpAllocator;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.index.IndexContext;
import org.namdb.mvcc.owner.DeadSlots;
import org.namdb.mvcc.owner.IntentLayout;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.mvcc.owner.LatchTimeoutException;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.KeyLayout;
import org.namdb.mvcc.schema.RecordSchema;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.timestamp.snapshot.Snapshot;

/// An operation on a hashed index, or a wait for a latch, costs its caller's views nothing: what it
/// has landed is given up when it ends.
class HashViewsTest {
    private static final int REGION_BYTES = 1 << 20;
    private static final int INTENTS_OFFSET = REGION_BYTES / 2;
    private static final long HEAD = RemoteAddress.of(0, 64);
    private static final int ENTRIES = 1000;
    private static final KeyLayout KEY =
            new KeyLayout(List.of("value", "key"), List.of(ColumnType.INT64, ColumnType.INT64));
    private static final RecordSchema SCHEMA =
            new RecordSchema(
                    TableDefinition.named("t")
                            .column("key", ColumnType.INT64)
                            .primaryKey("key")
                            .build());

    private final HashTable table =
            new HashTable(1, KEY, 1, new BucketLayout(2, 2, 0, true), 1, new long[] {HEAD}, 2);
    private Fabric fabric;
    private QueuePair queuePair;

    @BeforeEach
    void open() {
        fabric = new ShmFabric(new ShmFabric.Options(false, 8 << 10, null));
        Region region = fabric.register(0, REGION_BYTES);
        queuePair = fabric.connect(List.of(region));
    }

    @AfterEach
    void close() {
        queuePair.close();
        fabric.close();
    }

    @Test
    void operationsLandNothingInTheEnd() {
        HashIndex index = index();
        long before = queuePair.landed();
        for (long key = 0; key < ENTRIES; key++) {
            assertThat(index.insert(new long[] {5, key}, Snapshot.EVERYTHING)).isTrue();
            queuePair.await();
            assertThat(queuePair.landed()).as("insert").isEqualTo(before);
        }
        List<Long> found = new ArrayList<>();
        index.lookup(new long[] {5, 0}, entry -> found.add(entry[1]));
        assertThat(found).hasSize(ENTRIES);
        assertThat(queuePair.landed()).as("lookup").isEqualTo(before);
        assertThat(new HashIndexRepair(queuePair, DeadSlots.of(3)).repair(table)).isZero();
        assertThat(queuePair.landed()).as("repair").isEqualTo(before);
        for (long key = 0; key < ENTRIES; key += 50) {
            index.remove(new long[] {5, key});
            assertThat(queuePair.landed()).as("remove").isEqualTo(before);
        }
    }

    @Test
    void waitsLandNothingInTheEnd() {
        HashIndex index = index();
        long home = table.home(table.hash(new long[] {5, 1}));
        Latch.acquire(queuePair, home, owner());
        long before = queuePair.landed();
        assertThatExceptionOfType(LatchTimeoutException.class)
                .isThrownBy(() -> Latch.acquire(queuePair, home, owner()));
        assertThat(queuePair.landed()).as("latch").isEqualTo(before);
        assertThatExceptionOfType(LatchTimeoutException.class)
                .isThrownBy(() -> index.insert(new long[] {5, 1}, Snapshot.EVERYTHING));
        assertThat(queuePair.landed()).as("claim").isEqualTo(before);
    }

    private HashIndex index() {
        RemoteAllocator areas = new BumpAllocator(1, 4096, INTENTS_OFFSET);
        IntentLayout layout = new IntentLayout(RemoteAddress.of(0, INTENTS_OFFSET));
        Intents intents = new Intents(queuePair, layout, 1, 1, areas);
        IndexContext context = new IndexContext(queuePair, areas, owner(), intents);
        return new HashIndex(table, context, new DueSplits(null), SCHEMA.nothing());
    }

    private static LatchOwner owner() {
        return new LatchOwner(
                1, Host.MACHINE, Duration.ofMillis(20).toNanos(), LatchOwner.Cancellation.NEVER);
    }
}
