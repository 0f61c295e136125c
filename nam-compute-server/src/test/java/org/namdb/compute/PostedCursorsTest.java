package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.RowCursor;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.Seeds;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.TableDefinition;

/// Ranges whose first records are read together.
class PostedCursorsTest {
    private static final int GROUPS = 40;
    private static final int IDS = 600;

    /// A table and its index by group and value, with what is in it.
    private static final class Model {
        private final Table table;
        private final Index byValue;

        /// By id: the group and the value.
        private Map<Integer, long[]> rows = new HashMap<>();

        Model(NamDb db) {
            table =
                    db.createTable(
                            TableDefinition.named("t")
                                    .column("id", ColumnType.INT32)
                                    .column("g", ColumnType.INT32)
                                    .column("value", ColumnType.INT64)
                                    .primaryKey("id")
                                    .expectedRows(IDS)
                                    .build());
            byValue = db.createIndex(IndexDefinition.ordered("by_value", "t", "g", "value"));
        }

        Key group(int g) {
            return byValue.newKey().clear().add(g);
        }

        void write(Row row, long g, long value) {
            row.setInt64(table.column("g"), g);
            row.setInt64(table.column("value"), value);
        }

        void change(Transaction tx, Map<Integer, long[]> to, SplittableRandom random, int count) {
            for (int i = 0; i < count; i++) {
                int id = random.nextInt(IDS);
                int g = random.nextInt(GROUPS);
                long value = random.nextInt(1000) - 500;
                Row row = tx.read(table, table.newKey().set(id));
                if (row != null && random.nextInt(3) == 0) {
                    tx.delete(row);
                    to.remove(id);
                } else {
                    Row written = row == null ? tx.insert(table, table.newKey().set(id)) : row;
                    write(written, g, value);
                    to.put(id, new long[] {g, value});
                }
            }
        }

        /// The ids of a group by their values.
        List<Integer> inOrder(Map<Integer, long[]> of, int g) {
            return of.entrySet().stream()
                    .filter(each -> each.getValue()[0] == g)
                    .sorted((a, b) -> {
                        int order = Long.compare(a.getValue()[1], b.getValue()[1]);
                        return order != 0 ? order : Integer.compare(a.getKey(), b.getKey());
                    })
                    .map(Map.Entry::getKey)
                    .toList();
        }
    }

    private static NamDb open(boolean inPlace, int landingBytes) {
        return NamDb.embedded(
                EmbeddedOptions.DEFAULT
                        .withMemoryBytes(256L << 20)
                        .withMemoryServers(2)
                        .withFabric(() ->
                                new ShmFabric(new ShmFabric.Options(inPlace, landingBytes, null))));
    }

    @Test
    void theFirstOfManyTakeTwoRoundTrips() {
        try (NamDb db = open(false, 1 << 20);
                Session session = db.session()) {
            Model model = new Model(db);
            session.transact(tx -> {
                for (int g = 0; g < GROUPS; g++) {
                    model.write(tx.insert(model.table, model.table.newKey().set(g)), g, g);
                }
                return true;
            });
            session.transact(tx -> { // comes through the tree's inner nodes
                for (int g = 0; g < GROUPS; g++) {
                    first(
                            model,
                            tx.ascending(
                                    model.byValue,
                                    model.table,
                                    model.group(g),
                                    model.group(g),
                                    model.table.schema().all()));
                }
                return true;
            });
            session.transact(tx -> {
                List<RowCursor> cursors = new ArrayList<>();
                long before = session.counters().roundTrips();
                for (int g = 0; g < GROUPS; g++) {
                    cursors.add(post(model, tx, g));
                }
                tx.await();
                for (int g = 0; g < GROUPS; g++) {
                    assertThat(first(model, cursors.get(g))).isEqualTo(g);
                }
                assertThat(session.counters().roundTrips() - before).isEqualTo(2);
                return true;
            });
        }
    }

