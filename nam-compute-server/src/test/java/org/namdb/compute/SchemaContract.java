package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.Rows;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.SchemaBusyException;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.catalog.CatalogEntry;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.TableDefinition;

/// Changes of the schema; the same on every fabric.
abstract class SchemaContract extends PeopleFixture {
    /// Everything that a table can have is made, and freed.
    @Test
    void tablesThatComeAndGoTakeNoMoreMemory() {
        long before = 0;
        int rounds = 50;
        try (Session other = db.session()) {
            for (int round = 0; round < rounds; round++) {
                Table table =
                        db.createTable(
                                people("people").inlined(round % 2 == 0).versions(1).build());
                db.createIndex(IndexDefinition.ordered("by_name", "people", "name"));
                db.createIndex(IndexDefinition.hash("by_age", "people", "age"));
                fill(table, other);
                db.dropTable("people");
                assertThat(db.findTable("people")).isNull();
                assertThat(db.indexNames()).isEmpty();
                if (round == 1) {
                    before = used();
                }
            }
        }
        assertThat(used()).isLessThanOrEqualTo(before);
        assertThat(db.oldVersionBytes()).isZero();
    }

    /// Rows beyond what the table was made for; old versions that a reader needs, in buffers and in
    /// the overflow region; deleted rows.
    private void fill(Table table, Session other) {
        db.transact(tx -> {
            for (int i = 0; i < 400; i++) {
                tx.insert(table, table.newKey().set(i))
                        .setInt64(table.column("age"), i)
                        .setString(table.column("name"), "n".repeat(i % 190) + i);
            }
            return true;
        });
        db.transact(reading -> {
            assertThat(reading.read(table, table.newKey().set(0))).isNotNull();
            for (int change = 0; change < 4; change++) {
                int times = change;
                other.transact(tx -> {
                    for (int i = 0; i < 40; i++) {
                        tx.read(table, table.newKey().set(i)).setInt64(table.column("age"), -times);
                    }
                    return true;
                });
            }
            other.transact(tx -> {
                for (int i = 100; i < 120; i++) {
                    tx.delete(tx.read(table, table.newKey().set(i)));
                }
                return true;
            });
            return true;
        });
    }

