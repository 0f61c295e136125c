package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.namdb.compute.commit.AbortCause;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.RowBatch;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.TableDefinition;

/// What open transactions hold of the process's memory has a limit: a transaction that needs more
/// fails, and no other; and what it held is free when its failure is reported.
class TransactionMemoryTest {
    private static final int ROWS_THAT_FIT = 14_000;
    private static final int ROWS_TOO_MANY = 40_000;

    private NamDb db;
    private Table table;
    private Column value;

    @BeforeEach
    void open() {
        db =
                NamDb.embedded(
                        EmbeddedOptions.DEFAULT
                                .withMemoryBytes(256 << 20)
                                .withTransactionMemoryBytes(16 << 20));
        table =
                db.createTable(
                        TableDefinition.named("t")
                                .column("id", ColumnType.INT32)
                                .column("value", ColumnType.INT64)
                                .primaryKey("id")
                                .expectedRows(ROWS_TOO_MANY)
                                .build());
        value = table.column("value");
    }

    @AfterEach
    void close() {
        assertThat(db.server().transactionMemory().usedBytes()).isZero();
        db.close();
    }

    private boolean insert(Transaction tx, int from, int rows) {
        for (int id = from; id < from + rows; id++) {
            tx.insert(table, table.newKey().set(id)).setInt64(value, id);
        }
        return true;
    }

    @Test
    void aTransactionThatNeedsTooMuchFailsAndTheNextDoesNot() {
        try (Session session = db.session()) {
            for (int attempt = 0; attempt < 3; attempt++) {
                assertThatThrownBy(() -> session.transact(tx -> insert(tx, 0, ROWS_TOO_MANY)))
                        .isInstanceOf(TransactionException.class)
                        .hasMessageContaining("transactionMemoryBytes = 16777216")
                        .extracting(e -> ((TransactionException) e).outcome())
                        .isInstanceOfSatisfying(
                                CommitOutcome.MemoryFull.class,
                                full ->
                                        assertThat(full.where())
                                                .isEqualTo(
                                                        CommitOutcome.MemoryFull.Where
                                                                .TRANSACTIONS));
                assertThat(db.server().transactionMemory().usedBytes()).isZero();
            }
            session.transact(tx -> insert(tx, 0, ROWS_THAT_FIT));
            assertThat(session.outcomes(AbortCause.MEMORY_FULL)).isEqualTo(3);
        }
    }

    /// By one row: so many fit, the commit's own memory included, and one more does not.
    @Test
    void oneRowTooManyIsRefusedAsAWhole() {
        int fit = ROWS_THAT_FIT;
        int tooMany = ROWS_TOO_MANY;
        try (Session session = db.session()) {
            while (tooMany - fit > 1) {
                int rows = (fit + tooMany) >>> 1;
                if (isCommitted(session, rows)) {
                    fit = rows;
                } else {
                    tooMany = rows;
                }
            }
            for (int attempt = 0; attempt < 2; attempt++) {
                assertThat(isCommitted(session, tooMany)).isFalse();
                assertThat(isCommitted(session, fit)).isTrue();
            }
        }
    }

    /// What is not committed has left nothing.
    private boolean isCommitted(Session session, int rows) {
        table = db.truncate("t");
        value = table.column("value");
        boolean isCommitted = true;
        try {
            session.transact(tx -> insert(tx, 0, rows));
        } catch (TransactionException e) {
            isCommitted = false;
            assertThat(e).hasMessageContaining("transactionMemoryBytes = 16777216");
        }
        assertThat(db.server().transactionMemory().usedBytes()).isZero();
        int found =
                db.transact(tx -> {
                    int count = 0;
                    TableScan scan = tx.scan(table, table.schema().all());
                    while (scan.next() != null) {
                        count++;
                    }
                    return count;
                });
        assertThat(found).isEqualTo(isCommitted ? rows : 0);
        return isCommitted;
    }

    @Test
    void allSessionsShareIt() {
        try (Session first = db.session();
                Session second = db.session()) {
            insert(first.begin(), 0, ROWS_THAT_FIT);
            assertThatThrownBy(() -> second.transact(tx -> insert(tx, 50_000, ROWS_THAT_FIT)))
                    .isInstanceOf(TransactionException.class);
            second.transact(tx -> insert(tx, 50_000, 1000));
            assertThat(first.commit()).isInstanceOf(CommitOutcome.Committed.class);
            second.transact(tx -> insert(tx, 60_000, ROWS_THAT_FIT));
        }
    }

    @Test
    void theImagesOfRowsCountToo() {
        Table wide =
                db.createTable(
                        TableDefinition.named("wide")
                                .column("id", ColumnType.INT32)
                                .column("text", ColumnType.varchar(8000))
                                .primaryKey("id")
                                .expectedRows(4000)
                                .build());
        assertThatThrownBy(() ->
                        db.transact(tx -> {
                            for (int id = 0; id < 4000; id++) {
                                tx.insert(wide, wide.newKey().set(id));
                            }
                            return true;
                        }))
                .hasMessageContaining("transactionMemoryBytes");
    }

    @Test
    void whatReadsDoNotKeepDoesNotCount() {
        for (int from = 0; from < ROWS_TOO_MANY; from += 10_000) {
            int first = from;
            db.transact(tx -> insert(tx, first, 10_000));
        }
        int found =
                db.transact(tx -> {
                    int rows = 0;
                    TableScan scan = tx.scan(table, table.schema().all());
                    while (scan.next() != null) {
                        rows++;
                    }
                    assertThat(db.server().transactionMemory().usedBytes()).isZero();
                    return rows;
                });
        assertThat(found).isEqualTo(ROWS_TOO_MANY);
    }

    @Test
    void rowsOfALargeTransactionThatHasEndedAreRefused() {
        try (Session session = db.session()) {
            Transaction tx = session.begin();
            insert(tx, 0, ROWS_THAT_FIT);
            Row known = tx.insert(table, table.newKey().set(ROWS_THAT_FIT)).setInt64(value, 1);
            TableScan scan = tx.scan(table, table.schema().all());
            RowBatch batch = tx.batch(table, table.schema().all());
            batch.add(table.newKey().set(0));
            batch.read();
            Row image = batch.row(0);
            assertThat(image.int64(value)).isZero();
            assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
            assertThatThrownBy(() -> known.int64(value)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> known.setInt64(value, 2))
                    .isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> image.int64(value)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(scan::next).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(batch::read).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void aStatementThatNeedsTooMuchIsUndoneAlone() {
        try (Session session = db.session()) {
            Transaction tx = session.begin();
            insert(tx, 0, 10);
            int savepoint = tx.savepoint();
            assertThatThrownBy(() -> insert(tx, 10, ROWS_TOO_MANY))
                    .isInstanceOf(TransactionAborted.class);
            tx.rollbackTo(savepoint);
            assertThat(tx.writeCount()).isEqualTo(10);
            assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
            assertThat(db.<Row>transact(other -> other.read(table, table.newKey().set(9))))
                    .isNotNull();
            assertThat(db.<Row>transact(other -> other.read(table, table.newKey().set(10))))
                    .isNull();
        }
    }
}
