package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.RowCursor;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.ForwardingHost;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.simulated.SimDisk;

/// Transactions whose changes are packed at times, and commit in several batches. `-Dnamdb.rows=N`:
/// transactions of N rows, in place of 8,000.
class PackedTransactionTest {
    private static final int ROWS = Integer.getInteger("namdb.rows", 8_000);

    /// More than there is memory for, where there is little of it.
    private static final int MANY = 400_000;

    private NamDb db;
    private Table table;
    private Column value;

    private void open(EmbeddedOptions options) {
        db =
                NamDb.embedded(
                        options.withRetryPolicy(RetryPolicy.NONE)
                                .withMaintenanceInterval(Duration.ofHours(1)));
        table =
                db.createTable(
                        TableDefinition.named("t")
                                .column("id", ColumnType.INT64)
                                .column("value", ColumnType.INT64)
                                .primaryKey("id")
                                .versions(1)
                                .expectedRows(ROWS)
                                .build());
        value = table.column("value");
    }

    private void open() {
        open(EmbeddedOptions.DEFAULT.withMemoryBytes(256 << 20));
    }

    @AfterEach
    void close() {
        assertThat(db.server().transactionMemory().usedBytes()).isZero();
        db.close();
    }

    private Key id(long id) {
        return table.newKey().set(id);
    }

    private void insert(Transaction tx, long from, long to) {
        for (long id = from; id < to; id++) {
            tx.insert(table, id(id)).setInt64(value, id);
            packNowAndThen(tx, id);
        }
    }

    private void add(Transaction tx, long from, long to, long amount) {
        for (long id = from; id < to; id++) {
            Row row = tx.read(table, id(id));
            row.setInt64(value, row.int64(value) + amount);
            packNowAndThen(tx, id);
        }
    }

    private void delete(Transaction tx, long from, long to) {
        for (long id = from; id < to; id++) {
            tx.delete(tx.read(table, id(id)));
            packNowAndThen(tx, id);
        }
    }

    private static void packNowAndThen(Transaction tx, long id) {
        if (id % 1000 == 0) {
            tx.readSet().pack();
        }
    }

    /// How many rows there are, times a billion, and the sum of their values.
    private long summary() {
        return db.transact(this::summary);
    }

    private long summary(Transaction tx) {
        long sum = 0;
        TableScan scan = tx.scan(table, table.schema().all());
        for (Row row = scan.next(); row != null; row = scan.next()) {
            sum += 1_000_000_000 + row.int64(value);
        }
        scan.close();
        return sum;
    }

