package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.namdb.compute.AttachedDatabase;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.Host;
import org.namdb.fabric.Region;
import org.namdb.fabric.peer.LocalPeers;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.server.MemoryServer;
import org.namdb.simulated.SimDisk;

/// Values that are kept in chunks: those of SQL are in the golden file `long_values`; here is what
/// becomes of the chunks.
class LongValuesTest {
    private static final String CHUNKS = "nam:long:t";
    private static final int INLINE_BYTES = 1008;
    private static final int CHUNK_BYTES = 2000;

    private SqlFixture db;

    @BeforeEach
    void open() {
        db = new SqlFixture();
    }

    @AfterEach
    void close() {
        db.close();
    }

    private static long chunks(NamDb engine) {
        Table table = engine.findTable(CHUNKS);
        if (table == null) {
            return -1;
        }
        try (Session session = engine.session()) {
            return session.transact(transaction -> {
                long count = 0;
                var scan = transaction.scan(table, table.schema().nothing());
                while (scan.next() != null) {
                    count++;
                }
                return count;
            });
        }
    }

    private long chunks() {
        return chunks(db.database.engine());
    }

    private static long chunksOf(int bytes) {
        return bytes <= INLINE_BYTES ? 0 : Math.ceilDiv(bytes - INLINE_BYTES, CHUNK_BYTES);
    }

    @Test
    void chunksGoWithTheirValues() {
        db.run("CREATE TABLE t (id INT PRIMARY KEY, a TEXT, b BYTEA, n INT)");
        assertThat(chunks()).isZero();
        db.run("INSERT INTO t VALUES (1, repeat('x', 1008), NULL, 0)");
        assertThat(chunks()).isZero();
        db.run("UPDATE t SET a = repeat('x', 1009)");
        assertThat(chunks()).isEqualTo(1);
        db.run("UPDATE t SET a = repeat('x', 3009), b = decode(repeat('00', 3008), 'hex')");
        assertThat(chunks()).isEqualTo(2 + 1);
        db.run("UPDATE t SET n = n + 1, a = a");
        db.run("UPDATE t SET id = 2");
        assertThat(chunks()).isEqualTo(2 + 1);
        db.run("BEGIN; DELETE FROM t; ROLLBACK");
        assertThat(chunks()).isEqualTo(2 + 1);
        db.run("ALTER TABLE t ADD COLUMN c TEXT DEFAULT repeat('c', 2000)");
        assertThat(chunks()).isEqualTo(2 + 1 + 1);
        db.run("ALTER TABLE t DROP COLUMN b");
        assertThat(chunks()).isEqualTo(2 + 1);
        db.run("ALTER TABLE t ALTER COLUMN a TYPE VARCHAR(7000) USING a || a");
        assertThat(chunks()).isEqualTo(3 + 1);
        db.run("INSERT INTO t VALUES (2, 'x') ON CONFLICT (id) DO UPDATE SET a = 'short'");
        assertThat(chunks()).isEqualTo(1);
        db.run("DELETE FROM t");
        assertThat(chunks()).isZero();
        db.run("INSERT INTO t VALUES (1, repeat('x', 5000)); TRUNCATE t");
        assertThat(chunks()).isZero();
        db.run("INSERT INTO t VALUES (1, repeat('x', 5000)); ALTER TABLE t RENAME TO u");
        assertThat(db.rows("SELECT length(a) FROM u")).isEqualTo("5000");
        db.run("CREATE TABLE t (id INT PRIMARY KEY, a TEXT)"); // whose hidden table is another one
        assertThat(db.rows("SELECT length(a) FROM u")).isEqualTo("5000");
        db.run("DROP TABLE u; DROP TABLE t");
        assertThat(db.database.engine().tableNames()).noneMatch(name -> name.contains("long:"));
        db.run(
                "BEGIN; CREATE TABLE t (id INT, a TEXT); INSERT INTO t VALUES (1, repeat('x', 5000))");
        db.run("ROLLBACK");
        assertThat(db.database.engine().tableNames()).noneMatch(name -> name.contains("long:"));
    }

    @Test
    void arraysAreLongValuesToo() {
        db.run("CREATE TABLE t (id INT PRIMARY KEY, a INT[])");
        db.run("INSERT INTO t VALUES (1, " + ones(503) + ")");
        assertThat(chunks()).isZero();
        db.run("UPDATE t SET a = a || 1"); // 1,009 characters with the braces
        assertThat(chunks()).isEqualTo(1);
        assertThat(db.rows("SELECT cardinality(a) FROM t WHERE a = " + ones(504))).isEqualTo("504");
        db.run("UPDATE t SET a[2000] = 2");
        assertThat(db.rows("SELECT a[2000], a[1999], cardinality(a) FROM t"))
                .isEqualTo("2|null|2000");
        db.run("UPDATE t SET a = a[1:1]");
        assertThat(chunks()).isZero();
    }

