package org.namdb.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.exception.FlywayValidateException;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Flyway migrates a schema.
class FlywayTest {
    private static final String SERVERS = "org.namdb.clients.TestServer#all";

    private static final String APPLIED =
            "SELECT version, description, type, success FROM flyway_schema_history"
                    + " WHERE version IS NOT NULL ORDER BY installed_rank";

    @TempDir private Path directory;

    private void migration(String name, String... lines) throws IOException {
        Files.write(directory.resolve(name + ".sql"), List.of(lines));
    }

    private Flyway flyway(TestServer server) {
        return flyway(server, true);
    }

    /// @param isTransactional whether it locks by a transaction of its own, as it does by default
    private Flyway flyway(TestServer server, boolean isTransactional) {
        return Flyway.configure()
                .dataSource(server.jdbcUrl(), null, null)
                .locations("filesystem:" + directory)
                .configuration(
                        Map.of(
                                "flyway.postgresql.transactional.lock",
                                Boolean.toString(isTransactional)))
                .cleanDisabled(false)
                .load();
    }

    private void firstMigrations() throws IOException {
        migration(
                "V1__authors",
                "CREATE TABLE author (id SERIAL PRIMARY KEY, name VARCHAR(80) NOT NULL UNIQUE);",
                "INSERT INTO author (name) VALUES ('Ada'), ('Grace');");
        migration(
                "V2__books",
                "CREATE TABLE book (id INT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,",
                "    author_id INT NOT NULL REFERENCES author (id), title TEXT);",
                "CREATE INDEX book_title ON book (title);",
                "INSERT INTO book (author_id, title) VALUES (1, 'Notes'), (2, 'Compilers');");
        migration(
                "R__titles",
                "CREATE OR REPLACE VIEW titles AS SELECT name, title FROM author",
                "    JOIN book ON book.author_id = author.id;");
    }

    @ParameterizedTest
    @MethodSource(SERVERS)
    void migratesFromNothingAndFurther(Callable<TestServer> open) throws Exception {
        firstMigrations();
        try (TestServer server = open.call()) {
            for (boolean isTransactional : new boolean[] {true, false}) {
                Flyway flyway = flyway(server, isTransactional);
                assertThat(flyway.info().pending()).hasSize(3);
                assertThat(flyway.migrate().migrationsExecuted).isEqualTo(3);
                assertThat(server.rows("SELECT title FROM titles ORDER BY name"))
                        .isEqualTo("Notes; Compilers");
                assertThat(server.rows(APPLIED)).isEqualTo("1|authors|SQL|t; 2|books|SQL|t");
                migration(
                        "V3__born",
                        "ALTER TABLE author ADD COLUMN born INT DEFAULT 1900 CHECK (born > 0);",
                        "UPDATE author SET born = 1815 WHERE name = 'Ada';");
                assertThat(flyway.migrate().migrationsExecuted).isOne();
                assertThat(flyway.migrate().migrationsExecuted).isZero();
                assertThat(server.rows("SELECT born FROM author ORDER BY id"))
                        .isEqualTo("1815; 1900");
                flyway.validate();
                assertThat(flyway.info().current().getVersion()).hasToString("3");
                assertThat(Arrays.stream(flyway.info().all()).map(MigrationInfo::getState))
                        .allMatch(state -> state.getDisplayName().equals("Success"));
                assertThat(flyway.clean().schemasCleaned).containsExactly("public");
                assertThat(
                                server.rows(
                                        "SELECT count(*) FROM information_schema.tables"
                                                + " WHERE table_schema = 'public'"))
                        .isEqualTo("0");
                Files.delete(directory.resolve("V3__born.sql"));
            }
        }
    }

    @ParameterizedTest
    @MethodSource(SERVERS)
    void aMigrationThatFailsLeavesNothing(Callable<TestServer> open) throws Exception {
        firstMigrations();
        try (TestServer server = open.call()) {
            Flyway flyway = flyway(server);
            flyway.migrate();
            migration(
                    "V3__fails",
                    "CREATE TABLE shelf (id INT PRIMARY KEY);",
                    "INSERT INTO shelf VALUES (1);",
                    "ALTER TABLE author DROP COLUMN name CASCADE;",
                    "INSERT INTO nothing VALUES (1);");
            assertThatThrownBy(flyway::migrate)
                    .isInstanceOf(FlywayException.class)
                    .hasMessageContaining("42P01");
            assertThat(server.rows("SELECT count(*) FROM titles")).isEqualTo("2");
            assertThat(
                            server.rows(
                                    "SELECT count(*) FROM information_schema.tables"
                                            + " WHERE table_name = 'shelf'"))
                    .isEqualTo("0");
            assertThat(server.rows(APPLIED)).isEqualTo("1|authors|SQL|t; 2|books|SQL|t");
            flyway.repair();
            migration("V3__fails", "CREATE TABLE shelf (id INT PRIMARY KEY);");
            assertThat(flyway.migrate().migrationsExecuted).isOne();
            migration("V3__fails", "CREATE TABLE shelf (id BIGINT PRIMARY KEY);");
            assertThatThrownBy(flyway::validate).isInstanceOf(FlywayValidateException.class);
            flyway.repair();
            flyway.validate();
        }
    }

    @ParameterizedTest
    @MethodSource(SERVERS)
    void baselinesWhatIsThere(Callable<TestServer> open) throws Exception {
        firstMigrations();
        try (TestServer server = open.call()) {
            server.run(
                    "CREATE TABLE author (id INT PRIMARY KEY, name TEXT)",
                    "INSERT INTO author VALUES (1, 'Ada'), (2, 'Grace')");
            Flyway flyway = flyway(server);
            assertThatThrownBy(flyway::migrate)
                    .isInstanceOf(FlywayException.class)
                    .hasMessageContaining("non-empty schema");
            flyway.baseline();
            assertThat(flyway.migrate().migrationsExecuted).isEqualTo(2);
            assertThat(server.rows(APPLIED))
                    .isEqualTo("1|<< Flyway Baseline >>|BASELINE|t; 2|books|SQL|t");
        }
    }

    /// Each migration is run once, whoever does it.
    @ParameterizedTest
    @MethodSource(SERVERS)
    void severalAtOnceDoNotDisturbEachOther(Callable<TestServer> open) throws Exception {
        firstMigrations();
        for (int i = 3; i < 8; i++) {
            migration(
                    "V" + i + "__table",
                    "CREATE TABLE t" + i + " (id INT PRIMARY KEY);",
                    "INSERT INTO author (name) VALUES ('author " + i + "');");
        }
        try (TestServer server = open.call()) {
            for (boolean isTransactional : new boolean[] {true, false}) {
                TestServer.together(3, () -> flyway(server, isTransactional).migrate());
                assertThat(server.rows("SELECT count(*), count(DISTINCT name) FROM author"))
                        .isEqualTo("7|7");
                assertThat(server.rows("SELECT count(*) FROM flyway_schema_history"))
                        .isEqualTo("8");
                flyway(server, isTransactional).clean();
            }
        }
    }
}
