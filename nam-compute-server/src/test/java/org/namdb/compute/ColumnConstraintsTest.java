package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.read.Row;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.TableDefinition;

/// A table's column constraints hold for every row, whichever way it is written.
class ColumnConstraintsTest {
    private NamDb db;
    private Table table;
    private Column owner;
    private Column balance;
    private Column small;

    @BeforeEach
    void open() {
        db = NamDb.embedded(EmbeddedOptions.DEFAULT.withMemoryBytes(64 << 20));
        table =
                db.createTable(
                        TableDefinition.named("accounts")
                                .column("id", ColumnType.decimal(4, 0))
                                .column("owner", ColumnType.varchar(10))
                                .column("balance", ColumnType.decimal(12, 2))
                                .nullable("small", ColumnType.INT16)
                                .nullable("flag", ColumnType.BOOLEAN)
                                .nullable("at", ColumnType.TIME)
                                .primaryKey("id")
                                .expectedRows(100)
                                .build());
        owner = table.column("owner");
        balance = table.column("balance");
        small = table.column("small");
    }

    @AfterEach
    void close() {
        db.close();
    }

    private Row insert(Transaction tx, long id) {
        return tx.insert(table, table.newKey().set(id));
    }

    private boolean exists(long id) {
        return db.transact(tx -> tx.read(table, table.newKey().set(id)) != null);
    }

    private void assertRefused(Consumer<Transaction> body) {
        assertThatThrownBy(() ->
                        db.transact(tx -> {
                            body.accept(tx);
                            return true;
                        }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("accounts.owner is NOT NULL");
    }

    @Test
    void anInsertSetsEveryColumnThatCannotBeNull() {
        assertRefused(tx -> insert(tx, 1).setInt64(balance, 100));
        assertThat(exists(1)).isFalse();
        db.transact(tx -> insert(tx, 1).setInt64(balance, 100).setString(owner, ""));
        assertThat(exists(1)).isTrue();
    }

    @Test
    void aRowThatIsInsertedAgainStartsOver() {
        db.transact(tx -> insert(tx, 1).setInt64(balance, 100).setString(owner, "Ada"));
        assertRefused(tx -> {
            tx.delete(tx.read(table, table.newKey().set(1)));
            insert(tx, 1).setInt64(balance, 7);
        });
        String kept = db.transact(tx -> tx.read(table, table.newKey().set(1)).string(owner));
        assertThat(kept).isEqualTo("Ada");
        db.transact(tx -> {
            tx.delete(tx.read(table, table.newKey().set(1)));
            tx.delete(insert(tx, 1).setInt64(balance, 7)); // and is gone again
            return true;
        });
        assertThat(exists(1)).isFalse();
    }

    @Test
    void aValueThatIsRolledBackIsNotSet() {
        try (Session session = db.session()) {
            Transaction tx = session.begin();
            Row row = insert(tx, 1).setInt64(balance, 1);
            int savepoint = tx.savepoint();
            row.setString(owner, "Ada");
            tx.rollbackTo(savepoint);
            assertThatThrownBy(session::commit).hasMessageContaining("owner");
            assertThat(session.isOpen()).isFalse();
            tx = session.begin();
            insert(tx, 1).setInt64(balance, 1).setString(owner, "Ada");
            assertThat(session.commit()).isInstanceOf(CommitOutcome.Committed.class);
        }
    }

    @Test
    void decimalsKeepToTheirDigits() {
        long most = 999_999_999_999L;
        db.transact(tx -> {
            Row row = insert(tx, 1).setString(owner, "Ada").setInt64(balance, most);
            assertThatThrownBy(() -> row.setInt64(balance, most + 1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("outside of DECIMAL(12,2)");
            assertThatThrownBy(() -> row.setInt64(balance, Long.MAX_VALUE))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> row.setInt64(balance, -most - 1))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(row.int64(balance)).isEqualTo(most);
            return row.setInt64(balance, -most);
        });
        assertThatThrownBy(() -> table.newKey().set(10_000))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("outside of DECIMAL(4,0)");
    }

    @Test
    void truthsAndTimesOfDayKeepToTheirRange() {
        db.transact(tx -> {
            Row row = insert(tx, 1).setString(owner, "Ada").setInt64(balance, 1);
            assertThatThrownBy(() -> row.setInt64(table.column("flag"), 2))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> row.setInt64(table.column("at"), 86_400_000_000L))
                    .isInstanceOf(IllegalArgumentException.class);
            return row;
        });
    }

    /// Caught, it must not have made the column anything else.
    @Test
    void aValueThatIsRefusedChangesNothing() {
        db.transact(tx -> {
            Row row = insert(tx, 1).setInt64(balance, 1).setString(owner, "Ada");
            assertThatThrownBy(() -> row.setInt64(small, 1 << 20))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(row.isNull(small)).isTrue();
            assertThatThrownBy(() -> row.setNull(owner)).hasMessageContaining("can't be NULL");
            assertThatThrownBy(() -> row.setString(owner, "eleven char"))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(row.string(owner)).isEqualTo("Ada");
            return row;
        });
        assertRefused(tx -> {
            Row row = insert(tx, 2).setInt64(balance, 1);
            assertThatThrownBy(() -> row.setString(owner, "eleven char"))
                    .isInstanceOf(IllegalArgumentException.class);
        });
    }
}