    private static String ones(int count) {
        return "(SELECT array_agg(1) FROM generate_series(1, %d))".formatted(count);
    }

    @Test
    void whatHasNoLongColumnsHasNoHiddenTable() {
        db.run(
                "CREATE TABLE t (id TEXT PRIMARY KEY, a VARCHAR(256), b BYTEA(8000), c VARCHAR(8000 BYTES))");
        assertThat(chunks()).isEqualTo(-1);
        db.run("ALTER TABLE t ADD COLUMN d TEXT");
        assertThat(chunks()).isZero();
    }

    /// Random changes compared with a model of the values.
    @Test
    void randomChangesLeaveTheirChunksAndNoOthers() {
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        System.out.println("-Dnamdb.seed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        db.run("CREATE TABLE t (id INT PRIMARY KEY, a TEXT, b TEXT)");
        Map<Integer, int[]> model = new HashMap<>();
        for (int round = 0; round < 60; round++) {
            Map<Integer, int[]> before = new HashMap<>(model);
            boolean isRolledBack = random.nextInt(4) == 0;
            db.run("BEGIN");
            for (int i = random.nextInt(1, 5); i > 0; i--) {
                change(random, model);
            }
            db.run(isRolledBack ? "ROLLBACK" : "COMMIT");
            if (isRolledBack) {
                model = before;
            }
            long expected = 0;
            for (int[] lengths : model.values()) {
                expected += chunksOf(lengths[0]) + chunksOf(lengths[1]);
            }
            assertThat(chunks()).as("seed " + seed + ", round " + round).isEqualTo(expected);
        }
        List<String> rows = new ArrayList<>();
        model.forEach((id, lengths) -> rows.add(id + "|" + lengths[0] + "|" + lengths[1] + "|t"));
        assertThat(
                        db.rows(
                                "SELECT id, length(a), length(b), a = repeat(id::text, length(a))"
                                        + " OR a = repeat('m', length(a)) FROM t"))
                .as("seed " + seed)
                .satisfies(found ->
                        assertThat(found.isEmpty() ? new String[0] : found.split("; "))
                                .containsExactlyInAnyOrderElementsOf(rows));
    }

    private void change(SplittableRandom random, Map<Integer, int[]> model) {
        int id = random.nextInt(1, 10);
        int length = random.nextInt(3) == 0 ? random.nextInt(1, 1009) : random.nextInt(1009, 9000);
        switch (random.nextInt(6)) {
            case 0 -> {
                db.run("DELETE FROM t WHERE id = " + id);
                model.remove(id);
            }
            case 1 -> {
                db.run("UPDATE t SET b = repeat('b', %d) WHERE id <= %d".formatted(length, id));
                model.replaceAll((key, of) -> key <= id ? new int[] {of[0], length} : of);
            }
            case 2 -> {
                db.run(
                        "SAVEPOINT s; UPDATE t SET a = repeat('s', %d); ROLLBACK TO s"
                                .formatted(length));
            }
            case 3 -> {
                int target = random.nextInt(10, 20);
                if (model.containsKey(id) && !model.containsKey(target)) {
                    db.run(
                            "UPDATE t SET id = %d, a = repeat('m', length(a)) WHERE id = %d"
                                    .formatted(target, id));
                    int[] lengths = model.remove(id);
                    model.put(target, lengths);
                }
            }
            default -> {
                db.run(
                        "INSERT INTO t VALUES (%d, repeat('%d', %d), repeat('b', %d))"
                                        .formatted(id, id, length, length)
                                + " ON CONFLICT (id) DO UPDATE SET a = excluded.a, b = excluded.b");
                model.put(id, new int[] {length, length});
            }
        }
    }

    /// reader: begins      reads the old values
    /// writer:       changes, deletes, commits
    @Test
    void aReaderSeesTheValuesOfItsSnapshot() {
        db.run("CREATE TABLE t (id INT PRIMARY KEY, a TEXT)");
        db.run("INSERT INTO t SELECT i, repeat(i::text, 5000) FROM generate_series(1, 3) s (i)");
        try (SqlSession reader = db.database.session()) {
            SqlFixture.run(reader, "BEGIN");
            assertThat(SqlFixture.rows(reader, "SELECT count(*) FROM t")).isEqualTo("3");
            db.run("UPDATE t SET a = repeat('new', 3000) WHERE id = 1; DELETE FROM t WHERE id = 2");
            db.run("UPDATE t SET a = 'short' WHERE id = 3");
            assertThat(
                            SqlFixture.rows(
                                    reader,
                                    "SELECT id, a = repeat(id::text, 5000) FROM t ORDER BY id"))
                    .isEqualTo("1|t; 2|t; 3|t");
            assertThat(SqlFixture.error(reader, "UPDATE t SET a = a || 'x' WHERE id = 1"))
                    .satisfies(e -> assertThat(e).startsWith("40001"));
            SqlFixture.run(reader, "ROLLBACK");
            assertThat(SqlFixture.rows(reader, "SELECT id, length(a) FROM t ORDER BY id"))
                    .isEqualTo("1|9000; 3|5");
        }
    }

    @Test
    void theyOutlastACrash() {
        SimDisk disk = new SimDisk();
        try (SqlDatabase database = SqlFixture.open(disk);
                SqlSession session = database.session()) {
            SqlFixture.run(
                    session,
                    "CREATE TABLE t (id INT PRIMARY KEY, a TEXT);"
                            + "INSERT INTO t VALUES (1, repeat('x', 1000000)), (2, repeat('y', 9000));"
                            + "UPDATE t SET a = repeat('z', 5000) WHERE id = 2; BEGIN;"
                            + "UPDATE t SET a = repeat('lost', 5000)");
            SimDisk crashed = disk.crashed(new SplittableRandom(1));
            try (SqlDatabase after = SqlFixture.open(crashed);
                    SqlSession other = after.session()) {
                assertThat(
                                SqlFixture.rows(
                                        other,
                                        "SELECT id, length(a), right(a, 1) FROM t ORDER BY id"))
                        .isEqualTo("1|1000000|x; 2|5000|z");
                assertThat(chunks(after.engine())).isEqualTo(chunksOf(1000000) + chunksOf(5000));
            }
        }
    }

    /// In a cluster, and in a table whose rows are cached.
    @Test
    void anotherComputeServerReadsAndChangesThem() throws Exception {
        ShmFabric fabric = new ShmFabric(ShmFabric.Options.DEFAULT.withReadsInPlace(false));
        LocalPeers peers = new LocalPeers();
        long reserved = DatabaseLayout.reservedBytes(0, 48);
        List<Region> regions = List.of(new MemoryServer(fabric, 0, 64L << 20, reserved).region());
        DatabaseLayout.format(fabric, regions, 48, Duration.ofMinutes(10));
        EmbeddedOptions options =
                EmbeddedOptions.DEFAULT
                        .withMemoryServers(1)
                        .withMemoryBytes(64L << 20)
                        .withSlots(16)
                        .withExecutionThreads(1);
        try (NamDb first =
                        AttachedDatabase.open(
                                options, fabric, regions, p -> peers.join(p, Host.MACHINE));
                SqlDatabase one = SqlDatabase.of(first);
                SqlSession a = one.session();
                NamDb second =
                        AttachedDatabase.open(
                                options, fabric, regions, p -> peers.join(p, Host.MACHINE));
                SqlDatabase two = SqlDatabase.of(second);
                SqlSession b = two.session()) {
            SqlFixture.run(a, "CREATE TABLE t (id INT PRIMARY KEY, a TEXT) WITH (cached = true)");
            SqlFixture.run(a, "INSERT INTO t VALUES (1, repeat('x', 5000))");
            assertThat(SqlFixture.rows(b, "SELECT length(a) FROM t")).isEqualTo("5000");
            assertThat(SqlFixture.rows(a, "SELECT length(a) FROM t")).isEqualTo("5000");
            SqlFixture.run(b, "UPDATE t SET a = a || 'y'");
            assertThat(SqlFixture.rows(a, "SELECT length(a), right(a, 2) FROM t"))
                    .isEqualTo("5001|xy");
            SqlFixture.run(a, "ALTER TABLE t ADD COLUMN n INT DEFAULT 1");
            assertThat(SqlFixture.rows(b, "SELECT length(a), n FROM t")).isEqualTo("5001|1");
            assertThat(chunks(second)).isEqualTo(chunksOf(5001));
        }
        fabric.close();
    }

    /// What does not need a long value does not read it, nor copies it.
    @Test
    void longValuesAreReadOnlyWhereTheyAreNeeded() {
        db.run("CREATE TABLE t (id INT PRIMARY KEY, n INT CHECK (n >= 0), a TEXT)");
        db.run("CREATE TABLE u (id INT PRIMARY KEY, n INT CHECK (n >= 0), a TEXT)");
        db.run("INSERT INTO t VALUES (1, 0, repeat('x', 100000)), (2, 0, 'x')");
        db.run("INSERT INTO u VALUES (1, 0, 'x'), (2, 0, 'x')");
        for (String statement :
                List.of(
                        "SELECT id, n FROM %s WHERE id = 1",
                        "SELECT id, a FROM %s WHERE n = 1",
                        "SELECT id FROM %s WHERE n = 0",
                        "UPDATE %s SET n = n + 1 WHERE id = 1",
                        "UPDATE %s SET n = n + 1",
                        "UPDATE %s SET id = id + 10",
                        "UPDATE %s SET n = 0 WHERE a IS NULL")) {
            List<Long> verbs = new ArrayList<>();
            for (String table : List.of("t", "u")) {
                verbs.add(leastVerbs(statement.formatted(table)));
            }
            boolean isSame = !statement.endsWith("a IS NULL") && !statement.endsWith("id + 10");
            if (isSame) {
                assertThat(verbs.get(0)).as(statement).isEqualTo(verbs.get(1));
            } else {
                assertThat(verbs.get(0)).as("reads " + statement).isGreaterThan(verbs.get(1));
            }
        }
        assertThat(db.rows("SELECT id, n, length(a) FROM t ORDER BY id"))
                .isEqualTo("11|2|100000; 12|1|1");
        assertThat(chunks()).isEqualTo(chunksOf(100000));
        assertThat(db.error("UPDATE t SET n = -1 WHERE id = 11"))
                .startsWith("23514")
                .contains("xxx...");
    }

    @Test
    void aRowThatAParameterNamesIsChangedWithoutItsLongValue() {
        db.run("CREATE TABLE t (id INT PRIMARY KEY, n INT, a TEXT)");
        db.run("INSERT INTO t VALUES (1, 0, repeat('x', 100000)), (2, 0, 'x')");
        PreparedStatement update = db.session.prepare("UPDATE t SET n = n + 1 WHERE id = ?");
        List<Long> verbs = new ArrayList<>();
        for (int id = 1; id <= 2; id++) {
            long least = Long.MAX_VALUE;
            for (int i = 0; i < 20; i++) {
                db.run("BEGIN");
                update.execute(id).close();
                least = Math.min(least, db.session.lastVerbs().verbs());
                db.run("COMMIT");
            }
            verbs.add(least);
        }
        assertThat(verbs.get(0)).isEqualTo(verbs.get(1));
        assertThat(db.rows("SELECT id, n, length(a) FROM t ORDER BY id"))
                .isEqualTo("1|20|100000; 2|20|1");
    }

    /// Runs a statement often and rolls it back, as some do background maintenance, too; then once
    /// more, and commits it.
    private long leastVerbs(String sql) {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 20; i++) {
            db.run("BEGIN");
            if (sql.startsWith("SELECT")) {
                assertThat(db.rows(sql)).isNotNull();
            } else {
                db.run(sql);
            }
            least = Math.min(least, db.session.lastVerbs().verbs());
            db.run(i == 19 ? "COMMIT" : "ROLLBACK");
        }
        return least;
    }

