package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.journal.Durability;
import org.namdb.compute.journal.JournalOptions;
import org.namdb.simulated.SimDisk;
import org.namdb.sql.language.error.SqlException;

/// A session's durability, and BACKUP.
class DurabilityTest {
    private final SimDisk disk = new SimDisk();

    @TempDir private Path directory;

    /// Writes nothing by itself: what a session does not wait for is only in memory.
    private String rowsAfterACrash() {
        SimDisk crashed = disk.crashed(new SplittableRandom(1));
        try (SqlDatabase after = SqlFixture.open(crashed);
                SqlSession session = after.session()) {
            return SqlFixture.rows(session, "SELECT id FROM t ORDER BY id");
        }
    }

    @Test
    void eachSessionChooses() {
        try (SqlDatabase database = SqlFixture.open(disk);
                SqlSession one = database.session();
                SqlSession other = database.session()) {
            assertThat(SqlFixture.rows(one, "SHOW durability")).isEqualTo("sync");
            SqlFixture.run(one, "CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1)");
            assertThat(rowsAfterACrash()).isEqualTo("1");
            SqlFixture.run(one, "SET durability = async; INSERT INTO t VALUES (2)");
            assertThat(rowsAfterACrash()).isEqualTo("1");
            SqlFixture.run(other, "INSERT INTO t VALUES (3)"); // behind the other's
            assertThat(rowsAfterACrash()).isEqualTo("1; 2; 3");
            SqlFixture.run(one, "SET durability TO 'none'; INSERT INTO t VALUES (4)");
            assertThat(rowsAfterACrash()).isEqualTo("1; 2; 3");
            assertThat(SqlFixture.rows(other, "SELECT count(*) FROM t")).isEqualTo("4");
            assertThat(rowsAfterACrash()).as("what was shown").isEqualTo("1; 2; 3; 4");
            SqlFixture.run(one, "RESET durability; SET synchronous_commit = off");
            SqlFixture.run(one, "INSERT INTO t VALUES (5)");
            assertThat(rowsAfterACrash()).isEqualTo("1; 2; 3; 4");
            SqlFixture.run(one, "BEGIN; SET LOCAL synchronous_commit = on; DELETE FROM t; COMMIT");
            assertThat(SqlFixture.rows(one, "SHOW durability")).isEqualTo("sync");
            assertThat(SqlFixture.error(one, "SET durability = often")).startsWith("22023");
        }
    }

    /// In a process that forces nothing by itself, a session's setting holds for it nevertheless.
    @Test
    void aSessionCanAskForMoreThanItsProcess() {
        try (SqlDatabase database = SqlFixture.open(SqlFixture.journal(disk, Durability.NONE));
                SqlSession one = database.session()) {
            assertThat(SqlFixture.rows(one, "SHOW durability")).isEqualTo("none");
            SqlFixture.run(one, "SET durability = sync");
            SqlFixture.run(one, "CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1)");
            assertThat(rowsAfterACrash()).isEqualTo("1");
        }
    }

    @Test
    void aBackupIsMadeWhereASessionMayWrite() {
        JournalOptions journal = JournalOptions.in(directory.resolve("shop"));
        try (SqlDatabase database = SqlFixture.open(journal);
                SqlSession session = database.session()) {
            SqlFixture.run(
                    session, "CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1)");
            assertThat(SqlFixture.error(session, "BACKUP TO 'one'"))
                    .startsWith("42501")
                    .contains("permission denied");
            database.allowBackups(directory.resolve("backups"));
            assertThat(SqlFixture.error(session, "BACKUP TO '../one'")).startsWith("22023");
            SqlFixture.run(session, "BEGIN");
            assertThat(SqlFixture.error(session, "BACKUP TO 'one'")).startsWith("25001");
            SqlFixture.run(session, "ROLLBACK");
            assertThat(SqlFixture.run(session, "BACKUP TO 'one'")).isEqualTo("BACKUP");
            assertThat(SqlFixture.error(session, "BACKUP TO 'one'"))
                    .startsWith("58030")
                    .contains("is not empty");
            SqlFixture.run(session, "INSERT INTO t VALUES (2)");
        }
        try (SqlDatabase database =
                        SqlFixture.open(
                                JournalOptions.in(directory.resolve("backups").resolve("one")));
                SqlSession session = database.session()) {
            assertThat(SqlFixture.rows(session, "SELECT * FROM t")).isEqualTo("1");
        }
        try (SqlDatabase database =
                        SqlDatabase.embedded(EmbeddedOptions.DEFAULT.withMemoryBytes(64 << 20));
                SqlSession session = database.session()) {
            assertThatThrownBy(() -> session.execute("BACKUP TO 'one'"))
                    .isInstanceOf(SqlException.class)
                    .hasMessageContaining("this database has no data directory");
        }
    }
}
