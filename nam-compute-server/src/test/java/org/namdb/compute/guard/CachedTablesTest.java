package org.namdb.compute.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.Transaction;
import org.namdb.compute.TransactionAborted;
import org.namdb.compute.TransactionException;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.RowBatch;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.Threads;
import org.namdb.fabric.VerbCounters;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.TableDefinition;

/// What compute servers read of cached tables, and what that costs.
class CachedTablesTest {
    private static final int ROWS = 100;

    private static Table create(NamDb db, boolean isCached) {
        Table table =
                db.createTable(
                        TableDefinition.named("item")
                                .column("id", ColumnType.INT64)
                                .column("price", ColumnType.INT64)
                                .column("stock", ColumnType.INT64)
                                .primaryKey("id")
                                .cached(isCached)
                                .build());
        db.transact(transaction -> {
            for (int id = 0; id < ROWS; id++) {
                Row row = transaction.insert(table, table.newKey().set(id));
                row.setInt64(table.column("price"), 1);
                row.setInt64(table.column("stock"), 7);
            }
            return 0;
        });
        return table;
    }

    private static long price(Transaction transaction, Table table, long id) {
        Row row = transaction.read(table, table.newKey().set(id));
        return row == null ? -1 : row.int64(table.column("price"));
    }

    private static long price(Session session, Table table, long id) {
        Long price = session.transact(transaction -> price(transaction, table, id));
        return price;
    }

    private static long price(NamDb db, Table table, long id) {
        try (Session session = db.session()) {
            return price(session, table, id);
        }
    }

    private static void set(NamDb db, Table table, long id, long price) {
        db.transact(transaction -> {
            Row row = transaction.read(table, table.newKey().set(id));
            row.setInt64(table.column("price"), price);
            return 0;
        });
    }

    /// The READs of a transaction that reads a row.
    private static long reads(Session session, Table table, long id, long price) {
        VerbCounters counters = session.counters();
        return session.<Long>transact(transaction -> {
            transaction.await(); // the snapshot
            long before = counters.reads();
            assertThat(price(transaction, table, id)).isEqualTo(price);
            return counters.reads() - before;
        });
    }

    @Test
    void aRowIsReadForNothingTheSecondTimeUntilAnotherComputeServerChangesIt() {
        try (AttachedServers servers = new AttachedServers()) {
            NamDb one = servers.join();
            NamDb other = servers.join();
            Table table = create(one, true);
            Table theirs = other.table("item");
            try (Session session = one.session()) {
                long first = reads(session, table, 5, 1);
                assertThat(first).isPositive();
                assertThat(reads(session, table, 5, 1)).isZero();
                for (int price = 2; price < 30; price++) {
                    set(other, theirs, 5, price);
                    assertThat(reads(session, table, 5, price)).isEqualTo(first);
                    assertThat(reads(session, table, 5, price)).isZero();
                }
                set(one, table, 5, 77); // by this one's own commits, too
                assertThat(reads(session, table, 5, 77)).isEqualTo(first);
                assertThat(reads(session, table, 5, 77)).isZero();
            }
        }
    }

    @Test
    void allColumnsAreInTheCopyOfARowOfWhichSomeWereRead() {
        try (AttachedServers servers = new AttachedServers()) {
            NamDb one = servers.join();
            Table table = create(one, true);
            try (Session session = one.session()) {
                Row _ = session.transact(t -> readColumn(t, table, "price"));
                VerbCounters counters = session.counters();
                long stock =
                        session.<Long>transact(transaction -> {
                            transaction.await(); // the snapshot
                            long before = counters.reads();
                            Row row = readColumn(transaction, table, "stock");
                            assertThat(counters.reads()).isEqualTo(before);
                            return row.int64(table.column("stock"));
                        });
                assertThat(stock).isEqualTo(7);
            }
        }
    }

    private static Row readColumn(Transaction transaction, Table table, String column) {
        Row row = transaction.post(table, table.newKey().set(5), table.project(column));
        transaction.await();
        assertThat(row.exists()).isTrue();
        return row;
    }

    @Test
    void anOlderSnapshotReadsWhatItSees() {
        try (AttachedServers servers = new AttachedServers()) {
            NamDb one = servers.join();
            NamDb other = servers.join();
            Table table = create(one, true);
            Table theirs = other.table("item");
            try (Session old = one.session();
                    Session session = one.session()) {
                assertThat(price(session, table, 5)).isEqualTo(1);
                Transaction transaction = old.begin();
                set(other, theirs, 5, 2);
                assertThat(price(session, table, 5)).isEqualTo(2); // and copies it
                assertThat(price(transaction, table, 5)).isEqualTo(1);
                assertThat(price(transaction, table, 6)).isEqualTo(1);
                assertThat(old.commit()).isInstanceOf(CommitOutcome.Committed.class);
                assertThat(price(old, table, 5)).isEqualTo(2);
            }
        }
    }

