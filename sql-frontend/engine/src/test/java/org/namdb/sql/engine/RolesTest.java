package org.namdb.sql.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.journal.JournalOptions;
import org.namdb.sql.engine.role.Role;
import org.namdb.sql.engine.role.ScramVerifier;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.result.Result;

/// Roles and privileges, beyond what PostgreSQL's answers to one connection show: several sessions,
/// plans that they share, procedures, jars, restarts, dumps.
class RolesTest {
    private final SqlFixture db = new SqlFixture();
    private SqlSession ada;

    @BeforeEach
    void open() {
        db.run(
                "CREATE TABLE t (id INT PRIMARY KEY, v INT); INSERT INTO t VALUES (1, 10), (2, 20);"
                        + " CREATE USER ada; CREATE USER bob");
        ada = session("ada");
    }

    @AfterEach
    void close() {
        ada.close();
        db.close();
    }

    private SqlSession session(String role) {
        SqlSession session = db.database.session();
        session.authenticate(db.database.roles().required(role));
        return session;
    }

    private static String denied(SqlSession session, String sql) {
        String error = SqlFixture.error(session, sql);
        assertThat(error).as(sql).startsWith("42501");
        return error;
    }

    @Test
    void aPlanThatOneMayRunIsNotRunByAnother() {
        String query = "SELECT v FROM t WHERE id = 1";
        assertThat(db.rows(query)).isEqualTo("10");
        denied(ada, query);
        db.run("GRANT SELECT ON t TO bob");
        try (SqlSession bob = session("bob")) {
            assertThat(SqlFixture.rows(bob, query)).isEqualTo("10");
            denied(ada, query);
            assertThat(SqlFixture.rows(bob, query)).isEqualTo("10");
        }
    }

    @Test
    void whatIsPreparedIsCheckedWheneverItRuns() {
        db.run("GRANT SELECT, UPDATE ON t TO ada");
        PreparedStatement query = ada.prepare("SELECT v FROM t WHERE id = ?");
        PreparedStatement change = ada.prepare("UPDATE t SET v = v + 1 WHERE id = ?");
        query.execute(1).close();
        change.execute(1).close();
        db.run("REVOKE UPDATE ON t FROM ada");
        query.execute(1).close();
        assertThatThrownBy(() -> change.execute(1)).isInstanceOf(SqlException.class);
        db.run("REVOKE SELECT ON t FROM ada");
        assertThatThrownBy(() -> query.execute(1)).hasMessageContaining("permission denied");
        db.run("ALTER ROLE ada SUPERUSER");
        query.execute(1).close();
        change.execute(1).close();
        db.run("ALTER ROLE ada NOSUPERUSER");
        assertThatThrownBy(() -> change.execute(1)).isInstanceOf(SqlException.class);
    }

    /// A right that ends while a block is open ends with the schema's next version, which the block
    /// sees when it has begun again.
    @Test
    void aBlockIsCheckedByItsStatements() {
        db.run("GRANT SELECT ON t TO ada");
        SqlFixture.run(ada, "BEGIN");
        assertThat(SqlFixture.rows(ada, "SELECT count(*) FROM t")).isEqualTo("2");
        denied(ada, "DELETE FROM t WHERE id = 1");
        assertThat(SqlFixture.error(ada, "SELECT 1")).startsWith("25P02");
        SqlFixture.run(ada, "ROLLBACK");
    }

    @Test
    void aRoleThatWasDroppedMayDoNothing() {
        db.run("GRANT SELECT ON t TO PUBLIC; DROP USER ada");
        assertThat(SqlFixture.rows(ada, "SELECT count(*) FROM t")).isEqualTo("2");
        denied(ada, "DELETE FROM t");
        denied(ada, "CREATE TABLE u (id INT)");
    }

