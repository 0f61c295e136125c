package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.Rows;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.Seeds;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.client.MemoryClient;
import org.namdb.memory.server.MemoryServer;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.TableDefinition;

/// Tables that are made for one row, and grow by splits of their buckets.
class GrowingTableTest {
    private static final int SLOTS = 16;
    private static final int ROWS = 20_000;
    private static final int GROUPS = ROWS / 4;

    private static final int LOOKUPS = 1000;

    private final ShmFabric fabric = new ShmFabric(ShmFabric.Options.DEFAULT);
    private final MemoryServer server =
            new MemoryServer(fabric, 0, 256 << 20, DatabaseLayout.reservedBytes(0, SLOTS));
    private final NamDb db;
    private final QueuePair queuePair;
    private final MemoryClient memory;
    private Table table;
    private Index byGroup;
    private Column group;
    private Column value;

    GrowingTableTest() {
        List<Region> regions = List.of(server.region());
        EmbeddedOptions options =
                EmbeddedOptions.DEFAULT
                        .withSlots(SLOTS)
                        .withExecutionThreads(1)
                        .withBucketSplits(true)
                        .withMaintenanceInterval(Duration.ofMillis(1));
        DatabaseLayout.format(fabric, regions, SLOTS, options.maxTransactionTime());
        db = AttachedDatabase.open(options, fabric, regions);
        queuePair = fabric.connect(regions);
        memory = new MemoryClient(queuePair, 1);
        create(true);
    }

    private void create(boolean isInlined) {
        table =
                db.createTable(
                        TableDefinition.named("t")
                                .column("id", ColumnType.INT64)
                                .column("grp", ColumnType.INT64)
                                .column("value", ColumnType.INT64)
                                .primaryKey("id")
                                .expectedRows(1)
                                .bucketRecords(16)
                                .inlined(isInlined)
                                .build());
        byGroup = db.createIndex(IndexDefinition.hash("by_group", "t", "grp"));
        group = table.column("grp");
        value = table.column("value");
    }

    @AfterEach
    void close() {
        queuePair.close();
        db.close();
        server.close();
        fabric.close();
    }

    private Key id(long id) {
        return table.newKey().set(id);
    }

    private void insert(Session session, long id) {
        session.transact(
                tx -> tx.insert(table, id(id)).setInt64(group, id % GROUPS).setInt64(value, id));
    }

    private void checkAll(Session session, int rows) {
        session.transact(tx -> {
            long sum = 0;
            TableScan scan = tx.scan(table, table.schema().all());
            int count = 0;
            for (Row row = scan.next(); row != null; row = scan.next()) {
                sum += row.int64(table.column("id"));
                count++;
            }
            scan.close();
            assertThat(count).isEqualTo(rows);
            assertThat(sum).isEqualTo((long) rows * (rows - 1) / 2);
            return true;
        });
        for (int from = 0; from < rows; from += 100) {
            int first = from;
            session.transact(tx -> {
                for (int id = first; id < Math.min(first + 100, rows); id++) {
                    assertThat(tx.read(table, id(id)).int64(value)).isEqualTo(id);
                }
                return true;
            });
        }
    }

    /// A lookup reads a bucket and its directory, however large the table has become, and however
    /// many rows a transaction has inserted.
    @ParameterizedTest
    @ValueSource(ints = {1, 50, 5000})
    void aTableThatGrowsIsAsQuickAsOneMadeForItsRows(int together) {
        long empty = memory.usage(0).usedBytes();
        try (Session session = db.session()) {
            for (long from = 0; from < ROWS; from += together) {
                long first = from;
                session.transact(tx -> {
                    for (long id = first; id < first + together; id++) {
                        tx.insert(table, id(id)).setInt64(group, id % GROUPS).setInt64(value, id);
                    }
                    return true;
                });
            }
            checkAll(session, ROWS);
            assertThat(session.bucketSplits()).isGreaterThan(ROWS / 10);
            assertThat(table.estimatedRows()).isBetween(ROWS * 2L / 3, ROWS * 3L / 2);
            requireQuickLookUps(session);
            for (long each = 0; each < 50; each++) {
                long wanted = each;
                Rows found = new Rows();
                session.transact(tx -> {
                    Key key = byGroup.newKey().add(wanted);
                    tx.lookup(byGroup, table, key, table.schema().all(), found);
                    assertThat(found.size()).isEqualTo(4);
                    return true;
                });
            }
        }
        db.dropTable("t");
        assertThat(memory.usage(0).usedBytes()).isLessThan(empty);
    }

    /// Each alone, so that every batch of READs is a round trip.
    private void requireQuickLookUps(Session session) {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        long reads = session.counters().reads();
        long roundTrips = session.counters().roundTrips();
        session.transact(tx -> {
            for (int read = 0; read < LOOKUPS; read++) {
                Row _ = tx.read(table, id(random.nextInt(ROWS)));
            }
            return true;
        });
        reads = session.counters().reads() - reads;
        roundTrips = session.counters().roundTrips() - roundTrips;
        assertThat((double) reads / LOOKUPS).as("READs").isLessThan(2.3);
        assertThat((double) roundTrips / LOOKUPS).as("batches").isLessThan(1.1);
    }