    @Test
    void rowsThatWereTakenFromCopiesAreChangedDeletedAndReliedOn() {
        try (AttachedServers servers = new AttachedServers()) {
            NamDb one = servers.join();
            NamDb other = servers.join();
            Table table = create(one, true);
            Table theirs = other.table("item");
            for (int id = 0; id < ROWS; id++) {
                long number = id;
                assertThat(price(one, table, number)).isEqualTo(1);
                set(one, table, id, id);
                assertThat(price(one, table, number)).isEqualTo(id);
            }
            one.transact(transaction -> {
                transaction.delete(transaction.read(table, table.newKey().set(3)));
                transaction.requireUnchanged(transaction.read(table, table.newKey().set(4)));
                transaction.requirePresent(transaction.read(table, table.newKey().set(5)));
                return 0;
            });
            assertThat(price(other, theirs, 3)).isEqualTo(-1);
            assertThat(price(one, table, 3)).isEqualTo(-1);
            insert(other, theirs, 3);
            assertThat(price(one, table, 3)).isEqualTo(9);
        }
    }

    @Test
    void aChangeOfWhatWasReadFromACopyBeforeIsAConflict() {
        try (AttachedServers servers = new AttachedServers()) {
            NamDb one = servers.join();
            NamDb other = servers.join();
            Table table = create(one, true);
            Table theirs = other.table("item");
            try (Session session = one.session()) {
                assertThat(price(session, table, 5)).isEqualTo(1);
                Transaction transaction = session.begin();
                Row row = transaction.read(table, table.newKey().set(5));
                assertThat(row.int64(table.column("price"))).isEqualTo(1);
                set(other, theirs, 5, 2);
                assertThatThrownBy(() -> row.setInt64(table.column("price"), 3)).isNotNull();
                assertThat(session.commit()).isInstanceOf(CommitOutcome.WriteConflict.class);
            }
        }
    }

