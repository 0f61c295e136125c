package org.namdb.sql.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.sql.language.error.SqlException;

/// Where a URL leads, with what the environment and the password file add.
class ServerUrlTest {
    @TempDir private Path home;

    private ServerUrl parse(String url, Map<String, String> environment) {
        return ServerUrl.parse(url, environment, home);
    }

    @Test
    void aUrlMaySayAll() {
        assertThat(
                        parse(
                                "postgresql://ada:p%40s+s@db.example.org:6543/bank",
                                Map.of("PGUSER", "x")))
                .isEqualTo(
                        new ServerUrl(
                                "db.example.org",
                                6543,
                                "bank",
                                "ada",
                                "p@s+s",
                                SslMode.PREFER,
                                null));
        assertThat(parse("postgres://[::1]", Map.of()))
                .isEqualTo(
                        new ServerUrl("::1", 5432, "namdb", "namdb", null, SslMode.PREFER, null));
        assertThat(parse("postgres://[::1]", Map.of()).address()).isEqualTo("[::1]:5432");
    }

    @Test
    void whatItLeavesOpenIsTheEnvironments() {
        Map<String, String> environment =
                Map.of(
                        "PGHOST",
                        "h",
                        "PGPORT",
                        "1",
                        "PGDATABASE",
                        "d",
                        "PGUSER",
                        "u",
                        "PGPASSWORD",
                        "p");
        ServerUrl expected = new ServerUrl("h", 1, "d", "u", "p", SslMode.PREFER, null);
        for (String url : new String[] {"postgresql:", "postgres://", "postgresql:///"}) {
            assertThat(parse(url, environment)).as(url).isEqualTo(expected);
        }
    }

    @Test
    void thePasswordFileHasPasswords() throws IOException {
        Files.writeString(
                home.resolve(".pgpass"),
                """
                # host:port:database:user:password
                other:*:*:*:wrong
                localhost:5432:*:ada:se\\:cr\\\\et:with colon
                *:*:*:*:last
                """);
        assertThat(parse("postgresql://ada@localhost", Map.of()).password())
                .isEqualTo("se:cr\\et:with colon");
        assertThat(parse("postgresql://bob@localhost", Map.of()).password()).isEqualTo("last");
        assertThat(parse("postgresql://ada:own@localhost", Map.of()).password()).isEqualTo("own");
    }

    @Test
    void encryptionIsAsLibpqHasIt() throws IOException {
        ServerUrl plain = parse("postgresql://h", Map.of());
        assertThat(plain.sslMode()).isEqualTo(SslMode.PREFER);
        ServerUrl both = parse("postgresql://h/d?sslmode=verify-full&sslrootcert=a%20b", Map.of());
        assertThat(both.sslMode()).isEqualTo(SslMode.VERIFY_FULL);
        assertThat(both.sslRootCertificate()).isEqualTo("a b");
        Map<String, String> environment =
                Map.of("PGSSLMODE", "verify-ca", "PGSSLROOTCERT", "root.pem");
        ServerUrl variables = parse("postgresql:", environment);
        assertThat(variables.sslMode()).isEqualTo(SslMode.VERIFY_CA);
        assertThat(variables.sslRootCertificate()).isEqualTo("root.pem");
        assertThat(parse("postgresql:?sslmode=disable", environment).sslMode())
                .isEqualTo(SslMode.DISABLE);
        assertThat(parse("postgresql:?sslrootcert=system", Map.of()).sslMode())
                .isEqualTo(SslMode.VERIFY_FULL);
        Path usual = home.resolve(".postgresql").resolve("root.crt");
        Files.createDirectories(usual.getParent());
        Files.writeString(usual, "");
        assertThat(parse("postgresql:?sslmode=verify-ca", Map.of()).sslRootCertificate())
                .isEqualTo(usual.toString());
    }

    @ParameterizedTest
    @CsvSource({
        "sslmode=on, is one of disable",
        "sslmode=verify-ca, sslrootcert or PGSSLROOTCERT",
        "sslmode=require&sslrootcert=system, Use sslmode=verify-full",
        "sslcert=x, 'sslmode, sslrootcert'",
        "sslmode, 'sslmode, sslrootcert'"
    })
    void anOptionThatMakesNoSenseIsRefusedWithAHint(String options, String hint) {
        assertThatThrownBy(() -> parse("postgresql://h?" + options, Map.of()))
                .isInstanceOfSatisfying(
                        SqlException.class,
                        e -> {
                            assertThat(e.state().code()).isEqualTo("22023");
                            assertThat(e.hint()).contains(hint);
                        });
    }

    @Test
    void aPasswordIsNotShown() {
        assertThat(parse("postgresql://ada:secret@localhost", Map.of()).toString())
                .isEqualTo("postgresql://ada@localhost:5432/namdb");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "embedded:",
                "http://localhost",
                "postgresql://a b",
                "postgresql://localhost?x=1",
                "postgresql://localhost:x"
            })
    void otherTextsAreRefused(String url) {
        assertThatThrownBy(() -> parse(url, Map.of()))
                .isInstanceOfSatisfying(
                        SqlException.class, e -> assertThat(e.state().code()).isEqualTo("22023"));
    }
}
