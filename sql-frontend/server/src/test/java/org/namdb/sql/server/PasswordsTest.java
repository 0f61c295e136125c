package org.namdb.sql.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.namdb.sql.server.ServerFixture.error;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.sql.engine.role.ScramVerifier;

/// SCRAM-SHA-256, against the JDBC driver's.
class PasswordsTest {
    private static String user(ServerFixture db, String user, String password) throws SQLException {
        try (Connection connection = DriverManager.getConnection(db.url(""), user, password)) {
            return ServerFixture.rows(connection, "SELECT 'in'");
        }
    }

    @Test
    void onlyTheRightPasswordOpens(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("users");
        Files.writeString(file, "# people\nada:secret: with colon\n\ngrace:pa\u00dfw\u00f6rt\n");
        try (ServerFixture db =
                new ServerFixture(options -> {
                    try {
                        return options.withPasswords(Passwords.read(file));
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                })) {
            assertThat(user(db, "ada", "secret: with colon")).isEqualTo("in");
            assertThat(user(db, "grace", "pa\u00dfw\u00f6rt")).isEqualTo("in");
            assertThat(error(() -> user(db, "ada", "wrong")).getSQLState()).isEqualTo("28P01");
            assertThat(error(() -> user(db, "nobody", "secret")).getMessage())
                    .isEqualTo("password authentication failed for user \"nobody\"");
            ServerFixture.await("all have left", () -> db.server.connectionCount() == 0);
        }
    }

    @Test
    void whatPostgresKeepsServesToo() throws Exception {
        String kept = ScramVerifier.of("secret").toString();
        try (ServerFixture db =
                new ServerFixture(options -> options.withPasswords(Passwords.of("ada", kept)))) {
            assertThat(user(db, "ada", "secret")).isEqualTo("in");
            assertThat(error(() -> user(db, "ada", kept)).getSQLState()).isEqualTo("28P01");
        }
    }

    @Test
    void aFileThatIsNoneSaysWhere(@TempDir Path directory) throws Exception {
        Path file = directory.resolve("users");
        Files.writeString(file, "ada:secret\nnonsense\n");
        assertThatThrownBy(() -> Passwords.read(file))
                .hasMessage(file + ", line 2: expected user:password");
        Files.writeString(file, "\n# nobody\n");
        assertThatThrownBy(() -> Passwords.read(file)).hasMessageContaining("names no user");
    }

    @Test
    void withoutPasswordsOnlyThisMachineMayConnect() {
        assertThatThrownBy(() ->
                        ServerOptions.DEFAULT.withAddress(new InetSocketAddress("0.0.0.0", 5432)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("loopback");
    }
}
