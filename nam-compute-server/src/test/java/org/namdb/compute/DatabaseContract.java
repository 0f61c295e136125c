package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.RowCursor;
import org.namdb.compute.read.Rows;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.timestamp.SlotsExhaustedException;
import org.namdb.timestamp.snapshot.Snapshot;

/// The public interface, used as a program would; the same on every fabric, whatever the number of
/// memory servers and the length of the old-version buffers.
abstract class DatabaseContract extends AccountsFixture {
    private static final int THREADS_THAT_TRANSFER = 4;
    private static final int THREADS_THAT_AUDIT = 2;

    @Test
    void whatIsInsertedCanBeRead() {
        insert(1, "ada", 100);
        String text =
                db.transact(tx -> {
                    Row row = tx.read(accounts, id(1));
                    return row.string(owner)
                            + " "
                            + row.int64(balance)
                            + " "
                            + row.isNull(accounts.column("note"));
                });
        assertThat(text).isEqualTo("ada 100 true");
        assertThat(db.<Row>transact(tx -> tx.read(accounts, id(2)))).isNull();
    }

    @Test
    void twoInsertsOfOneKeyAreADuplicate() {
        insert(1, "ada", 100);
        assertThatThrownBy(() -> insert(1, "eve", 1))
                .isInstanceOf(TransactionException.class)
                .hasMessageContaining("duplicate key: accounts(1)");
    }

    @Test
    void aTransactionSeesItsOwnWritesAndNoOtherDoesBefore() {
        insert(1, "ada", 100);
        try (Session other = db.session()) {
            db.transact(tx -> {
                tx.read(accounts, id(1)).setInt64(balance, 7);
                assertThat(tx.read(accounts, id(1)).int64(balance)).isEqualTo(7);
                assertThat(other.<Long>transact(t -> t.read(accounts, id(1)).int64(balance)))
                        .isEqualTo(100);
                return true;
            });
            assertThat(other.<Long>transact(t -> t.read(accounts, id(1)).int64(balance)))
                    .isEqualTo(7);
        }
    }

    @Test
    void deleteAndInsertAgain() {
        insert(1, "ada", 100);
        db.transact(tx -> {
            tx.delete(tx.read(accounts, id(1)));
            return true;
        });
        assertThat(db.<Row>transact(tx -> tx.read(accounts, id(1)))).isNull();
        insert(1, "bob", 5);
        assertThat(db.<String>transact(tx -> tx.read(accounts, id(1)).string(owner)))
                .isEqualTo("bob");
    }

    @Test
    void aSecondWriterLoses() {
        insert(1, "ada", 100);
        try (Session other = db.session()) {
            int[] runs = {0};
            db.transact(tx -> {
                Row row = tx.read(accounts, id(1));
                if (runs[0]++ == 0) {
                    other.transact(t -> t.read(accounts, id(1)).setInt64(balance, 50));
                }
                return row.setInt64(balance, row.int64(balance) + 1);
            });
            assertThat(runs[0]).isEqualTo(2);
            assertThat(other.<Long>transact(t -> t.read(accounts, id(1)).int64(balance)))
                    .isEqualTo(51);
        }
    }

