package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.Rows;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.Seeds;
import org.namdb.mvcc.record.OverflowVersion;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.TableDefinition;

/// A transaction that stays open and reads the same records repeatedly, while writers run at full
/// speed: every read is the same, whether a version is in the record's own buffer or in the
/// overflow region, or is being moved. When it ends, all of that is collected.
///
/// A transaction keeps what it has read by key, so it reads each record by key or by neighbourhood
/// once, spread over the whole time; table scans keep nothing.
class LongReaderTest {
    private static final int RECORDS = 40;
    private static final int GROUPS = 4;
    private static final int WRITERS = 2;

    /// So many that no buffer holds the versions.
    private static final long MIN_COMMITS = 2_000;

    /// So few that the memory holds the versions, at two records of 64 bytes each: with a reader
    /// all of them are kept.
    private static final long MAX_COMMITS = 20_000_000;

    /// A round of background maintenance is short: if after so many polls nothing more is
    /// collected, nothing ever is.
    private static final int MAX_IDLE_LOOKS = 400;

    private static final long SAMPLE_MILLIS = 20;

    /// `-Dnamdb.seconds=N`: so long, in place of two seconds.
    private static final Duration LONG = Duration.ofSeconds(Integer.getInteger("namdb.seconds", 2));

    @ParameterizedTest(name = "old-version buffers of {0}")
    @ValueSource(ints = {1, 2, 4, 8})
    @Timeout(120)
    @Tag("sample")
    void everyLookIsTheSameForTwoSeconds(int versions) throws InterruptedException {
        readBesideWriters(versions, 2, Duration.ofSeconds(2));
    }

    @ParameterizedTest(name = "old-version buffers of {0}")
    @ValueSource(ints = {1, 2, 4, 8})
    @Timeout(300)
    @Tag("long")
    void everyLookIsTheSameForLong(int versions) throws InterruptedException {
        readBesideWriters(versions, 1 + versions % 2, LONG);
    }

    private static void readBesideWriters(int versions, int servers, Duration time)
            throws InterruptedException {
        long seed = Seeds.next();
        EmbeddedOptions options =
                EmbeddedOptions.DEFAULT
                        .withMemoryServers(servers)
                        .withMaintenanceInterval(Duration.ofMillis(1));
        try (NamDb db = NamDb.embedded(options)) {
            Counters counters = new Counters(db, versions);
            Writers writers = new Writers(db, counters, new SplittableRandom(seed));
            try (Session reader = db.session()) {
                reader.transact(tx -> {
                    lookUntil(tx, counters, writers, time);
                    assertThat(db.oldVersionBytes())
                            .as("bytes of old versions that the reader holds")
                            .isGreaterThan(MIN_COMMITS * OverflowVersion.bytes(0));
                    return true;
                });
                assertThat(reader.retries()).isZero();
            } finally {
                writers.stop();
            }
            assertThat(writers.failure.get()).isNull();
            db.transact(tx -> {
                assertThat(LongStream.of(counters.scan(tx)).sum())
                        .isEqualTo(2 * writers.commits.sum());
                return true;
            });
            assertEverythingIsCollected(db);
        }
    }

    private static void lookUntil(
            Transaction tx, Counters counters, Writers writers, Duration time) {
        long[] first = counters.scan(tx);
        long begin = System.nanoTime();
        long commitsBefore = writers.commits.sum();
        int done = 0;
        while (done < RECORDS || writers.commits.sum() - commitsBefore < MIN_COMMITS) {
            assertThat(writers.failure.get()).isNull();
            assertThat(counters.scan(tx)).as("by scan").isEqualTo(first);
            long due = (System.nanoTime() - begin) * RECORDS / time.toNanos();
            for (; done < Math.min(due, RECORDS); done++) {
                assertThat(counters.read(tx, done)).as("record " + done).isEqualTo(first[done]);
            }
        }
        assertThat(counters.scan(tx)).as("in the end").isEqualTo(first);
    }

    /// No session writes any more, and none collects: idle sessions and the memory servers' own
    /// work must be enough.
    private static void assertEverythingIsCollected(NamDb db) throws InterruptedException {
        long least = Long.MAX_VALUE;
        for (int idle = 0; idle < MAX_IDLE_LOOKS && least > 0; idle++) {
            Thread.sleep(SAMPLE_MILLIS);
            // The low watermark rises along the snapshot chain, so some transaction has to begin.
            db.transact(tx -> tx.snapshot().sequence());
            long bytes = db.oldVersionBytes();
            if (bytes < least) {
                least = bytes;
                idle = 0;
            }
        }
        assertThat(db.oldVersionBytes()).as("bytes of old versions").isZero();
    }