    private static RowCursor post(Model model, Transaction tx, int g) {
        return tx.postAscending(
                model.byValue,
                model.table,
                model.group(g),
                model.group(g),
                model.table.schema().all());
    }

    private static long first(Model model, RowCursor cursor) {
        Row row = cursor.next();
        cursor.close();
        return row == null ? -1 : row.int64(model.table.column("id"));
    }

    /// Ranges of old snapshots, with entries of former values, dead records and own changes, and
    /// with leaves that others split and merge; beside single reads; some closed or gone through
    /// before the await, and some posted twice.
    @ParameterizedTest
    @CsvSource({"true, 1048576", "false, 1048576", "false, 65536"})
    void whatIsPostedIsWhatIsThere(boolean inPlace, int landingBytes) {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        try (NamDb db = open(inPlace, landingBytes);
                Session writer = db.session();
                Session reader = db.session()) {
            Model model = new Model(db);
            for (int round = 0; round < 30; round++) {
                change(writer, model, random, random.nextInt(400));
                Transaction tx = reader.begin();
                Map<Integer, long[]> seen = new HashMap<>(model.rows);
                for (int more = random.nextInt(4); more > 0; more--) {
                    change(writer, model, random, 100);
                }
                if (random.nextBoolean()) {
                    change(tx, model, seen, random);
                }
                for (int batch = 0; batch < 4; batch++) {
                    readTogether(tx, model, seen, random);
                }
                reader.rollback();
            }
        }
    }

    private static void change(Session writer, Model model, SplittableRandom random, int count) {
        long seed = random.nextLong();
        model.rows =
                writer.transact(tx -> {
                    Map<Integer, long[]> to = new HashMap<>(model.rows);
                    model.change(tx, to, new SplittableRandom(seed), count);
                    return to;
                });
    }

    /// Rows that nobody else has.
    private static void change(
            Transaction tx, Model model, Map<Integer, long[]> seen, SplittableRandom random) {
        for (int id = IDS + random.nextInt(20); id >= IDS; id--) {
            int g = random.nextInt(GROUPS);
            model.write(tx.insert(model.table, model.table.newKey().set(id)), g, id - IDS);
            seen.put(id, new long[] {g, id - IDS});
        }
    }

    private static void readTogether(
            Transaction tx, Model model, Map<Integer, long[]> seen, SplittableRandom random) {
        List<Integer> groups = new ArrayList<>();
        List<RowCursor> cursors = new ArrayList<>();
        Map<Integer, Row> alone = new HashMap<>();
        for (int i = random.nextInt(1, 30); i > 0; i--) {
            int g = random.nextInt(GROUPS);
            switch (random.nextInt(8)) {
                case 0 -> post(model, tx, g).close();
                case 1 -> assertRange(model, seen, g, post(model, tx, g), Integer.MAX_VALUE);
                case 2 -> {
                    int id = random.nextInt(IDS);
                    Key key = model.table.newKey().set(id);
                    alone.put(id, tx.post(model.table, key, model.table.schema().all()));
                }
                default -> {
                    groups.add(g);
                    cursors.add(post(model, tx, g));
                }
            }
        }
        tx.await();
        for (int i = 0; i < groups.size(); i++) {
            int most = random.nextBoolean() ? 1 : Integer.MAX_VALUE;
            assertRange(model, seen, groups.get(i), cursors.get(i), most);
        }
        alone.forEach((id, row) -> assertThat(row.exists()).isEqualTo(seen.containsKey(id)));
    }

    private static void assertRange(
            Model model, Map<Integer, long[]> seen, int g, RowCursor cursor, int most) {
        List<Integer> found = new ArrayList<>();
        Row row = null;
        while (found.size() < most && (row = cursor.next()) != null) {
            found.add((int) row.int64(model.table.column("id")));
        }
        cursor.close();
        List<Integer> all = model.inOrder(seen, g);
        assertThat(found).isEqualTo(most < all.size() ? all.subList(0, most) : all);
    }
}
