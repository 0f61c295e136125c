package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.compute.read.RowCursor;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.SchemaBusyException;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Region;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.server.MemoryServer;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;

/// Two compute servers change the schema at the same time, or one of them loses the reply of any
/// request: no table is lost, none is overwritten, and no storage serves two.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SchemaRaceTest {
    private static final int SLOTS = 64;
    private static final int ROWS = 10;
    private static final int MAX_STEPS = 1_000;

    private final FailingFabric fabric =
            new FailingFabric(new ShmFabric(ShmFabric.Options.DEFAULT));
    private final MemoryServer server =
            new MemoryServer(fabric, 0, 256 << 20, DatabaseLayout.reservedBytes(0, SLOTS));
    private final List<Region> regions = List.of(server.region());
    private final EmbeddedOptions options =
            EmbeddedOptions.DEFAULT
                    .withMemoryBytes(256 << 20)
                    .withSlots(16)
                    .withExecutionThreads(1)
                    .withMaintenanceInterval(Duration.ofMillis(1));
    private final NamDb db;
    private final NamDb other;

    SchemaRaceTest() {
        DatabaseLayout.format(fabric, regions, SLOTS, options.maxTransactionTime());
        db = AttachedDatabase.open(options, fabric, regions);
        other =
                AttachedDatabase.open(
                        options.withSchemaWait(Duration.ofMillis(20)), fabric, regions);
    }

    @AfterEach
    void close() {
        fabric.heal();
        other.close();
        db.close();
        server.close();
        fabric.close();
    }

    private static TableDefinition numbers(String name) {
        return TableDefinition.named(name)
                .column("id", ColumnType.INT64)
                .column("value", ColumnType.INT64)
                .primaryKey("id")
                .expectedRows(ROWS)
                .build();
    }

    private static void fill(NamDb by, Table table, int value) {
        by.transact(tx -> {
            for (int id = 0; id < ROWS; id++) {
                tx.insert(table, table.newKey().set(id)).setInt64(table.column("value"), value);
            }
            return true;
        });
    }

    /// The values of a table's rows, or null if there is no such table.
    private static List<Long> values(NamDb by, String name) {
        Table table = by.findTable(name);
        if (table == null) {
            return List.of();
        }
        return by.transact(tx -> {
            List<Long> values = new ArrayList<>();
            for (int id = 0; id < ROWS; id++) {
                var row = tx.read(table, table.newKey().set(id));
                if (row != null) {
                    values.add(row.int64(table.column("value")));
                }
            }
            return values;
        });
    }

    private void dropAll() {
        db.tableNames().forEach(db::dropTable);
    }

    private static List<Long> rowsOf(int value) {
        return java.util.Collections.nCopies(ROWS, (long) value);
    }

    @Test
    void aTableThatIsMadeDuringARenameLosesNoRows() {
        int raced = 0;
        boolean isAtEnd = false;
        for (int step = 0; !isAtEnd && step < MAX_STEPS; step++) {
            String name = "t" + step;
            String newName = "u" + step;
            fill(db, db.createTable(numbers(name)), 1);
            boolean[] isMade = {false};
            fabric.doAt(
                    step,
                    () -> {
                        try {
                            Table _ = other.createTable(numbers(newName));
                            isMade[0] = true;
                        } catch (SchemaBusyException e) {
                            // The rename is a change of its own.
                        }
                    });
            boolean isRenamed = false;
            try {
                db.renameTable(name, newName);
                isRenamed = true;
            } catch (IllegalArgumentException e) {
                assertThat(e).hasMessageContaining("there is a table " + newName);
            }
            isAtEnd = !fabric.heal();
            if (isMade[0]) {
                raced++;
                fill(other, other.table(newName), 2);
            }
            for (NamDb by : List.of(db, other)) {
                assertThat(values(by, isRenamed ? newName : name))
                        .as("the table that was renamed during step %d", step)
                        .isEqualTo(rowsOf(1));
                if (isMade[0]) {
                    assertThat(isRenamed).isFalse();
                    assertThat(values(by, newName)).isEqualTo(rowsOf(2));
                }
            }
            dropAll();
        }
        assertThat(isAtEnd).isTrue();
        assertThat(raced).isPositive();
    }

    @Test
    void storageIsNotFreedWhileACatalogEntryNamesIt() {
        boolean isAtEnd = false;
        int made = 0;
        for (int number = 0; !isAtEnd && number < MAX_STEPS; number++) {
            fabric.loseReply(number);
            String name = "t" + number;
            try {
                Table _ = db.createTable(numbers(name));
                made += fabric.hasLostReply() ? 1 : 0;
            } catch (FabricException e) {
                // the one that was planted
            }
            isAtEnd = !fabric.hasLostReply();
            boolean _ = fabric.heal();
            Table first = db.findTable(name);
            Table next = db.createTable(numbers("next" + number)); // of the same size
            fill(db, next, 2);
            if (first != null) {
                fill(db, first, 1);
                assertThat(values(other, name)).isEqualTo(rowsOf(1));
                assertThat(values(db, name)).isEqualTo(rowsOf(1));
            }
            assertThat(values(db, "next" + number)).isEqualTo(rowsOf(2));
            assertThat(values(other, "next" + number)).isEqualTo(rowsOf(2));
            dropAll();
        }
        assertThat(isAtEnd).isTrue();
        assertThat(made).as("made though a reply was lost").isPositive();
    }

    @Test
    void aRenameWhoseReplyIsLostKeepsRowsAndIndexes() {
        boolean isAtEnd = false;
        for (int number = 0; !isAtEnd && number < MAX_STEPS; number++) {
            String name = "t" + number;
            String newName = "u" + number;
            String index = "by_value" + number;
            fill(db, db.createTable(numbers(name)), 1);
            Index _ = db.createIndex(IndexDefinition.ordered(index, name, "value"));
            fabric.loseReply(number);
            try {
                Table _ = db.renameTable(name, newName);
            } catch (FabricException e) {
                // the one that was planted
            }
            isAtEnd = !fabric.hasLostReply();
            boolean _ = fabric.heal();
            for (NamDb by : List.of(db, other)) {
                boolean isRenamed = by.findTable(newName) != null;
                String found = isRenamed ? newName : name;
                assertThat(values(by, found)).as("after reply %d", number).isEqualTo(rowsOf(1));
                assertThat(indexed(by, index, found)).as("after reply %d", number).isEqualTo(ROWS);
            }
            dropAll();
        }
        assertThat(isAtEnd).isTrue();
    }

    private static int indexed(NamDb by, String name, String of) {
        Table table = by.table(of);
        Index index = Objects.requireNonNull(by.findIndex(name));
        return by.transact(tx -> {
            RowCursor cursor =
                    tx.ascending(
                            index,
                            table,
                            index.newKey().set(1),
                            index.newKey().set(1),
                            table.schema().all());
            int rows = 0;
            while (cursor.next() != null) {
                rows++;
            }
            return rows;
        });
    }
}
