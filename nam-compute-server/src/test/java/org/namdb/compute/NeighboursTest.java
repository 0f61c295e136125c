package org.namdb.compute;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.Rows;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.Seeds;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.Projection;
import org.namdb.mvcc.schema.TableDefinition;

/// Neighbourhoods that are posted together, and with reads of single records.
class NeighboursTest {
    private static final int GROUPS = 40;
    private static final int MAX_ROWS = 30;

    private static NamDb open(boolean inPlace, int landingBytes, int servers) {
        return NamDb.embedded(
                EmbeddedOptions.DEFAULT
                        .withMemoryBytes(256L << 20)
                        .withMemoryServers(servers)
                        .withFabric(() ->
                                new ShmFabric(new ShmFabric.Options(inPlace, landingBytes, null))));
    }

    private static Table create(NamDb db, int textBytes, int expectedRows) {
        return db.createTable(
                TableDefinition.named("t")
                        .column("g", ColumnType.INT32)
                        .column("i", ColumnType.INT32)
                        .column("a", ColumnType.INT64)
                        .column("b", ColumnType.INT64)
                        .column("text", ColumnType.varchar(textBytes))
                        .primaryKey("g", "i")
                        .neighbours(1)
                        .expectedRows(expectedRows)
                        .build());
    }

    /// Buckets that are nearly as large as what may land at a time, in a chain that is cached.
    @ParameterizedTest(name = "inlined {0}, buckets of {1}, {2} bytes")
    @CsvSource({"true, 8, 1048576", "false, 8, 1048576", "true, 4, 524288", "false, 4, 524288"})
    void wideOnesKeepToTheLandingBuffer(boolean inlined, int records, int landingBytes) {
        try (NamDb db = open(false, landingBytes, 1);
                Session session = db.session()) {
            TableDefinition.Builder definition =
                    TableDefinition.named("wide")
                            .column("g", ColumnType.INT32)
                            .column("i", ColumnType.INT32)
                            .primaryKey("g", "i")
                            .neighbours(1)
                            .inlined(inlined)
                            .bucketRecords(records)
                            .expectedRows(100);
            for (int i = 0; i < 4; i++) {
                definition.column("text" + i, ColumnType.varchar(8000));
            }
            Table table = db.createTable(definition.build());
            for (int i = 0; i < 90; i++) {
                Key key = table.newKey().set(1, i);
                session.transact(tx ->
                        BlankRow.insert(tx, table, key).setString(table.column("text0"), "x"));
            }
            Key group = table.newKey().clear().add(1);
            Rows found = new Rows();
            for (int again = 0; again < 3; again++) {
                session.transact(tx -> {
                    tx.neighbours(table, group, table.schema().all(), found);
                    assertThat(found.size()).isEqualTo(90);
                    return true;
                });
            }
        }
    }

    @Test
    void manyShareARoundTrip() {
        try (NamDb db = open(false, 1 << 20, 4);
                Session session = db.session()) {
            Table table = create(db, 10, 100 * GROUPS);
            session.transact(tx -> {
                for (int g = 0; g < GROUPS; g++) {
                    BlankRow.insert(tx, table, table.newKey().set(g, g))
                            .setInt64(table.column("a"), g);
                }
                return true;
            });
            session.transact(tx -> {
                List<Rows> found = new ArrayList<>();
                long before = session.counters().roundTrips();
                Key key = table.newKey();
                for (int g = 0; g < 20; g++) {
                    found.add(new Rows());
                    tx.postNeighbours(
                            table, key.clear().add(g), table.schema().all(), found.getLast());
                }
                Row alone = tx.post(table, key.set(30, 30), table.schema().all());
                tx.await();
                assertThat(session.counters().roundTrips() - before).isEqualTo(1);
                assertThat(alone.int64(table.column("a"))).isEqualTo(30);
                for (int g = 0; g < 20; g++) {
                    assertThat(found.get(g).size()).isEqualTo(1);
                    assertThat(found.get(g).row(0).int64(table.column("a"))).isEqualTo(g);
                }
                return true;
            });
        }
    }

    /// Whatever is posted together gives what the snapshot and the transaction's own changes hold:
    /// old versions, chains of areas, records known before with fewer columns, what is posted
    /// twice, and more than lands at a time.
    @ParameterizedTest
    @CsvSource({
        "true, 1048576, 10",
        "false, 1048576, 10",
        "false, 65536, 10",
        "false, 65536, 700",
        "true, 65536, 700"
    })
    void whatIsPostedTogetherIsWhatIsThere(boolean inPlace, int landingBytes, int textBytes) {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        try (NamDb db = open(inPlace, landingBytes, 2);
                Session writer = db.session();
                Session reader = db.session()) {
            Table table = create(db, textBytes, GROUPS);
            Map<Integer, Map<Integer, Long>> model = new TreeMap<>();
            for (int round = 0; round < 12; round++) {
                change(writer, table, model, random, 200);
                Transaction tx = reader.begin();
                Map<Integer, Map<Integer, Long>> seen = copy(model);
                for (int more = random.nextInt(6); more > 0; more--) {
                    change(writer, table, model, random, 60);
                }
                changeOwn(tx, table, seen, random);
                for (int batch = 0; batch < 4; batch++) {
                    readTogether(tx, table, seen, random);
                }
                reader.rollback();
            }
        }
    }

