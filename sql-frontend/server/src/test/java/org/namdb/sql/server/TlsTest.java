package org.namdb.sql.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.fabric.tls.TestAuthority;
import org.namdb.fabric.tls.TlsFiles;
import org.namdb.fabric.tls.TlsIdentity;

/// Connections by TLS.
class TlsTest {
    private static final int SSL_REQUEST = 80877103;

    private final TlsFiles files = TestAuthority.loopback();
    private final ServerFixture db =
            new ServerFixture(options ->
                    options.withTls(TlsIdentity.server(files.certificate(), files.key()))
                            .withPasswords(Passwords.of("ada", "secret")));

    @AfterEach
    void close() {
        db.close();
    }

    private Connection connect(String password, String options) throws SQLException {
        return DriverManager.getConnection(db.url(options), "ada", password);
    }

    private static String authority(Path authority) {
        return "&sslrootcert=" + authority;
    }

    @Test
    void clientsConnectByTls() throws SQLException {
        for (String options :
                List.of(
                        "?sslmode=require",
                        "?sslmode=verify-ca" + authority(files.authority()),
                        "?sslmode=verify-full" + authority(files.authority()))) {
            try (Connection connection = connect("secret", options)) {
                ServerFixture.run(connection, "CREATE TABLE IF NOT EXISTS t (id INT PRIMARY KEY)");
                assertThat(
                                ServerFixture.rows(
                                        connection,
                                        "SELECT sum(length(repeat('x', 1000))) FROM"
                                                + " generate_series(1, 3000) AS s (i)"))
                        .isEqualTo("3000000");
                connection.setAutoCommit(false);
                assertThat(ServerFixture.rows(connection, "SELECT repeat('y', 300000)"))
                        .hasSize(300_000);
                connection.rollback();
            }
        }
        try (Connection connection = connect("secret", "?sslmode=disable")) {
            assertThat(ServerFixture.rows(connection, "SELECT 1")).isEqualTo("1");
        }
    }

    @Test
    void aClientDoesNotConnectToWhomItDoesNotTrust() {
        TlsFiles other = TestAuthority.of("other").files("stranger", "-validity", "20");
        assertThatThrownBy(() ->
                        connect("secret", "?sslmode=verify-ca" + authority(other.authority())))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("SSL error");
        assertThatThrownBy(() -> connect("wrong", "?sslmode=require"))
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("28P01"));
    }

    @Test
    void aCertificateIsOfUseOrRefused(@TempDir Path directory) {
        TlsFiles expired = TestAuthority.of("usual").expired();
        assertThatThrownBy(() -> TlsIdentity.server(expired.certificate(), expired.key()))
                .hasMessageContaining("has expired");
        assertThatThrownBy(() -> TlsIdentity.server(files.certificate(), expired.key()))
                .hasMessageContaining("does not belong to the certificate");
        assertThatThrownBy(() -> TlsIdentity.server(directory.resolve("none"), files.key()))
                .hasMessageContaining("none");
    }

    @Test
    void aServerWithoutACertificateSaysSo() {
        try (ServerFixture clear = new ServerFixture()) {
            assertThatThrownBy(() -> clear.connect("?sslmode=require"))
                    .hasMessageContaining("does not support SSL");
        }
    }

    /// Else whoever sits between the two could begin the conversation.
    @Test
    void whatComesInClearBeforeTheHandshakeEndsTheConnection() throws IOException {
        try (RawClient client = new RawClient(db)) {
            ByteBuffer request = ByteBuffer.allocate(40);
            request.putInt(8).putInt(SSL_REQUEST);
            request.putInt(32).putInt(3 << 16);
            request.put("user\0ada\0\0".getBytes(StandardCharsets.UTF_8));
            client.raw(request.array());
            assertThat(client.until('Z')).isEqualTo("E(08P01)$");
        }
    }

    @Test
    void aHandshakeThatFailsEndsTheConnection() throws Exception {
        for (byte[] after :
                List.of(new byte[0], "nonsense, and not TLS".getBytes(StandardCharsets.UTF_8))) {
            try (RawClient client = new RawClient(db)) {
                client.raw(ByteBuffer.allocate(8).putInt(8).putInt(SSL_REQUEST).array());
                assertThat(client.socket.getInputStream().read()).isEqualTo('S');
                client.raw(after);
                client.socket.shutdownOutput();
            }
        }
        ServerFixture.await("nobody is connected", () -> db.server.connectionCount() == 0);
        try (Connection connection = connect("secret", "?sslmode=require")) {
            assertThat(ServerFixture.rows(connection, "SELECT 1")).isEqualTo("1");
        }
    }
}
