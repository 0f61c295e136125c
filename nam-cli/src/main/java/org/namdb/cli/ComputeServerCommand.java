package org.namdb.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.config.ConfigException;
import org.namdb.cluster.config.HostPort;
import org.namdb.cluster.membership.MembershipException;
import org.namdb.compute.LeaseLostException;
import org.namdb.compute.NamDb;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.tls.TlsIdentity;
import org.namdb.sql.engine.SqlDatabase;
import org.namdb.sql.server.MetricsServer;
import org.namdb.sql.server.Passwords;
import org.namdb.sql.server.ServerOptions;
import org.namdb.sql.server.SqlServer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `nam compute-server`: a compute server of a cluster, until it is ended.
///
/// One that was fenced, since it was silent for longer than its lease, joins again as a new compute
/// server, with the same clients. Where it has mapped memory it can't: its process was killed, to
/// fence it.
///
/// Exit status: 0 if it was ended, 1 if it could not be attached, or a memory server has died.
@Command(
        name = "compute-server",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Runs a compute server of a cluster until it is ended, by SIGTERM or Ctrl-C.",
            "",
            "It waits for the memory servers, does background maintenance, and recovers compute servers that die.",
            "Where the configuration has sql.listen, it serves PostgreSQL's clients.",
            "If it is fenced itself (it was silent for longer than its lease), it joins the cluster again."
        })
final class ComputeServerCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Mixin private ConfigOptions options;

    @Option(names = "--print-config", description = "Show all settings and where each is from.")
    private boolean isPrinted;

    /// Its number, and whether it is joining again.
    private int process;

    private boolean isAway;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        if (isPrinted) {
            out.print(options.settings().describe());
            out.flush();
            return 0;
        }
        try {
            ClusterConfig config = options.config();
            ServerOptions sql = sql(config.sql());
            NamDb db = NamDb.connect(config);
            if (isEnded(out, db, sql, config.sql().metricsListen())) {
                return 0;
            }
            return failed(
                    db.loss()
                            + (isDatabaseLost(db)
                                    ? "; start the cluster again"
                                    : "; start it again"));
        } catch (ConfigException
                | FabricException
                | MembershipException
                | IllegalStateException e) {
            return failed(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            return failed("can't listen at sql.listen or sql.metrics-listen: " + e.getMessage());
        }
    }

    /// How it serves clients; null if it serves none.
    private static @Nullable ServerOptions sql(ClusterConfig.Sql sql) throws IOException {
        HostPort listen = sql.listen();
        if (listen == null) {
            return null;
        }
        try {
            ServerOptions options =
                    ServerOptions.DEFAULT
                            .withProcedures(sql.allowsProcedures())
                            .withMaxConnections(sql.connections())
                            .withMaxSessions(sql.sessions())
                            .withMaxMessageBytes(sql.maxMessageBytes())
                            .withLogMinDuration(sql.logMinDuration())
                            .withTimeouts(
                                    ServerOptions.DEFAULT.sessionTimeout(),
                                    ServerOptions.DEFAULT.clientTimeout(),
                                    sql.statementTimeout(),
                                    sql.idleInTransactionTimeout());
            if (sql.users() != null) {
                options = options.withPasswords(Passwords.read(sql.users()));
            }
            if (sql.tlsCertificate() != null && sql.tlsKey() != null) {
                options = options.withTls(TlsIdentity.server(sql.tlsCertificate(), sql.tlsKey()));
            }
            return options.withAddress(listen.socketAddress());
        } catch (IllegalArgumentException e) {
            throw new ConfigException("sql.listen and sql.users: " + e.getMessage());
        } catch (FabricException e) {
            throw new ConfigException("sql.tls-certificate: " + e.getMessage());
        }
    }

    /// Serves until it is ended, or has lost its place in the cluster.
    ///
    /// @throws IOException if it can't listen
    private boolean isEnded(
            PrintWriter out, NamDb db, @Nullable ServerOptions sql, @Nullable HostPort metricsAt)
            throws IOException {
        SqlDatabase database = SqlDatabase.of(db);
        SqlServer server = null;
        MetricsServer metrics;
        try {
            server = sql == null ? null : SqlServer.start(database, sql);
            metrics =
                    metricsAt == null
                            ? null
                            : MetricsServer.start(metricsAt.socketAddress(), database, server);
        } catch (IOException e) {
            close(null, server, db);
            throw e;
        }
        SqlServer clients = server;
        int servers = db.usage().size();
        String what =
                " is ready, with %d memory server%s%s"
                        .formatted(
                                servers,
                                servers == 1 ? "" : "s",
                                (server == null ? "" : ", listening on " + text(server.address()))
                                        + (metrics == null
                                                ? ""
                                                : ", metrics at http://"
                                                        + text(metrics.address())
                                                        + "/"));
        process = db.process();
        return ServerLife.live(
                out,
                "compute server " + process + what,
                () -> close(metrics, clients, db),
                () -> isOver(db, out, what));
    }

    /// Reports when it has lost its lease, and when it has joined again.
    ///
    /// @return whether it can't go on
    private boolean isOver(NamDb db, PrintWriter out, String what) {
        String loss = db.loss();
        if (loss != null && !isAway && !db.isLost()) {
            isAway = true;
            spec.commandLine().getErr().println("nam compute-server: " + loss + "; it joins again");
        }
        if (db.process() != process) {
            isAway = false;
            process = db.process();
            out.println("compute server " + process + what);
            out.flush();
        }
        return db.isLost();
    }

    private static String text(InetSocketAddress address) {
        return new HostPort(address.getAddress().getHostAddress(), address.getPort()).toString();
    }

    private static boolean isDatabaseLost(NamDb db) {
        try {
            List<String> _ = db.tableNames();
            return false;
        } catch (LeaseLostException e) {
            return e.isDatabaseLost();
        }
    }

    private void close(@Nullable MetricsServer metrics, @Nullable SqlServer server, NamDb db) {
        try {
            if (metrics != null) {
                metrics.close();
            }
            if (server != null) {
                server.close();
            }
        } finally {
            close(db);
        }
    }

    /// Reports a failure at once: when it is closed, the JVM ends.
    private void close(NamDb db) {
        try {
            db.close();
        } catch (FabricException e) {
            if (!db.isLost()) {
                int _ = failed("what it held is left for others to recover: " + e.getMessage());
            }
        }
    }

    private int failed(String why) {
        spec.commandLine().getErr().println("nam compute-server: " + why);
        return 1;
    }
}
