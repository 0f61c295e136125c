package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.namdb.compute.commit.AbortCause;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.read.HashCursor;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.RowBatch;
import org.namdb.compute.read.RowCursor;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.TableDefinition;

/// Transactions that stay open, their savepoints, and reads that keep nothing: what a layer of
/// statements needs. The same on every fabric.
@ParameterizedClass
@EnumSource
class OpenTransactionTest {
    @Parameter FabricKind fabric;

    NamDb db;
    Session session;
    Table table;
    Column id;
    Column v;
    Column w;
    Index byV;
    Index hashOfV;

    @BeforeEach
    void open() {
        db = NamDb.embedded(fabric.options().withMemoryBytes(256 << 20));
        table =
                db.createTable(
                        TableDefinition.named("t")
                                .column("id", ColumnType.INT64)
                                .column("v", ColumnType.INT64)
                                .nullable("w", ColumnType.varchar(20))
                                .primaryKey("id")
                                .expectedRows(200)
                                .build());
        id = table.column("id");
        v = table.column("v");
        w = table.column("w");
        byV = db.createIndex(IndexDefinition.ordered("by_v", "t", "v"));
        hashOfV = db.createIndex(IndexDefinition.hash("hash_of_v", "t", "v"));
        session = db.session();
    }

    @AfterEach
    void close() {
        session.close();
        db.close();
    }

    Key key(long number) {
        return table.newKey().set(number);
    }

    void fill(int from, int to) {
        for (int first = from; first < to; first += 500) {
            int start = first;
            session.transact(tx -> {
                for (int i = start; i < Math.min(to, start + 500); i++) {
                    BlankRow.insert(tx, table, key(i)).setInt64(v, i).setString(w, "w" + i);
                }
                return true;
            });
        }
    }

    long valueOf(long number) {
        return session.transact(tx -> {
            Row row = tx.read(table, key(number));
            return row == null ? -1 : row.int64(v);
        });
    }

    private List<Long> scan(TableScan scan) {
        List<Long> found = new ArrayList<>();
        for (Row row = scan.next(); row != null; row = scan.next()) {
            found.add(row.int64(id));
        }
        return found;
    }

    private List<Long> range(RowCursor cursor) {
        List<Long> found = new ArrayList<>();
        for (Row row = cursor.next(); row != null; row = cursor.next()) {
            found.add(row.int64(id));
        }
        return found;
    }

    private RowCursor stream(Transaction tx, long from, long to) {
        return tx.streamAscending(
                byV, table, byV.newKey().set(from), byV.newKey().set(to), table.schema().all());
    }