    /// A role that gets the name of a dropped one is another one.
    @Test
    void aNameThatIsUsedAgainGivesNoRights() {
        db.run("GRANT bob TO ada");
        SqlFixture.run(ada, "SET ROLE bob");
        db.run(
                "DROP USER ada, bob; CREATE USER ada SUPERUSER; CREATE USER bob; GRANT ALL ON t TO bob");
        denied(ada, "DELETE FROM t");
        denied(ada, "SET ROLE bob");
        denied(ada, "CREATE TABLE u (id INT)");
        SqlFixture.run(ada, "RESET ROLE");
        denied(ada, "DELETE FROM t");
        denied(ada, "SET SESSION AUTHORIZATION ada");
        denied(ada, "CREATE USER eve");
        assertThat(ada.setting("is_superuser")).isEqualTo("off");
        try (SqlSession now = session("ada")) {
            SqlFixture.run(now, "DELETE FROM t; SET ROLE bob; INSERT INTO t VALUES (1, 1)");
        }
    }

    /// What it made would be the role's that gets its name later.
    @Test
    void aRoleThatWasDroppedMakesNothing() {
        db.run(
                "GRANT CREATE ON SCHEMA public TO PUBLIC; GRANT USAGE ON LANGUAGE java TO PUBLIC; DROP USER ada");
        assertThat(SqlFixture.error(ada, "CREATE TABLE u (id INT)"))
                .isEqualTo("42704 role \"ada\" does not exist");
        assertThatThrownBy(() -> install(ada)).hasMessage("role \"ada\" does not exist");
        assertThat(db.error("CALL answer()")).startsWith("42883");
    }

    @Test
    void anIdIsNeverUsedAgain(@TempDir Path directory) {
        long first;
        try (SqlDatabase database = kept(directory);
                SqlSession session = database.session()) {
            SqlFixture.run(session, "CREATE USER ada");
            first = database.roles().required("ada").id();
            SqlFixture.run(session, "DROP USER ada");
        }
        try (SqlDatabase database = kept(directory);
                SqlSession session = database.session()) {
            SqlFixture.run(session, "CREATE USER ada");
            assertThat(database.roles().required("ada").id()).isGreaterThan(first);
        }
    }

    /// What a role may not define does not wait for transactions, and lets no others wait.
    @Test
    void aDefinitionThatIsNotAllowedDoesNotWait() {
        SqlFixture.run(ada, "SET lock_timeout = 1");
        db.run("BEGIN; SELECT * FROM t");
        for (String definition :
                List.of(
                        "CREATE TABLE u (id INT)",
                        "DROP TABLE t",
                        "ALTER TABLE t ADD COLUMN w INT",
                        "CREATE INDEX ON t (v)",
                        "TRUNCATE t",
                        "CREATE USER eve",
                        "ALTER USER bob PASSWORD 'x'",
                        "DROP USER bob",
                        "GRANT SELECT ON t TO ada",
                        "GRANT bob TO ada",
                        "GRANT USAGE ON LANGUAGE java TO ada")) {
            denied(ada, definition);
        }
        assertThat(SqlFixture.error(ada, "ALTER USER ada PASSWORD 'x'")).startsWith("55P03");
        db.run("COMMIT");
        SqlFixture.run(ada, "ALTER USER ada PASSWORD 'x'");
    }

    @Test
    void settingsDoNotGiveRights() {
        for (String sql :
                List.of(
                        "SET ROLE namdb",
                        "SET SESSION AUTHORIZATION namdb",
                        "SET role = 'bob'",
                        "SELECT set_config('role', 'namdb', false)",
                        "SELECT set_config('session_authorization', 'namdb', false)")) {
            denied(ada, sql);
        }
        assertThat(SqlFixture.error(ada, "SET is_superuser = on")).startsWith("55P02");
        for (String setting : List.of("role", "ROLE", "session_authorization")) {
            assertThatThrownBy(() -> ada.setDefault(setting, "namdb"))
                    .isInstanceOf(SqlException.class)
                    .hasMessageContaining("permission denied");
        }
        assertThat(SqlFixture.rows(ada, "SELECT current_user, session_user")).isEqualTo("ada|ada");
        SqlFixture.run(ada, "SET ROLE ada; RESET ROLE; DISCARD ALL; RESET ALL");
        assertThat(SqlFixture.rows(ada, "SELECT current_user, session_user")).isEqualTo("ada|ada");
        assertThat(ada.setting("is_superuser")).isEqualTo("off");
        assertThat(db.session.setting("is_superuser")).isEqualTo("on");
    }

