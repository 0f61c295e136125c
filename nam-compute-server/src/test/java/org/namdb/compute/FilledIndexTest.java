package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.SchemaBusyException;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.Region;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.server.MemoryServer;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;

/// An index has been filled, and the catalog is about to say so; before a step of that, another
/// compute server empties the table. It waits until the index is filled: else the new table's index
/// would be where the old one's was, whose memory is free.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FilledIndexTest {
    private static final int SLOTS = 64;
    private static final int MEMORY_BYTES = 64 << 20;

    private final FailingFabric fabric =
            new FailingFabric(new ShmFabric(ShmFabric.Options.DEFAULT));
    private final MemoryServer server =
            new MemoryServer(fabric, 0, MEMORY_BYTES, DatabaseLayout.reservedBytes(0, SLOTS));
    private final NamDb db;
    private final NamDb other;

    FilledIndexTest() {
        List<Region> regions = List.of(server.region());
        EmbeddedOptions options =
                EmbeddedOptions.DEFAULT
                        .withMemoryBytes(MEMORY_BYTES)
                        .withSlots(16)
                        .withExecutionThreads(1)
                        .withSchemaWait(Duration.ofMillis(500))
                        .withMaintenanceInterval(Duration.ofMillis(1));
        DatabaseLayout.format(fabric, regions, SLOTS, options.maxTransactionTime());
        db = AttachedDatabase.open(options, fabric, regions);
        other = AttachedDatabase.open(options, fabric, regions);
    }

    @AfterEach
    void close() {
        boolean _ = fabric.heal();
        other.close();
        db.close();
        server.close();
        fabric.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
    void theTableIsNotEmptiedMeanwhile(int step) {
        Table _ =
                db.createTable(
                        TableDefinition.named("t")
                                .column("id", ColumnType.INT64)
                                .column("n", ColumnType.INT64)
                                .primaryKey("id")
                                .build());
        String[] outcome = {"not reached"};
        emptyAt(step, outcome);
        Index _ = db.createIndex(IndexDefinition.ordered("by_n", "t", "n"));
        boolean _ = fabric.heal();
        assertThat(outcome[0]).isEqualTo("busy");
        Table _ = other.truncate("t");
        for (NamDb by : List.of(db, other)) {
            by.transact(tx -> true); // it has noticed that
            Table table = by.table("t");
            assertThat(table.indexes()).extracting(Index::name).containsExactly("by_n");
            by.transact(tx -> {
                tx.insert(table, table.newKey().set(by.process())).setInt64(table.column("n"), 1);
                return true;
            });
        }
    }

    /// @param step of those that the catalog takes to know of the filled index
    private void emptyAt(int step, String[] outcome) {
        fabric.doAt(
                0,
                () -> {
                    boolean isOne =
                            StackWalker.getInstance()
                                    .walk(frames ->
                                            frames.anyMatch(
                                                    each -> each.getMethodName().equals("filled")));
                    if (isOne && step == 0) {
                        outcome[0] = empty();
                    } else {
                        emptyAt(isOne ? step - 1 : step, outcome);
                    }
                });
    }

    private String empty() {
        try {
            Table _ = other.truncate("t");
            return "emptied";
        } catch (SchemaBusyException e) {
            return "busy";
        }
    }
}
