package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.RowBatch;
import org.namdb.compute.read.Rows;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.TableDefinition;

/// A row that has no values, or none yet, or none any more, never shows another row's.
class RowHandleTest extends AccountsFixture {
    @Override
    EmbeddedOptions options() {
        return EmbeddedOptions.DEFAULT.withFabric(
                () -> new ShmFabric(ShmFabric.Options.DEFAULT.withReadsInPlace(false)));
    }

    @BeforeEach
    void fill() {
        insert(1, "Ada", 100);
        insert(2, "Grace", 200);
    }

    /// Everything that reads a value, sets one, or checks whether there is one.
    private List<Consumer<Row>> uses() {
        List<Consumer<Row>> uses = new ArrayList<>();
        uses.add(row -> row.int64(balance));
        uses.add(row -> row.string(owner));
        uses.add(row -> row.length(owner));
        uses.add(row -> row.byteAt(owner, 0));
        uses.add(row -> row.copyBytes(owner, new byte[40], 0));
        uses.add(row -> row.isNull(accounts.column("note")));
        uses.add(row -> row.setInt64(balance, 7));
        uses.add(row -> row.setString(owner, "x"));
        uses.add(row -> row.setNull(accounts.column("note")));
        return uses;
    }

    private void assertRefused(Row row, String message) {
        for (Consumer<Row> use : uses()) {
            assertThatThrownBy(() -> use.accept(row))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining(message);
        }
    }

    private static void assertEnded(Row row, Consumer<Row> use) {
        assertThatThrownBy(() -> use.accept(row))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has ended: copy the values");
    }

    @Test
    void aRecordThatIsNotThereHasNoValues() {
        try (Session session = db.session()) {
            for (int round = 0; round < 3; round++) { // rows and images are used again
                Transaction tx = session.begin();
                Row a = tx.post(accounts, id(1), accounts.schema().all());
                Row b = tx.post(accounts, id(2), accounts.schema().all());
                tx.await();
                a.setInt64(balance, a.int64(balance) - 1);
                b.setInt64(balance, b.int64(balance) + 1);
                assertThat(session.commit().isRetryable()).isFalse();
                tx = session.begin();
                Row absent = tx.post(accounts, id(99_999), accounts.schema().all());
                tx.await();
                assertThat(absent.exists()).isFalse();
                assertRefused(absent, "there is no accounts(99999)");
                assertThat(absent.int64(accounts.column("id"))).isEqualTo(99_999);
                session.rollback();
            }
        }
    }

    @Test
    void aRowThatIsNotAwaitedIsRefused() {
        db.transact(tx -> {
            Row known = tx.read(accounts, id(2));
            assertThat(known.int64(balance)).isEqualTo(200);
            Row row = tx.post(accounts, id(1), accounts.schema().all());
            assertRefused(row, "call await()");
            assertThatThrownBy(row::exists).hasMessageContaining("call await()");
            assertThatThrownBy(() -> tx.delete(row)).hasMessageContaining("call await()");
            assertThatThrownBy(() -> tx.lock(row)).hasMessageContaining("call await()");
            tx.await();
            assertThat(row.int64(balance)).isEqualTo(100);
            return true;
        });
    }

    @Test
    void aRowEndsWithItsTransaction() {
        try (Session session = db.session()) {
            Rows found = new Rows();
            Table groups = groups();
            Transaction tx = session.begin();
            Row read = tx.read(accounts, id(1));
            Row written = tx.read(accounts, id(2)).setInt64(balance, 5);
            Row inserted = tx.insert(accounts, id(3)).setString(owner, "x").setInt64(balance, 1);
            TableScan scan = tx.scan(accounts, accounts.schema().all());
            Row scanned = scan.next();
            RowBatch batch = tx.batch(accounts, accounts.schema().all());
            batch.add(id(2));
            batch.read();
            Row batched = batch.row(0);
            tx.neighbours(groups, groups.newKey().clear().add(1), groups.schema().all(), found);
            Row neighbour = found.row(0);
            assertThat(neighbour.int64(groups.column("v"))).isEqualTo(12);
            session.commit();
            for (Row kept : List.of(read, written, inserted, scanned, batched)) {
                assertRefused(kept, "has ended");
                assertEnded(kept, Row::exists);
                assertEnded(kept, row -> row.int64(accounts.column("id")));
            }
            assertEnded(neighbour, row -> row.int64(groups.column("v")));

            tx = session.begin(); // and stays refused when others are read
            Row one = tx.read(accounts, id(1));
            Row two = tx.read(accounts, id(2));
            Row three = tx.read(accounts, id(3));
            for (Row kept : List.of(read, written, inserted)) {
                assertRefused(kept, "has ended");
            }
            assertThat(one.int64(balance)).isEqualTo(100);
            assertThat(two.int64(balance)).isEqualTo(5);
            assertThat(three.int64(balance)).isEqualTo(1);
            session.rollback();
        }
    }

    private Table groups() {
        Table groups =
                db.createTable(
                        TableDefinition.named("groups")
                                .column("g", ColumnType.INT32)
                                .column("i", ColumnType.INT32)
                                .column("v", ColumnType.INT64)
                                .primaryKey("g", "i")
                                .neighbours(1)
                                .build());
        db.transact(tx ->
                tx.insert(groups, groups.newKey().set(1, 1)).setInt64(groups.column("v"), 12));
        return groups;
    }

    /// What a body returns by mistake.
    @Test
    void aRowThatABodyReturnsIsRefused() {
        Row kept = db.transact(tx -> tx.read(accounts, id(1)));
        assertRefused(kept, "has ended");
    }

    @Test
    void aRowThatTheTransactionHasDeletedKeepsItsValues() {
        db.transact(tx -> {
            Row row = tx.read(accounts, id(1));
            tx.delete(row);
            assertThat(row.exists()).isFalse();
            assertThat(row.int64(balance)).isEqualTo(100);
            return true;
        });
    }

    @Test
    void anInsertThatIsUndoneTakesItsValuesAlong() {
        db.transact(tx -> {
            Row absent = tx.post(accounts, id(9), accounts.schema().all());
            tx.await();
            int savepoint = tx.savepoint();
            Row row = tx.insert(accounts, id(9)).setString(owner, "x").setInt64(balance, 9);
            assertThat(row.int64(balance)).isEqualTo(9);
            assertThat(row).isSameAs(absent);
            tx.rollbackTo(savepoint);
            assertThat(row.exists()).isFalse();
            assertRefused(row, "there is no accounts(9)");
            return true;
        });
    }
}
