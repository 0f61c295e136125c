package org.namdb.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.namdb.cluster.config.ByteSize;
import org.namdb.cluster.config.ClusterSettings;
import org.namdb.cluster.config.ConfigException;
import org.namdb.cluster.config.HostPort;
import org.namdb.cluster.membership.MembershipException;
import org.namdb.compute.NamDb;
import org.namdb.compute.journal.JournalException;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.tls.TlsIdentity;
import org.namdb.sql.engine.SqlDatabase;
import org.namdb.sql.server.MetricsServer;
import org.namdb.sql.server.Passwords;
import org.namdb.sql.server.ServerOptions;
import org.namdb.sql.server.SqlServer;
import org.namdb.sql.shell.ShellException;
import org.namdb.sql.shell.ShellUrl;
import org.namdb.sql.shell.local.LocalDatabase;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `nam server`: a database that PostgreSQL's clients connect to, until it is ended.
///
/// Exit status: 0 if it was ended, 1 if it could not start or has lost its place in the cluster, 2
/// for wrong usage.
@Command(
        name = "server",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        abbreviateSynopsis = true,
        description = {
            "Serves a database to PostgreSQL's clients, as psql and JDBC, until it is ended by"
                    + " SIGTERM or Ctrl-C.",
            "",
            "The database is in this process's memory, and gone at the end; with --data it is kept"
                    + " in a directory, and with --cluster it is a cluster's."
        },
        optionListHeading = "%nOptions:%n",
        footer = {
            "",
            "Examples:",
            "  nam server --trust",
            "  nam server --trust --data shop",
            "  nam server --trust --listen 127.0.0.1:15432 --memory 8g",
            "  nam server --users users.txt --listen 0.0.0.0:5432",
            "",
            "Exit status: 0 if it was ended, 1 if it could not start or has lost its place",
            "in the cluster, 2 for wrong usage."
        })
final class ServerCommand implements Callable<Integer> {
    private static final String ANY = "0.0.0.0";

    @Spec private CommandSpec spec;

    @Option(
            names = "--listen",
            order = 0,
            paramLabel = "HOST:PORT",
            description = "Where to listen (default: 127.0.0.1:5432); port 0 for any free one.")
    private String listen = "127.0.0.1:5432";

    @Option(
            names = "--trust",
            order = 1,
            description = "Do not require passwords. On a loopback address only.")
    private boolean isTrusting;

    @Option(
            names = "--users",
            order = 2,
            paramLabel = "FILE",
            description =
                    "Let those in that this file names: a line is user:password, or user: and"
                            + " PostgreSQL's SCRAM-SHA-256$.. form.")
    private @Nullable Path users;

    @Option(
            names = "--cluster",
            order = 3,
            paramLabel = "FILE",
            description = "Serve the cluster that this file describes.")
    private @Nullable Path cluster;

    @Mixin private DataOptions data;

    @Option(
            names = "--backups",
            order = 3,
            paramLabel = "DIR",
            description =
                    "With --data: let clients write backups in this directory, by BACKUP TO"
                            + " 'name'.")
    private @Nullable Path backups;

    @Option(
            names = "--memory",
            order = 4,
            paramLabel = "SIZE",
            description =
                    "Memory of a database in this process, as in 8g (default: 4g). It is taken from"
                            + " the machine only as it is used.")
    private @Nullable String memory;

    @Option(
            names = "--connections",
            order = 5,
            paramLabel = "N",
            description = "How many clients may be connected (default: ${DEFAULT-VALUE}).")
    private int connections = ServerOptions.DEFAULT.maxConnections();

    @Option(
            names = "--sessions",
            order = 6,
            paramLabel = "N",
            description =
                    "How many statements and transaction blocks may run at a time (default:"
                            + " ${DEFAULT-VALUE}).")
    private int sessions = ServerOptions.DEFAULT.maxSessions();

    @Option(
            names = "--statement-timeout",
            order = 7,
            paramLabel = "SECONDS",
            description = "The longest time of a statement, in seconds (default: 0, no limit).")
    private int statementSeconds;