    @Test
    void aBackupIsForSuperusers() {
        assertThat(denied(ada, "BACKUP TO 'x'")).contains("must be superuser");
    }

    @Test
    void proceduresRunWithTheRightsOfTheirCaller() {
        db.database
                .procedures()
                .register(
                        "total",
                        Void.class,
                        Long.class,
                        (context, none) -> {
                            try (Result row = context.execute("SELECT sum(v) FROM t")) {
                                row.next();
                                return row.int64(0);
                            }
                        });
        assertThat(db.rows("CALL total()")).isEqualTo("30");
        assertThat(denied(ada, "CALL total()")).contains("permission denied for table t");
        db.run("GRANT SELECT ON t TO ada");
        assertThat(SqlFixture.rows(ada, "CALL total()")).isEqualTo("30");
        db.run("REVOKE EXECUTE ON PROCEDURE total() FROM PUBLIC");
        assertThat(denied(ada, "SELECT total()")).contains("permission denied for procedure total");
        db.run("GRANT EXECUTE ON FUNCTION total TO ada");
        assertThat(SqlFixture.rows(ada, "SELECT total()")).isEqualTo("30");
        assertThat(
                        db.rows(
                                "SELECT has_function_privilege('ada', 'total()', 'EXECUTE'),"
                                        + " has_function_privilege('bob', 'total()', 'EXECUTE')"))
                .isEqualTo("t|f");
        assertThat(db.error("GRANT EXECUTE ON PROCEDURE missing TO ada")).startsWith("42883");
        assertThat(db.error("DROP USER ada"))
                .contains("2BP01", "privileges for table t", "privileges for procedure total");
    }

    private static byte[] jar() {
        return JarBuilder.jar(
                "Answer",
                """
                public class Answer implements Procedure<Void, Integer> {
                    @Override public Integer run(ProcedureContext context, Void none) { return 42; }
                }
                """);
    }

    private static void install(SqlSession session) {
        session.execute("CALL sqlj.install_jar(?, ?)", jar(), "bank").close();
    }

    @Test
    void aJarIsOwnedByTheRoleThatInstalledIt() {
        assertThatThrownBy(() -> install(ada)).hasMessage("permission denied for language java");
        db.run("GRANT USAGE ON LANGUAGE java TO ada, bob");
        install(ada);
        install(ada);
        try (SqlSession bob = session("bob")) {
            assertThatThrownBy(() -> install(bob)).hasMessage("must be owner of jar bank");
            assertThat(denied(bob, "CALL sqlj.remove_jar('bank')")).contains("must be owner");
            assertThat(denied(bob, "GRANT EXECUTE ON PROCEDURE answer TO bob")).contains("owner");
            assertThat(SqlFixture.rows(bob, "CALL answer()")).isEqualTo("42");
            SqlFixture.run(ada, "REVOKE ALL ON PROCEDURE answer FROM PUBLIC");
            denied(bob, "CALL answer()");
            assertThat(SqlFixture.rows(ada, "CALL answer()")).isEqualTo("42");
        }
        assertThat(db.error("DROP USER ada")).contains("2BP01", "owner of jar bank");
        SqlFixture.run(ada, "CALL sqlj.remove_jar('bank')");
        db.run("REVOKE USAGE ON LANGUAGE java FROM ada, bob; DROP USER ada");
        install(db.session);
        assertThat(db.rows("CALL answer()")).isEqualTo("42");
        try (SqlSession bob = session("bob")) {
            assertThat(SqlFixture.rows(bob, "CALL answer()")).isEqualTo("42");
        }
    }