    @Test
    void shortValuesCostNoVerbMore() {
        String options = " WITH (expected_rows = 1000)"; // so that no bucket is split
        db.run("CREATE TABLE t (id INT PRIMARY KEY, n INT, a TEXT)" + options);
        db.run("CREATE TABLE u (id INT PRIMARY KEY, n INT, a VARCHAR(1024 BYTES))" + options);
        db.run("CREATE TABLE first (id INT PRIMARY KEY, n INT, a TEXT)" + options);
        List<String> statements =
                List.of(
                        "INSERT INTO %s VALUES (%d, 0, repeat('x', 1000))",
                        "SELECT * FROM %s WHERE id = %d",
                        "UPDATE %s SET n = n + 1 WHERE id = %d",
                        "UPDATE %s SET a = repeat('y', 1000) WHERE id = %d",
                        "DELETE FROM %s WHERE id = %d");
        for (String statement : statements) {
            List<Long> verbs = new ArrayList<>();
            for (String table : List.of("first", "t", "u")) {
                long least = Long.MAX_VALUE;
                long leastOfCommit = Long.MAX_VALUE;
                for (int id = 1; id <= 12; id++) { // some do background maintenance, too
                    db.run("BEGIN");
                    String sql = statement.formatted(table, id);
                    if (sql.startsWith("SELECT")) {
                        assertThat(db.rows(sql)).isNotEmpty();
                    } else {
                        assertThat(db.run(sql)).endsWith(" 1");
                    }
                    least = Math.min(least, db.session.lastVerbs().verbs());
                    db.run("COMMIT");
                    leastOfCommit = Math.min(leastOfCommit, db.session.lastVerbs().verbs());
                }
                verbs.add(least);
                verbs.add(leastOfCommit);
            }
            assertThat(verbs.subList(2, 4)).as(statement).isEqualTo(verbs.subList(4, 6));
        }
    }
}
