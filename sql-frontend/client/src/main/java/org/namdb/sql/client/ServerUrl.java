package org.namdb.sql.client;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// A server's address, and the user to connect as.
///
/// @param host its name or address
/// @param port its TCP port
/// @param database any name: a server has one database
/// @param user the user's name
/// @param password null if none is known
/// @param sslMode whether the connection is encrypted
/// @param sslRootCertificate the file of the certificates (PEM) by which the server's one must be
///     signed, or `system` for those that the JDK trusts; null if there are none
public record ServerUrl(
        String host,
        int port,
        String database,
        String user,
        @Nullable String password,
        SslMode sslMode,
        @Nullable String sslRootCertificate) {
    static final String SYSTEM_ROOTS = "system";
    private static final int DEFAULT_PORT = 5432;
    private static final String DEFAULT_NAME = "namdb";
    private static final int PASSWORD_FIELDS = 5;
    private static final List<String> OPTIONS = List.of("sslmode", "sslrootcert");

    /// Whether a text begins as a server's URL does.
    public static boolean isUrl(String text) {
        return text.startsWith("postgresql:") || text.startsWith("postgres:");
    }

    /// Reads a URL, as `postgresql://user:password@host:port/database?sslmode=verify-full`; the
    /// options are `sslmode` and `sslrootcert`. What it leaves open is as PostgreSQL's clients have
    /// it: the variables PGHOST, PGPORT, PGDATABASE, PGUSER, PGPASSWORD, PGSSLMODE and
    /// PGSSLROOTCERT, then the password file (PGPASSFILE, or `~/.pgpass`) and the root certificates
    /// of `~/.postgresql/root.crt`, then `localhost`, 5432, `namdb` and `sslmode=prefer`.
    ///
    /// @throws SqlException 22023 if it is no URL of a server
    public static ServerUrl parse(String url) {
        return parse(url, System.getenv(), Path.of(System.getProperty("user.home", "")));
    }

    static ServerUrl parse(String url, Map<String, String> environment, Path home) {
        URI address;
        try {
            address = new URI(url.replaceFirst("^postgres(ql)?:/?/?(?=[?]|$)", "postgresql:///"));
        } catch (URISyntaxException e) {
            throw malformed(url);
        }
        String authority = address.getRawAuthority() == null ? "" : address.getRawAuthority();
        boolean isNamed = address.getHost() != null || authority.isEmpty();
        if (!isUrl(url) || !isNamed) {
            throw malformed(url);
        }
        String[] user =
                (address.getRawUserInfo() == null ? "" : address.getRawUserInfo()).split(":", 2);
        String host =
                address.getHost() == null
                        ? environment.getOrDefault("PGHOST", "localhost")
                        : address.getHost().replaceAll("[\\[\\]]", "");
        int port = address.getPort() < 0 ? port(environment) : address.getPort();
        String path = address.getRawPath() == null ? "" : decoded(address.getRawPath());
        String database =
                path.length() > 1
                        ? path.substring(1)
                        : environment.getOrDefault("PGDATABASE", DEFAULT_NAME);
        String name =
                user[0].isEmpty()
                        ? environment.getOrDefault("PGUSER", DEFAULT_NAME)
                        : decoded(user[0]);
        String password = user.length < 2 ? environment.get("PGPASSWORD") : decoded(user[1]);
        Map<String, String> options = options(url, address.getRawQuery());
        String root = chosen(options.get("sslrootcert"), environment.get("PGSSLROOTCERT"), home);
        String mode = options.getOrDefault("sslmode", environment.get("PGSSLMODE"));
        ServerUrl parsed =
                new ServerUrl(host, port, database, name, password, mode(mode, root), root);
        return password == null ? parsed.withPassword(parsed.kept(environment, home)) : parsed;
    }

    private static SqlException malformed(String url) {
        return new SqlException(
                        SqlState.INVALID_PARAMETER_VALUE, "'" + url + "' is no URL of a server")
                .withHint(
                        "It is postgresql://user:password@host:port/database, and may end with ?sslmode=MODE and"
                                + " &sslrootcert=FILE.");
    }

    private static Map<String, String> options(String url, @Nullable String query) {
        Map<String, String> options = new HashMap<>();
        for (String each : query == null ? new String[0] : query.split("&", -1)) {
            int equals = each.indexOf('=');
            String name = equals < 0 ? each : each.substring(0, equals);
            if (!OPTIONS.contains(name) || equals < 0) {
                throw new SqlException(
                                SqlState.INVALID_PARAMETER_VALUE,
                                "'%s' has an unknown option \"%s\"".formatted(url, name))
                        .withHint("A URL has the options " + String.join(", ", OPTIONS) + ".");
            }
            options.put(name, decoded(each.substring(equals + 1)));
        }
        return options;
    }

    /// The file of root certificates; the default one only if it is there.
    private static @Nullable String chosen(
            @Nullable String option, @Nullable String variable, Path home) {
        String given = option == null ? variable : option;
        if (given != null && !given.isEmpty()) {
            return given;
        }
        Path usual = home.resolve(".postgresql").resolve("root.crt");
        return Files.exists(usual) ? usual.toString() : null;
    }

    /// @throws SqlException 22023 if it is none, or does not go with the root certificates
    private static SslMode mode(@Nullable String text, @Nullable String root) {
        boolean isSystem = SYSTEM_ROOTS.equals(root);
        if (text == null || text.isEmpty()) {
            return isSystem ? SslMode.VERIFY_FULL : SslMode.PREFER;
        }
        SslMode mode = SslMode.parse(text);
        if (isSystem && mode != SslMode.VERIFY_FULL) {
            throw new SqlException(
                            SqlState.INVALID_PARAMETER_VALUE,
                            "weak sslmode \"%s\" may not be used with sslrootcert=system"
                                    .formatted(text))
                    .withHint("Use sslmode=verify-full.");
        }
        if (root == null && mode.compareTo(SslMode.VERIFY_CA) >= 0) {
            throw new SqlException(
                            SqlState.INVALID_PARAMETER_VALUE,
                            "sslmode=%s needs root certificates, and there are none"
                                    .formatted(mode))
                    .withHint(
                            "Name their file by sslrootcert or PGSSLROOTCERT, or put it at ~/.postgresql/root.crt;"
                                    + " sslmode=require encrypts without verifying the server.");
        }
        return mode;
    }

    private static int port(Map<String, String> environment) {
        String port = environment.getOrDefault("PGPORT", String.valueOf(DEFAULT_PORT));
        try {
            return Integer.parseInt(port);
        } catch (NumberFormatException e) {
            throw new SqlException(
                            SqlState.INVALID_PARAMETER_VALUE,
                            "PGPORT is a port's number, not '" + port + "'")
                    .causedBy(e);
        }
    }

    /// The same with a password.
    public ServerUrl withPassword(@Nullable String newPassword) {
        return new ServerUrl(host, port, database, user, newPassword, sslMode, sslRootCertificate);
    }

    /// The same in another mode of encryption.
    ServerUrl withSslMode(SslMode mode) {
        return new ServerUrl(host, port, database, user, password, mode, sslRootCertificate);
    }

    /// As in `db.example.org:5432`.
    public String address() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }

    /// The password of the first line of the password file that fits:
    /// `host:port:database:user:password`, where * matches everything and colons and backslashes
    /// are escaped by a backslash.
    private @Nullable String kept(Map<String, String> environment, Path home) {
        String name = environment.get("PGPASSFILE");
        Path file = name == null ? home.resolve(".pgpass") : Path.of(name);
        if (!Files.isReadable(file)) {
            return null;
        }
        try {
            for (String line : Files.readAllLines(file)) {
                List<String> fields = fields(line);
                if (fields.size() == PASSWORD_FIELDS
                        && fits(fields.get(0), host)
                        && fits(fields.get(1), String.valueOf(port))
                        && fits(fields.get(2), database)
                        && fits(fields.get(3), user)) {
                    return fields.getLast();
                }
            }
        } catch (IOException e) {
            throw new SqlException(SqlState.IO_ERROR, file + " can't be read: " + e.getMessage())
                    .causedBy(e);
        }
        return null;
    }

    private static boolean fits(String pattern, String value) {
        return pattern.equals("*") || pattern.equals(value);
    }

    private static List<String> fields(String line) {
        List<String> fields = new ArrayList<>();
        StringBuilder field = new StringBuilder();
        for (int i = 0; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '\\' && i + 1 < line.length()) {
                field.append(line.charAt(++i));
            } else if (c == ':' && fields.size() < PASSWORD_FIELDS - 1) {
                fields.add(field.toString());
                field.setLength(0);
            } else {
                field.append(c);
            }
        }
        fields.add(field.toString());
        return line.startsWith("#") ? List.of() : fields;
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    /// Without the password.
    @Override
    public String toString() {
        return "postgresql://" + user + "@" + address() + "/" + database;
    }
}
