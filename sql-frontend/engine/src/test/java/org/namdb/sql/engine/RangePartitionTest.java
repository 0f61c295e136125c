package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.schema.Index;
import org.namdb.sql.engine.catalog.SqlIndex;
import org.namdb.sql.language.result.Notice;

/// Indexes that are divided by ranges: where these come from, and what becomes of them.
class RangePartitionTest {
    private static final String TABLE =
            "CREATE TABLE t (id INT PRIMARY KEY, v INT); "
                    + "INSERT INTO t SELECT i, i * 7 % 5000 FROM generate_series(1, 5000) s (i); ";
    private static final String SKEWED =
            "CREATE INDEX i ON t (v) WITH (distribution = 'coarse', partition = 'range', shares = '80,12,5,3')";

    private static EmbeddedOptions options(int memoryServers) {
        return EmbeddedOptions.DEFAULT
                .withMemoryServers(memoryServers)
                .withMemoryBytes(256L << 20)
                .withMaintenanceInterval(Duration.ofHours(1));
    }

    private static List<String> notices(SqlSession session, String script) {
        List<Notice> notices = new ArrayList<>();
        session.run(script, result -> notices.addAll(result.notices()));
        return notices.stream().map(Notice::text).toList();
    }

    private static Index index(SqlSession session) {
        for (SqlIndex index : Objects.requireNonNull(session.catalog().find("t")).indexes()) {
            if (index.name().equals("i")) {
                return Objects.requireNonNull(index.index());
            }
        }
        throw new AssertionError("no index");
    }

    /// The least indexed values of all ranges but the first one.
    private static List<Long> bounds(SqlSession session) {
        Index index = index(session);
        return index.definition().bounds().stream()
                .map(bound -> index.layout().decode(bound, 0))
                .toList();
    }

    private static void requireAll(SqlSession session) {
        assertThat(
                        SqlFixture.rows(
                                session,
                                "SELECT count(*), min(v), max(v) FROM (SELECT v FROM t WHERE v >= 10 "
                                        + "ORDER BY v LIMIT 4990) s"))
                .isEqualTo("4990|10|4999");
        assertThat(
                        SqlFixture.rows(
                                session, "SELECT v FROM t WHERE v < 4600 ORDER BY v DESC LIMIT 2"))
                .isEqualTo("4599; 4598");
    }

    @ParameterizedTest
    @ValueSource(strings = {"coarse", "hybrid"})
    void rangesAreThoseOfTheShares(String distribution) {
        try (SqlDatabase database = SqlDatabase.embedded(options(4));
                SqlSession session = database.session()) {
            SqlFixture.run(session, TABLE);
            assertThat(notices(session, SKEWED.replace("coarse", distribution))).isEmpty();
            assertThat(bounds(session)).containsExactly(4000L, 4600L, 4850L);
            requireAll(session);
            String update = "UPDATE t SET v = 4999 - v";
            assertThat(SqlFixture.run(session, update)).isEqualTo("UPDATE 5000");
            requireAll(session);
        }
    }

    /// By hash, each range sends requests to all four servers.
    @Test
    void aRangeAsksTheServerThatHasIt() {
        try (SqlDatabase database = SqlDatabase.embedded(options(4));
                SqlSession session = database.session()) {
            SqlFixture.run(session, TABLE + SKEWED);
            SqlFixture.rows(session, "SELECT id FROM t WHERE v = 100");
            assertThat(session.lastVerbs().sends()).isEqualTo(1);
            SqlFixture.rows(session, "SELECT id FROM t WHERE v BETWEEN 3999 AND 4000 ORDER BY v");
            assertThat(session.lastVerbs().sends()).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"coarse", "hybrid"})
    void anEmptyTableHasNoRangesUntilARestartFindsRows(
            String distribution, @TempDir Path directory) {
        try (SqlDatabase database = SqlDatabase.embedded(options(4).withData(directory));
                SqlSession session = database.session()) {
            SqlFixture.run(session, "CREATE TABLE t (id INT PRIMARY KEY, v INT)");
            assertThat(notices(session, SKEWED.replace("coarse", distribution)))
                    .containsExactly(
                            "index \"i\" is not partitioned by range, as table \"t\" has no rows to find the ranges by; create it again when there are some");
            SqlFixture.run(session, TABLE.substring(TABLE.indexOf("INSERT")));
            assertThat(bounds(session)).isEmpty();
            requireAll(session);
        }
        try (SqlDatabase database = SqlDatabase.embedded(options(4).withData(directory));
                SqlSession session = database.session()) {
            assertThat(bounds(session)).containsExactly(4000L, 4600L, 4850L);
            requireAll(session);
        }
    }