    private static Map<Integer, Map<Integer, Long>> copy(Map<Integer, Map<Integer, Long>> model) {
        Map<Integer, Map<Integer, Long>> copy = new TreeMap<>();
        model.forEach((g, rows) -> copy.put(g, new TreeMap<>(rows)));
        return copy;
    }

    private static void change(
            Session writer,
            Table table,
            Map<Integer, Map<Integer, Long>> model,
            SplittableRandom random,
            int count) {
        long seed = random.nextLong();
        Map<Integer, Map<Integer, Long>> changed =
                writer.transact(tx -> {
                    Map<Integer, Map<Integer, Long>> next = copy(model);
                    changes(tx, table, next, new SplittableRandom(seed), count);
                    return next;
                });
        model.clear();
        model.putAll(changed);
    }

    private static void changeOwn(
            Transaction tx,
            Table table,
            Map<Integer, Map<Integer, Long>> seen,
            SplittableRandom random) {
        for (int i = random.nextInt(20); i > 0; i--) {
            int g = random.nextInt(GROUPS);
            int at = 1000 + i;
            long value = random.nextLong();
            set(table, BlankRow.insert(tx, table, table.newKey().set(g, at)), value);
            seen.computeIfAbsent(g, any -> new TreeMap<>()).put(at, value);
        }
    }

    private static void changes(
            Transaction tx,
            Table table,
            Map<Integer, Map<Integer, Long>> model,
            SplittableRandom random,
            int count) {
        Set<Integer> once = new HashSet<>();
        for (int i = 0; i < count; i++) {
            int g = random.nextInt(GROUPS);
            int at = random.nextInt(MAX_ROWS);
            if (!once.add(g * MAX_ROWS + at)) {
                continue;
            }
            Map<Integer, Long> rows = model.computeIfAbsent(g, any -> new TreeMap<>());
            long value = random.nextLong();
            Row row = tx.read(table, table.newKey().set(g, at));
            if (row == null) {
                set(table, BlankRow.insert(tx, table, table.newKey().set(g, at)), value);
                rows.put(at, value);
            } else if (random.nextInt(4) == 0) {
                tx.delete(row);
                rows.remove(at);
            } else {
                set(table, row, value);
                rows.put(at, value);
            }
        }
    }

    private static void set(Table table, Row row, long value) {
        row.setInt64(table.column("a"), value);
        row.setInt64(table.column("b"), ~value);
    }

    private static void readTogether(
            Transaction tx,
            Table table,
            Map<Integer, Map<Integer, Long>> seen,
            SplittableRandom random) {
        Projection all = table.schema().all();
        Projection some = table.schema().project("g", "i", "a");
        Key key = table.newKey();
        List<Integer> groups = new ArrayList<>();
        List<Rows> found = new ArrayList<>();
        List<Row> alone = new ArrayList<>();
        List<Boolean> isThere = new ArrayList<>();
        for (int i = random.nextInt(1, 2 * GROUPS); i > 0; i--) {
            int g = random.nextInt(GROUPS);
            if (random.nextInt(4) == 0) {
                int at = random.nextInt(MAX_ROWS);
                isThere.add(seen.getOrDefault(g, new TreeMap<>()).containsKey(at));
                alone.add(tx.post(table, key.set(g, at), random.nextBoolean() ? all : some));
            } else {
                groups.add(g);
                found.add(new Rows());
                tx.postNeighbours(
                        table,
                        key.clear().add(g),
                        random.nextInt(3) == 0 ? some : all,
                        found.getLast());
            }
        }
        tx.await();
        for (int i = 0; i < groups.size(); i++) {
            Map<Integer, Long> rows = new TreeMap<>();
            for (int at = 0; at < found.get(i).size(); at++) {
                Row row = found.get(i).row(at);
                assertThat(row.int64(table.column("g"))).isEqualTo((long) groups.get(i));
                rows.put((int) row.int64(table.column("i")), row.int64(table.column("a")));
            }
            assertThat(rows).isEqualTo(seen.getOrDefault(groups.get(i), new TreeMap<>()));
            assertThat(rows).as("each once").hasSize(found.get(i).size());
        }
        assertThat(alone.stream().map(Row::exists).toList()).isEqualTo(isThere);
    }
}
