package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.simulated.tearing.TearingFabric;
import org.namdb.sql.language.result.Result;

/// What EXPLAIN (VERBS) foresees is what EXPLAIN (ANALYZE, VERBS) counts, verb by verb and byte by
/// byte, in the ordinary case that it is meant for.
@ParameterizedClass
@EnumSource
class VerbForecastTest {
    private static final Pattern WRITES_AND_BYTES =
            Pattern.compile("(.*WRITE )([0-9.]+)(.*, )([0-9.,]+)( bytes.*)");
    private static final Pattern BOTH = Pattern.compile("(.*): expected (.*)\n +counted  (.*)");

    enum Fabric {
        ONE_SERVER,
        THREE_SERVERS,
        PARTITIONED_VECTOR,
        LANDING_READS
    }

    /// What a list of intents has before its entries.
    private static final int LIST_BYTES = 32;

    @Parameter Fabric fabric;

    private SqlDatabase database;
    private SqlSession session;

    @AfterEach
    void close() {
        session.close();
        database.close();
    }

    private void open(String script) {
        EmbeddedOptions options =
                EmbeddedOptions.DEFAULT
                        .withMemoryBytes(192L << 20)
                        .withSlots(16)
                        .withMemoryServers(servers())
                        .withVectorServers(fabric == Fabric.PARTITIONED_VECTOR ? servers() : 1)
                        .withMaintenanceInterval(Duration.ofHours(1));
        if (fabric == Fabric.LANDING_READS) {
            options = options.withFabric(() -> new TearingFabric(TearingFabric.Options.lines(1)));
        }
        database = SqlDatabase.embedded(options);
        session = database.session();
        SqlFixture.run(session, script);
        awaitMaintenance();
    }

    private int servers() {
        return switch (fabric) {
            case THREE_SERVERS, PARTITIONED_VECTOR -> 3;
            case ONE_SERVER, LANDING_READS -> 1;
        };
    }

