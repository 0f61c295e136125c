package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.namdb.memory.ServerUsage;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.KeyTooLongException;
import org.namdb.mvcc.schema.TableDefinition;

/// Changes of the schema, and what indexes hold; the same on every fabric.
abstract class SchemaContract {
    private NamDb db;

    abstract EmbeddedOptions options();

    @BeforeEach
    void open() {
        db = NamDb.embedded(options().withMemoryBytes(128 << 20));
    }

    @AfterEach
    void close() {
        db.close();
    }

    private static TableDefinition.Builder people(String name) {
        return TableDefinition.named(name)
                .column("id", ColumnType.INT64)
                .nullable("age", ColumnType.INT32)
                .nullable("name", ColumnType.varchar(200))
                .primaryKey("id")
                .expectedRows(64);
    }

    private void insert(Table table, long id, @Nullable Integer age, @Nullable String name) {
        db.transact(tx -> {
            Row row = tx.insert(table, table.newKey().set(id));
            if (age != null) {
                row.setInt64(table.column("age"), age);
            }
            if (name != null) {
                row.setString(table.column("name"), name);
            }
            return row;
        });
    }

    private void setAge(Table table, long id, @Nullable Integer age) {
        db.transact(tx -> {
            Row row = tx.read(table, table.newKey().set(id));
            return age == null
                    ? row.setNull(table.column("age"))
                    : row.setInt64(table.column("age"), age);
        });
    }

    private void delete(Table table, long id) {
        db.transact(tx -> {
            tx.delete(tx.read(table, table.newKey().set(id)));
            return true;
        });
    }

    private List<Long> ascending(Index index, Table table, Key from, Key to) {
        return db.transact(tx -> {
            List<Long> ids = new ArrayList<>();
            RowCursor cursor = tx.ascending(index, table, from, to, table.schema().all());
            for (Row row = cursor.next(); row != null; row = cursor.next()) {
                ids.add(row.int64(table.column("id")));
            }
            return ids;
        });
    }

    private List<Long> lookup(Index index, Table table, Key key) {
        return db.transact(tx -> {
            Rows found = new Rows();
            tx.lookup(index, table, key, table.schema().all(), found);
            List<Long> ids = new ArrayList<>();
            for (int i = 0; i < found.size(); i++) {
                ids.add(found.row(i).int64(table.column("id")));
            }
            ids.sort(null);
            return ids;
        });
    }

    private long used() {
        return db.usage().stream().mapToLong(ServerUsage::usedBytes).sum();
    }

    @Test
    void anIndexHoldsNullsBehindAllValues() {
        Table table = db.createTable(people("people").build());
        insert(table, 1, 30, "ada");
        insert(table, 2, null, "bob");
        insert(table, 3, -5, null);
        Index ordered = db.createIndex(IndexDefinition.ordered("by_age", "people", "age", "name"));
        Index hashed = db.createIndex(IndexDefinition.hash("of_age", "people", "age"));
        insert(table, 4, null, null);
        insert(table, 5, 30, null);

        Key all = ordered.newKey();
        assertThat(ascending(ordered, table, all, all)).containsExactly(3L, 1L, 5L, 2L, 4L);
        assertThat(ascending(ordered, table, all, ordered.newKey().endNotNull()))
                .containsExactly(3L, 1L, 5L);
        Key none = ordered.newKey().addNull();
        assertThat(ascending(ordered, table, none, none)).containsExactly(2L, 4L);
        assertThat(lookup(hashed, table, hashed.newKey().addNull())).containsExactly(2L, 4L);
        assertThat(lookup(hashed, table, hashed.newKey().add(30))).containsExactly(1L, 5L);

        setAge(table, 1, null);
        setAge(table, 4, 7);
        delete(table, 2);
        assertThat(ascending(ordered, table, all, all)).containsExactly(3L, 4L, 5L, 1L);
        assertThat(lookup(hashed, table, hashed.newKey().addNull())).containsExactly(1L);
        setAge(table, 1, 30);
        assertThat(lookup(hashed, table, hashed.newKey().addNull())).isEmpty();
        assertThat(lookup(hashed, table, hashed.newKey().add(30))).containsExactly(1L, 5L);
    }