    @Test
    void anOpenTransactionIsCommittedOrRolledBack() {
        Transaction tx = session.begin();
        BlankRow.insert(tx, table, key(1)).setInt64(v, 10);
        assertThat(session.isOpen()).isTrue();
        assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
        assertThat(session.isOpen()).isFalse();
        tx = session.begin();
        tx.read(table, key(1)).setInt64(v, 11);
        session.rollback();
        assertThat(valueOf(1)).isEqualTo(10);
        assertThat(session.outcomes(AbortCause.ROLLED_BACK)).isEqualTo(1);
        assertThatThrownBy(() -> session.commit()).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> session.rollback()).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void transactionsDoNotNest() {
        session.begin();
        assertThatThrownBy(() -> session.transact(tx -> true))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("a transaction is open");
        assertThatThrownBy(() -> session.begin()).isInstanceOf(IllegalStateException.class);
        session.rollback();
        assertThatThrownBy(() -> session.transact(tx -> session.begin()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("transactions don't nest");
        assertThat(session.<Boolean>transact(tx -> true)).isTrue();
    }

    @Test
    void anAbortIsTheOutcomeOfTheCommit() {
        fill(0, 3);
        Transaction tx = session.begin();
        assertThat(tx.read(table, key(1))).isNotNull();
        assertThatThrownBy(() -> BlankRow.insert(tx, table, key(1)))
                .isInstanceOf(TransactionAborted.class);
        assertThat(session.abortOutcome()).isInstanceOf(CommitOutcome.DuplicateKey.class);
        assertThat(session.commit()).isInstanceOf(CommitOutcome.DuplicateKey.class);
        assertThat(session.abortOutcome()).isNull();
        assertThat(session.begin()).isSameAs(tx);
        Row again = tx.read(table, key(1));
        db.transact(other -> other.read(table, key(1)).setInt64(v, 78));
        again.setInt64(v, 1);
        CommitOutcome outcome = session.commit();
        assertThat(outcome).isInstanceOf(CommitOutcome.WriteConflict.class);
        assertThat(new TransactionException(outcome)).hasMessageStartingWith("write conflict");
        assertThat(valueOf(1)).isEqualTo(78);
    }

    @Test
    void aClosedSessionRollsBack() {
        Session other = db.session();
        List<TransactionAttempt.End> ends = new ArrayList<>();
        other.observe(attempt -> ends.add(attempt.end()));
        BlankRow.insert(other.begin(), table, key(5));
        other.close();
        assertThat(valueOf(5)).isEqualTo(-1);
        assertThat(ends).containsExactly(TransactionAttempt.End.FAILED);
    }

    @Test
    void savepointsUndoStatements() {
        fill(0, 3);
        Transaction tx = session.begin();
        Row one = tx.read(table, key(1), table.project("v"));
        one.setInt64(v, 100);
        int outer = tx.savepoint();
        one.setInt64(v, 200);
        tx.delete(tx.read(table, key(2)));
        BlankRow.insert(tx, table, key(3)).setInt64(v, 300);
        int inner = tx.savepoint();
        assertThat(tx.read(table, key(1)).string(w)).isEqualTo("w1");
        one.setString(w, "changed").setInt64(v, 300);
        BlankRow.insert(tx, table, key(2)).setInt64(v, 222);
        assertThat(tx.read(table, key(2)).isNull(w)).isTrue();
        tx.rollbackTo(inner);
        assertThat(one.int64(v)).isEqualTo(200);
        assertThat(one.string(w)).isEqualTo("w1");
        assertThat(tx.read(table, key(2))).isNull();
        tx.release(inner);
        tx.rollbackTo(outer);
        assertThat(one.int64(v)).isEqualTo(100);
        assertThat(one.string(w)).as("read since").isEqualTo("w1");
        assertThat(tx.read(table, key(2)).string(w)).isEqualTo("w2");
        assertThat(tx.read(table, key(3))).isNull();
        tx.release(outer);
        assertThatThrownBy(() -> tx.rollbackTo(outer)).isInstanceOf(IllegalArgumentException.class);
        assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
        assertThat(valueOf(1)).isEqualTo(100);
        assertThat(valueOf(2)).isEqualTo(2);
        assertThat(valueOf(3)).isEqualTo(-1);
    }

    @Test
    void anUndoneInsertLeavesTheKeyToBeRead() {
        fill(0, 1);
        Transaction tx = session.begin();
        int savepoint = tx.savepoint();
        BlankRow.insert(tx, table, key(0)).setInt64(v, 9);
        tx.rollbackTo(savepoint);
        assertThat(tx.read(table, key(0)).int64(v)).isZero();
        assertThatThrownBy(() -> BlankRow.insert(tx, table, key(0)))
                .isInstanceOf(TransactionAborted.class);
        tx.rollbackTo(savepoint);
        tx.read(table, key(0)).setInt64(v, 5);
        assertThat(session.commit())
                .as("the abort was undone")
                .isInstanceOf(CommitOutcome.Committed.class);
        assertThat(valueOf(0)).isEqualTo(5);
    }

    @Test
    void manyReleasedSavepointsTakeNoMemory() {
        fill(0, 2);
        Transaction tx = session.begin();
        int outer = tx.savepoint();
        for (int i = 0; i < 100_000; i++) {
            int statement = tx.savepoint();
            tx.read(table, key(1)).setInt64(v, i);
            if (i % 3 == 0) {
                tx.rollbackTo(statement);
            }
            tx.release(statement);
        }
        assertThat(tx.readSet().localBytes()).isLessThan(10_000);
        assertThat(tx.read(table, key(1)).int64(v)).isEqualTo(99_998);
        tx.rollbackTo(outer);
        assertThat(tx.read(table, key(1)).int64(v)).isEqualTo(1);
        session.rollback();
    }

    @Test
    void aScanHoldsOwnChanges() {
        fill(0, 5);
        Transaction tx = session.begin();
        tx.read(table, key(1)).setInt64(v, 100);
        tx.delete(tx.read(table, key(2)));
        BlankRow.insert(tx, table, key(7)).setInt64(v, 7);
        tx.delete(BlankRow.insert(tx, table, key(8)));
        TableScan scan = tx.scan(table, table.schema().all());
        BlankRow.insert(tx, table, key(9));
        BlankRow.insert(tx, table, key(2));
        List<Long> found = new ArrayList<>();
        for (Row row = scan.next(); row != null; row = scan.next()) {
            Row now = row;
            found.add(now.int64(id));
            assertThat(now.int64(v)).isEqualTo(now.int64(id) == 1 ? 100 : now.int64(id));
            assertThatThrownBy(() -> now.setInt64(v, 1)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> tx.delete(now)).isInstanceOf(IllegalStateException.class);
        }
        assertThat(found).containsExactlyInAnyOrder(0L, 1L, 3L, 4L, 7L);
        assertThat(found.getLast()).isEqualTo(7);
        assertThat(scan(tx.scan(table, table.schema().all())))
                .containsExactlyInAnyOrder(0L, 1L, 2L, 3L, 4L, 7L, 9L);
        session.rollback();
    }

    @Test
    void aStatementThatInsertsIntoWhatItScansEnds() {
        fill(0, 300);
        Transaction tx = session.begin();
        for (int round = 0; round < 2; round++) {
            TableScan scan = tx.scan(table, table.schema().all());
            for (Row row = scan.next(); row != null; row = scan.next()) {
                BlankRow.insert(tx, table, key(row.int64(id) + 1000L * (round + 1)));
            }
            scan.close();
        }
        assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
        assertThat(session.<List<Long>>transact(t -> scan(t.scan(table, table.project("v")))))
                .hasSize(300 * 4);
    }

    @Test
    void closedScansGiveTheirMemoryBack() {
        fill(0, 300);
        Transaction tx = session.begin();
        long used = 0;
        for (int i = 0; i < 1000; i++) {
            TableScan scan = tx.scan(table, table.schema().all());
            assertThat(scan.next()).isNotNull();
            assertThat(scan.progress()).isBetween(0.0, 1.0);
            RowBatch batch = tx.batch(table, table.schema().all());
            int _ = batch.add(key(i));
            batch.read();
            batch.close();
            scan.close();
            assertThatThrownBy(scan::next).isInstanceOf(IllegalStateException.class);
            if (i == 10) {
                used = tx.readSet().localBytes();
            }
        }
        assertThat(tx.readSet().localBytes()).isEqualTo(used);
        session.rollback();
    }

    @Test
    void aBatchReadsManyByOneRoundTripAndSeesOwnChanges() {
        fill(0, 64);
        Transaction tx = session.begin();
        tx.read(table, key(1)).setInt64(v, 100);
        tx.delete(tx.read(table, key(2)));
        BlankRow.insert(tx, table, key(100)).setInt64(v, 5);
        RowBatch batch = tx.batch(table, table.schema().all());
        int _ = batch.add(key(1));
        int _ = batch.add(key(2));
        int _ = batch.add(key(100));
        int _ = batch.add(key(101));
        int _ = batch.add(key(3));
        batch.read();
        assertThat(batch.row(0).int64(v)).isEqualTo(100);
        assertThat(batch.row(0).string(w)).isEqualTo("w1");
        assertThat(batch.row(1).exists()).isFalse();
        assertThat(batch.row(2).int64(v)).isEqualTo(5);
        assertThat(batch.row(3).exists()).isFalse();
        assertThat(batch.row(4).int64(v)).isEqualTo(3);
        int rows = tx.readSet().size();
        for (int i = 0; i < 200; i++) {
            for (int k = 0; !batch.isFull(); k++) {
                int _ = batch.add(key(k));
            }
            batch.read();
            assertThat(batch.size()).isEqualTo(RowBatch.CAPACITY);
        }
        assertThat(tx.readSet().size()).isEqualTo(rows);
        session.rollback();
    }

    @Test
    void streamsKeepNothing() {
        int count = 4000;
        fill(0, count);
        Transaction tx = session.begin();
        RowCursor up = stream(tx, 0, count);
        for (int i = 0; i < count; i++) {
            Row row = up.next();
            assertThat(row.int64(v)).isEqualTo(i);
        }
        assertThat(up.next()).isNull();
        up.close();
        RowCursor down =
                tx.streamDescending(
                        byV,
                        table,
                        byV.newKey().set(0),
                        byV.newKey().set(count),
                        table.project("v"));
        for (int i = count - 1; i >= 0; i--) {
            assertThat(down.next().int64(v)).isEqualTo(i);
        }
        down.close();
        assertThat(tx.readSet().size()).isZero();
        assertThat(tx.readSet().localBytes()).isLessThan(60_000);
        session.rollback();
    }

    @Test
    void streamsHoldOwnChangesFromBeforeTheyWereOpened() {
        fill(0, 10);
        Transaction tx = session.begin();
        tx.read(table, key(1), table.project("v")).setInt64(v, 5);
        tx.read(table, key(3), table.project("w")).setString(w, "three");
        tx.delete(tx.read(table, key(4)));
        BlankRow.insert(tx, table, key(20)).setInt64(v, 6);
        assertThat(range(stream(tx, 0, 9)))
                .containsExactly(0L, 2L, 3L, 1L, 5L, 6L, 20L, 7L, 8L, 9L);
        RowCursor cursor = stream(tx, 0, 9);
        assertThat(cursor.next().int64(v)).isZero();
        BlankRow.insert(tx, table, key(21)).setInt64(v, 8);
        tx.delete(tx.read(table, key(20)));
        tx.read(table, key(2)).setInt64(v, 9);
        assertThat(range(cursor)).containsExactly(3L, 1L, 5L, 6L, 7L, 8L, 9L);
        assertThat(matching(tx, 5)).containsExactlyInAnyOrder(1L, 5L);
        session.rollback();
    }

    /// A record whose entry is there, and that the transaction has moved away and back, or deleted
    /// and inserted, is found once.
    @Test
    void aLookUpFindsOwnChangesOnce() {
        fill(0, 10);
        Transaction tx = session.begin();
        tx.read(table, key(5)).setInt64(v, 6);
        tx.read(table, key(5)).setInt64(v, 5);
        tx.read(table, key(6)).setInt64(v, 5);
        tx.delete(tx.read(table, key(7)));
        BlankRow.insert(tx, table, key(7)).setInt64(v, 7);
        BlankRow.insert(tx, table, key(30)).setInt64(v, 7);
        assertThat(matching(tx, 5)).containsExactlyInAnyOrder(5L, 6L);
        assertThat(matching(tx, 6)).isEmpty();
        assertThat(matching(tx, 7)).containsExactlyInAnyOrder(7L, 30L);
        tx.readSet().pack();
        assertThat(matching(tx, 5)).containsExactlyInAnyOrder(5L, 6L);
        assertThat(matching(tx, 7)).containsExactlyInAnyOrder(7L, 30L);
        session.rollback();
    }

    private List<Long> matching(Transaction tx, long value) {
        HashCursor hits =
                tx.matching(hashOfV, table, hashOfV.newKey().set(value), table.schema().all());
        List<Long> found = new ArrayList<>();
        for (Row row = hits.next(); row != null; row = hits.next()) {
            found.add(row.int64(id));
        }
        hits.close();
        return found;
    }

    @Test
    void aRowIsLockedWithoutAChange() {
        fill(0, 2);
        Transaction tx = session.begin();
        tx.lock(tx.read(table, key(1)));
        db.transact(other -> {
            other.lock(other.read(table, key(1)));
            return true;
        });
        assertThat(session.commit()).isInstanceOf(CommitOutcome.WriteConflict.class);
        assertThat(valueOf(1)).isEqualTo(1);
    }

    @Test
    void aStatementIsCancelled() {
        fill(0, 10);
        Transaction tx = session.begin();
        session.cancel();
        assertThatThrownBy(tx::checkCancelled).isInstanceOf(StatementCancelledException.class);
        tx.checkCancelled();
        TableScan scan = tx.scan(table, table.schema().all());
        session.cancel();
        assertThatThrownBy(scan::next).isInstanceOf(StatementCancelledException.class);
        session.cancel();
        session.clearCancel();
        tx.read(table, key(1)).setInt64(v, 5);
        assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
    }

    @Test
    void aStatementThatTakesTooLongIsCancelled() {
        Transaction tx = session.begin();
        session.cancelAfter(1);
        assertThatThrownBy(
                        () -> {
                            while (true) {
                                tx.checkCancelled();
                            }
                        })
                .isInstanceOfSatisfying(
                        StatementCancelledException.class, e -> assertThat(e.isTimeout()).isTrue());
        tx.checkCancelled();
        session.cancelAfter(1);
        session.clearCancel();
        tx.checkCancelled();
        session.cancel();
        assertThatThrownBy(tx::checkCancelled)
                .isInstanceOfSatisfying(
                        StatementCancelledException.class,
                        e -> assertThat(e.isTimeout()).isFalse());
        session.rollback();
    }

    private long sum() {
        return session.transact(tx -> {
            long sum = 0;
            TableScan scan = tx.scan(table, table.schema().all());
            for (Row row = scan.next(); row != null; row = scan.next()) {
                sum += row.int64(v);
            }
            return sum;
        });
    }

    /// It is cancelled between two batches of locks, claims or index entries.
    @Test
    void aLargeCommitThatIsCancelledIsRolledBackWhole() {
        int rows = 4000;
        fill(0, rows);
        long before = sum();
        for (boolean isInsert : new boolean[] {false, true}) {
            for (int attempt = 0; attempt < 2; attempt++) {
                Transaction tx = session.begin();
                for (int i = 0; i < rows; i++) {
                    Row row =
                            isInsert
                                    ? BlankRow.insert(tx, table, key(rows + i))
                                    : tx.read(table, key(i));
                    row.setInt64(v, 2 * rows + i);
                }
                boolean isCancelled = attempt == 0;
                if (isCancelled) {
                    session.cancel();
                    assertThatThrownBy(session::commit)
                            .isInstanceOf(StatementCancelledException.class);
                    assertThat(sum()).isEqualTo(before);
                } else {
                    assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
                    assertThat(sum()).isGreaterThan(before);
                    before = sum();
                }
            }
        }
    }

    /// Nor is memory lost: what a large insert has not linked yet is free again.
    @Test
    void aLargeInsertThatIsCancelledAgainAndAgainTakesNoMoreMemory() {
        long used = 0;
        for (int attempt = 0; attempt < 5; attempt++) {
            Transaction tx = session.begin();
            for (int i = 0; i < 4000; i++) {
                BlankRow.insert(tx, table, key(i)).setInt64(v, i);
            }
            session.cancel();
            assertThatThrownBy(session::commit).isInstanceOf(StatementCancelledException.class);
            long now = db.usage().stream().mapToLong(server -> server.usedBytes()).sum();
            if (attempt > 0) {
                assertThat(now - used).as("attempt %d", attempt).isLessThan(64 << 10);
            }
            used = now;
        }
        fill(0, 100);
        assertThat(sum()).isEqualTo(4950);
    }
}