    @Option(
            names = "--idle-in-transaction-timeout",
            order = 8,
            paramLabel = "SECONDS",
            description =
                    "How many seconds a client may leave a block idle (default: ${DEFAULT-VALUE} s;"
                            + " 0 for no limit).")
    private int idleSeconds = (int) ServerOptions.DEFAULT.idleInTransactionTimeout().toSeconds();

    @Option(
            names = "--max-message",
            order = 9,
            paramLabel = "SIZE",
            description = "The longest message of a client, as in 16m (default: ${DEFAULT-VALUE}).")
    private String maxMessage = "64m";

    @Option(
            names = "--log-min-duration",
            order = 9,
            paramLabel = "MILLIS",
            description =
                    "Log statements that take so many milliseconds; 0 for all (default: none).")
    private @Nullable Integer logMillis;

    @Option(
            names = "--metrics",
            order = 9,
            paramLabel = "HOST:PORT",
            description =
                    "Where to serve /metrics, /healthz, /readyz and a dashboard by HTTP, to any"
                            + " client (default: nowhere).")
    private @Nullable String metricsListen;

    @Option(
            names = "--allow-procedures",
            order = 9,
            description =
                    "Let clients submit procedures. They are Java code, and may do all that this"
                            + " process may.")
    private boolean allowsProcedures;

    @Option(
            names = "--tls-certificate",
            order = 10,
            paramLabel = "FILE",
            description =
                    "The server's certificate with its chain, in PEM: clients may encrypt their"
                            + " connections.")
    private @Nullable Path certificate;

    @Option(
            names = "--tls-key",
            order = 11,
            paramLabel = "FILE",
            description = "The certificate's private key, in PEM (PKCS#8).")
    private @Nullable Path key;

    private @Nullable InetSocketAddress metricsAddress;

    @Override
    public Integer call() {
        ServerOptions options = options();
        data.check();
        if (backups != null && !data.isKept()) {
            throw wrong("--backups is for a database that is kept: it needs --data");
        }
        NamDb db;
        try {
            db = open(options);
        } catch (ConfigException
                | FabricException
                | MembershipException
                | ShellException
                | IllegalStateException e) {
            return failed(String.valueOf(e.getMessage()));
        }
        return serve(db, options);
    }

    private int serve(NamDb db, ServerOptions options) {
        PrintWriter out = spec.commandLine().getOut();
        SqlDatabase database = SqlDatabase.of(db);
        database.allowBackups(backups);
        SqlServer server;
        MetricsServer metrics = null;
        try {
            server = SqlServer.start(database, options);
        } catch (IOException e) {
            close(db);
            return failed("can't listen on " + listen + ": " + e.getMessage());
        }
        if (metricsAddress != null) {
            try {
                metrics = MetricsServer.start(metricsAddress, database, server);
            } catch (IOException e) {
                close(null, server, db);
                return failed("can't listen on " + metricsListen + ": " + e.getMessage());
            }
        }
        MetricsServer started = metrics;
        if (ServerLife.live(
                out, ready(server, started), () -> close(started, server, db), db::isLost)) {
            return 0;
        }
        return failed(db.loss() + "; start it again");
    }

    private String ready(SqlServer server, @Nullable MetricsServer metrics) {
        InetSocketAddress shown = metrics == null ? null : metrics.address();
        return ready(server)
                + (shown == null
                        ? ""
                        : "\n  metrics and dashboard: http://%s/".formatted(text(shown)));
    }

    private static String text(InetSocketAddress address) {
        return new HostPort(address.getAddress().getHostAddress(), address.getPort()).toString();
    }

    private String ready(SqlServer server) {
        InetSocketAddress address = server.address();
        InetAddress host = address.getAddress();
        String name = host.isAnyLocalAddress() ? "127.0.0.1" : host.getHostAddress();
        String user = isTrusting ? "namdb" : "USER";
        String urlName = name.contains(":") ? "[" + name + "]" : name;
        return """
        listening on %s:%d%s
          psql -h %s -p %d -U %s namdb
          jdbc:postgresql://%s:%d/namdb?user=%s\
        """
                .formatted(
                        host.getHostAddress(),
                        address.getPort(),
                        isTrusting ? ", asking for no password" : "",
                        name,
                        address.getPort(),
                        user,
                        urlName,
                        address.getPort(),
                        user);
    }