    @Test
    void aDroppedTableIsNotUsed() {
        Table table = db.createTable(people("people").build());
        Index index = db.createIndex(IndexDefinition.ordered("by_age", "people", "age"));
        Index hashed = db.createIndex(IndexDefinition.hash("of_age", "people", "age"));
        insert(table, 1, 1, "ada");
        assertThat(lookup(hashed, table, hashed.newKey().add(1))).containsExactly(1L);
        db.dropIndex("of_age");
        assertThat(db.findIndex("of_age")).isNull();
        assertThat(table.indexes()).containsExactly(index);
        assertThatThrownBy(() -> lookup(hashed, table, hashed.newKey().add(1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("index of_age was dropped");
        insert(table, 2, 2, "bob");

        db.dropTable("people");
        List<TransactionBody<?>> uses =
                List.of(
                        tx -> tx.read(table, table.newKey().set(1)),
                        tx -> tx.insert(table, table.newKey().set(9)),
                        tx -> tx.scan(table, table.schema().all()).next(),
                        tx -> {
                            tx.neighbours(
                                    table, table.newKey().set(1), table.schema().all(), new Rows());
                            return true;
                        },
                        tx ->
                                tx.ascending(
                                        index,
                                        table,
                                        index.newKey(),
                                        index.newKey(),
                                        table.schema().all()));
        for (TransactionBody<?> use : uses) {
            assertThatThrownBy(() -> db.transact(use))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("was dropped");
        }
        assertThatThrownBy(() -> db.dropTable("people"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> db.dropIndex("by_age"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aChangeThatFindsARunningTransactionNamesItsSlotAndChangesNothing() throws Exception {
        db.close();
        db =
                NamDb.embedded(
                        options().withMemoryBytes(128 << 20).withSchemaWait(Duration.ofMillis(20)));
        Table table = db.createTable(people("people").build());
        insert(table, 1, 1, "ada");
        CountDownLatch runs = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        AtomicLong slot = new AtomicLong();
        CompletableFuture<Boolean> reader =
                CompletableFuture.supplyAsync(() -> {
                    try (Session session = db.session()) {
                        slot.set(session.slotNumber());
                        return session.transact(tx -> {
                            runs.countDown();
                            awaitQuietly(mayEnd);
                            return tx.read(table, table.newKey().set(1)) != null;
                        });
                    }
                });
        runs.await();
        long version = db.schemaVersion();
        assertThatThrownBy(() -> db.dropTable("people"))
                .isInstanceOfSatisfying(
                        SchemaBusyException.class,
                        e -> assertThat(e.slots()).containsExactly((int) slot.get()));
        assertThatThrownBy(() -> db.createIndex(IndexDefinition.hash("i", "people", "age")))
                .isInstanceOf(SchemaBusyException.class);
        assertThat(db.schemaVersion()).isEqualTo(version);
        assertThat(db.indexNames()).isEmpty();
        insert(table, 2, 2, "bob");
        mayEnd.countDown();
        assertThat(reader.get()).isTrue();
        db.dropTable("people");

        db.createTable(people("people").build());
        assertThatThrownBy(() ->
                        db.transact(tx -> {
                            db.dropTable("people");
                            return true;
                        }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("same thread");
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void truncateRenameAndRedefine() {
        Table first = db.createTable(people("people").property("layer", "sql").build());
        db.createIndex(IndexDefinition.ordered("by_age", "people", "age").property("k", "v"));
        insert(first, 1, 30, "ada");

        long version = db.schemaVersion();
        Table empty = db.truncate("people");
        assertThat(db.schemaVersion()).isGreaterThan(version);
        assertThat(db.table("people")).isSameAs(empty);
        insert(empty, 2, 40, "bob");
        Index index = db.findIndex("by_age");
        assertThat(index).isNotNull();
        assertThat(ascending(index, empty, index.newKey(), index.newKey())).containsExactly(2L);

        Table renamed = db.renameTable("people", "persons");
        assertThat(db.findTable("people")).isNull();
        assertThat(db.tableNames()).containsExactly("persons");
        assertThatThrownBy(() -> insert(empty, 3, 3, "eve"))
                .isInstanceOf(IllegalStateException.class);
        insert(renamed, 3, 50, "eve");
        Index again = db.findIndex("by_age");
        assertThat(again).isNotNull();
        assertThat(again.definition().table()).isEqualTo("persons");
        assertThat(again.definition().properties()).containsEntry("k", "v");
        assertThat(ascending(again, renamed, again.newKey(), again.newKey()))
                .containsExactly(2L, 3L);

        TableDefinition definition =
                renamed.definition()
                        .withoutColumns("persons")
                        .column("id", ColumnType.INT64)
                        .nullable("years", ColumnType.INT32)
                        .nullable("name", ColumnType.varchar(200))
                        .property("note", "x".repeat(40_000))
                        .build();
        Table redefined = db.redefine("persons", definition);
        assertThat(redefined.definition()).isEqualTo(definition);
        assertThat(db.table("persons").definition().properties()).containsOnlyKeys("note");
        Index years = db.findIndex("by_age");
        assertThat(years).isNotNull();
        assertThat(years.definition().columns()).containsExactly("years");
        assertThat(ascending(years, redefined, years.newKey(), years.newKey()))
                .containsExactly(2L, 3L);
        assertThatThrownBy(() ->
                        db.redefine("persons", definition.copy("persons").versions(5).build()))
                .isInstanceOf(IllegalArgumentException.class);
        db.dropTable("persons");
    }

    @Test
    void anotherTableTakesItsPlaceWithAllRows() {
        Table old = db.createTable(people("people").build());
        db.createIndex(IndexDefinition.ordered("by_age", "people", "age"));
        db.createIndex(IndexDefinition.hash("of_name", "people", "name"));
        for (int i = 0; i < 700; i++) {
            insert(old, i, i % 7 == 0 ? null : i, "name" + i);
        }
        TableDefinition wider =
                TableDefinition.named("people")
                        .column("id", ColumnType.INT64)
                        .nullable("age", ColumnType.INT32)
                        .column("twice", ColumnType.INT64)
                        .primaryKey("twice", "id")
                        .expectedRows(64)
                        .build();
        Table made = db.replaceTable("people", wider, mapping(old, wider, 1));
        assertThat(db.table("people")).isSameAs(made);
        assertThat(db.indexNames()).containsExactly("by_age");
        Index index = db.findIndex("by_age");
        assertThat(index).isNotNull();
        Key none = index.newKey().addNull();
        assertThat(ascending(index, made, none, none)).hasSize(100);
        assertThat(ascending(index, made, index.newKey(), index.newKey())).hasSize(700);
        assertThat(
                        db.<Long>transact(tx ->
                                tx.read(made, made.newKey().set(1398, 699))
                                        .int64(made.column("age"))))
                .isEqualTo(699);

        long used = used();
        TableDefinition narrower =
                TableDefinition.named("people")
                        .column("twice", ColumnType.INT64)
                        .primaryKey("twice")
                        .build();
        assertThatThrownBy(() -> db.replaceTable("people", narrower, mapping(made, narrower, 0)))
                .isInstanceOf(TransactionException.class)
                .hasMessageContaining("duplicate key");
        assertThat(db.table("people")).isSameAs(made);
        assertThat(used()).isLessThanOrEqualTo(used);
        assertThat(ascending(index, made, index.newKey(), index.newKey())).hasSize(700);
    }

    /// Keys are all zero where `factor` is.
    private static RowMapping mapping(Table old, TableDefinition made, long factor) {
        return new RowMapping() {
            @Override
            public void key(Row source, Key key) {
                long id = source.int64(old.column("id")) * factor;
                key.add(2 * id);
                if (made.primaryKey().size() > 1) {
                    key.add(id);
                }
            }

            @Override
            public void columns(Row source, Row target) {
                if (made.columns().size() > 1 && !source.isNull(old.column("age"))) {
                    target.setInt64(target.table().column("age"), source.int64(old.column("age")));
                }
            }
        };
    }

    @Test
    void anIndexThatDoesNotFitIntoMemoryIsRolledBack() {
        db.close();
        db =
                NamDb.embedded(
                        options()
                                .withMemoryServers(1)
                                .withMemoryBytes(EmbeddedOptions.MIN_SERVER_BYTES));
        Table table =
                db.createTable(
                        people("people")
                                .servers()
                                .inlined(true)
                                .bucketRecords(8)
                                .expectedRows(12_000)
                                .build());
        int rows = 0;
        while (db.usage().getFirst().freeBytes() > 2 << 20) {
            int first = rows;
            db.transact(tx -> {
                for (int i = first; i < first + 500; i++) {
                    tx.insert(table, table.newKey().set(i))
                            .setString(table.column("name"), "name" + i);
                }
                return true;
            });
            rows += 500;
        }
        long used = used();
        assertThatThrownBy(
                        () -> db.createIndex(IndexDefinition.ordered("by_name", "people", "name")))
                .isInstanceOf(MemoryFullException.class);
        assertThat(db.indexNames()).isEmpty();
        assertThat(table.indexes()).isEmpty();
        assertThat(used()).isLessThanOrEqualTo(used);
        db.createIndex(IndexDefinition.ordered("by_nothing", "people", "id"));
    }

    /// Writers that look their table up, and find that it has changed at times.
    @Test
    void theSchemaChangesBesideRunningTransactions() throws Exception {
        Table before = db.createTable(people("people").build());
        db.createIndex(IndexDefinition.ordered("by_age", "people", "age"));
        insert(before, 0, 0, "zero");
        AtomicBoolean isOver = new AtomicBoolean();
        List<CompletableFuture<Long>> writers = new ArrayList<>();
        for (int writer = 1; writer <= 2; writer++) {
            long base = writer * 1_000_000L;
            writers.add(CompletableFuture.supplyAsync(() -> write(base, isOver)));
        }
        try {
            for (int round = 0; round < 15; round++) {
                db.createIndex(IndexDefinition.hash("of_name", "people", "name"));
                db.redefine(
                        "people",
                        db.table("people")
                                .definition()
                                .copy("people")
                                .property("round", "" + round)
                                .build());
                db.dropIndex("of_name");
                if (round % 3 == 2) {
                    db.truncate("people");
                }
            }
        } finally {
            isOver.set(true);
        }
        for (CompletableFuture<Long> writer : writers) {
            assertThat(writer.get()).isPositive();
        }
        Table table = db.table("people");
        Index index = db.findIndex("by_age");
        assertThat(index).isNotNull();
        long count =
                db.<Long>transact(tx -> {
                    long rows = 0;
                    TableScan scan = tx.scan(table, table.schema().all());
                    while (scan.next() != null) {
                        rows++;
                    }
                    return rows;
                });
        assertThat(ascending(index, table, index.newKey(), index.newKey())).hasSize((int) count);
        db.dropTable("people");
    }

    private long write(long base, AtomicBoolean isOver) {
        long written = 0;
        for (long id = base; !isOver.get() || written == 0; id++) {
            Table table = db.table("people");
            long key = id;
            try {
                db.transact(tx ->
                        tx.insert(table, table.newKey().set(key))
                                .setInt64(table.column("age"), key % 100)
                                .setString(table.column("name"), "name" + key));
                db.transact(tx -> {
                    Row row = tx.read(table, table.newKey().set(key));
                    return row == null || row.setNull(table.column("age")) != null;
                });
                written++;
            } catch (IllegalStateException e) {
                assertThat(e).hasMessageContaining("was dropped");
            }
        }
        return written;
    }

    /// No transaction of another thread runs between the steps.
    @Test
    void aDefinitionOfManyStepsIsAlone() throws Exception {
        Table table = db.createTable(people("people").build());
        insert(table, 1, 1, "ada");
        CountDownLatch isAlone = new CountDownLatch(1);
        CompletableFuture<Long> writer =
                CompletableFuture.supplyAsync(() -> {
                    awaitQuietly(isAlone);
                    insert(db.table("people"), 2, 2, "bob");
                    return 2L;
                });
        List<Long> found =
                db.changeSchema(
                        Duration.ofSeconds(5),
                        () -> {
                            isAlone.countDown();
                            Index index =
                                    db.createIndex(
                                            IndexDefinition.ordered("by_age", "people", "age"));
                            List<Long> seen =
                                    ascending(index, table, index.newKey(), index.newKey());
                            assertThat(writer.isDone()).isFalse();
                            Table made = db.renameTable("people", "persons");
                            insert(made, 3, 3, "eve");
                            db.renameTable("persons", "people");
                            return seen;
                        });
        assertThat(found).containsExactly(1L);
        try {
            writer.get();
        } catch (ExecutionException e) {
            // It has looked the table up in the middle.
            assertThat(e.getMessage()).containsAnyOf("was dropped, or has changed", "there is no");
        }
        assertThat(
                        db.<Row>transact(tx -> {
                            Table now = db.table("people");
                            return tx.read(now, now.newKey().set(3));
                        }))
                .isNotNull();
    }

    @Test
    void propertiesAreKeptInOrderAndMayBeLong() {
        TableDefinition definition =
                people("people").property("z", "grüße".repeat(10_000)).property("a", "").build();
        byte[] bytes = CatalogEntry.encode(definition, new CatalogEntry(1, new long[] {64}, 5));
        assertThat(bytes.length).isGreaterThan(40_000);
        assertThat(CatalogEntry.decodeTable(bytes)).isEqualTo(definition);
        assertThat(CatalogEntry.decodeTable(bytes).properties().keySet()).containsExactly("z", "a");
        assertThat(db.createTable(definition).definition()).isEqualTo(definition);
    }
}