    @Test
    void theyStayWhereTheyAreUnlessTheNumberOfServersChanges(@TempDir Path directory) {
        try (SqlDatabase database = SqlDatabase.embedded(options(4).withData(directory));
                SqlSession session = database.session()) {
            SqlFixture.run(session, TABLE + SKEWED);
            SqlFixture.run(
                    session, "DELETE FROM t WHERE v >= 4000; ALTER TABLE t ADD COLUMN w INT");
        }
        try (SqlDatabase database = SqlDatabase.embedded(options(4).withData(directory));
                SqlSession session = database.session()) {
            assertThat(bounds(session)).containsExactly(4000L, 4600L, 4850L);
            SqlFixture.run(
                    session,
                    "TRUNCATE t; INSERT INTO t SELECT i, i FROM generate_series(1, 10) s (i)");
            assertThat(bounds(session)).containsExactly(4000L, 4600L, 4850L);
            SqlFixture.run(
                    session,
                    "TRUNCATE t; INSERT INTO t SELECT i, i FROM generate_series(1, 3000) s (i)");
        }
        // Four shares, and two servers: equal parts.
        try (SqlDatabase database = SqlDatabase.embedded(options(2).withData(directory));
                SqlSession session = database.session()) {
            assertThat(bounds(session)).containsExactly(1501L);
            assertThat(
                            SqlFixture.rows(
                                    session,
                                    "SELECT id FROM t WHERE v BETWEEN 1500 AND 1502 ORDER BY v"))
                    .isEqualTo("1500; 1501; 1502");
        }
        try (SqlDatabase database = SqlDatabase.embedded(options(1).withData(directory));
                SqlSession session = database.session()) {
            assertThat(
                            SqlFixture.rows(
                                    session,
                                    "SELECT id FROM t WHERE v BETWEEN 1500 AND 1502 ORDER BY v"))
                    .isEqualTo("1500; 1501; 1502");
        }
    }

    @Test
    void aDumpIsReadByAnotherNumberOfServers() throws Exception {
        StringWriter dump = new StringWriter();
        try (SqlDatabase database = SqlDatabase.embedded(options(4));
                SqlSession session = database.session()) {
            SqlFixture.run(session, TABLE + SKEWED);
            SqlDump.write(session, dump);
        }
        String create =
                dump.toString()
                        .lines()
                        .filter(line -> line.startsWith("CREATE INDEX"))
                        .findAny()
                        .orElseThrow();
        assertThat(create)
                .endsWith("WITH (distribution='coarse', partition='range', shares='80,12,5,3');");
        try (SqlDatabase database = SqlDatabase.embedded(options(2));
                SqlSession session = database.session()) {
            SqlFixture.run(session, TABLE);
            assertThat(notices(session, create))
                    .containsExactly(
                            "index \"i\" has equal ranges: there are 4 shares, and the table lies on 2 memory servers");
            assertThat(bounds(session)).containsExactly(2500L);
            requireAll(session);
        }
    }

    /// Committed rows and those of the block: each is in the sample.
    @Test
    void aBlockFindsTheRangesByTheRowsThatItSees() {
        try (SqlDatabase database = SqlDatabase.embedded(options(4));
                SqlSession session = database.session()) {
            SqlFixture.run(session, TABLE);
            SqlFixture.run(
                    session,
                    "BEGIN; DELETE FROM t WHERE id > 2500; "
                            + "INSERT INTO t SELECT i, i * 7 % 5000 FROM generate_series(2501, 5000) s (i)");
            assertThat(notices(session, SKEWED)).isEmpty();
            SqlFixture.run(session, "COMMIT");
            assertThat(bounds(session)).containsExactly(4000L, 4600L, 4850L);
            requireAll(session);
        }
    }

    /// A table that lies on some of the memory servers has as many ranges.
    @Test
    void theyAreOnTheServersOfTheTable() {
        try (SqlDatabase database = SqlDatabase.embedded(options(4));
                SqlSession session = database.session()) {
            SqlFixture.run(
                    session,
                    "CREATE TABLE t (id INT PRIMARY KEY, v INT) WITH (servers = '3, 1'); "
                            + TABLE.substring(TABLE.indexOf("INSERT"))
                            + "CREATE INDEX i ON t (v) WITH (distribution = 'coarse', partition = 'range', shares = '1,3')");
            assertThat(bounds(session)).containsExactly(1250L);
            requireAll(session);
        }
    }
}
