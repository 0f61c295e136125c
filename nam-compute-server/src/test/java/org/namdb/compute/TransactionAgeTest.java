package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.namdb.compute.commit.AbortCause;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.RowCursor;
import org.namdb.compute.read.Rows;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Region;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.server.MemoryServer;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.TableDefinition;

/// A transaction that outlives the maximum transaction time, E, while what it should see is
/// deleted, or changed, and collected: it gets "snapshot too old", whichever way it reads, and
/// never misses a record or reads another value.
class TransactionAgeTest {
    private static final Duration MAX_TRANSACTION_TIME = Duration.ofMillis(60);
    private static final int RECORDS = 8;

    /// How a transaction reads the first record of eight, of which the last one stays.
    enum Look {
        BY_KEY,
        NEIGHBOURS,
        HASHED_INDEX,
        FIRST_OF_A_RANGE,
        LAST_TWO_OF_A_RANGE,
        WHOLE_RANGE,
        SCAN
    }

    private FailingFabric fabric;
    private NamDb db;
    private Session reader;
    private Session writer;
    private Table table;
    private Column value;
    private Index byValue;
    private Index inOrder;

    @BeforeEach
    void open() {
        open(RetryPolicy.NONE);
    }

    private void open(RetryPolicy policy) {
        fabric = new FailingFabric(new ShmFabric(ShmFabric.Options.DEFAULT));
        db =
                NamDb.embedded(
                        EmbeddedOptions.DEFAULT
                                .withMemoryBytes(64 << 20)
                                .withMaxTransactionTime(MAX_TRANSACTION_TIME)
                                .withRetryPolicy(policy)
                                .withMaintenanceInterval(Duration.ofMillis(1))
                                .withFabric(() -> fabric));
        reader = db.session();
        writer = db.session();
        table =
                db.createTable(
                        TableDefinition.named("t")
                                .column("group_id", ColumnType.INT32)
                                .column("id", ColumnType.INT32)
                                .column("value", ColumnType.INT64)
                                .primaryKey("group_id", "id")
                                .neighbours(1)
                                .versions(1)
                                .expectedRows(100)
                                .build());
        value = table.column("value");
        byValue = db.createIndex(IndexDefinition.hash("by_value", "t", "value"));
        inOrder = db.createIndex(IndexDefinition.ordered("in_order", "t", "group_id", "id"));
        db.transact(tx -> {
            for (int id = 0; id < RECORDS; id++) {
                BlankRow.insert(tx, table, id(id)).setInt64(value, 5);
            }
            return true;
        });
    }

    @AfterEach
    void close() {
        db.close();
    }

    private Key id(int id) {
        return table.newKey().set(1, id);
    }

    /// Waits until no version is kept for the running transaction: deletes all records but the last
    /// and lets them be collected.
    private void deleteAndCollect() {
        writer.transact(tx -> {
            for (int id = 0; id < RECORDS - 1; id++) {
                tx.delete(tx.read(table, id(id)));
            }
            return true;
        });
        awaitCollection();
    }