    /// Until it has a slot of the timestamp vector, the vector gets longer.
    private static void awaitMaintenance() {
        long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
        while (Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("namdb-maintenance"))
                .anyMatch(thread -> thread.getState() != Thread.State.TIMED_WAITING)) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    /// Runs transactions until one has done the garbage collection that comes after every
    /// sixteenth, so that the next fifteen do none.
    private void settle() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 20; i++) {
            SqlFixture.rows(session, "SELECT v FROM t WHERE id = 1");
            long verbs = session.lastVerbs().verbs();
            if (i > 0 && verbs > least) {
                return;
            }
            least = i == 0 ? least : verbs;
        }
        throw new AssertionError("no garbage collection");
    }

    @Test
    void readsByKey() {
        open(
                "CREATE TABLE t (id INT PRIMARY KEY, c VARCHAR(10) UNIQUE, v INT); "
                        + "CREATE TABLE apart (id INT PRIMARY KEY, v INT) WITH (inline = false); "
                        + "INSERT INTO t SELECT i, 'c' || i, i FROM generate_series(1, 50) s (i); "
                        + "INSERT INTO apart SELECT i, i FROM generate_series(1, 50) s (i)");
        assertForeseen("SELECT v FROM t WHERE id = 5");
        assertForeseen("SELECT v FROM t WHERE id = 777");
        assertForeseen("SELECT v FROM t WHERE id IN (1, 2, 3, 4, 5, 6)");
        assertForeseenInAll("SELECT v FROM t WHERE c = 'c7'");
        assertForeseen("SELECT v FROM apart WHERE id = 7");
    }

    @Test
    void joinsByKey() {
        open(
                "CREATE TABLE t (id INT PRIMARY KEY, v INT) WITH (expected_rows = 30, load = 10); "
                        + "CREATE TABLE big (id INT PRIMARY KEY, w INT) WITH (expected_rows = 100000); "
                        + "INSERT INTO t SELECT i, i FROM generate_series(1, 30) s (i); "
                        + "INSERT INTO big SELECT i, i FROM generate_series(1, 30) s (i)");
        // Where the records lie is not known before.
        assertForeseenInAll("SELECT w FROM t JOIN big ON big.id = t.v");
    }

    @Test
    void neighboursAndScans() {
        open(
                "CREATE TABLE t (id INT PRIMARY KEY, v INT) WITH (expected_rows = 3000); "
                        + "CREATE TABLE part (a INT, b INT, v INT, PRIMARY KEY (a, b)) WITH (neighbours = 1, bucket_size = 8); "
                        + "INSERT INTO t VALUES (1, 1); "
                        + "INSERT INTO part VALUES (1, 1, 1), (1, 2, 2)");
        assertForeseen("SELECT v FROM part WHERE a = 1");
        assertForeseen("SELECT v FROM t");
    }

    @Test
    void indexes() {
        open(
                "CREATE TABLE t (id INT PRIMARY KEY, v INT) WITH (expected_rows = 10); "
                        + "CREATE TABLE u (id INT PRIMARY KEY, h INT, r INT) WITH (expected_rows = 1000); "
                        + "CREATE INDEX u_h ON u USING HASH (h); "
                        + "CREATE INDEX u_r ON u USING BTREE (r); "
                        + "INSERT INTO t VALUES (1, 1); "
                        + "INSERT INTO u SELECT i, i % 3, i % 3 FROM generate_series(1, 30) s (i)");
        assertForeseenInAll("SELECT id FROM u WHERE r = 2");
        assertForeseenInAll("SELECT id FROM u WHERE h = 1");
    }

    /// Requests for a coarse index go to all servers, or to the one that has the range; a hybrid
    /// one for separators on one of them.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "distribution = 'coarse'",
                "distribution = 'hybrid'",
                "distribution = 'coarse', partition = 'range', shares = '4, 1, 25'"
            })
    void indexesOfOtherDistributions(String options) {
        open(
                "CREATE TABLE t (id INT PRIMARY KEY, v INT) WITH (expected_rows = 10); "
                        + "CREATE TABLE u (id INT PRIMARY KEY, r INT, s INT) WITH (expected_rows = 1000); "
                        + "INSERT INTO t VALUES (1, 1); "
                        + "INSERT INTO u SELECT i, i % 3, i FROM generate_series(1, 30) s (i); "
                        + "CREATE INDEX u_r ON u (r) WITH ("
                        + options
                        + "); UPDATE u SET s = 0");
        assertForeseenInAll("SELECT id FROM u WHERE r = 2");
        // How many entries a server brings beyond its share, and how many a leaf moves, is not
        // known
        // before.
        for (String sql :
                List.of(
                        "SELECT id FROM u ORDER BY r LIMIT 3",
                        "INSERT INTO u VALUES (100, 5)",
                        "UPDATE u SET r = 3 WHERE id = 4")) {
            for (Matcher line : explained(sql)) {
                if (!line.group(1).contains("server")) {
                    assertThat(withoutBytes(line.group(3)))
                            .as(sql + "\n" + line.group())
                            .isEqualTo(withoutBytes(line.group(2)));
                }
            }
        }
    }

    /// Each table lies on a memory server of its own, so that it is known where the entries of its
    /// indexes are, and where the commit lists what it locks.
    @Test
    void inserts() {
        open(
                "CREATE TABLE t (id INT PRIMARY KEY, v INT) WITH (expected_rows = 100000, ordered = false); "
                        + "CREATE TABLE n (id INT PRIMARY KEY, t INT, c TEXT UNIQUE) "
                        + unordered(1)
                        + "CREATE INDEX n_t ON n USING HASH (t); "
                        + "ALTER TABLE n ADD FOREIGN KEY (t) REFERENCES t; "
                        + "CREATE TABLE apart (id INT PRIMARY KEY, v VARCHAR(100)) "
                        + "WITH (inline = false, ordered = false); "
                        + "INSERT INTO t SELECT i, i FROM generate_series(1, 20) s (i); "
                        + "INSERT INTO n SELECT i, i, 'c' || i FROM generate_series(1, 20) s (i); "
                        + "INSERT INTO apart VALUES (1, 'a')");
        assertForeseen("INSERT INTO t VALUES (100, 1)");
        assertForeseen("INSERT INTO t VALUES (101, 1), (102, 2), (103, 3)");
        assertForeseen("INSERT INTO apart VALUES (100, 'x')");
        // Where the parent lies is not known before.
        assertForeseenInAll("INSERT INTO n VALUES (100, 5, 'x')");
        assertForeseen("INSERT INTO n (id) VALUES (101)");
    }

    @Test
    void updatesAndDeletes() {
        open(
                "CREATE TABLE t (id INT PRIMARY KEY, v INT, w BIGINT, x BIGINT, c TEXT UNIQUE) "
                        + on(2)
                        + "CREATE TABLE h (id INT PRIMARY KEY, v INT) "
                        + on(0)
                        + "CREATE INDEX h_v ON h USING HASH (v); "
                        + "CREATE TABLE child (id INT PRIMARY KEY, h INT REFERENCES h) "
                        + on(1)
                        + "CREATE INDEX child_h ON child USING HASH (h); "
                        + "INSERT INTO t SELECT i, i, i, i, 'c' || i FROM generate_series(1, 30) s (i); "
                        + "INSERT INTO h SELECT i, i FROM generate_series(1, 30) s (i); "
                        + "BEGIN; UPDATE t SET v = 0 WHERE id > 20; DELETE FROM t WHERE id = 29; "
                        + "UPDATE h SET v = 0 WHERE id = 30; COMMIT");
        assertForeseen("UPDATE t SET v = -1 WHERE id = 2");
        assertForeseen("UPDATE t SET v = -1, x = -2 WHERE id = 3");
        assertForeseen("UPDATE t SET c = 'new' WHERE id = 4");
        assertForeseen("UPDATE h SET v = -1 WHERE id = 5");
        assertForeseen("DELETE FROM t WHERE id = 5");
        assertForeseen("DELETE FROM h WHERE id = 7");
        assertForeseen("SELECT v FROM t WHERE id = 8 FOR UPDATE");
    }

    /// Which memory server has the entry of a unique value is chance, and so is whether the commit
    /// lists it in a WRITE of its own: what is expected is what many statements cost on average.
    @Test
    void changesInPlacesThatChanceChooses() {
        int rows = 240;
        open(
                "CREATE TABLE t (id INT PRIMARY KEY, v INT, c TEXT UNIQUE, d TEXT UNIQUE); "
                        + "INSERT INTO t SELECT i, i, 'c' || i, 'd' || i "
                        + "FROM generate_series(1, 1000) s (i); "
                        + "DELETE FROM t WHERE id > "
                        + rows); // memory is at hand
        double[] expected = new double[2];
        double[] counted = new double[2];
        for (int id = 1; id <= rows; id++) {
            for (Matcher line : explained("DELETE FROM t WHERE id = " + id)) {
                if (line.group(1).equals("Statement")) {
                    assertThat(addTo(counted, line.group(3)))
                            .as(line.group())
                            .isEqualTo(addTo(expected, line.group(2)));
                }
            }
        }
        // There is a list where the row is, and two entries are each on one of three servers: their
        // lists besides are 1.11, with a standard deviation of 0.57; 240 times that is 8.8.
        double lists = servers() == 3 ? 30 : 0;
        assertThat(counted[0]).isCloseTo(expected[0], within(lists));
        assertThat(counted[1]).isCloseTo(expected[1], within(lists * LIST_BYTES));
    }

    /// Adds WRITEs and bytes.
    ///
    /// @return what else is counted
    private static String addTo(double[] sums, String counts) {
        Matcher matcher = WRITES_AND_BYTES.matcher(counts);
        assertThat(matcher.matches()).as(counts).isTrue();
        sums[0] += Double.parseDouble(matcher.group(2));
        sums[1] += Double.parseDouble(matcher.group(4).replace(",", ""));
        return matcher.group(1) + matcher.group(3) + matcher.group(5);
    }

    private String on(int server) {
        return "WITH (servers = '%d'); ".formatted(servers() == 3 ? server : 0);
    }

    /// Until the tree's inner nodes are known.
    private void awaitWay() {
        assertThat(SqlFixture.rows(session, "SELECT v FROM t ORDER BY v LIMIT 1")).isNotEmpty();
    }

    private String unordered(int server) {
        return "WITH (servers = '%d', ordered = false); ".formatted(servers() == 3 ? server : 0);
    }

    /// The place of an entry in a leaf, and so how many others it moves, is not known before.
    @Test
    void insertsIntoTheOrderOfAKey() {
        open(
                "CREATE TABLE t (id INT PRIMARY KEY, v INT) WITH (expected_rows = 100000, servers = '0'); "
                        + "INSERT INTO t SELECT i, i FROM generate_series(1, 20) s (i)");
        for (Matcher line : explained("INSERT INTO t VALUES (100, 1)")) {
            assertThat(withoutBytes(line.group(3))).isEqualTo(withoutBytes(line.group(2)));
        }
    }

    private static String withoutBytes(String verbs) {
        return verbs.replaceAll("\\d+ bytes", "some bytes");
    }

    @Test
    void entriesOfOrderedIndexes() {
        open(
                "CREATE TABLE t (id INT PRIMARY KEY, v INT); "
                        + "CREATE INDEX t_v ON t USING BTREE (v); "
                        + "CREATE TABLE other (id INT PRIMARY KEY, v INT); "
                        + "INSERT INTO other SELECT i, i FROM generate_series(1, 30) s (i); "
                        + "UPDATE other SET v = 0; "
                        + "INSERT INTO t SELECT i, i FROM generate_series(1, 30) s (i)");
        // How many bytes of a leaf move is known on average only.
        for (String sql :
                List.of("INSERT INTO t VALUES (100, 5)", "UPDATE t SET v = 3 WHERE id = 4")) {
            for (Matcher line : explained(sql)) {
                assertThat(line.group(3).replaceAll("\\d+ bytes", ""))
                        .as(sql + "\n" + line.group())
                        .isEqualTo(line.group(2).replaceAll("\\d+ bytes", ""));
            }
        }
    }

    /// On one memory server, so that it is known where the nodes of a tree and the entries of a
    /// hash index are.
    @Test
    void placedTables() {
        int server = servers() == 3 ? 2 : 0;
        open(
                "CREATE TABLE t (id INT PRIMARY KEY, v INT, h INT) WITH (servers = '%d', expected_rows = 100000); "
                                .formatted(server)
                        + "CREATE INDEX t_v ON t USING BTREE (v); "
                        + "CREATE INDEX t_h ON t USING HASH (h); "
                        + "INSERT INTO t SELECT i, i, i % 10 FROM generate_series(1, 100) s (i)");
        awaitWay();
        assertForeseen("SELECT v FROM t WHERE id = 5");
        assertForeseen("SELECT id FROM t WHERE h = 7");
        assertForeseen("SELECT v FROM t ORDER BY v LIMIT 3");
    }

    @Test
    void inABlockTheCommitIsForetold() {
        open("CREATE TABLE t (id INT PRIMARY KEY, v INT); INSERT INTO t VALUES (1, 1), (2, 2)");
        // This one finds that background maintenance has a slot, too; the next one knows.
        assertThat(SqlFixture.rows(session, "SELECT v FROM t WHERE id = 1")).isEqualTo("1");
        assertThat(SqlFixture.run(session, "BEGIN")).isEqualTo("BEGIN");
        List<String> lines = lines("UPDATE t SET v = 3 WHERE id = 2");
        int reads = fabric == Fabric.PARTITIONED_VECTOR ? 4 : 2; // three slots were in use
        assertThat(lines)
                .anyMatch(line -> line.startsWith("At commit: expected READ 1, WRITE 8, CAS 1, "))
                .anyMatch(line -> line.startsWith("Transaction: expected READ " + reads + ", "));
        assertThat(lines("SELECT v FROM t WHERE id = 1"))
                .anyMatch(line -> line.startsWith("At commit: expected WRITE 1, 8 bytes"))
                .noneMatch(line -> line.startsWith("Transaction"));
    }

    @Test
    void whatIsOnlyExplainedDoesNothing() {
        open("CREATE TABLE t (id INT PRIMARY KEY, v INT); INSERT INTO t VALUES (1, 1)");
        SqlFixture.rows(session, "EXPLAIN (VERBS) DELETE FROM t");
        assertThat(session.status()).isEqualTo(TransactionStatus.IDLE);
        SqlFixture.run(session, "BEGIN");
        SqlFixture.rows(session, "EXPLAIN (VERBS) DELETE FROM t");
        assertThat(session.status()).isEqualTo(TransactionStatus.ACTIVE);
        assertThat(SqlFixture.run(session, "COMMIT")).isEqualTo("COMMIT");
        assertThat(SqlFixture.rows(session, "SELECT id FROM t")).isEqualTo("1");
        assertThat(SqlFixture.error(session, "EXPLAIN (ANALYZE, VERBS) SELECT 1 / (v - v) FROM t"))
                .startsWith("22012");
        assertThat(session.status()).isEqualTo(TransactionStatus.IDLE);
        assertThat(SqlFixture.rows(session, "SELECT id FROM t")).isEqualTo("1");
    }

    @Test
    void aLimitIsForeseen() {
        open(
                "CREATE TABLE t (id INT PRIMARY KEY, v INT) WITH (expected_rows = 100000); "
                        + "CREATE INDEX t_v ON t USING BTREE (v); "
                        + "INSERT INTO t SELECT i, i FROM generate_series(1, 100) s (i)");
        awaitWay();
        assertForeseenInAll("SELECT v FROM t ORDER BY v LIMIT 1");
        assertForeseenInAll("SELECT v FROM t ORDER BY v LIMIT 3");
        assertForeseenInAll("SELECT v FROM t ORDER BY v LIMIT 10");
    }

    /// On each memory server.
    private void assertForeseen(String sql) {
        for (Matcher line : explained(sql)) {
            assertThat(line.group(3)).as(sql + "\n" + line.group()).isEqualTo(line.group(2));
        }
    }

    /// In all memory servers together.
    private void assertForeseenInAll(String sql) {
        for (Matcher line : explained(sql)) {
            if (!line.group(1).contains("server")) {
                assertThat(line.group(3)).as(sql + "\n" + line.group()).isEqualTo(line.group(2));
            }
        }
    }

    /// The lines with what was expected, and what was counted.
    private List<Matcher> explained(String sql) {
        settle();
        List<Matcher> matching = new ArrayList<>();
        List<String> lines = lines(sql);
        for (int i = 1; i < lines.size(); i++) {
            Matcher matcher = BOTH.matcher(lines.get(i - 1) + "\n" + lines.get(i));
            if (matcher.matches()) {
                matching.add(matcher);
            }
        }
        assertThat(matching).anyMatch(line -> line.group(1).equals("Statement"));
        return matching;
    }

    private List<String> lines(String sql) {
        List<String> lines = new ArrayList<>();
        try (Result result = session.execute("EXPLAIN (ANALYZE, VERBS) " + sql)) {
            while (result.next()) {
                lines.add(result.text(0));
            }
        }
        return lines;
    }
}