    /// Forty records with a count each, and a text that repeats it.
    private static final class Counters {
        private final Table table;
        private final Column count;
        private final Column text;
        private final Index inOrder;

        Counters(NamDb db, int versions) {
            table =
                    db.createTable(
                            TableDefinition.named("counters")
                                    .column("group_id", ColumnType.INT32)
                                    .column("id", ColumnType.INT32)
                                    .column("count", ColumnType.INT64)
                                    .column("text", ColumnType.varchar(20))
                                    .primaryKey("group_id", "id")
                                    .neighbours(1)
                                    .bucketRecords(4)
                                    .versions(versions)
                                    .expectedRows(RECORDS)
                                    .build());
            count = table.column("count");
            text = table.column("text");
            inOrder =
                    db.createIndex(
                            IndexDefinition.ordered("in_order", "counters", "group_id", "id"));
            db.transact(tx -> {
                for (int id = 0; id < RECORDS; id++) {
                    set(tx.insert(table, key(id)), 0);
                }
                return true;
            });
        }

        private Key key(int id) {
            return table.newKey().set(id % GROUPS, id);
        }

        private Row set(Row row, long to) {
            return row.setInt64(count, to).setString(text, "count " + to);
        }

        /// Adds one to two records.
        void add(Session session, int one, int other) {
            session.transact(tx -> {
                Row a = tx.post(table, key(one), table.schema().all());
                Row b = tx.post(table, key(other), table.schema().all());
                tx.await();
                set(a, a.int64(count) + 1);
                return set(b, b.int64(count) + 1);
            });
        }

        /// By a table scan, which keeps nothing: all reads go to the memory servers.
        long[] scan(Transaction tx) {
            long[] counts = new long[RECORDS];
            TableScan rows = tx.scan(table, table.schema().all());
            int found = 0;
            for (Row row = rows.next(); row != null; row = rows.next()) {
                counts[row.int32(table.column("id"))] = value(row);
                found++;
            }
            assertThat(found).as("records of a scan").isEqualTo(RECORDS);
            return counts;
        }

        /// Reads a record in one of three ways.
        long read(Transaction tx, int id) {
            return switch (id % 3) {
                case 0 -> value(tx.read(table, key(id)));
                case 1 -> {
                    Key entry = inOrder.newKey().set(id % GROUPS, id);
                    yield value(
                            tx.ascending(inOrder, table, entry, entry, table.schema().all())
                                    .next());
                }
                default -> {
                    Rows found = new Rows();
                    Key group = table.newKey().add(id % GROUPS);
                    tx.neighbours(table, group, table.schema().all(), found);
                    assertThat(found.size()).isEqualTo(RECORDS / GROUPS);
                    yield value(tx.read(table, key(id)));
                }
            };
        }

        /// The count, which the text must repeat: both are of one version.
        private long value(Row row) {
            assertThat(row.string(text)).isEqualTo("count " + row.int64(count));
            return row.int64(count);
        }
    }

    /// Threads that write as fast as they can.
    private static final class Writers {
        private final List<Thread> threads = new ArrayList<>();
        private final LongAdder commits = new LongAdder();
        private final AtomicReference<Throwable> failure = new AtomicReference<>();
        private volatile boolean stopped;

        Writers(NamDb db, Counters counters, SplittableRandom random) {
            for (int i = 0; i < WRITERS; i++) {
                SplittableRandom own = random.split();
                threads.add(
                        Thread.ofPlatform()
                                .uncaughtExceptionHandler((thread, thrown) -> failure.set(thrown))
                                .start(() -> write(db, counters, own)));
            }
        }

        private void write(NamDb db, Counters counters, SplittableRandom random) {
            try (Session session = db.session()) {
                while (!stopped && commits.sum() < MAX_COMMITS) {
                    int one = random.nextInt(RECORDS);
                    counters.add(session, one, (one + 1 + random.nextInt(RECORDS - 1)) % RECORDS);
                    commits.increment();
                }
            }
        }

        void stop() throws InterruptedException {
            stopped = true;
            for (Thread thread : threads) {
                thread.join();
            }
        }
    }
}
