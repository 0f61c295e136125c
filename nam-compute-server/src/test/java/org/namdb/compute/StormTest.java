package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.RowCursor;
import org.namdb.compute.read.Rows;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.simulated.tearing.TearingFabric;

/// Many threads on few records, buckets and tree nodes, with landing buffers so small that a wait
/// for a latch overwrites all views that were not given up or kept. What could go wrong: a commit
/// waits for a latch in the middle, and meanwhile the results of its CASes are overwritten; it
/// takes a lock that it holds for a failed CAS, and never unlocks it.
class StormTest {
    private static final int THREADS = 5;
    private static final int ROUNDS = 150;
    private static final int GROUPS = 3;
    private static final int NUMBERS = 12;
    private static final int LANDING_BYTES = 32 << 10;

    enum Over {
        IN_PLACE,
        LANDING,
        LINES,
        WORDS;

        Fabric fabric(long seed) {
            ShmFabric.Options small = new ShmFabric.Options(this == IN_PLACE, LANDING_BYTES, null);
            return switch (this) {
                case IN_PLACE, LANDING -> new ShmFabric(small);
                case LINES -> new TearingFabric(TearingFabric.Options.lines(seed), small);
                case WORDS -> new TearingFabric(TearingFabric.Options.words(seed), small);
            };
        }
    }

    @ParameterizedTest
    @EnumSource
    @Timeout(120)
    void afterwardsEveryRecordCanBeWrittenAndIndexesAgree(Over over) throws InterruptedException {
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        System.out.println("-Dnamdb.seed=" + seed);
        EmbeddedOptions options =
                EmbeddedOptions.DEFAULT
                        .withMemoryBytes(128 << 20)
                        .withMemoryServers(over == Over.LINES ? 2 : 1)
                        .withFabric(() -> new StallingFabric(over.fabric(seed), seed));
        try (NamDb db = NamDb.embedded(options)) {
            Things things = new Things(db);
            storm(db, things, new SplittableRandom(seed));
            things.assertWritable();
            things.assertIndexesAgree();
        }
    }

    private static void storm(NamDb db, Things things, SplittableRandom random)
            throws InterruptedException {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            SplittableRandom own = random.split();
            threads.add(
                    Thread.ofPlatform()
                            .uncaughtExceptionHandler((thread, thrown) -> failure.set(thrown))
                            .start(() -> things.change(db, own)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failure.get()).isNull();
    }

    /// A table whose rows are neighbours in groups, with a hashed and an ordered index on what
    /// changes.
    private static final class Things {
        private final NamDb db;
        private final Table table;
        private final Column color;
        private final Column size;
        private final Index byColor;
        private final Index bySize;

        Things(NamDb db) {
            this.db = db;
            table =
                    db.createTable(
                            TableDefinition.named("things")
                                    .column("group_id", ColumnType.INT32)
                                    .column("number", ColumnType.INT32)
                                    .column("color", ColumnType.INT32)
                                    .column("size", ColumnType.INT64)
                                    .column("text", ColumnType.varchar(200))
                                    .primaryKey("group_id", "number")
                                    .neighbours(1)
                                    .bucketRecords(4)
                                    .expectedRows(GROUPS)
                                    .versions(1)
                                    .build());
            color = table.column("color");
            size = table.column("size");
            byColor = db.createIndex(IndexDefinition.hash("by_color", "things", "color"));
            bySize = db.createIndex(IndexDefinition.ordered("by_size", "things", "size"));
        }

        void change(NamDb on, SplittableRandom random) {
            try (Session session = on.session()) {
                for (int round = 0; round < ROUNDS; round++) {
                    long choice = random.nextLong();
                    session.transact(tx -> {
                        SplittableRandom same = new SplittableRandom(choice);
                        for (int i = 0; i < 4; i++) {
                            changeOne(tx, same);
                        }
                        return true;
                    });
                }
            }
        }

        private void changeOne(Transaction tx, SplittableRandom random) {
            Key key = table.newKey().set(random.nextInt(GROUPS), random.nextInt(NUMBERS));
            Row row = tx.read(table, key);
            if (row == null) {
                BlankRow.insert(tx, table, key)
                        .setInt64(color, random.nextInt(3))
                        .setInt64(size, random.nextInt(20));
            } else if (random.nextInt(4) == 0) {
                tx.delete(row);
            } else {
                row.setInt64(color, random.nextInt(3)).setInt64(size, random.nextInt(20));
            }
        }

        void assertWritable() {
            try (Session session = db.session()) {
                long before = session.retries();
                for (int group = 0; group < GROUPS; group++) {
                    for (int number = 0; number < NUMBERS; number++) {
                        Key key = table.newKey().set(group, number);
                        session.transact(tx -> {
                            Row row = tx.read(table, key);
                            if (row == null) {
                                row = BlankRow.insert(tx, table, key);
                            }
                            return row.setInt64(color, 7).setInt64(size, 70);
                        });
                    }
                }
                // Only background maintenance is left that may hold one of them, for a moment.
                assertThat(session.retries() - before).isLessThan(20);
            }
        }

        void assertIndexesAgree() {
            db.transact(tx -> {
                TreeMap<Long, Integer> scanned = new TreeMap<>();
                TableScan scan = tx.scan(table, table.schema().all());
                for (Row row = scan.next(); row != null; row = scan.next()) {
                    scanned.merge(row.int64(size), 1, Integer::sum);
                }
                assertThat(scanned).containsOnlyKeys(70L).containsEntry(70L, GROUPS * NUMBERS);
                Rows found = new Rows();
                tx.lookup(byColor, table, byColor.newKey().add(7), table.schema().all(), found);
                assertThat(found.size()).isEqualTo(GROUPS * NUMBERS);
                RowCursor cursor =
                        tx.ascending(
                                bySize,
                                table,
                                bySize.newKey(),
                                bySize.newKey(),
                                table.schema().all());
                int ordered = 0;
                while (cursor.next() != null) {
                    ordered++;
                }
                assertThat(ordered).isEqualTo(GROUPS * NUMBERS);
                return true;
            });
        }
    }
}