    /// What another compute server does between a read and the commit that relies on it, and before
    /// or after that is required: the outcome is the same with a copy of the row and without.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsRequiredOfARowDoesNotDependOnCopies(boolean isCached) {
        try (AttachedServers servers = new AttachedServers()) {
            NamDb one = servers.join();
            NamDb other = servers.join();
            Table table = create(one, isCached);
            Table theirs = other.table("item");
            Runnable changes = () -> set(other, theirs, 5, 2);
            Runnable deletes = () -> delete(other, theirs, 5);
            Runnable replaces =
                    () -> {
                        delete(other, theirs, 5);
                        insert(other, theirs, 5);
                    };
            BiConsumer<Transaction, Row> present = Transaction::requirePresent;
            BiConsumer<Transaction, Row> unchanged = Transaction::requireUnchanged;
            for (boolean isEarly : new boolean[] {true, false}) {
                assertThat(relies(one, table, changes, present, isEarly)).isTrue();
                assertThat(relies(one, table, changes, unchanged, isEarly)).isFalse();
                assertThat(relies(one, table, replaces, present, isEarly)).isFalse();
                assertThat(relies(one, table, replaces, unchanged, isEarly)).isFalse();
                assertThat(relies(one, table, deletes, present, isEarly)).isFalse();
                insert(other, theirs, 5);
                assertThat(relies(one, table, deletes, unchanged, isEarly)).isFalse();
                insert(other, theirs, 5);
                assertThat(relies(one, table, () -> {}, present, isEarly)).isTrue();
                assertThat(relies(one, table, () -> {}, unchanged, isEarly)).isTrue();
            }
        }
    }

    /// Whether a transaction commits that has read row 5, and relies on it.
    ///
    /// @param isEarly whether the other compute server acts before the row is required
    private static boolean relies(
            NamDb db,
            Table table,
            Runnable acts,
            BiConsumer<Transaction, Row> require,
            boolean isEarly) {
        try (Session session = db.session()) {
            assertThat(price(session, table, 5)).isPositive(); // and is copied, if it is to be
            Transaction transaction = session.begin();
            Row row = transaction.read(table, table.newKey().set(5));
            assertThat(row.int64(table.column("price"))).isPositive();
            transaction
                    .read(table, table.newKey().set(6))
                    .setInt64(table.column("price"), System.nanoTime());
            if (isEarly) {
                acts.run();
            }
            try {
                require.accept(transaction, row);
            } catch (TransactionAborted e) {
                assertThat(session.abortOutcome()).isInstanceOf(CommitOutcome.WriteConflict.class);
            }
            if (!isEarly) {
                acts.run();
            }
            CommitOutcome outcome = session.commit();
            boolean isCommitted = outcome instanceof CommitOutcome.Committed;
            assertThat(isCommitted || outcome instanceof CommitOutcome.WriteConflict)
                    .as("%s", outcome)
                    .isTrue();
            return isCommitted;
        }
    }

    private static void delete(NamDb db, Table table, long id) {
        db.transact(transaction -> {
            transaction.delete(transaction.read(table, table.newKey().set(id)));
            return 0;
        });
    }

    private static void insert(NamDb db, Table table, long id) {
        db.transact(transaction -> {
            Row row = transaction.insert(table, table.newKey().set(id));
            row.setInt64(table.column("price"), 9);
            row.setInt64(table.column("stock"), 9);
            return 0;
        });
    }

    @Test
    void aBatchIsReadForNothingTheSecondTime() {
        try (AttachedServers servers = new AttachedServers()) {
            NamDb one = servers.join();
            Table table = create(one, true);
            try (Session session = one.session()) {
                Transaction transaction = session.begin();
                RowBatch batch = transaction.batch(table, table.project("price"));
                long[] reads = new long[2];
                for (int time = 0; time < 2; time++) {
                    for (int id = 0; id < 20; id++) {
                        int _ = batch.add(table.newKey().set(id));
                    }
                    long before = session.counters().reads();
                    batch.read();
                    reads[time] = session.counters().reads() - before;
                    for (int i = 0; i < 20; i++) {
                        assertThat(batch.row(i).int64(table.column("price"))).isEqualTo(1);
                    }
                }
                assertThat(reads[0]).isGreaterThanOrEqualTo(40);
                assertThat(reads[1]).isZero();
                session.rollback();
            }
        }
    }

    @Test
    void whoCantTellTheOthersMustNotChange() {
        try (AttachedServers servers = new AttachedServers()) {
            NamDb one = servers.join();
            NamDb alone = servers.joinAlone();
            Table table = create(one, true);
            Table theirs = alone.table("item");
            assertThat(price(alone, theirs, 5)).isEqualTo(1);
            assertThatThrownBy(() -> set(alone, theirs, 5, 2))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("give it compute.peers");
            assertThat(price(one, table, 5)).isEqualTo(1);
            set(one, table, 5, 2);
            assertThat(price(alone, theirs, 5)).isEqualTo(2);
        }
    }

    @Test
    void embeddedDatabasesIgnoreIt() {
        try (NamDb db = NamDb.embedded()) {
            Table table = create(db, true);
            set(db, table, 5, 2);
            assertThat(price(db, table, 5)).isEqualTo(2);
        }
    }

    @Test
    void whetherATableIsCachedCanBeChanged() {
        try (AttachedServers servers = new AttachedServers()) {
            NamDb one = servers.join();
            NamDb other = servers.join();
            Table plain = create(one, false);
            set(other, other.table("item"), 5, 2);
            Table cached = redefine(one, true);
            assertThat(plain.isCached()).isFalse();
            assertThat(other.table("item").isCached()).isTrue();
            assertThat(price(one, cached, 5)).isEqualTo(2);
            for (int price = 3; price < 30; price++) {
                Table again = redefine(other, false);
                set(other, again, 5, price);
                Table third = redefine(other, true);
                set(other, third, 6, price);
                Table ours = one.table("item");
                assertThat(price(one, ours, 5)).isEqualTo(price);
                assertThat(price(one, ours, 6)).isEqualTo(price);
            }
        }
    }

    private static Table redefine(NamDb db, boolean isCached) {
        TableDefinition before = db.table("item").definition();
        return db.redefine("item", before.copy("item").cached(isCached).build());
    }

    /// Two rows always add up to 0 for every reader, on whichever compute server.
    @Test
    void readersSeeTransactionsWhole() throws Exception {
        try (AttachedServers servers = new AttachedServers()) {
            NamDb[] dbs = {servers.join(), servers.join()};
            Table _ = create(dbs[0], true);
            set(dbs[0], dbs[0].table("item"), 6, -1);
            AtomicInteger writers = new AtomicInteger(2);
            Threads.run(
                    6,
                    thread -> {
                        NamDb db = dbs[thread & 1];
                        Table table = db.table("item");
                        if (thread < 2) {
                            for (int i = 2; i < 300 && Threads.goOn(); i++) {
                                move(db, table, (i << 1) + thread);
                            }
                            writers.decrementAndGet();
                            return;
                        }
                        try (Session session = db.session()) {
                            while (writers.get() > 0 && Threads.goOn()) {
                                Long sum =
                                        session.transact(
                                                t -> price(t, table, 5) + price(t, table, 6));
                                assertThat(sum).isEqualTo(0L);
                            }
                        }
                    });
        }
    }

    private static void move(NamDb db, Table table, long price) {
        try {
            db.transact(transaction -> {
                transaction
                        .read(table, table.newKey().set(5))
                        .setInt64(table.column("price"), price);
                transaction
                        .read(table, table.newKey().set(6))
                        .setInt64(table.column("price"), -price);
                return 0;
            });
        } catch (TransactionException e) {
            // A conflict with the other writer.
        }
    }
}
