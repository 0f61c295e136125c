package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.RowCursor;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.KeyTooLongException;
import org.namdb.mvcc.schema.TableDefinition;

/// What indexes and keys hold: NULLs, long texts, and every type of column. The same on
/// every fabric.
@ParameterizedClass
@EnumSource
class IndexContentsTest extends PeopleFixture {
    private static final int MAX_PASSES = 100_000;

    @Parameter FabricKind fabric;

    @Override
    EmbeddedOptions options() {
        return fabric.options();
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
            // A record that background maintenance has locked is tried once in a pass.
            for (int i = 0; i < MAX_PASSES && session.garbageWaiting() > 0; i++) {
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
                .hasMessageContaining("has no space");
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

    /// The columns of an index's entries share what the primary key leaves; a value of a record is
    /// as short as its share, or refused.
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
