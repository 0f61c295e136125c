package org.namdb.mvcc.gc;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.namdb.fabric.ForwardingQueuePair;
import org.namdb.fabric.Host;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.BumpAllocator;
import org.namdb.mvcc.hash.BucketLayout;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.index.EntryChange;
import org.namdb.mvcc.index.EntryRemovals;
import org.namdb.mvcc.owner.IntentLayout;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.mvcc.record.OldVersionBuffer;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.KeyLayout;
import org.namdb.mvcc.tree.BLinkTree;
import org.namdb.mvcc.tree.NodeLayout;
import org.namdb.mvcc.tree.TreeClient;
import org.namdb.timestamp.TimestampSlot;
import org.namdb.timestamp.TimestampVectorLayout;
import org.namdb.timestamp.snapshot.Snapshot;
import org.namdb.timestamp.snapshot.SnapshotChain;

/// Dead records and former entries of two memory servers, whose index is on a third one; and at
/// each verb of their removal, one of the three leaves. Nothing stays locked or latched on the
/// others, nothing is freed twice, and what can be collected is in the end.
class RecordRemovalFaultTest {
    private static final long REGION_BYTES = 3 << 20;
    private static final long HEADS = 1 << 20;
    private static final long AREAS = 1 << 19;
    private static final long BUFFERS = 2 << 20;
    private static final long NODES = 5 << 19;
    private static final int INDEX_SERVER = 2;
    private static final int ITEMS = 14;
    private static final int KEYS = 200;
    private static final int PASSES = 300;
    private static final int MORE_PASSES = 10;

    /// At its verb number `left`, something happens before the verb.
    private static final class Leaving extends ForwardingQueuePair {
        private long left = Long.MAX_VALUE;
        private Runnable leave = () -> {};

        Leaving(QueuePair actual) {
            super(actual);
        }

        private void step() {
            if (--left == 0) {
                leave.run();
            }
        }

        @Override
        protected long postRead(long address, int bytes) {
            step();
            return super.postRead(address, bytes);
        }

        @Override
        protected void postWrite(long address, long source, int bytes) {
            step();
            super.postWrite(address, source, bytes);
        }

        @Override
        protected void postWriteWord(long address, long value) {
            step();
            super.postWriteWord(address, value);
        }

        @Override
        protected long postCompareAndSwap(long address, long expected, long desired) {
            step();
            return super.postCompareAndSwap(address, expected, desired);
        }

        @Override
        protected void awaitCompletions() {
            step();
            super.awaitCompletions();
        }
    }

    /// Each record has two entries in one tree.
    private static final class TwoEntries implements IndexEntries {
        private final TreeClient client;
        private final List<EntryChange> removals = new ArrayList<>();
        private int used;
        private long round;

        TwoEntries(TreeClient client) {
            this.client = client;
        }

        @Override
        public int hashed(int table) {
            return 0;
        }

        @Override
        public void removeAll(int table, long[] key, long payload, EntryRemovals together) {
            remove(key[0], together);
            remove(KEYS / 2 + key[0], together);
        }

        private void remove(long entry, EntryRemovals together) {
            if (together.round() != round) {
                used = 0;
                round = together.round();
            }
            if (used == removals.size()) {
                removals.add(client.removal());
            }
            EntryChange removal = removals.get(used++);
            removal.prepare(new long[] {entry}, Snapshot.EVERYTHING);
            together.add(removal);
        }

        @Override
        public boolean primaryKey(int table, int index, long[] entry, long[] key) {
            key[0] = entry[0];
            return true;
        }

        @Override
        public void removeFormer(
                int table,
                int index,
                long[] entry,
                long[] key,
                long payload,
                EntryRemovals together) {
            removeAll(table, key, payload, together);
        }
    }

    @ParameterizedTest(name = "READs in place: {0}, server {1} leaves")
    @CsvSource({"true,0", "true,1", "true,2", "false,0", "false,1", "false,2"})
    void aServerLeavesAtAnyVerb(boolean inPlace, int leaver) {
        long verbs = 0;
        boolean hasLeft = true;
        while (hasLeft) {
            verbs++;
            try (Trial trial = new Trial(inPlace, leaver)) {
                hasLeft = trial.run(verbs);
            }
        }
        assertThat(verbs).as("verbs of one pass").isGreaterThan(200);
    }

    private static final class Trial implements AutoCloseable {
        private final int leaver;
        private final ShmFabric fabric;
        private final QueuePair others;
        private final Leaving queuePair;
        private final HashTable table;
        private final FreedMemory freed = new FreedMemory();
        private final TreeClient checker;
        private final GarbageCollector collector;
        private final long published;
        private final Snapshot lowWatermark = new Snapshot();

        /// Of each home bucket, whether its record is dead.
        private final Map<Long, Boolean> homes = new LinkedHashMap<>();

