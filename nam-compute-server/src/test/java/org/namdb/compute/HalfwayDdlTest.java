package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.RowCursor;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
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

/// A statement that changes the schema fails half-way, in a process that lives on: both compute
/// servers have the same schema then and use it, and the statement can be repeated.
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HalfwayDdlTest {
    private static final int SLOTS = 64;
    private static final int SERVERS = 2;
    private static final int MEMORY_BYTES = 128 << 20;
    private static final int ROWS = 3;
    private static final int MIN_STEPS = 10;
    private static final Duration WAIT = Duration.ofSeconds(20);
    private static final int MAX_STEPS = 1_000;
    private static final String TABLE = "numbers";
    private static final String NEW_INDEX = "new_index";

    private final FailingFabric fabric =
            new FailingFabric(new ShmFabric(ShmFabric.Options.DEFAULT));
    private final List<MemoryServer> servers = new ArrayList<>();
    private final NamDb db;
    private final NamDb other;

    HalfwayDdlTest() {
        for (int i = 0; i < SERVERS; i++) {
            long reserved = DatabaseLayout.reservedBytes(i, SLOTS);
            servers.add(new MemoryServer(fabric, i, MEMORY_BYTES, reserved));
        }
        List<Region> regions = servers.stream().map(MemoryServer::region).toList();
        EmbeddedOptions options =
                EmbeddedOptions.DEFAULT
                        .withMemoryServers(SERVERS)
                        .withMemoryBytes(MEMORY_BYTES)
                        .withSlots(16)
                        .withExecutionThreads(1)
                        .withMaintenanceInterval(Duration.ofMillis(1));
        DatabaseLayout.format(fabric, regions, SLOTS, options.maxTransactionTime());
        db = AttachedDatabase.open(options, fabric, regions);
        other = AttachedDatabase.open(options, fabric, regions);
    }

    @AfterEach
    void close() {
        fabric.heal();
        other.close();
        db.close();
        servers.forEach(MemoryServer::close);
        fabric.close();
    }

    /// A statement on a table with an index.
    enum Statement {
        RENAME(1) {
            @Override
            void run(NamDb db) {
                Table _ = db.renameTable(TABLE, "renamed");
            }
        },
        RENAME_COLUMN(1) {
            @Override
            void run(NamDb db) {
                TableDefinition.Builder renamed =
                        numbers()
                                .withoutColumns(TABLE)
                                .column("id", ColumnType.INT64)
                                .column("renamed", ColumnType.INT64)
                                .primaryKey("id");
                Table _ = db.redefine(TABLE, renamed.build());
            }
        },
        DROP(5) {
            @Override
            void run(NamDb db) {
                db.dropTable(TABLE);
            }
        },
        CREATE_INDEX(4) {
            @Override
            void run(NamDb db) {
                Index _ = db.createIndex(IndexDefinition.ordered(NEW_INDEX, TABLE, "value"));
            }
        },
        ADD_COLUMN(10) {
            @Override
            void run(NamDb db) {
                Table old = db.table(TABLE);
                TableDefinition wider =
                        numbers().copy(TABLE).nullable("more", ColumnType.INT64).build();
                Table _ = db.replaceTable(TABLE, wider, copyOf(old));
            }
        };

        /// How far apart the steps are, on average, at which it fails.
        private final int stride;

        Statement(int stride) {
            this.stride = stride;
        }

        abstract void run(NamDb db);
    }

    /// What fails from a step on.
    enum Failure {
        ONE_STEP,
        ALL_STEPS
    }

    private static TableDefinition numbers() {
        return TableDefinition.named(TABLE)
                .column("id", ColumnType.INT64)
                .column("value", ColumnType.INT64)
                .primaryKey("id")
                .expectedRows(ROWS)
                .build();
    }

    /// The second column, whatever its name.
    private static Column value(Table table) {
        return table.schema().columns().get(1);
    }

    private static RowMapping copyOf(Table old) {
        return new RowMapping() {
            @Override
            public void key(Row source, Key key) {
                key.add(source.int64(old.column("id")));
            }

            @Override
            public void columns(Row source, Row target) {
                target.setInt64(target.table().column("value"), source.int64(old.column("value")));
            }
        };
    }

    @ParameterizedTest
    @CsvSource({
        "RENAME, ONE_STEP", "RENAME, ALL_STEPS",
        "RENAME_COLUMN, ONE_STEP", "RENAME_COLUMN, ALL_STEPS",
        "DROP, ONE_STEP", "DROP, ALL_STEPS",
        "CREATE_INDEX, ONE_STEP", "CREATE_INDEX, ALL_STEPS",
        "ADD_COLUMN, ONE_STEP", "ADD_COLUMN, ALL_STEPS"
    })
    void bothComputeServersHaveTheSameSchema(Statement statement, Failure failure) {
        make();
        statement.run(db);
        List<String> done = schema(other);
        dropAll();
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        System.out.println("-Dnamdb.seed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        boolean isAtEnd = false;
        int step = 0;
        for (; !isAtEnd && step < MAX_STEPS; step += random.nextInt(1, 2 * statement.stride)) {
            make();
            boolean[] hasFailed = {false};
            int failing = step;
            try {
                db.changeSchema(
                        WAIT,
                        () -> {
                            fail(failure, failing, hasFailed);
                            statement.run(db);
                            return true;
                        });
            } catch (IllegalArgumentException | FabricException | TransactionException e) {
                assertThat(hasFailed[0]).isTrue();
            }
            boolean _ = fabric.heal();
            isAtEnd = !hasFailed[0];
            FailedCommitTest.awaitRecovery(db);
            requireSame("after a failure at step " + step);
            repeat(statement);
            requireSame("repeated after a failure at step " + step);
            assertThat(schema(db)).as("after a failure at step " + step).isEqualTo(done);
            dropAll();
        }
        assertThat(isAtEnd).isTrue();
        assertThat(step).isGreaterThan(MIN_STEPS);
    }

    /// A table that both compute servers know.
    private void make() {
        Table made = db.createTable(numbers());
        makeIndex();
        db.transact(tx -> {
            for (int id = 0; id < ROWS; id++) {
                tx.insert(made, made.newKey().set(id)).setInt64(value(made), id);
            }
            return true;
        });
        requireSame("before");
    }

    private void makeIndex() {
        Index _ = db.createIndex(IndexDefinition.ordered("by_value", TABLE, "value"));
    }

    private void dropAll() {
        db.tableNames().forEach(db::dropTable);
        assertThat(other.tableNames()).isEmpty();
        assertThat(other.indexNames()).isEmpty();
    }

    /// After an unexpected exception, a queue pair is disconnected.
    private void fail(Failure failure, int step, boolean[] hasFailed) {
        fabric.doAt(
                step,
                () -> {
                    hasFailed[0] = true;
                    if (failure == Failure.ALL_STEPS) {
                        failNext();
                    }
                    throw new IllegalArgumentException("planted");
                });
    }

    private void failNext() {
        fabric.doAt(
                0,
                () -> {
                    failNext();
                    throw new FabricException(FabricException.Kind.PEER_GONE, "planted");
                });
    }

    /// It succeeds, or its error says that it is done, or that there is an index, which can be
    /// dropped if it was not filled.
    private void repeat(Statement statement) {
        try {
            statement.run(db);
        } catch (IllegalArgumentException e) {
            if (statement == Statement.CREATE_INDEX) {
                assertThat(e).hasMessage("there is an index " + NEW_INDEX + " already");
                if (db.findIndex(NEW_INDEX) == null) {
                    db.dropIndex(NEW_INDEX);
                    statement.run(db);
                }
            } else {
                assertThat(statement).isIn(Statement.RENAME, Statement.DROP);
                assertThat(e).hasMessageStartingWith("there is no table " + TABLE + "; there are ");
            }
        }
    }

    /// Both have the same tables and indexes, and what one writes to them is read by both.
    private void requireSame(String as) {
        for (NamDb by : List.of(db, other)) {
            by.transact(tx -> true); // it has noticed what has changed then
        }
        assertThat(schema(db)).as(as).isEqualTo(schema(other));
        for (NamDb writer : List.of(db, other)) {
            writer.tableNames().forEach(name -> raiseValues(writer, writer.table(name)));
            List<String> rows = rows(db);
            assertThat(rows).as(as).isEqualTo(rows(other));
        }
    }

    private static void raiseValues(NamDb by, Table table) {
        by.transact(tx -> {
            for (int id = 0; id < ROWS; id++) {
                Row row = Objects.requireNonNull(tx.read(table, table.newKey().set(id)));
                row.setInt64(value(table), row.int64(value(table)) + 1);
            }
            return true;
        });
    }

    /// All tables with their columns and indexes, and the names of all indexes.
    private static List<String> schema(NamDb by) {
        List<String> schema = new ArrayList<>();
        for (String name : by.tableNames()) {
            Table table = by.table(name);
            assertThat(table.name()).isEqualTo(name);
            schema.add(name + " " + table.definition().columns());
            table.allIndexes().stream()
                    .map(index -> index.definition() + (index.isFilled() ? "" : " is not filled"))
                    .sorted()
                    .forEach(schema::add);
        }
        schema.addAll(by.indexNames());
        return schema;
    }

    /// The rows of all tables, by key and by each index; each index has them all.
    private static List<String> rows(NamDb by) {
        List<String> rows = new ArrayList<>();
        for (String name : by.tableNames()) {
            Table table = by.table(name);
            by.transact(tx -> {
                List<Long> byKey = new ArrayList<>();
                for (int id = 0; id < ROWS; id++) {
                    Row row = Objects.requireNonNull(tx.read(table, table.newKey().set(id)));
                    byKey.add(row.int64(value(table)));
                }
                for (Index index : table.indexes()) {
                    assertThat(byIndex(tx, table, index)).as(index.name()).isEqualTo(byKey);
                }
                return rows.add(name + byKey);
            });
        }
        return rows;
    }

    private static List<Long> byIndex(Transaction tx, Table table, Index index) {
        Key none = index.newKey();
        RowCursor cursor = tx.ascending(index, table, none, none, table.schema().all());
        List<Long> values = new ArrayList<>();
        for (Row row = cursor.next(); row != null; row = cursor.next()) {
            values.add(row.int64(value(table)));
        }
        return values;
    }
}
