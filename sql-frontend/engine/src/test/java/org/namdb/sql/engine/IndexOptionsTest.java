package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.fabric.VerbTally;

/// The WITH clause of CREATE INDEX, and its effect.
class IndexOptionsTest {
    private static final EmbeddedOptions OPTIONS =
            EmbeddedOptions.DEFAULT
                    .withMemoryBytes(128L << 20)
                    .withMaintenanceInterval(Duration.ofHours(1));

    private SqlDatabase database;
    private SqlSession session;

    @BeforeEach
    void open() {
        database = SqlDatabase.embedded(OPTIONS);
        session = database.session();
        SqlFixture.run(
                session,
                "CREATE TABLE t (id INT PRIMARY KEY, v INT); "
                        + "INSERT INTO t SELECT i, i * 7 % 5000 FROM generate_series(1, 5000) s (i)");
    }

    @AfterEach
    void close() {
        session.close();
        database.close();
    }

    private String definition(String index) {
        return SqlFixture.rows(
                session, "SELECT indexdef FROM pg_indexes WHERE indexname = '" + index + "'");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    node_bytes = 2048               | node_bytes='2048'
                    cache = '64MB'                  | cache='64MB'
                    cache = 0                       | cache='0'
                    cache = '1000kB', node_bytes = 512 | cache='1024000', node_bytes='512'
                    distribution = 'fine'           | distribution='fine'
                    distribution = 'coarse'         | distribution='coarse'
                    distribution = 'hybrid'         | distribution='hybrid'
                    node_bytes = 512, distribution = coarse | distribution='coarse', node_bytes='512'
                    partition = 'hash', distribution = 'coarse' | distribution='coarse', partition='hash'
                    partition = range, distribution = hybrid | distribution='hybrid', partition='range'
                    distribution = coarse, partition = range, shares = ' 80 ,12, 5,3 ' | distribution='coarse', partition='range', shares='80,12,5,3'
                    """)
    void theDefinitionSaysThem(String written, String shown) {
        SqlFixture.run(session, "CREATE INDEX i ON t (v) WITH (" + written + ")");
        String definition = "CREATE INDEX i ON public.t USING btree (v) WITH (" + shown + ")";
        assertThat(definition("i")).isEqualTo(definition);
        assertThat(SqlFixture.rows(session, "SELECT count(*) FROM t WHERE v BETWEEN 100 AND 299"))
                .isEqualTo("200");
        // It is what it was after it was made again from its own definition.
        SqlFixture.run(session, "DROP INDEX i");
        SqlFixture.run(session, definition);
        assertThat(definition("i")).isEqualTo(definition);
    }

    @Test
    void aUniqueIndexHasThemForItsOrder() {
        SqlFixture.run(
                session, "CREATE UNIQUE INDEX u ON t (v) WITH (node_bytes = 4096, cache = '1MB')");
        assertThat(definition("u"))
                .endsWith("USING btree (v) WITH (cache='1MB', node_bytes='4096')");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    node_bytes = 100    | invalid value for parameter "node_bytes": "100"
                    node_bytes = 1000   | invalid value for parameter "node_bytes": "1000"
                    node_bytes = 16384  | invalid value for parameter "node_bytes": "16384"
                    cache = 'much'      | invalid value for parameter "cache": "much"
                    cache = '-1'        | invalid value for parameter "cache": "-1"
                    cache = '9000000GB' | invalid value for parameter "cache": "9000000GB"
                    fill = 70           | unrecognized parameter "fill"
                    distribution = 'no' | invalid value for parameter "distribution": "no"
                    partition = 'range' | invalid value for parameter "partition": "range"
                    distribution = 'hybrid', partition = 'hash' | invalid value for parameter "partition": "hash"
                    distribution = 'coarse', partition = 'list' | invalid value for parameter "partition": "list"
                    distribution = 'coarse', shares = '1,2'     | invalid value for parameter "shares": "1,2"
                    distribution = 'coarse', partition = 'range', shares = '80%' | invalid value for parameter "shares": "80%"
                    distribution = 'coarse', partition = 'range', shares = '0,1' | invalid value for parameter "shares": "0,1"
                    distribution = 'coarse', partition = 'range', shares = '9999999,1' | invalid value for parameter "shares": "9999999,1"
                    """)
    void whatCannotBeIsRefused(String written, String message) {
        assertThat(SqlFixture.error(session, "CREATE INDEX i ON t (v) WITH (" + written + ")"))
                .startsWith("22023")
                .contains(message);
        assertThat(definition("i")).isEmpty();
    }

    @Test
    void nodesThatDoNotHoldThreeEntriesAreRefused() {
        SqlFixture.run(session, "CREATE TABLE wide (id VARCHAR(100) PRIMARY KEY, v VARCHAR(60))");
        assertThat(SqlFixture.error(session, "CREATE INDEX w ON wide (v) WITH (node_bytes = 256)"))
                .startsWith("54000")
                .contains("a node of 256 bytes does not hold 3 entries");
        SqlFixture.run(session, "CREATE INDEX w ON wide (v) WITH (node_bytes = 2048)");
        assertThat(definition("w")).endsWith("WITH (node_bytes='2048')");
    }

    @Test
    void aHashIndexHasNone() {
        assertThat(
                        SqlFixture.error(
                                session,
                                "CREATE INDEX i ON t USING HASH (v) WITH (node_bytes = 2048)"))
                .startsWith("22023")
                .contains("parameter \"node_bytes\" is for btree indexes");
    }