    /// Commits elsewhere, so that the snapshot chain and the low watermark along it rise.
    private void awaitCollection() {
        int filler = 0;
        while (writer.garbageWaiting() > 0 || filler < 3) {
            int next = filler++;
            writer.transact(tx -> BlankRow.insert(tx, table, table.newKey().set(2, next)));
            writer.collectGarbage();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aReaderOlderThanTheMaximumFailsAndMissesNothing(Look look) {
        assertThatThrownBy(() ->
                        reader.transact(tx -> {
                            deleteAndCollect();
                            return look(tx, look);
                        }))
                .isInstanceOf(TransactionException.class)
                .extracting(e -> ((TransactionException) e).outcome())
                .isEqualTo(CommitOutcome.SnapshotTooOld.INSTANCE);
        assertThat(reader.outcomes(AbortCause.SNAPSHOT_TOO_OLD)).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void oneRetryLaterItSucceedsWithWhatIsThereNow(Look look) {
        close();
        open(RetryPolicy.DEFAULT);
        int[] attempts = {0};
        String found =
                reader.transact(tx -> {
                    if (attempts[0]++ == 0) {
                        deleteAndCollect();
                    }
                    return look(tx, look);
                });
        assertThat(attempts[0]).isEqualTo(2);
        assertThat(found).isEqualTo(look == Look.BY_KEY ? "" : "7 ");
    }

    @Test
    void anInsertOverARecordThatItsSnapshotStillShowsIsRefused() {
        assertThatThrownBy(() ->
                        reader.transact(tx -> {
                            assertThat(tx.snapshot().sequence()).isPositive();
                            deleteAndCollect();
                            return BlankRow.insert(tx, table, id(0));
                        }))
                .isInstanceOf(TransactionException.class);
        assertThat(db.<Row>transact(tx -> tx.read(table, id(0)))).isNull();
    }

    @Test
    void anUpdateOfWhatWasReadBeforeFails() {
        assertThatThrownBy(() ->
                        reader.transact(tx -> {
                            Row row = tx.read(table, id(0));
                            deleteAndCollect();
                            return row.setInt64(value, 9);
                        }))
                .isInstanceOf(TransactionException.class);
        assertThat(db.<Row>transact(tx -> tx.read(table, id(0)))).isNull();
    }

    @Test
    void whatIsStillThereIsReadHoweverOldTheReaderIs() {
        reader.transact(tx -> {
            deleteAndCollect();
            assertThat(tx.read(table, id(RECORDS - 1)).int64(value)).isEqualTo(5);
            return true;
        });
    }

    @Test
    void aScanFailsAsItGoesAndNotOnlyAtItsEnd() {
        Table large =
                db.createTable(
                        TableDefinition.named("large")
                                .column("id", ColumnType.INT32)
                                .column("text", ColumnType.varchar(500))
                                .primaryKey("id")
                                .expectedRows(5_000)
                                .build());
        writer.transact(tx -> {
            for (int id = 0; id < 5_000; id++) {
                BlankRow.insert(tx, large, large.newKey().set(id));
            }
            return true;
        });
        Transaction tx = reader.begin();
        TableScan scan = tx.scan(large, large.schema().all());
        assertThat(scan.next()).isNotNull();
        deleteAndCollect();
        assertThatThrownBy(
                        () -> {
                            while (scan.progress() < 0.9) {
                                scan.next();
                            }
                        })
                .isSameAs(TransactionAborted.INSTANCE);
        assertThat(reader.commit()).isEqualTo(CommitOutcome.SnapshotTooOld.INSTANCE);
    }

    /// It follows a pointer to memory that was freed and reused.
    @Test
    void aReaderThatIsTooOldAndFollowsAReusedPointerFails() {
        Transaction tx = reader.begin();
        deleteAndCollect();
        fabric.failAt(0, () -> new FabricException(FabricException.Kind.BAD_ADDRESS, "planted"));
        assertThatThrownBy(() -> tx.read(table, id(0))).isSameAs(TransactionAborted.INSTANCE);
        assertThat(reader.commit()).isEqualTo(CommitOutcome.SnapshotTooOld.INSTANCE);
        assertThat(reader.isFailed()).isFalse();
    }

    @Test
    void aBadAddressThatNoAgeExplainsBreaksTheSession() {
        Transaction tx = reader.begin();
        fabric.failAt(0, () -> new FabricException(FabricException.Kind.BAD_ADDRESS, "planted"));
        assertThatThrownBy(() -> tx.read(table, id(0))).isInstanceOf(FabricException.class);
        assertThat(reader.isFailed()).isTrue();
    }

    @Test
    void computeServersGoByTheDatabasesMaximumWhateverTheirOptionsSay() {
        int slots = 4;
        EmbeddedOptions options = EmbeddedOptions.DEFAULT.withMemoryBytes(32 << 20).withSlots(1);
        try (Fabric fabric = new ShmFabric(ShmFabric.Options.DEFAULT);
                MemoryServer server =
                        new MemoryServer(
                                fabric,
                                0,
                                options.memoryBytes(),
                                DatabaseLayout.reservedBytes(0, slots))) {
            List<Region> regions = List.of(server.region());
            DatabaseLayout.format(fabric, regions, slots, MAX_TRANSACTION_TIME);
            try (NamDb attached = AttachedDatabase.open(options, fabric, regions)) {
                assertThat(attached.options().maxTransactionTime()).isEqualTo(MAX_TRANSACTION_TIME);
            }
        }
    }

    /// What it finds: the ids, each with a blank after it.
    private String look(Transaction tx, Look look) {
        StringBuilder found = new StringBuilder();
        switch (look) {
            case BY_KEY -> add(found, tx.read(table, id(0)));
            case NEIGHBOURS -> {
                Rows rows = new Rows();
                tx.neighbours(table, table.newKey().add(1), table.schema().all(), rows);
                addAll(found, rows);
            }
            case HASHED_INDEX -> {
                Rows rows = new Rows();
                tx.lookup(byValue, table, byValue.newKey().add(5), table.schema().all(), rows);
                addAll(found, rows);
            }
            case FIRST_OF_A_RANGE -> add(found, range(tx).next());
            case LAST_TWO_OF_A_RANGE -> {
                Key group = inOrder.newKey().set(1);
                RowCursor cursor =
                        tx.descending(inOrder, table, group, group, table.schema().all());
                add(found, cursor.next());
                add(found, cursor.next());
            }
            case WHOLE_RANGE -> {
                RowCursor cursor = range(tx);
                for (Row row = cursor.next(); row != null; row = cursor.next()) {
                    add(found, row);
                }
            }
            case SCAN -> {
                TableScan scan = tx.scan(table, table.schema().all());
                for (Row row = scan.next(); row != null; row = scan.next()) {
                    if (row.int64(table.column("group_id")) == 1) {
                        add(found, row);
                    }
                }
            }
        }
        return found.toString();
    }

    private RowCursor range(Transaction tx) {
        Key group = inOrder.newKey().set(1);
        return tx.ascending(inOrder, table, group, group, table.schema().all());
    }

    private void addAll(StringBuilder found, Rows rows) {
        for (int i = 0; i < rows.size(); i++) {
            add(found, rows.row(i));
        }
    }

    private void add(StringBuilder found, @org.jspecify.annotations.Nullable Row row) {
        if (row != null) {
            found.append(row.int64(table.column("id"))).append(' ');
        }
    }

    /// The entry of the record that is required was collected, and serves other keys.
    @Test
    void aRequiredRecordThatIsGoneIsNotTakenForTheOneInItsPlace() {
        Transaction tx = reader.begin();
        tx.requirePresent(tx.read(table, id(0)));
        BlankRow.insert(tx, table, table.newKey().set(9, 9)).setInt64(value, 1);
        deleteAndCollect();
        writer.transact(t -> {
            for (int id = RECORDS; id < 4 * RECORDS; id++) {
                BlankRow.insert(t, table, id(id)).setInt64(value, 5);
            }
            return true;
        });
        assertThat(reader.commit())
                .isInstanceOfAny(
                        CommitOutcome.SnapshotTooOld.class, CommitOutcome.WriteConflict.class);
    }
}
