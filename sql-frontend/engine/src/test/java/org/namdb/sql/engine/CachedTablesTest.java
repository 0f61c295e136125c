package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.namdb.compute.AttachedDatabase;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.fabric.Host;
import org.namdb.fabric.Region;
import org.namdb.fabric.peer.LocalPeers;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.server.MemoryServer;
import org.namdb.sql.language.error.SqlException;

/// Two compute servers, and tables whose rows they keep copies of.
class CachedTablesTest {
    private static final int SLOTS = 48;
    private static final long SERVER_BYTES = 64L << 20;

    private final ShmFabric fabric =
            new ShmFabric(ShmFabric.Options.DEFAULT.withReadsInPlace(false));
    private final LocalPeers peers = new LocalPeers();
    private final List<AutoCloseable> open = new ArrayList<>();
    private List<Region> regions = List.of();
    private SqlSession one;
    private SqlSession other;

    @BeforeEach
    void start() {
        long reserved = DatabaseLayout.reservedBytes(0, SLOTS);
        regions = List.of(new MemoryServer(fabric, 0, SERVER_BYTES, reserved).region());
        DatabaseLayout.format(fabric, regions, SLOTS, Duration.ofMinutes(10));
        one = attach();
        other = attach();
        SqlFixture.run(
                one,
                "CREATE TABLE item (id INT PRIMARY KEY, name VARCHAR(20) UNIQUE, price INT)"
                        + " WITH (cached = true);"
                        + "CREATE TABLE line (id INT PRIMARY KEY, item INT);"
                        + "INSERT INTO item SELECT i, 'item' || i, 10 * i"
                        + " FROM generate_series(1, 50) s (i);"
                        + "INSERT INTO line SELECT i, i FROM generate_series(1, 20) s (i)");
    }

    private SqlSession attach() {
        EmbeddedOptions options =
                EmbeddedOptions.DEFAULT
                        .withMemoryServers(1)
                        .withMemoryBytes(SERVER_BYTES)
                        .withSlots(16)
                        .withExecutionThreads(1);
        NamDb db =
                AttachedDatabase.open(
                        options, fabric, regions, process -> peers.join(process, Host.MACHINE));
        open.add(db);
        SqlDatabase database = SqlDatabase.of(db);
        open.add(database);
        SqlSession session = database.session();
        open.add(session);
        return session;
    }

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable each : open.reversed()) {
            each.close();
        }
        fabric.close();
    }

    private String explain(String query) {
        return SqlFixture.rows(one, "EXPLAIN (ANALYZE, VERBS) " + query).replace("; ", "\n");
    }

    @Test
    void aPointReadPostsNothingTheSecondTime() {
        String query = "SELECT price FROM item WHERE id = 5";
        assertThat(SqlFixture.rows(one, query)).isEqualTo("50");
        String explained = explain(query);
        assertThat(explained).contains("Point Read on item").doesNotContain(" Verbs:");
        String transaction = "READ 2, WRITE 2, 88 bytes, round trips 2"; // its begin and its end
        assertThat(explained)
                .contains("Statement: expected " + transaction, "counted  " + transaction);
        SqlFixture.run(other, "UPDATE item SET price = 51 WHERE id = 5");
        assertThat(SqlFixture.rows(one, query)).isEqualTo("51");
    }

    @Test
    void aJoinPostsNothingTheSecondTime() {
        String query =
                "SELECT sum(price) FROM line l JOIN item i ON i.id = l.item WHERE l.id IN (3, 4, 5)";
        assertThat(SqlFixture.rows(one, query)).isEqualTo("120");
        assertThat(explain(query))
                .containsPattern(
                        "Index Join by Point Read on item.*\\n.*\\n.*\\n *counted  nothing");
        SqlFixture.run(other, "UPDATE item SET price = 0 WHERE id = 4");
        assertThat(SqlFixture.rows(one, query)).isEqualTo("80");
        assertThat(SqlFixture.rows(one, query)).isEqualTo("80");
    }

    @Test
    void whatManyStatementsChangeIsReadByAll() {
        for (int round = 0; round < 5; round++) {
            SqlSession changing = round % 2 == 0 ? one : other;
            SqlFixture.run(
                    changing,
                    "UPDATE item SET price = price + 1; DELETE FROM item WHERE id = "
                            + (round + 1));
            for (SqlSession session : List.of(one, other)) {
                assertThat(SqlFixture.rows(session, "SELECT price FROM item WHERE id = 30"))
                        .isEqualTo(String.valueOf(301 + round));
                assertThat(SqlFixture.rows(session, "SELECT id FROM item WHERE name = 'item30'"))
                        .isEqualTo("30");
                assertThat(SqlFixture.rows(session, "SELECT id FROM item WHERE id = 1")).isEmpty();
            }
        }
    }

    @Test
    void whetherATableIsCachedCanBeChanged() {
        SqlFixture.run(one, "ALTER TABLE line SET (cached = true)");
        assertThat(SqlFixture.rows(other, "SELECT item FROM line WHERE id = 7")).isEqualTo("7");
        SqlFixture.run(one, "UPDATE line SET item = 8 WHERE id = 7");
        assertThat(SqlFixture.rows(other, "SELECT item FROM line WHERE id = 7")).isEqualTo("8");
        SqlFixture.run(other, "ALTER TABLE line SET (cached = off)");
        SqlFixture.run(other, "UPDATE line SET item = 9 WHERE id = 7");
        SqlFixture.run(one, "ALTER TABLE line SET (cached), ADD COLUMN more INT");
        assertThat(SqlFixture.rows(one, "SELECT item, more FROM line WHERE id = 7"))
                .isEqualTo("9|null");
        assertThat(((NamDb) open.getFirst()).table("line").isCached()).isTrue();
        assertThatThrownBy(() -> SqlFixture.run(one, "ALTER TABLE line SET (versions = 3)"))
                .isInstanceOf(SqlException.class)
                .hasMessageContaining("parameter \"versions\" can't be changed");
        assertThatThrownBy(() -> SqlFixture.run(one, "ALTER TABLE line SET (cash = true)"))
                .isInstanceOf(SqlException.class)
                .hasMessageContaining("unrecognized parameter \"cash\"");
        assertThatThrownBy(() -> SqlFixture.run(one, "ALTER TABLE line SET (cached = maybe)"))
                .isInstanceOf(SqlException.class)
                .hasMessageContaining("invalid value for parameter \"cached\"");
    }
}