    /// ```
    /// ada  finds no jar of the name                    bob  finds none, and installs his
    /// ada  installs hers in its place, and owns it
    /// ```
    @Test
    void ofTwoRolesThatInstallAJarOneOwnsIt() throws Exception {
        db.run("GRANT USAGE ON LANGUAGE java TO ada, bob");
        byte[] image = jar();
        for (int round = 0; round < 5; round++) {
            String name = "jar" + round;
            CyclicBarrier start = new CyclicBarrier(2);
            try (SqlSession bob = session("bob");
                    ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                List<Future<String>> results = new ArrayList<>();
                for (SqlSession each : List.of(ada, bob)) {
                    results.add(
                            threads.submit(() -> {
                                start.await();
                                try {
                                    each.execute("CALL sqlj.install_jar(?, ?)", image, name)
                                            .close();
                                    return "";
                                } catch (SqlException e) {
                                    return String.valueOf(e.getMessage());
                                }
                            }));
                }
                assertThat(List.of(results.get(0).get(), results.get(1).get()))
                        .containsExactlyInAnyOrder("", "must be owner of jar " + name);
            }
            db.run("CALL sqlj.remove_jar('" + name + "')");
        }
    }

    @Test
    void aJarThatCanNotBeInstalledIsOfNoRole() {
        db.run("GRANT USAGE ON LANGUAGE java TO ada");
        assertThatThrownBy(() ->
                        ada.execute("CALL sqlj.install_jar(?, ?)", new byte[3], "bank").close())
                .isInstanceOf(SqlException.class);
        db.run("REVOKE USAGE ON LANGUAGE java FROM ada; DROP USER ada");
    }

    @Test
    void aTableKeepsItsRightsThroughChanges() {
        db.run("GRANT SELECT ON t TO ada");
        for (String change :
                List.of(
                        "ALTER TABLE t ADD COLUMN w INT",
                        "ALTER TABLE t DROP COLUMN w",
                        "ALTER TABLE t ALTER COLUMN v SET DEFAULT 3",
                        "CREATE UNIQUE INDEX t_v ON t (v)",
                        "TRUNCATE t",
                        "ALTER TABLE t RENAME TO u")) {
            db.run(change);
            String name = change.contains("RENAME") ? "u" : "t";
            SqlFixture.rows(ada, "SELECT * FROM " + name);
            denied(ada, "DELETE FROM " + name);
        }
        db.run("DROP TABLE u; CREATE TABLE u (id INT)");
        denied(ada, "SELECT * FROM u");
    }

    @Test
    void namesAreAnyWhatsoever() {
        String name = "a|da \\ \"x\" {,}=/ é";
        String quoted = "\"" + name.replace("\"", "\"\"") + "\"";
        db.run("CREATE USER " + quoted + "; GRANT SELECT ON t TO " + quoted + ", PUBLIC");
        db.run("REVOKE SELECT ON t FROM PUBLIC");
        try (SqlSession session = session(name)) {
            assertThat(SqlFixture.rows(session, "SELECT count(*) FROM t")).isEqualTo("2");
            denied(session, "DELETE FROM t");
        }
        assertThat(db.error("CREATE USER " + "x".repeat(64))).startsWith("42622");
    }

    @Test
    void aVerifierMustBeOne() {
        String right = ScramVerifier.of("x").toString();
        db.run("ALTER USER ada PASSWORD '" + right + "'");
        for (String wrong :
                List.of(
                        right.replace("$4096:", "$0:"),
                        right.substring(0, right.lastIndexOf(':')) + ":AAAA",
                        right.replaceFirst("\\$[^$]+:", "\\$AAAA:"),
                        "SCRAM-SHA-256$4096:x")) {
            assertThat(db.error("ALTER USER ada PASSWORD '" + wrong + "'"))
                    .startsWith("22023 malformed verifier of a password");
        }
    }

