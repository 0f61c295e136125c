package org.namdb.cluster.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.rdma.RdmaOptions;
import org.namdb.fabric.tcp.TcpServerOptions;

/// All settings of a cluster, in the order in which they are shown.
final class ClusterKeys {
    private static final int MAX_SLOTS = 1 << 14;
    private static final long MIN_MEMORY_BYTES = 16L << 20;
    private static final int MAX_PORTS = 255;
    private static final int MAX_GIDS = 256;
    private static final int MAX_VERBS = 1 << 14;
    private static final int MIN_LANDING_BYTES = 64 << 10;
    private static final int MAX_LANDING_BYTES = 256 << 20;
    private static final int MAX_CONNECTIONS = 1 << 20;
    private static final int MIN_MESSAGE_BYTES = 64 << 10;
    private static final int MAX_MESSAGE_BYTES = 1 << 30;
    private static final int MIN_LINE_BYTES = 64;
    private static final int MAX_LINE_BYTES = 32 << 10;
    private static final long MIN_CACHE_BYTES = 1 << 20;
    private static final long MAX_CACHE_BYTES = 1L << 30;
    private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9-]{0,62}");

    static final Setting<String> NAME_OF_CLUSTER =
            new Setting<>("name", ClusterKeys::name, "namdb");
    static final Setting<HostPort> ADDRESS =
            new Setting<>("memory-servers[].address", HostPort::parse, null);
    static final Setting<Long> MEMORY =
            new Setting<>("memory-servers[].memory", ClusterKeys::memory, "1g");
    static final Setting<Path> DIRECTORY = path("memory-servers[].directory");
    static final Setting<Integer> WORKERS =
            Setting.number("memory-servers[].workers", 1, TcpServerOptions.MAX_WORKERS, 1);
    static final Setting<Path> DATA = path("memory-servers[].data");
    static final Setting<Integer> SLOTS = Setting.number("slots", 4, MAX_SLOTS, 256);
    static final Setting<Integer> VECTOR_SERVERS =
            Setting.number("vector-servers", 1, RemoteAddress.MAX_SERVERS, 1);
    static final Setting<Boolean> REPLICATED_COMMITS =
            new Setting<>("replicated-commits", ClusterKeys::bool, "false");
    static final Setting<ClusterDurability> DURABILITY =
            Setting.choice("durability", ClusterDurability.SYNC);
    static final Setting<Duration> MAX_TRANSACTION_TIME =
            duration("max-transaction-time", Duration.ofMillis(100), "60s");
    static final Setting<Transport> TRANSPORT = Setting.choice("transport", Transport.TCP);
    static final Setting<String> RDMA_DEVICE = Setting.text("rdma.device", null);
    static final Setting<Integer> RDMA_PORT = Setting.number("rdma.port", 1, MAX_PORTS);
    static final Setting<Integer> RDMA_GID = Setting.number("rdma.gid", 0, MAX_GIDS - 1);
    static final Setting<Integer> RDMA_LANDING_BUFFER =
            new Setting<>("rdma.landing-buffer", ClusterKeys::landing, "1m");
    static final Setting<Integer> RDMA_SEND_DEPTH =
            Setting.number("rdma.send-depth", 1, MAX_VERBS, RdmaOptions.DEFAULT.sendDepth());
    static final Setting<Duration> RDMA_TIMEOUT =
            duration("rdma.timeout", Duration.ofMillis(100), "10s");
    static final Setting<Path> TOKEN_FILE = path("security.token-file");
    static final Setting<Path> TLS_CERTIFICATE = path("security.tls.certificate");
    static final Setting<Path> TLS_KEY = path("security.tls.key");
    static final Setting<Path> TLS_AUTHORITY = path("security.tls.authority");
    static final Setting<List<HostPort>> ZOOKEEPER =
            new Setting<>("membership.zookeeper", ClusterKeys::addresses, null);
    static final Setting<Duration> LEASE =
            duration("membership.lease", Duration.ofMillis(500), "10s");
    static final Setting<Integer> EXECUTION_THREADS =
            Setting.number(
                    "compute.execution-threads",
                    1,
                    MAX_SLOTS,
                    Runtime.getRuntime().availableProcessors());
    static final Setting<Duration> MAINTENANCE_INTERVAL =
            duration("compute.maintenance-interval", Duration.ofMillis(1), "20ms");
    static final Setting<Duration> SCHEMA_WAIT =
            duration("compute.schema-wait", Duration.ZERO, "5s");
    static final Setting<Duration> ATTACH_WAIT =
            duration("compute.attach-wait", Duration.ZERO, "60s");
    static final Setting<HostPort> PEERS = new Setting<>("compute.peers", HostPort::parse, null);
    static final Setting<Integer> LINE_BYTES =
            new Setting<>("compute.line-bytes", ClusterKeys::line, "64");
    static final Setting<Long> LINE_CACHE =
            new Setting<>("compute.line-cache", ClusterKeys::cache, "1m");
    static final Setting<HostPort> SQL_LISTEN = new Setting<>("sql.listen", HostPort::parse, null);
    static final Setting<Path> SQL_USERS = path("sql.users");
    static final Setting<Boolean> SQL_ALLOW_PROCEDURES =
            new Setting<>("sql.allow-procedures", ClusterKeys::bool, "false");
    static final Setting<Path> SQL_TLS_CERTIFICATE = path("sql.tls-certificate");
    static final Setting<Path> SQL_TLS_KEY = path("sql.tls-key");
    static final Setting<Integer> SQL_CONNECTIONS =
            Setting.number("sql.connections", 1, MAX_CONNECTIONS, 2_000);
    static final Setting<Integer> SQL_SESSIONS = Setting.number("sql.sessions", 1, MAX_SLOTS, 32);
    static final Setting<Duration> SQL_STATEMENT_TIMEOUT =
            duration("sql.statement-timeout", Duration.ZERO, "0s");
    static final Setting<Duration> SQL_IDLE_IN_TRANSACTION_TIMEOUT =
            duration("sql.idle-in-transaction-timeout", Duration.ZERO, "5m");
    static final Setting<Duration> SQL_LOG_MIN_DURATION =
            duration("sql.log-min-duration-statement", Duration.ZERO, null);
    static final Setting<HostPort> SQL_METRICS_LISTEN =
            new Setting<>("sql.metrics-listen", HostPort::parse, null);
    static final Setting<Integer> SQL_MAX_MESSAGE =
            new Setting<>("sql.max-message", ClusterKeys::message, "64m");

    static final List<Setting<?>> ALL =
            List.of(
                    NAME_OF_CLUSTER,
                    ADDRESS,
                    MEMORY,
                    DIRECTORY,
                    WORKERS,
                    DATA,
                    SLOTS,
                    VECTOR_SERVERS,
                    REPLICATED_COMMITS,
                    DURABILITY,
                    MAX_TRANSACTION_TIME,
                    TRANSPORT,
                    RDMA_DEVICE,
                    RDMA_PORT,
                    RDMA_GID,
                    RDMA_LANDING_BUFFER,
                    RDMA_SEND_DEPTH,
                    RDMA_TIMEOUT,
                    TOKEN_FILE,
                    TLS_CERTIFICATE,
                    TLS_KEY,
                    TLS_AUTHORITY,
                    ZOOKEEPER,
                    LEASE,
                    EXECUTION_THREADS,
                    MAINTENANCE_INTERVAL,
                    SCHEMA_WAIT,
                    ATTACH_WAIT,
                    PEERS,
                    LINE_BYTES,
                    LINE_CACHE,
                    SQL_LISTEN,
                    SQL_USERS,
                    SQL_ALLOW_PROCEDURES,
                    SQL_TLS_CERTIFICATE,
                    SQL_TLS_KEY,
                    SQL_CONNECTIONS,
                    SQL_SESSIONS,
                    SQL_STATEMENT_TIMEOUT,
                    SQL_IDLE_IN_TRANSACTION_TIMEOUT,
                    SQL_LOG_MIN_DURATION,
                    SQL_METRICS_LISTEN,
                    SQL_MAX_MESSAGE);

    private ClusterKeys() {}

    private static Setting<Path> path(String name) {
        return new Setting<>(name, ClusterKeys::pathOf, null);
    }

    private static Setting<Duration> duration(
            String name, Duration least, @Nullable String standard) {
        return new Setting<>(name, text -> duration(text, least), standard);
    }

    private static String name(String text) {
        if (!NAME.matcher(text).matches()) {
            throw new IllegalArgumentException(
                    "it has 1 to 63 of a to z, 0 to 9 and -, and is not '" + text + "'");
        }
        return text;
    }

    private static boolean bool(String text) {
        return switch (text.strip()) {
            case "true" -> true;
            case "false" -> false;
            default ->
                    throw new IllegalArgumentException("it is true or false, not '" + text + "'");
        };
    }

    private static long memory(String text) {
        long bytes = ByteSize.parse(text).bytes();
        if (bytes < MIN_MEMORY_BYTES) {
            throw new IllegalArgumentException("it is 16m or more, not '" + text + "'");
        }
        return bytes & -4096;
    }

    private static int landing(String text) {
        long bytes = ByteSize.parse(text).bytes();
        if (bytes < MIN_LANDING_BYTES || bytes > MAX_LANDING_BYTES) {
            throw new IllegalArgumentException("it is 64k to 256m, not '" + text + "'");
        }
        return (int) bytes & -4096;
    }

    private static int line(String text) {
        long bytes = ByteSize.parse(text).bytes();
        if (bytes < MIN_LINE_BYTES || bytes > MAX_LINE_BYTES || Long.bitCount(bytes) != 1) {
            throw new IllegalArgumentException(
                    "it is a power of two from 64 to 32k, not '" + text + "'");
        }
        return (int) bytes;
    }

    private static long cache(String text) {
        long bytes = ByteSize.parse(text).bytes();
        if (bytes < MIN_CACHE_BYTES || bytes > MAX_CACHE_BYTES) {
            throw new IllegalArgumentException("it is 1m to 1g, not '" + text + "'");
        }
        return bytes;
    }

    private static int message(String text) {
        long bytes = ByteSize.parse(text).bytes();
        if (bytes < MIN_MESSAGE_BYTES || bytes > MAX_MESSAGE_BYTES) {
            throw new IllegalArgumentException("it is 64k to 1g, not '" + text + "'");
        }
        return (int) bytes;
    }

    private static Path pathOf(String text) {
        if (text.isBlank()) {
            throw new IllegalArgumentException("it is the path of a file, and can't be empty");
        }
        return Path.of(text.strip());
    }

    private static Duration duration(String text, Duration least) {
        Duration duration = DurationText.parse(text.strip());
        if (duration.compareTo(least) < 0) {
            throw new IllegalArgumentException(
                    "it is %s or more, not '%s'".formatted(DurationText.describe(least), text));
        }
        return duration;
    }

    private static List<HostPort> addresses(String text) {
        List<HostPort> addresses = new ArrayList<>();
        for (String each : text.split(",", -1)) {
            addresses.add(HostPort.parse(each));
        }
        return List.copyOf(addresses);
    }
}
