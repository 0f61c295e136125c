package org.namdb.sql.shell.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.namdb.compute.AttachedDatabase;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.Region;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.server.MemoryServer;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.result.Result;
import org.namdb.sql.shell.ShellConnection;
import org.namdb.sql.shell.ShellException;
import org.namdb.sql.shell.TableFacts.ColumnFacts;
import org.namdb.sql.shell.TableFacts.IndexFacts;

/// Two shells, each a compute server of its own, on one database.
class AttachedShellsTest {
    private static final int SLOTS = 32;
    private static final int SERVER_BYTES = 64 << 20;

    private final Fabric fabric = new ShmFabric(ShmFabric.Options.DEFAULT.withReadsInPlace(false));
    private final List<MemoryServer> servers = new ArrayList<>();
    private final List<Region> regions;
    private final LocalDatabase one;
    private final LocalDatabase other;
    private final ShellConnection here;
    private final ShellConnection there;

    AttachedShellsTest() {
        for (int number = 0; number < 2; number++) {
            long reserved = DatabaseLayout.reservedBytes(number, SLOTS);
            servers.add(new MemoryServer(fabric, number, SERVER_BYTES, reserved));
        }
        regions = servers.stream().map(MemoryServer::region).toList();
        DatabaseLayout.format(fabric, regions, SLOTS, Duration.ofMinutes(15));
        one = attach();
        other = attach();
        here = one.connect();
        there = other.connect();
    }

    private LocalDatabase attach() {
        EmbeddedOptions options =
                EmbeddedOptions.DEFAULT
                        .withMemoryServers(servers.size())
                        .withMemoryBytes((long) servers.size() * SERVER_BYTES)
                        .withSlots(8)
                        .withExecutionThreads(1);
        return LocalDatabase.of(AttachedDatabase.open(options, fabric, regions), Path.of("c.yaml"));
    }

    @AfterEach
    void close() {
        here.close();
        there.close();
        one.close();
        other.close();
        servers.forEach(MemoryServer::close);
        fabric.close();
    }

    private static void run(ShellConnection shell, String sql) {
        try (Result result = shell.execute(sql)) {
            while (result.next()) {
                // to the end
            }
        }
    }

    private static List<String> rows(ShellConnection shell, String sql) {
        List<String> rows = new ArrayList<>();
        try (Result result = shell.execute(sql)) {
            while (result.next()) {
                List<String> row = new ArrayList<>();
                for (int column = 0; column < result.columns().size(); column++) {
                    row.add(String.valueOf(result.text(column)));
                }
                rows.add(String.join("|", row));
            }
        }
        return rows;
    }

    @Test
    void eachSeesTheOthersCommitsAtOnce() {
        run(here, "CREATE TABLE t (id INT PRIMARY KEY, name TEXT)");
        for (int id = 0; id < 100; id++) {
            run(here, "INSERT INTO t VALUES (%d, 'a')".formatted(id));
            assertThat(rows(there, "SELECT count(*) FROM t")).containsExactly("" + (id + 1));
            run(there, "UPDATE t SET name = 'b%d' WHERE id = %d".formatted(id, id));
            assertThat(rows(here, "SELECT name FROM t WHERE id = " + id)).containsExactly("b" + id);
        }
    }

    /// A snapshot lasts as long as its transaction, whatever else commits; and the first to commit
    /// wins.
    @Test
    void aBlockKeepsItsSnapshotAndMayLoseAConflict() {
        run(here, "CREATE TABLE t (id INT PRIMARY KEY, n INT)");
        run(here, "INSERT INTO t VALUES (1, 1)");
        run(here, "BEGIN");
        assertThat(rows(here, "SELECT n FROM t")).containsExactly("1");
        run(there, "UPDATE t SET n = 2");
        assertThat(rows(here, "SELECT n FROM t")).containsExactly("1");
        assertThatThrownBy(() -> run(here, "UPDATE t SET n = 3"))
                .isInstanceOfSatisfying(
                        SqlException.class,
                        e -> assertThat(e.state()).isEqualTo(SqlState.SERIALIZATION_FAILURE));
        run(here, "ROLLBACK");
        assertThat(rows(here, "SELECT n FROM t")).containsExactly("2");
    }