    @Test
    void nullsComeAndGoAtRandomAndNoEntryIsLeft() {
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        System.out.println("seed " + seed);
        SplittableRandom random = new SplittableRandom(seed);
        Table table = db.createTable(people("people").build());
        Index ordered = db.createIndex(IndexDefinition.ordered("by_age", "people", "age"));
        Index hashed = db.createIndex(IndexDefinition.hash("of_age", "people", "age"));
        TreeMap<Long, Integer> model = new TreeMap<>();
        int none = Integer.MAX_VALUE;
        for (int i = 0; i < 600; i++) {
            long id = random.nextInt(20);
            int age = random.nextInt(4) == 0 ? none : random.nextInt(3);
            Integer value = age == none ? null : Integer.valueOf(age);
            if (!model.containsKey(id)) {
                insert(table, id, value, null);
                model.put(id, age);
            } else if (random.nextInt(3) == 0) {
                delete(table, id);
                model.remove(id);
            } else {
                setAge(table, id, value);
                model.put(id, age);
            }
            Key key = hashed.newKey();
            assertThat(lookup(hashed, table, value == null ? key.addNull() : key.add(age)))
                    .isEqualTo(
                            model.entrySet().stream()
                                    .filter(e -> e.getValue() == age)
                                    .map(e -> e.getKey())
                                    .toList());
        }
        for (long id : List.copyOf(model.keySet())) {
            delete(table, id);
        }
        try (Session session = db.session()) {
            for (int i = 0; i < 100 && session.garbageWaiting() > 0; i++) {
                session.transact(tx -> true);
                session.collectGarbage();
            }
            assertThat(session.garbageWaiting()).isZero();
        }
        assertThat(lookup(hashed, table, hashed.newKey().addNull())).isEmpty();
        assertThat(ascending(ordered, table, ordered.newKey(), ordered.newKey())).isEmpty();
    }

