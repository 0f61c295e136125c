package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.namdb.compute.commit.CommitImageReader;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.VerbTally;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.server.MemoryServer;
import org.namdb.mvcc.ring.ImageRingReader;
import org.namdb.mvcc.ring.ImageRings;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.timestamp.TimestampVectorLayout;

/// Every commit leaves its image on two memory servers before others can see it.
class ReplicatedCommitsTest {
    private static final int SLOTS = 16;
    private static final int SERVERS = 3;
    private static final int RING_BYTES = 4096;
    private static final long SERVER_BYTES = 32L << 20;
    private static final EmbeddedOptions OPTIONS =
            EmbeddedOptions.DEFAULT
                    .withMemoryServers(SERVERS)
                    .withMemoryBytes(SERVERS * SERVER_BYTES)
                    .withSlots(SLOTS)
                    .withExecutionThreads(1)
                    .withMaintenanceInterval(Duration.ofDays(1));

    private final List<AutoCloseable> open = new ArrayList<>();
    private final TimestampVectorLayout vector = DatabaseLayout.vector(SLOTS);
    private final ImageRings rings = DatabaseLayout.imageRings(SERVERS, vector, RING_BYTES);
    private Fabric fabric = start();
    private List<Region> regions = List.of();

    private Fabric start() {
        Fabric started = new ShmFabric(ShmFabric.Options.DEFAULT.withReadsInPlace(false));
        open.add(started);
        return started;
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
    }

    private NamDb open(int ringBytes) {
        List<MemoryServer> servers =
                IntStream.range(0, SERVERS)
                        .mapToObj(number ->
                                new MemoryServer(
                                        fabric,
                                        number,
                                        SERVER_BYTES,
                                        DatabaseLayout.reservedBytes(
                                                number, vector, SERVERS, ringBytes)))
                        .toList();
        open.addAll(servers);
        regions = servers.stream().map(MemoryServer::region).toList();
        try (QueuePair queuePair = fabric.connect(regions)) {
            DatabaseLayout.formatImageRings(queuePair, ringBytes);
        }
        DatabaseLayout.format(fabric, regions, SLOTS, OPTIONS.maxTransactionTime());
        NamDb db = AttachedDatabase.open(OPTIONS, fabric, regions);
        open.add(db);
        return db;
    }

    private static Table table(NamDb db) {
        Table made =
                db.createTable(
                        TableDefinition.named("t")
                                .column("id", ColumnType.INT64)
                                .column("a", ColumnType.INT64)
                                .nullable("b", ColumnType.varchar(60))
                                .primaryKey("id")
                                .build());
        return made;
    }

    @Test
    void itIsThereWhenTheCommitIsAcknowledged() {
        NamDb db = open(RING_BYTES);
        Table table = table(db);
        db.createIndex(IndexDefinition.ordered("by_a", "t", "a"));
        SplittableRandom random = new SplittableRandom(5);
        try (Session session = db.session();
                QueuePair queuePair = fabric.connect(regions)) {
            ImageRingReader reader = new ImageRingReader(queuePair, rings);
            for (int i = 0; i < 300; i++) {
                List<Long> keys =
                        IntStream.range(0, random.nextInt(1, 9))
                                .mapToLong(n -> random.nextLong(20))
                                .distinct()
                                .boxed()
                                .toList();
                session.transact(tx -> {
                    keys.forEach(key -> change(tx, table, key, random));
                    return null;
                });
                for (int copy = 0; copy < ImageRings.COPIES; copy++) {
                    assertThat(reader.readLast(session.slotNumber(), copy)).isTrue();
                    assertThat(reader.commitTimestamp()).isEqualTo(session.commitTimestamp());
                    assertThat(keys(reader)).containsExactlyInAnyOrderElementsOf(keys);
                }
            }
        }
    }

    private static void change(Transaction tx, Table table, long key, SplittableRandom random) {
        Row row = tx.read(table, table.newKey().set(key));
        if (row == null) {
            tx.insert(table, table.newKey().set(key)).setInt64(table.column("a"), random.nextInt());
        } else if (random.nextInt(3) == 0) {
            tx.delete(row);
        } else {
            row.setInt64(table.column("a"), random.nextInt());
        }
    }

    private static List<Long> keys(ImageRingReader reader) {
        CommitImageReader image = new CommitImageReader();
        assertThat(image.open(reader.contents(), reader.contentBytes())).isTrue();
        assertThat(image.commitTimestamp()).isEqualTo(reader.commitTimestamp());
        List<Long> keys = new ArrayList<>();
        while (image.nextWrite()) {
            keys.add(image.keyWord(0) ^ Long.MIN_VALUE);
        }
        return keys;
    }

