package org.namdb.sql.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.namdb.sql.client.NamClient;
import org.namdb.sql.language.error.SqlException;
import org.postgresql.PGConnection;

/// Users of the database: how they connect, and what they may do then.
class UsersTest {
    private final ServerFixture db =
            new ServerFixture(options -> options.withPasswords(Passwords.of("admin", "root")));

    @AfterEach
    void close() {
        db.close();
    }

    private Connection connect(String user, String password) throws SQLException {
        return connect(user, password, "");
    }

    private Connection connect(String user, String password, String options) throws SQLException {
        return DriverManager.getConnection(db.url(options), user, password);
    }

    private void asAdmin(String... statements) throws SQLException {
        try (Connection admin = connect("admin", "root")) {
            for (String each : statements) {
                ServerFixture.run(admin, each);
            }
        }
    }

    private String refusal(String user, String password) {
        try (Connection _ = connect(user, password)) {
            return "connected";
        } catch (SQLException e) {
            return e.getSQLState() + " " + e.getMessage();
        }
    }

    @Test
    void aUserConnectsByItsPasswordAlone() throws SQLException {
        String wrong = "28P01 FATAL: password authentication failed for user \"ada\"";
        assertThat(refusal("ada", "secret")).isEqualTo(wrong);
        asAdmin("CREATE USER ada PASSWORD 'secret'");
        try (Connection ada = connect("ada", "secret")) {
            assertThat(ServerFixture.rows(ada, "SELECT current_user, session_user"))
                    .isEqualTo("ada|ada");
            assertThat(ServerFixture.rows(ada, "SHOW is_superuser")).isEqualTo("off");
        }
        assertThat(refusal("ada", "wrong")).isEqualTo(wrong);
        asAdmin("ALTER USER ada PASSWORD 'other'");
        assertThat(refusal("ada", "secret")).isEqualTo(wrong);
        assertThat(refusal("ada", "other")).isEqualTo("connected");
        asAdmin("ALTER USER ada VALID UNTIL '2000-01-01'");
        assertThat(refusal("ada", "other")).isEqualTo(wrong);
        asAdmin("ALTER USER ada VALID UNTIL 'infinity' NOLOGIN");
        assertThat(refusal("ada", "other"))
                .isEqualTo("28000 FATAL: role \"ada\" is not permitted to log in");
        asAdmin("ALTER USER ada LOGIN PASSWORD NULL");
        assertThat(refusal("ada", "other")).isEqualTo(wrong);
        asAdmin("DROP USER ada");
        assertThat(refusal("ada", "other")).isEqualTo(wrong);
    }

    @Test
    void anAdministratorOfTheFileIsSuperuserWhateverRolesThereAre() throws SQLException {
        asAdmin("CREATE USER ada CREATEROLE PASSWORD 'x'", "CREATE TABLE t (id INT PRIMARY KEY)");
        try (Connection ada = connect("ada", "x")) { // tries to lock the administrator out
            ServerFixture.run(ada, "CREATE USER admin PASSWORD 'unused'");
        }
        assertThat(refusal("admin", "unused")).startsWith("28P01");
        try (Connection admin = connect("admin", "root")) {
            assertThat(ServerFixture.rows(admin, "SELECT current_user")).isEqualTo("namdb");
            assertThat(ServerFixture.rows(admin, "SELECT count(*) FROM t")).isEqualTo("0");
            ServerFixture.run(admin, "DROP ROLE admin");
        }
        try (Connection admin = connect("admin", "root")) {
            assertThat(ServerFixture.rows(admin, "SHOW is_superuser")).isEqualTo("on");
        }
        asAdmin("DROP ROLE ada");
        assertThat(refusal("ada", "x")).as("no user of the file").startsWith("28P01");
    }