    private static SqlDatabase kept(Path directory) {
        return SqlDatabase.embedded(
                EmbeddedOptions.DEFAULT
                        .withMemoryBytes(64 << 20)
                        .withJournal(JournalOptions.in(directory)));
    }

    @Test
    void rolesArePartOfADataDirectoryAndPasswordsAreNot(@TempDir Path directory)
            throws IOException {
        Path shop = directory.resolve("shop");
        try (SqlDatabase database = kept(shop);
                SqlSession session = database.session()) {
            SqlFixture.run(
                    session,
                    "CREATE USER ada PASSWORD 'open sesame'; CREATE ROLE reader NOLOGIN; GRANT reader TO ada;"
                            + " CREATE TABLE t (id INT PRIMARY KEY); GRANT SELECT ON t TO reader;"
                            + " ALTER TABLE t OWNER TO ada; CREATE TABLE u (id INT PRIMARY KEY);"
                            + " GRANT SELECT ON u TO reader");
        }
        try (Stream<Path> files = Files.walk(shop)) {
            assertThat(files.filter(Files::isRegularFile).filter(RolesTest::hasPassword)).isEmpty();
        }
        try (SqlDatabase database = kept(shop);
                SqlSession session = database.session();
                SqlSession asAda = database.session()) {
            Role role = database.roles().required("ada");
            ScramVerifier verifier = role.password();
            assertThat(verifier).isNotNull();
            assertThat(role.memberOf()).containsExactly("reader");
            asAda.authenticate(role);
            SqlFixture.run(asAda, "INSERT INTO t VALUES (1)");
            assertThat(SqlFixture.rows(asAda, "SELECT count(*) FROM u")).isEqualTo("0");
            denied(asAda, "INSERT INTO u VALUES (1)");
            assertThat(SqlFixture.error(session, "DROP USER ada")).startsWith("2BP01");
        }
    }

    private static boolean hasPassword(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1).contains("open sesame");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String dump(SqlSession session) throws IOException {
        StringWriter out = new StringWriter();
        SqlDump.write(session, out);
        return out.toString();
    }

    @Test
    void aDumpMakesRolesAndRightsAgain() throws IOException {
        try (SqlFixture plain = new SqlFixture()) {
            plain.run("CREATE TABLE t (id INT PRIMARY KEY)");
            assertThat(dump(plain.session)).doesNotContain("ROLE", "GRANT", "OWNER");
        }
        db.run(
                "CREATE ROLE reader NOLOGIN; GRANT reader TO ada; GRANT SELECT ON t TO reader;"
                        + " ALTER USER bob SUPERUSER PASSWORD 'x' VALID UNTIL '2100-01-02 03:04:05';"
                        + " GRANT ALL ON t TO PUBLIC; REVOKE DELETE ON t FROM PUBLIC;"
                        + " CREATE TABLE u (id INT PRIMARY KEY); ALTER TABLE u OWNER TO ada;"
                        + " REVOKE UPDATE ON u FROM ada; GRANT CREATE ON SCHEMA public TO ada;"
                        + " GRANT USAGE ON LANGUAGE java TO ada; ALTER ROLE namdb PASSWORD 'y'");
        String first = dump(db.session);
        assertThat(first).contains("SCRAM-SHA-256$4096:");
        try (SqlFixture again = new SqlFixture()) {
            again.run(first.replaceAll("(?s)\nCOPY .*?\n\\\\\\.\n", "\n"));
            assertThat(again.database.catalog().roles()).isEqualTo(db.database.catalog().roles());
            assertThat(again.rows("SELECT relname, relacl FROM pg_class ORDER BY 1"))
                    .isEqualTo(db.rows("SELECT relname, relacl FROM pg_class ORDER BY 1"));
        }
    }
}