    /// Cached plans are of the schema before: the next statement makes them again.
    @Test
    void definitionsAreSeenAtTheNextStatement() {
        run(here, "CREATE TABLE t (id INT PRIMARY KEY, name TEXT)");
        run(there, "INSERT INTO t VALUES (1, 'a')");
        assertThat(rows(there, "SELECT * FROM t")).containsExactly("1|a");
        run(here, "ALTER TABLE t ADD COLUMN n INT DEFAULT 7");
        assertThat(rows(there, "SELECT * FROM t")).containsExactly("1|a|7");
        run(here, "ALTER TABLE t RENAME COLUMN name TO title");
        assertThat(rows(there, "SELECT title FROM t")).containsExactly("a");
        run(here, "CREATE UNIQUE INDEX t_title ON t (title)");
        assertFails(there, "INSERT INTO t VALUES (2, 'a')", SqlState.UNIQUE_VIOLATION);
        run(here, "DROP INDEX t_title");
        run(there, "INSERT INTO t VALUES (2, 'a')");
        run(here, "TRUNCATE t");
        assertThat(rows(there, "SELECT * FROM t")).isEmpty();
        run(here, "DROP TABLE t");
        assertFails(there, "SELECT * FROM t", SqlState.UNDEFINED_TABLE);
        run(here, "CREATE TABLE t (other INT PRIMARY KEY)");
        assertThat(rows(there, "SELECT other FROM t")).isEmpty();
    }

    /// What refers to a table decides what may be done to its rows.
    @Test
    void referencesThatTheOtherHasMadeAreKept() {
        run(here, "CREATE TABLE parent (id INT PRIMARY KEY)");
        run(there, "INSERT INTO parent VALUES (1), (2), (3)");
        run(there, "DELETE FROM parent WHERE id = 3");
        run(here, "CREATE TABLE child (id INT PRIMARY KEY, p INT REFERENCES parent)");
        run(here, "INSERT INTO child VALUES (1, 1)");
        assertFails(there, "DELETE FROM parent WHERE id = 1", SqlState.FOREIGN_KEY_VIOLATION);
        assertThat(Objects.requireNonNull(other.table("parent")).referencedBy()).hasSize(1);
        run(here, "DROP TABLE child");
        run(there, "DELETE FROM parent WHERE id = 1");
    }

    private static void assertFails(ShellConnection shell, String sql, SqlState state) {
        assertThatThrownBy(() -> run(shell, sql))
                .isInstanceOfSatisfying(
                        SqlException.class, e -> assertThat(e.state()).isEqualTo(state));
    }

    /// `\d`, and what Tab offers, without a statement before it.
    @Test
    void listingsShowWhatTheOtherHasDefined() {
        assertThat(other.tableNames()).isEmpty();
        run(here, "CREATE TABLE t (id INT PRIMARY KEY, name TEXT)");
        assertThat(other.tableNames()).containsExactly("t");
        assertThat(columns(other, "t")).containsExactly("id", "name");
        run(here, "ALTER TABLE t ADD COLUMN n INT");
        assertThat(columns(other, "t")).containsExactly("id", "name", "n");
        run(here, "CREATE INDEX t_name ON t (name)");
        assertThat(Objects.requireNonNull(other.table("t")).indexes())
                .extracting(IndexFacts::name)
                .containsExactly("t_name");
        run(here, "ALTER TABLE t RENAME TO u");
        assertThat(other.tableNames()).containsExactly("u");
        assertThat(other.table("t")).isNull();
        assertThat(columns(other, "u")).containsExactly("id", "name", "n");
        run(here, "DROP TABLE u");
        assertThat(other.tableNames()).isEmpty();
        assertThat(other.table("u")).isNull();
    }

    private static List<String> columns(LocalDatabase database, String table) {
        return Objects.requireNonNull(database.table(table)).columns().stream()
                .map(ColumnFacts::name)
                .toList();
    }

    @Test
    void theConnectionSaysWhereOneIs() {
        assertThat(other.facts())
                .containsExactly(
                        "cluster of c.yaml, 2 memory servers, 128 MB",
                        "This shell is its compute server 1: others see at once what it commits, and"
                                + " it stays when you leave.");
    }

    @Test
    void aClusterThatGoesAwayIsOneSentence() {
        run(here, "CREATE TABLE t (id INT PRIMARY KEY, name TEXT)");
        servers.getFirst().close();
        for (int statement = 0; statement < 3; statement++) {
            assertThatThrownBy(() -> rows(there, "SELECT * FROM t"))
                    .isInstanceOfSatisfying(
                            SqlException.class,
                            e -> {
                                assertThat(e.state()).isEqualTo(SqlState.CONNECTION_FAILURE);
                                assertThat(e.getMessage())
                                        .startsWith("the connection to a memory server is lost: ");
                            });
        }
        assertThatThrownBy(other::tableNames)
                .isInstanceOf(ShellException.class)
                .hasMessageStartingWith("the cluster can't be reached: ");
        assertThatThrownBy(() -> other.table("t"))
                .isInstanceOf(ShellException.class)
                .hasMessageStartingWith("the cluster can't be reached: ");
        assertThat(other.facts())
                .hasSize(2)
                .first()
                .asString()
                .startsWith("cluster of c.yaml, which can't be reached: ");
    }
}