    private ServerOptions options() {
        if (isTrusting == (users != null)) {
            throw wrong(
                    isTrusting
                            ? "--trust asks for no password, and --users for one: give one of them"
                            : "an option is missing: --users FILE, or --trust for all users of this"
                                    + " machine");
        }
        try {
            ServerOptions options =
                    ServerOptions.DEFAULT
                            .withMaxConnections(connections)
                            .withMaxSessions(sessions)
                            .withProcedures(allowsProcedures)
                            .withMaxMessageBytes(
                                    Math.toIntExact(
                                            Math.min(ByteSize.parse(maxMessage).bytes(), 1 << 30)))
                            .withTimeouts(
                                    ServerOptions.DEFAULT.sessionTimeout(),
                                    ServerOptions.DEFAULT.clientTimeout(),
                                    Duration.ofSeconds(statementSeconds),
                                    Duration.ofSeconds(idleSeconds));
            if (users != null) {
                options = options.withPasswords(Passwords.read(users));
            }
            if (certificate != null && key != null) {
                options = options.withTls(TlsIdentity.server(certificate, key));
            } else if (certificate != null || key != null) {
                throw wrong("--tls-certificate and --tls-key belong together: give both");
            }
            if (logMillis != null) {
                options = options.withLogMinDuration(Duration.ofMillis(logMillis));
            }
            if (metricsListen != null) {
                metricsAddress = address("--metrics", metricsListen, 9187);
            }
            return options.withAddress(address("--listen", listen, 5432));
        } catch (IOException e) {
            throw wrong("--users: %s can't be read: %s".formatted(users, FileErrors.reason(e)));
        } catch (IllegalArgumentException | FabricException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    private InetSocketAddress address(String option, String text, int defaultPort) {
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? text : text.substring(0, colon);
        try {
            int port = colon < 0 ? defaultPort : Integer.parseInt(text.substring(colon + 1));
            if (port < 0 || port > 65535) {
                throw wrong(option + ": a port is 0 to 65535, not " + port);
            }
            return new InetSocketAddress(InetAddress.getByName(host.isEmpty() ? ANY : host), port);
        } catch (NumberFormatException e) {
            throw wrong(option + " is HOST:PORT, not '" + text + "'");
        } catch (UnknownHostException e) {
            throw wrong(option + ": there is no host " + host);
        }
    }

    /// One in this process's memory, or a cluster's.
    private NamDb open(ServerOptions options) {
        if (cluster != null) {
            if (memory != null) {
                throw wrong(
                        "--memory is for a database in this process: with --cluster it is the"
                                + " cluster's own");
            }
            if (data.isKept()) {
                throw wrong("--cluster and --data both say which database");
            }
            return NamDb.connect(ClusterSettings.read(cluster, System.getenv(), Map.of()).config());
        }
        ShellUrl url = url();
        // One slot is for programs that use the database without the server.
        return data.open(
                LocalDatabase.options(url).withSlots(Math.max(64, options.maxSessions() + 1)));
    }

    private ShellUrl url() {
        try {
            ShellUrl url = memory == null ? ShellUrl.DEFAULT : ShellUrl.DEFAULT.withMemory(memory);
            LocalDatabase.requireMemory(url);
            return url;
        } catch (ShellException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    /// Both before the process may end: what is acknowledged is on the disk when the database is
    /// closed.
    private void close(@Nullable MetricsServer metrics, SqlServer server, NamDb db) {
        try {
            if (metrics != null) {
                metrics.close();
            }
            server.close();
        } finally {
            close(db);
        }
    }

    private void close(NamDb db) {
        try {
            db.close();
        } catch (FabricException e) {
            if (!db.isLost()) {
                int _ = failed("what it held is left for others to recover: " + e.getMessage());
            }
        } catch (JournalException e) {
            int _ = failed(String.valueOf(e.getMessage()));
        }
    }

    private int failed(String why) {
        spec.commandLine().getErr().println("nam server: " + why);
        return 1;
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