    /// Values whose entries share a bucket of the index share its chain, and all of them get
    /// entries of the next value.
    @Test
    void anIndexOfFewValuesTakesMemoryForItsEntries() {
        int values = 50;
        int rows = 200 * values;
        try (Session session = db.session()) {
            for (int from = 0; from < rows; from += values) {
                int first = from;
                session.transact(tx -> {
                    for (int id = first; id < first + values; id++) {
                        tx.insert(table, id(id)).setInt64(group, id % values).setInt64(value, id);
                    }
                    return true;
                });
            }
            long before = memory.usage(0).usedBytes();
            session.transact(tx -> {
                for (int id = 0; id < rows; id++) {
                    Row row = tx.read(table, id(id));
                    row.setInt64(group, row.int64(group) + 1);
                }
                return true;
            });
            long bytes = (memory.usage(0).usedBytes() - before) / rows;
            assertThat(bytes).as("old versions, too").isLessThan(400);
        }
    }

    @Test
    void manySessionsFillOneTable() throws InterruptedException {
        for (boolean isInlined : List.of(true, false)) {
            if (!isInlined) {
                db.dropTable("t");
                create(false);
            }
            AtomicLong next = new AtomicLong();
            AtomicLong failures = new AtomicLong();
            Thread[] threads = new Thread[4];
            for (int i = 0; i < threads.length; i++) {
                threads[i] =
                        new Thread(() -> {
                            try (Session session = db.session()) {
                                SplittableRandom random = new SplittableRandom();
                                for (long id = next.getAndIncrement();
                                        id < ROWS;
                                        id = next.getAndIncrement()) {
                                    insert(session, id);
                                    long old = random.nextLong(id + 1);
                                    session.transact(tx -> {
                                        Row row = tx.read(table, id(old));
                                        if (row != null) {
                                            row.setInt64(value, row.int64(value));
                                        }
                                        return true;
                                    });
                                }
                            } catch (Throwable e) {
                                e.printStackTrace();
                                failures.incrementAndGet();
                            }
                        });
                threads[i].start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(failures.get()).isZero();
            try (Session session = db.session()) {
                checkAll(session, ROWS);
            }
        }
    }

    /// A commit that requires rows of buckets that are split waits for the split: it meets no
    /// conflict, as no other transaction changes such a row.
    @Test
    void splitsAreNoConflicts() throws InterruptedException {
        Table other =
                db.createTable(
                        TableDefinition.named("other")
                                .column("id", ColumnType.INT64)
                                .primaryKey("id")
                                .build());
        try (Session session = db.session()) {
            insert(session, 0);
        }
        AtomicLong filled = new AtomicLong(1);
        Thread filling =
                Thread.ofPlatform()
                        .start(() -> {
                            try (Session session = db.session()) {
                                for (long id = 1; id < ROWS; id++) {
                                    insert(session, id);
                                    filled.set(id + 1);
                                }
                            }
                        });
        SplittableRandom random = new SplittableRandom(Seeds.next());
        long commits = 0;
        try (Session session = db.session()) {
            while (filling.isAlive()) {
                Transaction tx = session.begin();
                tx.insert(other, other.newKey().set(commits++)); // nothing for collectors
                for (int i = 0; i < 20; i++) {
                    Row row = tx.read(table, id(random.nextLong(filled.get())));
                    if (row == null) {
                        continue; // committed after this transaction has begun
                    }
                    if (i % 4 == 0) {
                        tx.requirePresent(row);
                    } else {
                        tx.requireUnchanged(row);
                    }
                }
                assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
            }
        }
        filling.join();
        assertThat(filled.get()).isEqualTo(ROWS);
    }

    /// The entries of one value are a chain; a commit reads it once, not for each of its entries.
    @Test
    void manyRowsOfOneValueAreInsertedTogether() {
        try (Session session = db.session()) {
            for (int commit = 0; commit < 3; commit++) {
                int first = 1000 * commit;
                long roundTrips = session.counters().roundTrips();
                long verbs = session.counters().verbs();
                session.transact(tx -> {
                    for (int id = first; id < first + 1000; id++) {
                        tx.insert(table, id(id)).setInt64(group, 7).setInt64(value, id);
                    }
                    return true;
                });
                assertThat(session.counters().roundTrips() - roundTrips)
                        .as("round trips of commit " + commit)
                        .isLessThan(600);
                assertThat(session.counters().verbs() - verbs)
                        .as("verbs of commit " + commit)
                        .isLessThan(13_000);
            }
            assertThat(entries(session, 7)).isEqualTo(3000);
        }
    }

    private int entries(Session session, long of) {
        Rows found = new Rows();
        Key key = byGroup.newKey().add(of);
        session.transact(tx -> {
            tx.lookup(byGroup, table, key, table.schema().all(), found);
            return true;
        });
        return found.size();
    }
}