    @Test
    void rightsHoldFromTheNextStatementOn() throws SQLException {
        asAdmin(
                "CREATE TABLE t (id INT PRIMARY KEY)",
                "INSERT INTO t VALUES (1)",
                "CREATE USER ada PASSWORD 'x'");
        try (Connection ada = connect("ada", "x", "?prepareThreshold=1");
                PreparedStatement query = ada.prepareStatement("SELECT id FROM t WHERE id = ?")) {
            query.setInt(1, 1);
            for (int i = 0; i < 3; i++) {
                assertThat(ServerFixture.error(query::executeQuery).getSQLState())
                        .isEqualTo("42501");
                asAdmin("GRANT SELECT ON t TO ada");
                try (ResultSet rows = query.executeQuery()) {
                    assertThat(ServerFixture.rows(rows)).isEqualTo("1");
                }
                asAdmin("REVOKE SELECT ON t FROM ada");
            }
        }
    }

    @Test
    void theStartupGivesNoRights() throws SQLException {
        asAdmin("CREATE USER ada PASSWORD 'x'");
        for (String option : new String[] {"role", "session_authorization"}) {
            assertThatThrownBy(() -> connect("ada", "x", "?options=-c%20" + option + "=namdb"))
                    .hasMessageContaining("permission denied");
        }
        try (Connection ada = connect("ada", "x")) {
            assertThat(
                            ServerFixture.error(() -> ServerFixture.run(ada, "SET ROLE namdb"))
                                    .getSQLState())
                    .isEqualTo("42501");
        }
    }

    /// psql shows by its prompt whether the user is a superuser.
    @Test
    void clientsGetTheUserOfTheSession() throws SQLException {
        asAdmin("CREATE USER ada PASSWORD 'x'");
        try (Connection admin = connect("admin", "root")) {
            Map<String, String> told = admin.unwrap(PGConnection.class).getParameterStatuses();
            assertThat(told)
                    .containsEntry("session_authorization", "namdb")
                    .containsEntry("is_superuser", "on");
            ServerFixture.run(admin, "SET SESSION AUTHORIZATION ada");
            assertThat(admin.unwrap(PGConnection.class).getParameterStatuses())
                    .containsEntry("session_authorization", "ada")
                    .containsEntry("is_superuser", "off");
            ServerFixture.run(admin, "RESET SESSION AUTHORIZATION");
            ServerFixture.run(admin, "BEGIN; SET ROLE ada");
            assertThat(admin.unwrap(PGConnection.class).getParameterStatuses())
                    .containsEntry("is_superuser", "off");
            ServerFixture.run(admin, "ROLLBACK");
            assertThat(admin.unwrap(PGConnection.class).getParameterStatuses())
                    .containsEntry("session_authorization", "namdb")
                    .containsEntry("is_superuser", "on");
        }
    }

    @Test
    void withTrustARolesNameIsEnough() throws SQLException {
        try (ServerFixture trusting = new ServerFixture()) {
            trusting.run("CREATE TABLE t (id INT)", "CREATE USER bob", "CREATE ROLE nobody");
            try (Connection bob =
                    DriverManager.getConnection(trusting.url(""), "bob", "any password")) {
                assertThatThrownBy(() -> ServerFixture.rows(bob, "SELECT * FROM t"))
                        .hasMessageContaining("permission denied");
            }
            assertThatThrownBy(() -> DriverManager.getConnection(trusting.url(""), "nobody", ""))
                    .hasMessageContaining("not permitted to log in");
            assertThat(trusting.rows("SELECT current_user")).isEqualTo("namdb");
        }
    }

    @Test
    void ownClientsLogInToo() throws SQLException {
        asAdmin("CREATE USER ada PASSWORD 'p@ss'");
        String place = "@127.0.0.1:%d/namdb".formatted(db.port());
        try (NamClient client = NamClient.connect("postgresql://ada:p%40ss" + place)) {
            assertThatThrownBy(() -> client.submit("bank", new byte[0]))
                    .isInstanceOfSatisfying(
                            SqlException.class,
                            e -> assertThat(e.state().code()).isEqualTo("42501"));
        }
    }
}