    private static long summary(long from, long to, long more) {
        long sum = 0;
        for (long id = from; id < to; id++) {
            sum += 1_000_000_000 + id + more;
        }
        return sum;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void changesOfManyRowsCommit(boolean readsInPlace) {
        open(
                EmbeddedOptions.DEFAULT
                        .withMemoryBytes(256 << 20)
                        .withFabric(() ->
                                new ShmFabric(
                                        ShmFabric.Options.DEFAULT.withReadsInPlace(readsInPlace))));
        db.createIndex(IndexDefinition.ordered("by_value", "t", "value"));
        try (Session session = db.session();
                Session former = db.session()) {
            insert(session.begin(), 0, ROWS);
            assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
            Transaction old = former.begin();
            assertThat(summary(old)).isEqualTo(summary(0, ROWS, 0));
            for (int round = 1; round <= 3; round++) { // more versions than their buffers hold
                add(session.begin(), 0, ROWS, 1);
                assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
                assertThat(summary()).isEqualTo(summary(0, ROWS, round));
                assertThat(summary(old)).isEqualTo(summary(0, ROWS, 0));
            }
            former.rollback();
            for (int round = 4; round <= 6; round++) { // what the old one has needed is cut off
                add(session.begin(), 0, ROWS, 1);
                assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
                assertThat(summary()).isEqualTo(summary(0, ROWS, round));
            }
            Transaction tx = session.begin();
            delete(tx, 0, ROWS / 2);
            insert(tx, ROWS, ROWS + ROWS / 4);
            add(tx, ROWS, ROWS + ROWS / 4, 3);
            assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
            assertThat(summary())
                    .isEqualTo(summary(ROWS / 2, ROWS, 6) + summary(ROWS, ROWS + ROWS / 4, 3));
        }
    }

    @Test
    void aTransactionSeesWhatItHasPacked() {
        open();
        try (Session session = db.session()) {
            Transaction tx = session.begin();
            insert(tx, 0, ROWS);
            tx.readSet().pack();
            int savepoint = tx.savepoint();
            add(tx, 0, ROWS, 7);
            delete(tx, 100, ROWS);
            tx.readSet().pack();
            assertThat(tx.read(table, id(99)).int64(value)).isEqualTo(106);
            assertThat(tx.read(table, id(100))).isNull();
            tx.rollbackTo(savepoint);
            assertThat(tx.writeCount()).isEqualTo(ROWS);
            assertThat(tx.read(table, id(100)).int64(value)).isEqualTo(100);
            assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
        }
        assertThat(summary()).isEqualTo(summary(0, ROWS, 0));
    }

    /// Rows of a range that the transaction has made itself stay packed until the cursor is there.
    @Test
    void aRangeUnpacksNoMoreRowsThanItHandsOut() {
        open();
        Index byValue = db.createIndex(IndexDefinition.ordered("by_value", "t", "value"));
        try (Session session = db.session()) {
            insert(session.begin(), 0, 100);
            assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
            Transaction tx = session.begin();
            add(tx, 0, 50, ROWS);
            for (long id = 100; id < ROWS; id++) {
                tx.insert(table, id(id)).setInt64(value, id * 7919 % ROWS);
            }
            tx.readSet().pack();
            int before = tx.readSet().size();
            for (boolean ascending : new boolean[] {true, false}) {
                assertThat(streamed(tx, byValue, ascending)).isEqualTo(ROWS);
                assertThat(tx.readSet().size()).isEqualTo(before);
            }
            RowCursor cursor =
                    tx.ascending(
                            byValue,
                            table,
                            byValue.newKey().set(1000),
                            byValue.newKey().set(ROWS - 1),
                            table.schema().all());
            for (int i = 0; i < 10; i++) {
                assertThat(cursor.next()).isNotNull();
            }
            assertThat(tx.readSet().size()).isEqualTo(before + 10);
        }
    }

    /// How many rows a stream of all has, in the order of their values.
    private int streamed(Transaction tx, Index byValue, boolean ascending) {
        Key from = byValue.newKey().set(Long.MIN_VALUE);
        Key to = byValue.newKey().set(Long.MAX_VALUE);
        RowCursor cursor =
                ascending
                        ? tx.streamAscending(byValue, table, from, to, table.schema().all())
                        : tx.streamDescending(byValue, table, from, to, table.schema().all());
        int count = 0;
        long last = ascending ? Long.MIN_VALUE : Long.MAX_VALUE;
        for (Row row = cursor.next(); row != null; row = cursor.next()) {
            count++;
            long next = row.int64(value);
            assertThat(ascending ? last <= next : last >= next).isTrue();
            last = next;
        }
        cursor.close();
        return count;
    }

    /// A cursor whose first rows were read with others has not returned them yet, when the
    /// transaction packs its rows and reads others.
    @Test
    void aPostedCursorKeepsItsFirstRowsWhileOthersArePacked() {
        open();
        Index byValue = db.createIndex(IndexDefinition.ordered("by_value", "t", "value"));
        try (Session session = db.session()) {
            insert(session.begin(), 0, 100);
            assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
            for (boolean ascending : new boolean[] {true, false}) {
                Transaction tx = session.begin();
                Key from = byValue.newKey().set(10);
                Key to = byValue.newKey().set(19);
                RowCursor cursor =
                        (ascending
                                        ? tx.postAscending(
                                                byValue, table, from, to, table.schema().all())
                                        : tx.postDescending(
                                                byValue, table, from, to, table.schema().all()))
                                .expecting(5);
                tx.await();
                tx.readSet().pack();
                for (long id = 50; id < 80; id++) {
                    tx.read(table, id(id)).setInt64(value, id);
                }
                Row first = cursor.next();
                assertThat(first.int64(value)).isEqualTo(ascending ? 10 : 19);
                tx.readSet().pack();
                for (int i = 1; i < 10; i++) {
                    assertThat(cursor.next().int64(value)).isEqualTo(ascending ? 10 + i : 19 - i);
                }
                assertThat(cursor.next()).isNull();
                assertThat(first.int64(value)).isEqualTo(ascending ? 10 : 19);
                session.rollback();
            }
        }
    }

    /// A savepoint has nothing to save of rows that are made after it.
    @Test
    void rowsThatAreMadeAfterASavepointGoWithIt() {
        open();
        try (Session session = db.session()) {
            Transaction tx = session.begin();
            insert(tx, 0, 10);
            int first = tx.savepoint();
            insert(tx, 10, ROWS);
            tx.readSet().pack();
            add(tx, 10, 20, 1);
            int second = tx.savepoint();
            add(tx, 15, 30, 1);
            tx.readSet().pack();
            tx.rollbackTo(second);
            assertThat(tx.read(table, id(15)).int64(value)).isEqualTo(16);
            assertThat(tx.read(table, id(20)).int64(value)).isEqualTo(20);
            Row changed = tx.read(table, id(11)).setInt64(value, 5);
            tx.rollbackTo(first);
            assertThat(changed.exists()).isFalse();
            assertThat(tx.read(table, id(11))).isNull();
            assertThat(tx.writeCount()).isEqualTo(10);
            insert(tx, 11, 12);
            assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
        }
        assertThat(summary()).isEqualTo(summary(0, 10, 0) + summary(11, 12, 0));
    }

    @Test
    void aConflictLeavesNothingLocked() {
        open();
        try (Session session = db.session()) {
            insert(session.begin(), 0, ROWS);
            assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
            Transaction tx = session.begin();
            add(tx, 0, ROWS, 1);
            insert(tx, ROWS, 2L * ROWS);
            db.transact(other -> other.read(table, id(ROWS - 1)).setInt64(value, -1));
            assertThat(session.commit()).isInstanceOf(CommitOutcome.WriteConflict.class);
            tx = session.begin();
            add(tx, 0, ROWS - 1, 1);
            insert(tx, ROWS, 2L * ROWS);
            assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
        }
    }

    @Test
    void aDuplicateKeyLeavesNothingClaimed() {
        open();
        try (Session session = db.session()) {
            Transaction tx = session.begin();
            insert(tx, 0, ROWS);
            db.transact(other -> other.insert(table, id(ROWS - 7)).setInt64(value, -1));
            assertThat(session.commit()).isInstanceOf(CommitOutcome.WriteConflict.class);
            tx = session.begin();
            insert(tx, 0, ROWS);
            assertThat(session.commit()).isInstanceOf(CommitOutcome.DuplicateKey.class);
            db.transact(other -> {
                other.delete(other.read(table, id(ROWS - 7)));
                return true;
            });
            tx = session.begin();
            insert(tx, 0, ROWS);
            assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
        }
        assertThat(summary()).isEqualTo(summary(0, ROWS, 0));
    }

    @Test
    void aMemoryServerThatIsFullTakesNoneOfIt() {
        open(EmbeddedOptions.DEFAULT.withMemoryBytes(16 << 20));
        try (Session session = db.session()) {
            for (int attempt = 0; attempt < 3; attempt++) {
                insert(session.begin(), 0, MANY);
                assertThat(session.commit()).isInstanceOf(CommitOutcome.MemoryFull.class);
                assertThat(summary()).isZero();
            }
            insert(session.begin(), 0, 1000);
            assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
        }
        assertThat(summary()).isEqualTo(summary(0, 1000, 0));
    }

    /// Another session commits before, during and after a commit for which there is no memory.
    @Test
    void othersCommitBesideOneThatFillsAMemoryServer() {
        FailingFabric fabric = new FailingFabric(new ShmFabric(ShmFabric.Options.DEFAULT));
        open(EmbeddedOptions.DEFAULT.withMemoryBytes(16 << 20).withFabric(() -> fabric));
        try (Session session = db.session();
                Session other = db.session()) {
            insert(session.begin(), 0, 10);
            assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
            addAndCommit(other);
            insert(session.begin(), 10, MANY);
            fabric.doAt(1000, () -> addAndCommit(other));
            assertThat(session.commit()).isInstanceOf(CommitOutcome.MemoryFull.class);
            assertThat(fabric.heal()).as("a commit within it").isTrue();
            addAndCommit(other);
        }
        assertThat(summary()).isEqualTo(summary(0, 10, 3));
    }

    private void addAndCommit(Session session) {
        add(session.begin(), 0, 10, 1);
        assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
    }

    /// Whenever a commit that has begun is older than the maximum transaction time: at some of its
    /// steps, the clock is set forward, and others begin and commit.
    @Test
    void aCommitThatHasBegunIsNotCutOffByItsAge() {
        FailingFabric fabric = new FailingFabric(new ShmFabric(ShmFabric.Options.DEFAULT));
        SetForward host = new SetForward();
        open(
                EmbeddedOptions.DEFAULT
                        .withMemoryBytes(256 << 20)
                        .withHost(host)
                        .withFabric(() -> fabric)
                        .withMaxTransactionTime(Duration.ofSeconds(60)));
        try (Session session = db.session();
                Session other = db.session()) {
            insert(session.begin(), 0, ROWS);
            assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
            long adds = 0;
            boolean isReached = true;
            for (int step = 1; isReached; step *= 4) {
                add(session.begin(), 0, ROWS, 1);
                fabric.doAt(
                        step,
                        () -> {
                            long _ = host.ahead.addAndGet(Duration.ofMinutes(2).toNanos());
                            for (int time = 0; time < 3; time++) {
                                other.begin();
                                other.rollback();
                                other.collectGarbage();
                            }
                        });
                assertThat(session.commit())
                        .as("step %d", step)
                        .isInstanceOf(CommitOutcome.Committed.class);
                isReached = fabric.heal();
                adds++;
            }
            assertThat(adds).isGreaterThan(5);
            assertThat(summary()).isEqualTo(summary(0, ROWS, adds));
        }
    }

    /// A clock that is set forward.
    private static final class SetForward extends ForwardingHost {
        private final AtomicLong ahead = new AtomicLong();

        @Override
        public long nanoTime() {
            return super.nanoTime() + ahead.get();
        }
    }

    /// At whichever of its checks: while it counts, sorts, splits buckets, locks, claims, prepares.
    @Test
    void aCommitCanBeCancelledAtEachOfItsChecks() {
        open(EmbeddedOptions.DEFAULT.withMemoryBytes(256 << 20).withHost(new TickingHost()));
        db.createIndex(IndexDefinition.ordered("by_value", "t", "value"));
        try (Session session = db.session()) {
            insert(session.begin(), 0, 1000);
            assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
            CommitOutcome outcome = null;
            int cancelled = 0;
            for (long ticks = 0; outcome == null; ticks += 1 + ticks) {
                Transaction tx = session.begin();
                add(tx, 0, 1000, 1);
                insert(tx, 1000, 2L * ROWS);
                session.cancelAfter(ticks);
                try {
                    outcome = session.commit();
                } catch (StatementCancelledException e) {
                    cancelled++;
                    assertThat(session.isFailed()).isFalse();
                    assertThat(summary()).isEqualTo(summary(0, 1000, 0));
                }
                session.clearCancel();
            }
            assertThat(outcome).isInstanceOf(CommitOutcome.Committed.class);
            assertThat(cancelled).isGreaterThan(5);
        }
        assertThat(summary()).isEqualTo(summary(0, 1000, 1) + summary(1000, 2L * ROWS, 0));
    }

    /// Its clock goes on by a nanosecond whenever it is read.
    private static final class TickingHost extends ForwardingHost {
        private final AtomicLong ticks = new AtomicLong();

        @Override
        public long nanoTime() {
            return ticks.incrementAndGet();
        }
    }

    /// A commit that fails removes the entries that it has added many at a time.
    @Test
    void entriesAreRemovedTogether() {
        open();
        db.createIndex(IndexDefinition.ordered("by_value", "t", "value"));
        try (Session session = db.session()) {
            insert(session.begin(), 0, 1);
            assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
            Transaction tx = session.begin();
            tx.requireUnchanged(tx.read(table, id(0)));
            insert(tx, 1, ROWS);
            tx.readSet().pack();
            db.transact(other -> other.read(table, id(0)).setInt64(value, -1));
            long before = session.counters().roundTrips();
            assertThat(session.commit()).isInstanceOf(CommitOutcome.WriteConflict.class);
            assertThat(session.counters().roundTrips() - before).isLessThan(ROWS);
        }
        assertThat(summary()).isEqualTo(1_000_000_000 - 1);
    }

    /// The build of an index is cancelled by its report of progress, at whichever.
    @Test
    void anIndexWhoseBuildIsEndedIsNotThere() {
        open();
        try (Session session = db.session()) {
            insert(session.begin(), 0, ROWS);
            assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
        }
        IndexDefinition byValue = IndexDefinition.ordered("by_value", "t", "value");
        AtomicLong rows = new AtomicLong();
        for (int reports = 0; db.findIndex("by_value") == null; reports += 20) {
            AtomicLong left = new AtomicLong(reports);
            rows.set(0);
            try {
                Index _ =
                        db.createIndex(
                                byValue,
                                more -> {
                                    rows.addAndGet(more);
                                    if (left.getAndDecrement() == 0) {
                                        throw new IllegalStateException("no more");
                                    }
                                });
            } catch (IllegalStateException e) {
                assertThat(e).hasMessage("no more");
                assertThat(db.findIndex("by_value")).isNull();
            }
        }
        assertThat(rows.get()).isBetween(ROWS - 1024L, (long) ROWS);
    }

    /// Packed rows take a few hundred bytes less than others.
    @Test
    void memoryIsTakenFromTheBudget() {
        open(
                EmbeddedOptions.DEFAULT
                        .withMemoryBytes(256 << 20)
                        .withTransactionMemoryBytes(4 << 20));
        try (Session session = db.session()) {
            insert(session.begin(), 0, 40_000);
            assertThat(db.server().transactionMemory().usedBytes()).isPositive();
            assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
            Transaction tx = session.begin();
            assertThatThrownBy(() -> insert(tx, 40_000, MANY))
                    .isInstanceOf(TransactionAborted.class);
            assertThat(session.commit()).isInstanceOf(CommitOutcome.MemoryFull.class);
        }
        assertThat(summary()).isEqualTo(summary(0, 40_000, 0));
    }

    /// What the commit itself needs is taken before the commit timestamp, and may be too much.
    @Test
    void aCommitThatNeedsTooMuchMemoryTakesNoneOfIt() {
        open(
                EmbeddedOptions.DEFAULT
                        .withMemoryBytes(256 << 20)
                        .withTransactionMemoryBytes(2 << 20));
        db.createIndex(IndexDefinition.ordered("by_value", "t", "value"));
        int failed = 0;
        try (Session session = db.session()) {
            for (int rows = 30_000; failed == 0; rows += 2_000) {
                insert(session.begin(), 0, rows);
                CommitOutcome outcome = session.commit();
                if (outcome instanceof CommitOutcome.MemoryFull) {
                    failed = rows;
                    assertThat(session.commitTimestamp()).isZero();
                    assertThat(session.isFailed()).isFalse();
                    assertThat(summary()).isZero();
                } else {
                    assertThat(outcome).isInstanceOf(CommitOutcome.Committed.class);
                    table = db.truncate("t");
                }
            }
            for (int from = 0; from < failed; from += 10_000) {
                insert(session.begin(), from, from + 10_000);
                assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
            }
        }
    }

    @Test
    void theJournalHasItAll() {
        SimDisk disk = new SimDisk();
        db = DurableDatabases.open(disk);
        Table things = db.createTable(DurableDatabases.things("things").build());
        Column amount = things.column("amount");
        try (Session session = db.session()) {
            Transaction tx = session.begin();
            for (int id = 0; id < 5000; id++) {
                tx.insert(things, DurableDatabases.id(things, id))
                        .setInt64(amount, id)
                        .setString(things.column("text"), "thing " + id);
                packNowAndThen(tx, id);
            }
            assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
            tx = session.begin();
            for (int id = 0; id < 5000; id++) {
                Row row = tx.read(things, DurableDatabases.id(things, id));
                if (id % 3 == 0) {
                    tx.delete(row);
                } else {
                    row.setInt64(amount, -id);
                }
                packNowAndThen(tx, id);
            }
            assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
        }
        String before = DurableDatabases.contents(db);
        db.close();
        db = DurableDatabases.open(disk);
        assertThat(DurableDatabases.contents(db)).isEqualTo(before).contains("4999");
    }
}