    @Test
    void anAbortLeavesNoneAndSoDoesOneThatIsTooLarge() {
        NamDb db = open(RING_BYTES);
        Table table = table(db);
        try (Session session = db.session();
                QueuePair queuePair = fabric.connect(regions)) {
            ImageRingReader reader = new ImageRingReader(queuePair, rings);
            insert(session, table, 1, 2);
            long first = session.commitTimestamp();
            Transaction tx = session.begin();
            tx.insert(table, table.newKey().set(7));
            session.rollback();
            assertThat(last(reader, session)).isEqualTo(first);
            insert(session, table, 100, 400);
            assertThat(session.commitTimestamp()).isNotEqualTo(first);
            assertThat(last(reader, session)).isEqualTo(first);
            insert(session, table, 2, 3);
            assertThat(last(reader, session)).isEqualTo(session.commitTimestamp());
        }
    }

    private static long last(ImageRingReader reader, Session session) {
        assertThat(reader.readLast(session.slotNumber(), 0)).isTrue();
        return reader.commitTimestamp();
    }

    private static void insert(Session session, Table table, long from, long to) {
        session.transact(tx -> {
            for (long id = from; id < to; id++) {
                tx.insert(table, table.newKey().set(id)).setInt64(table.column("a"), id);
            }
            return null;
        });
    }

    /// The WRITEs and the round trips of the cheapest of some updates of a row, then those of the
    /// cheapest of some inserts: background maintenance, now and then, has a transaction do more.
    private List<Long> costs(int ringBytes) {
        NamDb db = open(ringBytes);
        Table table = table(db);
        long[] least = new long[4];
        Arrays.fill(least, Long.MAX_VALUE);
        try (Session session = db.session()) {
            insert(session, table, 0, 10);
            for (int i = 0; i < 30; i++) {
                long id = i % 10;
                VerbTally before = session.counters().tally();
                session.transact(tx -> {
                    Objects.requireNonNull(tx.read(table, table.newKey().set(id)))
                            .setInt64(table.column("a"), 7);
                    return null;
                });
                VerbTally between = session.counters().tally();
                insert(session, table, 10 + i, 11 + i);
                VerbTally after = session.counters().tally();
                least[0] = Math.min(least[0], between.minus(before).writes());
                least[1] = Math.min(least[1], between.minus(before).roundTrips());
                least[2] = Math.min(least[2], after.minus(between).writes());
                least[3] = Math.min(least[3], after.minus(between).roundTrips());
            }
        }
        return Arrays.stream(least).boxed().toList();
    }

    @Test
    void itCostsTwoWritesAndAnInsertAloneARoundTripMore() throws Exception {
        List<Long> without = costs(0);
        close();
        open.clear();
        fabric = start();
        List<Long> with = costs(RING_BYTES);
        assertThat(with)
                .containsExactly(
                        without.get(0) + 2, without.get(1), without.get(2) + 2, without.get(3) + 1);
    }

    @Test
    void whatTheyDontGoTogetherWithIsRefused() {
        NamDb db = open(RING_BYTES);
        assertThat(db.tableNames()).isEmpty();
        assertThatIllegalStateException()
                .isThrownBy(() ->
                        AttachedDatabase.open(
                                OPTIONS.withOracle(EmbeddedOptions.Oracle.DIRECT), fabric, regions))
                .withMessageContaining("not --oracle direct");
        EmbeddedOptions two = EmbeddedOptions.DEFAULT.withMemoryServers(2);
        assertThat(two.withReplicatedCommits(true).replicatedCommits()).isTrue();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EmbeddedOptions.DEFAULT.withReplicatedCommits(true))
                .withMessageContaining("two memory servers");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        two.withReplicatedCommits(true).withOracle(EmbeddedOptions.Oracle.DIRECT))
                .withMessageContaining("not --oracle direct");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> two.withData(Path.of("shop")).withReplicatedCommits(true))
                .withMessageContaining("data directory");
    }

    @Test
    void anEmbeddedDatabaseHasThemToo() {
        try (NamDb db =
                NamDb.embedded(
                        EmbeddedOptions.DEFAULT
                                .withMemoryServers(2)
                                .withMemoryBytes(128 << 20)
                                .withReplicatedCommits(true))) {
            Table table = table(db);
            try (Session session = db.session()) {
                VerbTally before = session.counters().tally();
                insert(session, table, 0, 1);
                assertThat(session.counters().tally().minus(before).writes()).isGreaterThan(2);
                Row row = session.transact(tx -> tx.read(table, table.newKey().set(0)));
                assertThat(row).isNotNull();
            }
        }
    }
}
