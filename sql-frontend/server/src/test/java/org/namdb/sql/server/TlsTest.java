package org.namdb.sql.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.fabric.tls.TestAuthority;
import org.namdb.fabric.tls.TlsFiles;
import org.namdb.fabric.tls.TlsIdentity;
import org.namdb.sql.client.NamClient;
import org.namdb.sql.client.ServerSession;
import org.namdb.sql.client.ServerUrl;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.result.Result;

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
    void aClientDoesNotConnectToAServerThatItDoesNotTrust() {
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

    /// Else an attacker between the two could begin the conversation.
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
        ServerFixture.await("no client is connected", () -> db.server.connectionCount() == 0);
        try (Connection connection = connect("secret", "?sslmode=require")) {
            assertThat(ServerFixture.rows(connection, "SELECT 1")).isEqualTo("1");
        }
    }

    private ServerSession session(String host, String options) {
        return ServerSession.connect(
                ServerUrl.parse(
                        "postgresql://ada:secret@%s:%d/namdb?%s"
                                .formatted(host, db.port(), options)),
                "test");
    }

    private static String one(ServerSession session, String query) {
        try (Result result = session.execute(query)) {
            assertThat(result.next()).isTrue();
            return String.valueOf(result.text(0));
        }
    }

    private static SqlException refusal(ThrowingCallable attempt) {
        return catchThrowableOfType(SqlException.class, attempt);
    }

    @Test
    void ownClientsConnectByTls() {
        String root = "&sslrootcert=" + files.authority();
        for (String options :
                List.of(
                        "sslmode=prefer",
                        "sslmode=require",
                        "sslmode=require" + root,
                        "sslmode=verify-ca" + root,
                        "sslmode=verify-full" + root)) {
            try (ServerSession session = session("127.0.0.1", options)) {
                assertThat(session.isEncrypted()).as(options).isTrue();
                assertThat(one(session, "SELECT length(repeat('y', 300000))")).isEqualTo("300000");
            }
        }
        try (ServerSession session = session("127.0.0.1", "sslmode=disable")) {
            assertThat(session.isEncrypted()).isFalse();
            assertThat(one(session, "SELECT 1")).isEqualTo("1");
        }
        String url =
                "postgresql://ada:secret@localhost:%d?sslmode=verify-full%s"
                        .formatted(db.port(), root);
        try (NamClient client = NamClient.connect(url)) {
            assertThat(client.procedures()).isNotEmpty();
        }
    }

    @Test
    void aStatementIsCancelledByTls() {
        try (ServerSession session = session("127.0.0.1", "sslmode=require")) {
            Thread canceller =
                    Thread.startVirtualThread(() -> {
                        while (!Thread.interrupted()) {
                            session.cancel();
                        }
                    });
            assertThat(
                            refusal(() ->
                                    one(
                                            session,
                                            "SELECT count(*) FROM generate_series(1, 1000000000) AS s (i)")))
                    .hasMessageContaining("canceling statement");
            canceller.interrupt();
        }
    }

    @Test
    void ownClientsSayWhyTheyDoNotConnect() {
        TlsFiles other = TestAuthority.of("other").files("stranger", "-validity", "20");
        String strange = "&sslrootcert=" + other.authority();
        for (String mode : List.of("require", "verify-ca", "verify-full")) {
            SqlException refused = refusal(() -> session("127.0.0.1", "sslmode=" + mode + strange));
            assertThat(refused.state().code()).isEqualTo("08006");
            assertThat(refused).hasMessageContaining("not signed by any of the root certificates");
            assertThat(refused.hint()).contains(other.authority().toString());
        }
        try (ServerSession session = session("127.0.0.1", "sslmode=prefer" + strange)) {
            assertThat(session.isEncrypted()).isTrue();
        }
        assertThat(refusal(() -> session("127.0.0.1", "sslmode=require&sslrootcert=none.pem")))
                .hasMessageContaining("none.pem can't be used: there is no such file");
        assertThat(
                        refusal(() ->
                                session("127.0.0.1", "sslmode=require&sslrootcert=" + files.key())))
                .hasMessageContaining("no certificates in PEM");
        try (ServerFixture clear = new ServerFixture()) {
            String url = "postgresql://ada@127.0.0.1:%d?sslmode=".formatted(clear.port());
            SqlException refused = refusal(() -> NamClient.connect(url + "require"));
            assertThat(refused).hasMessageContaining("has no TLS, and sslmode is require");
            assertThat(refused.hint()).contains("--tls-certificate");
            NamClient.connect(url + "prefer").close();
        }
    }

    @Test
    void aCertificateOfAnotherHostIsGoodEnoughForVerifyCaAlone() {
        TlsFiles elsewhere =
                TestAuthority.of("usual")
                        .files("elsewhere", "-ext", "san=dns:db.example.org", "-validity", "20");
        try (ServerFixture named =
                new ServerFixture(options ->
                        options.withTls(
                                TlsIdentity.server(elsewhere.certificate(), elsewhere.key())))) {
            String url =
                    "postgresql://ada@127.0.0.1:%d?sslrootcert=%s&sslmode="
                            .formatted(named.port(), elsewhere.authority());
            NamClient.connect(url + "verify-ca").close();
            assertThat(refusal(() -> NamClient.connect(url + "verify-full")))
                    .hasMessageContaining("not of the host \"127.0.0.1\"");
        }
    }
}
