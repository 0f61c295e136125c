package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.namdb.compute.read.HashCursor;
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

/// A statement that runs out of memory half-way, and is rolled back to a savepoint, leaves nothing
/// behind that later reads of the transaction rely on.
class ForgivenAbortTest {
    /// Rows that a transaction holds without the process's transaction memory, of which there is
    /// none here.
    private static final int ROWS_THAT_FIT = 4096;

    private NamDb db;
    private Session session;

    @BeforeEach
    void open() {
        db =
                NamDb.embedded(
                        EmbeddedOptions.DEFAULT
                                .withMemoryBytes(256 << 20)
                                .withTransactionMemoryBytes(0));
        session = db.session();
    }

    @AfterEach
    void close() {
        session.close();
        db.close();
    }

    /// Groups of neighbours, whose bodies take a READ of their own.
    private Table grouped() {
        return db.createTable(
                TableDefinition.named("grouped")
                        .column("g", ColumnType.INT32)
                        .column("i", ColumnType.INT32)
                        .column("value", ColumnType.INT64)
                        .primaryKey("g", "i")
                        .neighbours(1)
                        .inlined(false)
                        .expectedRows(1000)
                        .build());
    }

    private Table wide() {
        return db.createTable(
                TableDefinition.named("wide")
                        .column("id", ColumnType.INT32)
                        .column("value", ColumnType.INT64)
                        .column("text", ColumnType.varchar(8000))
                        .primaryKey("id")
                        .expectedRows(1000)
                        .build());
    }

    private static void postAbsent(Transaction tx, Table table, int from, int rows) {
        for (int id = from; id < from + rows; id++) {
            Row _ = tx.post(table, table.newKey().clear().add(id).add(0), table.schema().all());
        }
        tx.await();
    }

    /// How many wide rows a transaction can read.
    private int wideRowsThatFit(Table wide) {
        Transaction tx = session.begin();
        int rows = 0;
        try {
            while (true) {
                Row _ = tx.post(wide, wide.newKey().set(1_000_000 + rows), wide.schema().all());
                rows++;
            }
        } catch (TransactionAborted e) {
            session.rollback();
            return rows;
        }
    }

    private static @Nullable Long valueIfItFits(Transaction tx, Table table, int g, int i) {
        Row row = tx.read(table, table.newKey().set(g, i), table.schema().all());
        return row == null ? null : row.int64(table.column("value"));
    }

    @Test
    void neighboursThatWereCutShortAreReadAgain() {
        Table table = grouped();
        int rows = 6;
        session.transact(tx -> {
            for (int i = 0; i < rows; i++) {
                BlankRow.insert(tx, table, table.newKey().set(1, i))
                        .setInt64(table.column("value"), 100 + i);
            }
            return true;
        });
        Transaction tx = session.begin();
        postAbsent(tx, table, 1000, ROWS_THAT_FIT - rows / 2);
        int savepoint = tx.savepoint();
        Rows found = new Rows();
        assertThatThrownBy(() ->
                        tx.neighbours(
                                table, table.newKey().clear().add(1), table.schema().all(), found))
                .isInstanceOf(TransactionAborted.class);
        tx.rollbackTo(savepoint);
        int read = 0;
        for (int i = 0; i < rows; i++) {
            try {
                assertThat(valueIfItFits(tx, table, 1, i)).isEqualTo(100 + i);
                read++;
            } catch (TransactionAborted e) {
                tx.rollbackTo(savepoint); // no memory for this one
            }
        }
        assertThat(read).isEqualTo(rows / 2);
        session.rollback();
    }

    @Test
    void whatWasChangedBeforeStaysChangedWhenFurtherColumnsCannotBeRead() {
        Table table = wide();
        Column value = table.column("value");
        session.transact(
                tx -> BlankRow.insert(tx, table, table.newKey().set(1)).setInt64(value, 5));
        int rows = wideRowsThatFit(table);
        Transaction tx = session.begin();
        int first = tx.savepoint();
        Row row = tx.read(table, table.newKey().set(1), table.schema().project("value"));
        row.setInt64(value, 77); // its image from before is kept: two are taken now
        int second = tx.savepoint();
        for (int id = 0; id < rows - 3; id++) {
            Row _ = tx.post(table, table.newKey().set(1000 + id), table.schema().all());
        }
        tx.await();
        // The new image fits, and not that of the savepoint.
        assertThatThrownBy(() -> tx.read(table, table.newKey().set(1), table.schema().all()))
                .isInstanceOf(TransactionAborted.class);
        tx.rollbackTo(second);
        assertThat(row.int64(value)).isEqualTo(77);
        tx.rollbackTo(first);
        assertThat(row.int64(value)).isEqualTo(5);
        session.rollback();
    }

    @Test
    void cursorsThatWereCutShortAreClosed() {
        Table table = wide();
        Column value = table.column("value");
        Index ordered = db.createIndex(IndexDefinition.ordered("ordered", "wide", "value"));
        Index hashed = db.createIndex(IndexDefinition.hash("hashed", "wide", "value"));
        session.transact(tx -> {
            for (int id = 0; id < 100; id++) {
                BlankRow.insert(tx, table, table.newKey().set(id)).setInt64(value, 1);
            }
            return true;
        });
        int rows = wideRowsThatFit(table);
        Transaction tx = session.begin();
        int savepoint = tx.savepoint();
        RowCursor kept =
                tx.ascending(
                        ordered,
                        table,
                        ordered.newKey().set(1),
                        ordered.newKey().set(1),
                        table.schema().all());
        RowCursor streamed =
                tx.streamAscending(
                        ordered,
                        table,
                        ordered.newKey().set(1),
                        ordered.newKey().set(1),
                        table.schema().all());
        HashCursor matching =
                tx.matching(hashed, table, hashed.newKey().set(1), table.schema().all());
        TableScan scan = tx.scan(table, table.schema().all());
        for (int id = 0; id < rows - 10; id++) {
            Row _ = tx.post(table, table.newKey().set(1000 + id), table.schema().all());
        }
        tx.await();
        assertCutShort(tx, savepoint, kept::next);
        assertCutShort(tx, savepoint, streamed::next);
        assertCutShort(tx, savepoint, matching::next);
        assertCutShort(tx, savepoint, scan::next);
        session.rollback();
    }

    private interface Next {
        @Nullable Row row();
    }

    private static void assertCutShort(Transaction tx, int savepoint, Next cursor) {
        assertThatThrownBy(
                        () -> {
                            while (cursor.row() != null) {}
                        })
                .isInstanceOf(TransactionAborted.class);
        tx.rollbackTo(savepoint);
        assertThatThrownBy(cursor::row)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("open another");
    }
}