    /// A coarse index requests entries of all servers at once, a hybrid one of the one that has its
    /// separators.
    @ParameterizedTest
    @ValueSource(strings = {"coarse", "hybrid"})
    void indexesAreAskedForByRequests(String distribution) {
        String options = " WITH (distribution = '" + distribution + "')";
        SqlFixture.run(session, "CREATE INDEX i ON t (v)" + options);
        String range = "SELECT id, v FROM t WHERE v BETWEEN 1000 AND 1199 ORDER BY v DESC";
        String found = SqlFixture.rows(session, range);
        VerbTally verbs = session.lastVerbs();
        assertThat(verbs.sends()).isPositive().isEqualTo(verbs.receives());
        assertThat(SqlFixture.rows(session, "EXPLAIN (VERBS) " + range)).contains(", SEND 1, ");
        SqlFixture.run(
                session, "UPDATE t SET v = v + 5000 WHERE v % 2 = 0; DELETE FROM t WHERE v = 1001");
        assertThat(
                        SqlFixture.rows(
                                session,
                                "SELECT min(v), max(v) FROM t WHERE v > 1000 AND v < 5000"))
                .isEqualTo("1003|4999");
        SqlFixture.run(session, "UPDATE t SET v = v - 5000 WHERE v >= 5000; DROP INDEX i");
        SqlFixture.run(session, "INSERT INTO t VALUES (143, 1001)");
        assertThat(SqlFixture.rows(session, range)).isEqualTo(found);
        assertThat(session.lastVerbs().sends()).isZero();
        SqlFixture.run(
                session,
                "CREATE UNIQUE INDEX u ON t (v)"
                        + options
                        + "; TRUNCATE t; INSERT INTO t VALUES (1, 2)");
        assertThat(SqlFixture.error(session, "INSERT INTO t VALUES (2, 2)")).startsWith("23505");
        assertThat(SqlFixture.rows(session, "SELECT id FROM t WHERE v = 2")).isEqualTo("1");
    }

    /// Without copies, a lookup comes through every inner node.
    @Test
    void withoutACacheEveryWayBeginsAtTheRoot() {
        SqlFixture.run(session, "CREATE INDEX i ON t (v)");
        long cached = roundTrips();
        SqlFixture.run(session, "DROP INDEX i; CREATE INDEX i ON t (v) WITH (cache = 0)");
        assertThat(roundTrips()).isGreaterThan(cached);
        SqlFixture.run(session, "DROP INDEX i; CREATE INDEX i ON t (v) WITH (cache = '1MB')");
        assertThat(roundTrips()).isEqualTo(cached);
    }

    private long roundTrips() {
        long fewest = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            SqlFixture.rows(session, "SELECT id FROM t WHERE v = 1234");
            fewest = Math.min(fewest, session.lastVerbs().roundTrips());
        }
        return fewest;
    }

    /// Larger nodes are fewer READs of a range.
    @Test
    void largerNodesHoldMore() {
        SqlFixture.run(session, "CREATE INDEX i ON t (v)");
        long before = readsOfARange();
        SqlFixture.run(session, "DROP INDEX i; CREATE INDEX i ON t (v) WITH (node_bytes = 8192)");
        assertThat(readsOfARange()).isLessThan(before);
    }

    /// A leaf has 60 entries: 1,000 of them are in 17 full ones, or in some 25 of those that have
    /// grown by entries in no order.
    @Test
    void anIndexThatIsFilledHasFullLeaves() {
        SqlFixture.run(
                session,
                "CREATE TABLE grown (id INT PRIMARY KEY, v INT); CREATE INDEX g ON grown (v); "
                        + "CREATE INDEX i ON t (v)");
        PreparedStatement insert = session.prepare("INSERT INTO grown VALUES ($1, $2)");
        for (int id = 1; id <= 5000; id++) { // one by one: a large commit sorts its entries
            insert.execute(id, id * 7 % 5000).close();
        }
        long filled = readsOfARange("t");
        assertThat(readsOfARange("grown")).isGreaterThan(filled + 2 * 4);
    }

    private long readsOfARange() {
        return readsOfARange("t");
    }

    private long readsOfARange(String table) {
        long fewest = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            SqlFixture.rows(
                    session,
                    "SELECT id FROM " + table + " WHERE v BETWEEN 1000 AND 1999 ORDER BY v");
            fewest = Math.min(fewest, session.lastVerbs().verbs());
        }
        return fewest;
    }

    @Test
    void theyOutliveTheProcess(@TempDir Path directory) {
        EmbeddedOptions kept = OPTIONS.withData(directory);
        try (SqlDatabase first = SqlDatabase.embedded(kept);
                SqlSession own = first.session()) {
            SqlFixture.run(
                    own,
                    "CREATE TABLE k (id INT PRIMARY KEY, v INT); INSERT INTO k VALUES (1, 2); "
                            + "CREATE INDEX k_v ON k (v) WITH (node_bytes = 512, cache = 0); "
                            + "ALTER TABLE k ADD COLUMN w INT");
        }
        try (SqlDatabase again = SqlDatabase.embedded(kept);
                SqlSession own = again.session()) {
            assertThat(
                            SqlFixture.rows(
                                    own, "SELECT indexdef FROM pg_indexes WHERE indexname = 'k_v'"))
                    .endsWith("WITH (cache='0', node_bytes='512')");
            assertThat(SqlFixture.rows(own, "SELECT id FROM k WHERE v = 2")).isEqualTo("1");
        }
    }
}