        Trial(boolean inPlace, int leaver) {
            this.leaver = leaver;
            fabric = new ShmFabric(new ShmFabric.Options(inPlace, 128 << 10, null));
            List<Region> regions =
                    List.of(
                            fabric.register(0, REGION_BYTES),
                            fabric.register(1, REGION_BYTES),
                            fabric.register(INDEX_SERVER, REGION_BYTES));
            others = fabric.connect(regions);
            queuePair = new Leaving(fabric.connect(regions));
            TimestampVectorLayout vector = new TimestampVectorLayout(RemoteAddress.of(0, 4096), 4);
            vector.format(queuePair);
            TimestampSlot slot = TimestampSlot.take(vector, queuePair, 1);
            published = slot.next();
            slot.publish(published);
            queuePair.await();
            new SnapshotChain(slot).acquire(lowWatermark);
            queuePair.await();
            table =
                    new HashTable(
                            7,
                            new KeyLayout(List.of("id"), List.of(ColumnType.INT64)),
                            1,
                            new BucketLayout(1, 1, 8, true),
                            2,
                            new long[] {RemoteAddress.of(0, HEADS), RemoteAddress.of(1, HEADS)},
                            80);
            Intents intents =
                    new Intents(
                            queuePair,
                            new IntentLayout(
                                    RemoteAddress.of(0, AREAS),
                                    RemoteAddress.of(1, AREAS),
                                    RemoteAddress.of(INDEX_SERVER, AREAS)),
                            slot.number(),
                            1,
                            freed);
            BumpAllocator nodes = new BumpAllocator(3, NODES, REGION_BYTES);
            BLinkTree tree =
                    BLinkTree.create(
                            others,
                            nodes,
                            INDEX_SERVER,
                            new NodeLayout(1, 256),
                            List.of(INDEX_SERVER));
            checker = new TreeClient(others, nodes, tree, owner(2));
            for (long key = 0; key < KEYS; key++) {
                checker.insert(new long[] {key});
            }
            LatchOwner owner = owner(slot.number());
            collector =
                    new GarbageCollector(
                            queuePair,
                            freed,
                            freed,
                            _ -> table,
                            new TwoEntries(new TreeClient(queuePair, nodes, tree, owner)),
                            owner,
                            intents);
            for (long key = 0; homes.size() < ITEMS; key++) {
                add(key);
            }
        }

        private static LatchOwner owner(int slot) {
            return new LatchOwner(
                    slot,
                    Host.MACHINE,
                    Duration.ofSeconds(1).toNanos(),
                    LatchOwner.Cancellation.NEVER);
        }

        private void add(long key) {
            long home = table.home(table.hash(new long[] {key}));
            boolean isDead = homes.size() % 4 != 3;
            if (homes.putIfAbsent(home, isDead) != null) {
                return;
            }
            long header = isDead ? RecordHeader.deleted(published) : published;
            long headerAddress = home + BucketLayout.ENTRIES_OFFSET;
            long body = home + table.layout().bodyOffset(0);
            long buffer = RemoteAddress.of(RemoteAddress.server(home), BUFFERS + 1024 * key);
            others.writeWord(headerAddress + BucketLayout.KEY_OFFSET, key);
            others.writeWord(headerAddress, header);
            others.writeWord(
                    body + RecordBody.VERSIONS_OFFSET, isDead ? buffer : RemoteAddress.NULL);
            others.writeWord(buffer + OldVersionBuffer.OVERFLOW_OFFSET, RemoteAddress.NULL);
            others.await();
            if (isDead) {
                collector.garbage().addDeadRecord(table, header, headerAddress, body);
            } else {
                collector
                        .garbage()
                        .addFormerEntry(
                                table, 1, new long[] {key}, 1, published, headerAddress, body);
            }
        }

        /// @return whether the server has left
        boolean run(long atVerb) {
            boolean[] hasLeft = {false};
            queuePair.leave =
                    () -> {
                        hasLeft[0] = true;
                        fabric.leave(leaver);
                    };
            queuePair.left = atVerb;
            collector.collect(lowWatermark, 100);
            assertNothingIsHeld(atVerb, hasLeft[0]);
            collectWhatCanGo(hasLeft[0]);
            assertWhatCanGoGoes(atVerb, hasLeft[0]);
            return hasLeft[0];
        }

        /// Until nothing waits but records of the server that has left, and then a few times more.
        private void collectWhatCanGo(boolean hasLeft) {
            long stays = hasLeft && leaver == INDEX_SERVER ? ITEMS : waitingFor(hasLeft);
            int more = 0;
            for (int pass = 0; pass < PASSES && more < MORE_PASSES; pass++) {
                more += collector.garbage().waiting() <= stays ? 1 : 0;
                collector.collect(lowWatermark, 100);
            }
        }

        /// How many of the records are of the server that has left.
        private long waitingFor(boolean hasLeft) {
            return homes.keySet().stream().filter(home -> !isThere(home, hasLeft)).count();
        }

        private boolean isThere(long address, boolean hasLeft) {
            return !hasLeft || RemoteAddress.server(address) != leaver;
        }

        private void assertNothingIsHeld(long atVerb, boolean hasLeft) {
            for (long home : homes.keySet()) {
                if (isThere(home, hasLeft)) {
                    assertThat(others.readWord(home)).as("latch, verb %d", atVerb).isZero();
                    long header = others.readWord(home + BucketLayout.ENTRIES_OFFSET);
                    assertThat(RecordHeader.isLocked(header))
                            .as("locked, verb %d", atVerb)
                            .isFalse();
                }
            }
            if (!hasLeft || leaver != INDEX_SERVER) {
                for (long key = 0; key < KEYS; key += 7) { // times out if a leaf is latched
                    checker.insert(new long[] {key});
                    checker.delete(new long[] {key});
                }
            }
        }

        private void assertWhatCanGoGoes(long atVerb, boolean hasLeft) {
            if (!hasLeft || leaver != INDEX_SERVER) {
                assertThat(collector.garbage().waiting())
                        .as("waiting, verb %d", atVerb)
                        .isLessThanOrEqualTo(waitingFor(hasLeft));
            }
            if (!hasLeft) {
                assertThat(freed.addresses())
                        .hasSize((int) homes.values().stream().filter(dead -> dead).count());
            }
        }

        @Override
        public void close() {
            fabric.close();
        }
    }
}
