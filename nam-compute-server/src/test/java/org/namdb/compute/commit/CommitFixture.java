package org.namdb.compute.commit;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.namdb.compute.schema.Catalog;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.SchemaJournal;
import org.namdb.compute.schema.SchemaUsers;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.Host;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.memory.client.MemoryClient;
import org.namdb.memory.client.ThreadExtents;
import org.namdb.memory.server.MemoryServer;
import org.namdb.memory.server.RegionLayout;
import org.namdb.mvcc.gc.Garbage;
import org.namdb.mvcc.hash.DueSplits;
import org.namdb.mvcc.hash.RecordRead;
import org.namdb.mvcc.owner.IntentLayout;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.mvcc.owner.LatchOwner.Cancellation;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.timestamp.TimestampSlot;
import org.namdb.timestamp.TimestampVectorLayout;
import org.namdb.timestamp.snapshot.LowWatermark;
import org.namdb.timestamp.snapshot.SnapshotChain;

/// Memory servers, a catalog, and committers on them: no database, no session, no transaction.
final class CommitFixture implements AutoCloseable {
    private static final int SLOTS = 8;

    /// How long a transaction may take: no test does.
    private static final long MAX_NANOS = Duration.ofHours(1).toNanos();

    private final Fabric fabric;
    private final MemoryServer server;
    private final TimestampVectorLayout vector =
            new TimestampVectorLayout(RegionLayout.address(0, RegionLayout.HEAD_BYTES), SLOTS);
    private final IntentLayout intents =
            new IntentLayout(
                    RegionLayout.address(
                            0, RegionLayout.HEAD_BYTES + TimestampVectorLayout.bytes(SLOTS)));
    final Catalog catalog;
    private long owners;

    CommitFixture(Fabric fabric) {
        this.fabric = fabric;
        long reserved = TimestampVectorLayout.bytes(SLOTS) + IntentLayout.bytes(SLOTS);
        server = new MemoryServer(fabric, 0, 64 << 20, reserved);
        vector.format(connect());
        QueuePair queuePair = connect();
        catalog = new Catalog(() -> queuePair, 1, 1, new NoUsers(), SchemaJournal.NONE, () -> {});
    }

    private QueuePair connect() {
        List<Region> regions = List.of(server.region());
        return fabric.connect(regions);
    }

    Table table(TableDefinition definition) {
        return catalog.create(definition);
    }

    Committer committer(CommitJournal journal) {
        return new Committer(journal);
    }

    @Override
    public void close() {
        server.close();
        fabric.close();
    }

    /// One thread that reads records and commits write sets.
    final class Committer {
        final QueuePair queuePair = connect();
        private final TimestampSlot slot = TimestampSlot.take(vector, queuePair, ++owners);
        private final SnapshotChain chain = new SnapshotChain(slot);
        final ReadSnapshot held =
                new ReadSnapshot(
                        Host.MACHINE,
                        queuePair,
                        chain,
                        new LowWatermark(vector, queuePair, MAX_NANOS, System::nanoTime),
                        lost -> {},
                        MAX_NANOS);
        private final Map<Index, IndexWriter> writers = new HashMap<>();
        final WriteSet writes = new WriteSet(queuePair::localMemory);
        final RequiredReads required;
        final Commit commit;

        Committer(CommitJournal journal) {
            MemoryClient client = new MemoryClient(queuePair, 1);
            ThreadExtents data = new ThreadExtents(client);
            ThreadExtents oldVersions = new ThreadExtents(client);
            LatchOwner owner =
                    new LatchOwner(
                            slot.number(),
                            Host.MACHINE,
                            Duration.ofSeconds(10).toNanos(),
                            () -> {});
            Intents own = new Intents(queuePair, intents, slot.number(), owners, data);
            CommitContext context =
                    new CommitContext(
                            queuePair,
                            slot,
                            owner,
                            own,
                            data,
                            oldVersions,
                            queuePair::localMemory,
                            new DueSplits(null));
            IndexWriters indexes =
                    (table, index) ->
                            writers.computeIfAbsent(
                                    index, made -> new IndexWriter(context, table, made));
            required = new RequiredReads(context, indexes, (table, key) -> null);
            commit =
                    new Commit(
                            Host.MACHINE,
                            context,
                            held,
                            indexes,
                            new Garbage(),
                            journal,
                            new CommitGuards(
                                    null, false, Host.MACHINE, Duration.ZERO, Cancellation.NEVER));
        }

        IndexWriter openWriter(Index index) {
            return Objects.requireNonNull(writers.get(index));
        }

        void begin() {
            commit.begin();
            held.begin();
            chain.acquire(held.snapshot());
            held.started(true);
            writes.clear();
            required.clear();
        }

        CommitOutcome end() {
            try {
                return commit.commit(writes, required);
            } finally {
                chain.release();
                queuePair.await();
            }
        }

        /// Reads a record as the snapshot shows it.
        RecordRead read(Table table, long id) {
            long image = image(table);
            Key key = table.newKey().set(id);
            RecordRead read = new RecordRead(table.records(), table.schema().all());
            read.prepare(table.records(), key.words(), table.schema().all(), image);
            read.post(queuePair);
            do {
                queuePair.await();
            } while (!read.advance(queuePair, held.snapshot()));
            return read;
        }

        /// A key that nothing is read of.
        RecordRead key(Table table, long id) {
            RecordRead read = new RecordRead(table.records(), table.schema().nothing());
            Key key = table.newKey().set(id);
            read.prepare(table.records(), key.words(), table.schema().nothing(), image(table));
            return read;
        }

        /// Native address of a payload, behind a null versions word.
        long image(Table table) {
            return queuePair.localMemory(table.records().layout().bodyBytes())
                    + RecordBody.PAYLOAD_OFFSET;
        }
    }

    private static final class NoUsers implements SchemaUsers {
        @Override
        public List<Integer> running() {
            return List.of();
        }

        @Override
        public void requireNoTransaction() {}

        @Override
        public void forget(Table table) {}

        @Override
        public void forget(Index index) {}

        @Override
        public void release(Table table) {}

        @Override
        public void freeMemory() {}

        @Override
        public void releaseMemory() {}
    }
}