    @Test
    void keysMayBeLongTexts() {
        Table table =
                db.createTable(
                        TableDefinition.named("texts")
                                .column("text", ColumnType.varchar(240))
                                .column("id", ColumnType.INT64)
                                .primaryKey("text")
                                .expectedRows(32)
                                .build());
        Index ordered = db.createIndex(IndexDefinition.ordered("by_id", "texts", "id"));
        Index hashed = db.createIndex(IndexDefinition.hash("of_id", "texts", "id"));
        for (int i = 0; i < 300; i++) {
            String text = "x".repeat(i % 230) + i;
            long id = i;
            db.transact(tx ->
                    tx.insert(table, table.newKey().add(text))
                            .setInt64(table.column("id"), id / 2));
        }
        for (int i = 0; i < 300; i += 2) {
            String text = "x".repeat(i % 230) + i;
            assertThat(
                            db.<Long>transact(tx ->
                                    tx.read(table, table.newKey().add(text))
                                            .int64(table.column("id"))))
                    .isEqualTo(i / 2);
            assertThat(lookup(hashed, table, hashed.newKey().add(i / 2))).hasSize(2);
        }
        assertThat(ascending(ordered, table, ordered.newKey(), ordered.newKey()))
                .hasSize(300)
                .isSorted();
        Table longer =
                db.createTable(
                        TableDefinition.named("longer")
                                .column("text", ColumnType.varchar(300))
                                .primaryKey("text")
                                .expectedRows(32)
                                .build());
        assertThat(longer.column("text").type()).isEqualTo(ColumnType.varchar(128));
        assertThatThrownBy(() ->
                        db.createIndex(IndexDefinition.ordered("by_none", "texts", "id", "text")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has no room");
    }

    @Test
    void everyKindOfColumnCanBeAKeyAndIndexed() {
        Table table =
                db.createTable(
                        TableDefinition.named("kinds")
                                .column("u", ColumnType.UUID)
                                .column("id", ColumnType.INT64)
                                .nullable("v", ColumnType.UUID)
                                .nullable("f", ColumnType.FLOAT32)
                                .column("d", ColumnType.FLOAT64)
                                .column("b", ColumnType.bytes(5))
                                .column("day", ColumnType.DATE)
                                .column("time", ColumnType.TIME)
                                .primaryKey("u")
                                .expectedRows(32)
                                .build());
        for (int i = 0; i < 10; i++) {
            long id = i;
            byte[] zeroes = new byte[i % 5];
            db.transact(tx ->
                    tx.insert(table, table.newKey().addUuid(-id, id))
                            .setInt64(table.column("id"), id)
                            .setUuid(table.column("v"), id, -id)
                            .setFloat64(table.column("f"), -id / 2.0)
                            .setFloat64(table.column("d"), id == 0 ? -0.0 : 1.0 / id)
                            .setBytes(table.column("b"), zeroes, 0, zeroes.length)
                            .setInt64(table.column("day"), -id)
                            .setInt64(table.column("time"), id));
        }
        Index byFloat = db.createIndex(IndexDefinition.ordered("by_f", "kinds", "f"));
        Index byDouble = db.createIndex(IndexDefinition.hash("by_d", "kinds", "d"));
        Index byBytes = db.createIndex(IndexDefinition.hash("by_b", "kinds", "b"));
        Index byUuid = db.createIndex(IndexDefinition.ordered("by_v", "kinds", "v"));
        Index byDay = db.createIndex(IndexDefinition.ordered("by_day", "kinds", "day", "time"));
        List<Long> down = List.of(9L, 8L, 7L, 6L, 5L, 4L, 3L, 2L, 1L, 0L);
        assertThat(ascending(byFloat, table, byFloat.newKey(), byFloat.newKey())).isEqualTo(down);
        assertThat(ascending(byDay, table, byDay.newKey(), byDay.newKey())).isEqualTo(down);
        assertThat(ascending(byUuid, table, byUuid.newKey(), byUuid.newKey())).isSorted();
        assertThat(lookup(byDouble, table, byDouble.newKey().add(0.0))).containsExactly(0L);
        assertThat(lookup(byDouble, table, byDouble.newKey().add(1.0 / 3))).containsExactly(3L);
        assertThat(lookup(byBytes, table, byBytes.newKey().add(new byte[2], 0, 2)))
                .containsExactly(2L, 7L);
        db.transact(tx -> {
            Row row = tx.read(table, table.newKey().addUuid(-3, 3));
            assertThat(row.uuidHigh(table.column("u"))).isEqualTo(-3);
            assertThat(row.uuidLow(table.column("v"))).isEqualTo(-3);
            assertThat(row.float64(table.column("f"))).isEqualTo(-1.5);
            return true;
        });
    }

    /// Everything that a table can have is made, and given back.
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

    /// Rows beyond what the table was made for; old versions that a reader needs, in buffers and in the overflow region; deleted rows.
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
    void aChangeThatFindsARunningTransactionSaysWhoseAndChangesNothing() throws Exception {
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
                CompletableFuture.supplyAsync(() ->
                        db.transact(tx -> {
                            slot.set(tx.slotNumber());
                            runs.countDown();
                            awaitQuietly(mayEnd);
                            return tx.read(table, table.newKey().set(1)) != null;
                        }));
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
    void anIndexThatMemoryHasNoRoomForIsTakenBack() {
        db.close();
        db =
                NamDb.embedded(
                        options()
                                .withMemoryServers(1)
                                .withMemoryBytes(EmbeddedOptions.LEAST_SERVER_BYTES));
        Table table =
                db.createTable(
                        people("people")
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

    /// Writers who look their table up, and find that it has changed under them now and then.
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

    /// The columns of an index's entries share what the primary key leaves; a value of a record is as short as its share, or refused.
    @Test
    void aValueThatIsTooLongForAnIndexIsRefused() {
        Table table =
                db.createTable(
                        TableDefinition.named("texts")
                                .column("a", ColumnType.varchar(1000))
                                .column("b", ColumnType.varchar(1000))
                                .nullable("text", ColumnType.varchar(1000))
                                .primaryKey("a", "b")
                                .expectedRows(64)
                                .build());
        Index texts = db.createIndex(IndexDefinition.ordered("of_text", "texts", "text", "b"));
        // 128 bytes are left, and one says whether the text is NULL.
        assertThat(table.column("a").type()).isEqualTo(ColumnType.varchar(64));
        assertThat(texts.newKey().layout().type(0)).isEqualTo(ColumnType.varchar(63));
        assertThat(texts.newKey().layout().type(1)).isEqualTo(ColumnType.varchar(63));
        Key key = table.newKey().add("a").add("b");
        assertThatThrownBy(() -> table.newKey().add("x".repeat(65)))
                .isInstanceOf(KeyTooLongException.class);
        db.transact(tx -> {
            Key tooLong = table.newKey().add("a").add("x".repeat(64));
            assertThatThrownBy(() -> tx.insert(table, tooLong))
                    .isInstanceOf(KeyTooLongException.class)
                    .hasMessage("index of_text, column b: 64 bytes don't fit in 63");
            Row row = tx.insert(table, key);
            assertThatThrownBy(() -> row.setString(table.column("text"), "y".repeat(64)))
                    .isInstanceOf(KeyTooLongException.class);
            return row.setString(table.column("text"), "y".repeat(63));
        });
        Key found = texts.newKey().add("y".repeat(63)).add("b");
        assertThat(count(texts, table, found)).isOne();

        db.dropIndex("of_text");
        db.transact(tx -> tx.read(table, key).setString(table.column("text"), "y".repeat(64)));
        assertThatThrownBy(
                        () -> db.createIndex(IndexDefinition.hash("again", "texts", "text", "b")))
                .isInstanceOf(KeyTooLongException.class)
                .hasMessage("index again, column text: 64 bytes don't fit in 63");
        assertThat(db.findIndex("again")).isNull();
        db.transact(tx -> tx.read(table, key).setString(table.column("text"), "y".repeat(1000)));
    }

    private int count(Index index, Table table, Key prefix) {
        return db.transact(tx -> {
            RowCursor cursor = tx.ascending(index, table, prefix, prefix, table.schema().all());
            int count = 0;
            while (cursor.next() != null) {
                count++;
            }
            return count;
        });
    }
}