    @Test
    void manyThreadsTransferAndNothingIsLost() throws InterruptedException {
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        System.out.println("seed " + seed);
        int count = 50;
        for (int i = 0; i < count; i++) {
            insert(i, "owner" + i, 1000);
        }
        List<Thread> threads = new ArrayList<>();
        List<Throwable> failures = new ArrayList<>();
        for (int t = 0; t < THREADS_THAT_TRANSFER + THREADS_THAT_AUDIT; t++) {
            SplittableRandom random = new SplittableRandom(seed + t);
            boolean audits = t >= THREADS_THAT_TRANSFER;
            threads.add(
                    Thread.ofPlatform()
                            .start(() -> {
                                try (Session session = db.session()) {
                                    for (int i = 0; i < (audits ? 200 : 2000); i++) {
                                        if (audits) {
                                            assertThat(session.<Long>transact(tx -> sum(tx, count)))
                                                    .isEqualTo(1000L * count);
                                        } else {
                                            int from = random.nextInt(count);
                                            int to = (from + 1 + random.nextInt(count - 1)) % count;
                                            session.transact(tx -> {
                                                Row a =
                                                        tx.post(
                                                                accounts,
                                                                id(from),
                                                                accounts.schema().all());
                                                Row b =
                                                        tx.post(
                                                                accounts,
                                                                id(to),
                                                                accounts.schema().all());
                                                tx.await();
                                                a.setInt64(balance, a.int64(balance) - 1);
                                                return b.setInt64(balance, b.int64(balance) + 1);
                                            });
                                        }
                                    }
                                } catch (Throwable e) {
                                    synchronized (failures) {
                                        failures.add(e);
                                    }
                                }
                            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(failures).isEmpty();
        assertThat(
                        db.<Long>transact(tx -> {
                            long sum = 0;
                            TableScan scan = tx.scan(accounts, accounts.project("balance"));
                            for (Row row = scan.next(); row != null; row = scan.next()) {
                                sum += row.int64(balance);
                            }
                            return sum;
                        }))
                .isEqualTo(1000L * count);
    }

    private long sum(Transaction tx, int count) {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            tx.post(accounts, id(i), accounts.project("balance"));
        }
        tx.await();
        for (int i = 0; i < count; i++) {
            sum += tx.read(accounts, id(i), accounts.project("balance")).int64(balance);
        }
        return sum;
    }

    @Test
    void indexesFindByTheValueThatTheSnapshotSees() {
        Index byOwner = db.createIndex(IndexDefinition.ordered("by_owner", "accounts", "owner"));
        Index byName = db.createIndex(IndexDefinition.hash("by_name", "accounts", "owner"));
        insert(1, "ada", 1);
        insert(2, "bob", 2);
        insert(3, "ada", 3);
        Rows found = new Rows();
        try (Session other = db.session()) {
            db.transact(tx -> {
                Snapshot _ = tx.snapshot(); // chosen now
                other.transact(t -> t.read(accounts, id(1)).setString(owner, "zoe"));
                tx.lookup(
                        byName,
                        accounts,
                        byName.newKey().add("ada"),
                        accounts.schema().all(),
                        found);
                assertThat(found.size()).isEqualTo(2);
                assertThat(ids(tx, byOwner, "a", "z")).isEqualTo("1 3 2 ");
                return true;
            });
        }
        db.transact(tx -> {
            tx.lookup(byName, accounts, byName.newKey().add("ada"), accounts.schema().all(), found);
            assertThat(found.size()).isEqualTo(1);
            assertThat(ids(tx, byOwner, "a", "zz")).isEqualTo("3 2 1 ");
            return true;
        });
    }

    private String ids(Transaction tx, Index index, String from, String to) {
        StringBuilder text = new StringBuilder();
        RowCursor cursor =
                tx.ascending(
                        index,
                        accounts,
                        index.newKey().add(from),
                        index.newKey().add(to),
                        accounts.schema().all());
        for (Row row = cursor.next(); row != null; row = cursor.next()) {
            text.append(row.int64(accounts.column("id"))).append(' ');
        }
        return text.toString();
    }

    @Test
    void proceduresRunByName() {
        insert(1, "ada", 1);
        db.register(
                "add",
                (StoredProcedure<Long, Long>)
                        (tx, amount) -> {
                            Row row = tx.read(accounts, id(1));
                            row.setInt64(balance, row.int64(balance) + amount);
                            return row.int64(balance);
                        });
        List<CompletableFuture<Long>> results = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            results.add(db.callAsync("add", 1L));
        }
        assertThat(results.stream().map(CompletableFuture::join)).doesNotHaveDuplicates();
        assertThat(db.<Long>call("add", 0L)).isEqualTo(101);
        assertThatThrownBy(() -> db.call("subtract", 1L))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("there is no procedure subtract");
    }

    @Test
    void twentyKnownKeysTakeOneRoundTrip() {
        Table spacious =
                db.createTable(
                        TableDefinition.named("spacious")
                                .column("id", ColumnType.INT64)
                                .column("value", ColumnType.INT64)
                                .primaryKey("id")
                                .servers(servers())
                                .load(10)
                                .expectedRows(1000)
                                .build());
        db.transact(tx -> {
            for (int i = 0; i < 20; i++) {
                BlankRow.insert(tx, spacious, spacious.newKey().set(i))
                        .setInt64(spacious.column("value"), i);
            }
            return true;
        });
        try (Session session = db.session()) {
            long roundTrips =
                    session.transact(tx -> {
                        long before = session.counters().roundTrips();
                        Row[] rows = new Row[20];
                        for (int i = 0; i < 20; i++) {
                            rows[i] =
                                    tx.post(
                                            spacious,
                                            spacious.newKey().set(i),
                                            spacious.schema().all());
                        }
                        tx.await();
                        for (int i = 0; i < 20; i++) {
                            assertThat(rows[i].int64(spacious.column("value"))).isEqualTo(i);
                        }
                        return session.counters().roundTrips() - before;
                    });
            assertThat(roundTrips).isEqualTo(1);
        }
    }

    @Test
    void recordsOutsideOfTheirBucketsAreTheSame() {
        Table far =
                db.createTable(
                        TableDefinition.named("far")
                                .column("id", ColumnType.INT32)
                                .column("value", ColumnType.INT64)
                                .primaryKey("id")
                                .servers(servers())
                                .inlined(false)
                                .expectedRows(20)
                                .build());
        Column value = far.column("value");
        for (int i = 0; i < 200; i++) {
            int id = i;
            db.transact(tx -> BlankRow.insert(tx, far, far.newKey().set(id)).setInt64(value, id));
        }
        for (int i = 0; i < 200; i++) {
            int id = i;
            db.transact(tx -> {
                Row row = tx.read(far, far.newKey().set(id));
                return row.setInt64(value, row.int64(value) * 2);
            });
        }
        long sum =
                db.transact(tx -> {
                    long total = 0;
                    TableScan scan = tx.scan(far, far.schema().all());
                    for (Row row = scan.next(); row != null; row = scan.next()) {
                        assertThat(row.int64(value)).isEqualTo(2 * row.int64(far.column("id")));
                        total += row.int64(value);
                    }
                    return total;
                });
        assertThat(sum).isEqualTo(199 * 200);
    }

    @Test
    void aTableGrowsFarBeyondWhatItWasMadeFor() {
        db.transact(tx -> {
            for (int i = 0; i < 5000; i++) {
                BlankRow.insert(tx, accounts, id(i)).setInt64(balance, i);
            }
            return true;
        });
        try (Session session = db.session()) {
            long before = session.counters().roundTrips();
            for (int i = 0; i < 5000; i++) {
                int id = i;
                assertThat(session.<Long>transact(tx -> tx.read(accounts, id(id)).int64(balance)))
                        .isEqualTo(i);
            }
            double perRead = (session.counters().roundTrips() - before) / 5000.0;
            assertThat(perRead).as("round trips of a lookup").isLessThan(15);
            long buckets = accounts.records().buckets();
            long beforeScan = session.counters().roundTrips();
            assertThat(
                            session.<Long>transact(tx -> {
                                long sum = 0;
                                TableScan scan = tx.scan(accounts, accounts.project("balance"));
                                for (Row row = scan.next(); row != null; row = scan.next()) {
                                    sum += row.int64(balance);
                                }
                                return sum;
                            }))
                    .isEqualTo(4999 * 5000 / 2);
            // Each has a chain of areas: the newest of all of them are read together, and so on.
            assertThat(session.counters().roundTrips() - beforeScan)
                    .as("round trips of a scan of %d buckets", buckets)
                    .isLessThan(2 * buckets);
        }
    }

    @Test
    void aDeletedRecordsPlaceIsUsedAgain() {
        for (int round = 0; round < 300; round++) {
            insert(7, "ada", round);
            db.transact(tx -> {
                tx.delete(tx.read(accounts, id(7)));
                return true;
            });
        }
        assertThat(db.<Row>transact(tx -> tx.read(accounts, id(7)))).isNull();
    }

    @Test
    void thereAreAsManySessionsAsSlots() {
        db.close();
        db = NamDb.embedded(options().withMemoryBytes(256 << 20).withSlots(2));
        try (Session a = db.session()) {
            try (Session b = db.session()) {
                assertThat(a.slotNumber())
                        .isNotEqualTo(b.slotNumber())
                        .isLessThan(db.server().vector().maxSlots());
                assertThatThrownBy(() -> db.session())
                        .isInstanceOf(SlotsExhaustedException.class)
                        .hasMessageStartingWith("all 2 slots");
            }
            assertThat(db.session()).as("one was released").isNotNull();
        }
    }

    @Test
    void rolledBackTransactionsChangeNothing() {
        insert(1, "ada", 100);
        db.transact(tx -> {
            tx.read(accounts, id(1)).setInt64(balance, 1);
            BlankRow.insert(tx, accounts, id(2));
            tx.rollback();
            return true;
        });
        assertThat(db.<Long>transact(tx -> tx.read(accounts, id(1)).int64(balance))).isEqualTo(100);
        assertThat(db.<Row>transact(tx -> tx.read(accounts, id(2)))).isNull();
    }

    @Test
    void writeSkewIsPossible() {
        insert(1, "on duty", 1);
        insert(2, "on duty", 1);
        try (Session other = db.session()) {
            db.transact(tx -> {
                long onDuty = sum(tx, 1, 2);
                assertThat(onDuty).isEqualTo(2);
                other.transact(t -> {
                    assertThat(sum(t, 1, 2)).isEqualTo(2);
                    return t.read(accounts, id(2)).setInt64(balance, 0);
                });
                return tx.read(accounts, id(1)).setInt64(balance, 0);
            });
        }
        assertThat(db.<Long>transact(tx -> sum(tx, 1, 2))).as("none is on duty").isZero();
    }

    private long sum(Transaction tx, int first, int last) {
        long sum = 0;
        for (int i = first; i <= last; i++) {
            sum += tx.read(accounts, id(i)).int64(balance);
        }
        return sum;
    }

    @Test
    void twoScansInOneTransactionAreTheSame() {
        Index byOwner = db.createIndex(IndexDefinition.ordered("by_owner", "accounts", "owner"));
        for (int i = 0; i < 100; i++) {
            insert(i, "owner" + i % 10, i);
        }
        try (Session other = db.session()) {
            db.transact(tx -> {
                String before = ids(tx, byOwner, "a", "z");
                for (int i = 100; i < 400; i++) {
                    int id = i;
                    other.transact(t ->
                            BlankRow.insert(t, accounts, id(id))
                                    .setString(owner, "owner" + id % 10));
                }
                assertThat(ids(tx, byOwner, "a", "z")).isEqualTo(before);
                return true;
            });
        }
    }

    @Test
    void aRangeHoldsTheTransactionsOwnChanges() {
        Index byOwner = db.createIndex(IndexDefinition.ordered("by_owner", "accounts", "owner"));
        insert(1, "a", 0);
        insert(2, "c", 0);
        insert(3, "e", 0);
        db.transact(tx -> {
            BlankRow.insert(tx, accounts, id(4)).setString(owner, "b");
            tx.read(accounts, id(1)).setString(owner, "d");
            tx.delete(tx.read(accounts, id(3)));
            assertThat(ids(tx, byOwner, "a", "z")).isEqualTo("4 2 1 ");
            return true;
        });
        assertThat(db.<String>transact(tx -> ids(tx, byOwner, "a", "z"))).isEqualTo("4 2 1 ");
    }

    @Test
    void fullMemoryIsAnErrorToOneTransaction() {
        db.close();
        db = NamDb.embedded(options().withMemoryBytes(16L * options().memoryServers() << 20));
        accounts = db.createTable(accounts.definition());
        insert(1, "ada", 0);
        assertThatThrownBy(
                        () -> {
                            for (int i = 2; i < 10_000_000; i += 200) {
                                int first = i;
                                db.transact(tx -> {
                                    for (int k = first; k < first + 200; k++) {
                                        BlankRow.insert(tx, accounts, id(k))
                                                .setString(owner, "filler");
                                    }
                                    return true;
                                });
                            }
                        })
                .isInstanceOf(TransactionException.class)
                .hasMessageContaining("full");
        db.transact(tx -> tx.read(accounts, id(1)).setInt64(balance, 5));
        assertThat(db.<Long>transact(tx -> tx.read(accounts, id(1)).int64(balance))).isEqualTo(5);
        long rows =
                db.transact(tx -> {
                    long count = 0;
                    TableScan scan = tx.scan(accounts, accounts.schema().all());
                    while (scan.next() != null) {
                        count++;
                    }
                    return count;
                });
        assertThat(rows % 200).isEqualTo(1);
    }
}
