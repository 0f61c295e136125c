package org.namdb.cluster.config;

import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.rdma.RdmaOptions;
import org.namdb.fabric.tls.TlsFiles;

/// Makes a configuration of settings, and checks their combinations.
final class ConfigReading {
    private final ClusterSettings settings;

    ConfigReading(ClusterSettings settings) {
        this.settings = settings;
    }

    ClusterConfig config() {
        Transport transport = settings.value(ClusterKeys.TRANSPORT);
        TlsFiles tls = tls();
        if (transport == Transport.RDMA && tls != null) {
            throw new ConfigException(
                    settings.file()
                            + ": security.tls is for TCP, and transport: rdma encrypts nothing; use"
                            + " security.token-file");
        }
        return new ClusterConfig(
                settings.value(ClusterKeys.NAME_OF_CLUSTER),
                memoryServers(),
                settings.value(ClusterKeys.SLOTS),
                vectorServers(),
                replicatedCommits(),
                settings.value(ClusterKeys.DURABILITY),
                settings.value(ClusterKeys.MAX_TRANSACTION_TIME),
                transport,
                rdma(),
                new ClusterConfig.Security(path(ClusterKeys.TOKEN_FILE, 0), tls),
                membership(),
                new ClusterConfig.Compute(
                        settings.value(ClusterKeys.EXECUTION_THREADS),
                        settings.value(ClusterKeys.MAINTENANCE_INTERVAL),
                        settings.value(ClusterKeys.SCHEMA_WAIT),
                        settings.value(ClusterKeys.ATTACH_WAIT),
                        peers(tls),
                        new ClusterConfig.Lines(
                                settings.value(ClusterKeys.LINE_BYTES),
                                settings.value(ClusterKeys.LINE_CACHE))),
                sql());
    }

    private @Nullable HostPort peers(@Nullable TlsFiles tls) {
        HostPort peers = settings.find(ClusterKeys.PEERS, 0);
        if (peers == null) {
            return null;
        }
        if (settings.find(ClusterKeys.ZOOKEEPER, 0) == null) {
            throw new ConfigException(
                    settings.file()
                            + ": compute.peers needs membership.zookeeper, by which compute servers"
                            + " find each other");
        }
        InetAddress address = peers.socketAddress().getAddress();
        boolean isOpen = address != null && !address.isLoopbackAddress();
        if (isOpen && tls == null && path(ClusterKeys.TOKEN_FILE, 0) == null) {
            throw new ConfigException(
                    "%s: compute.peers: %s can be reached from other machines: give the cluster a security.token-file, or security.tls"
                            .formatted(settings.file(), peers));
        }
        return peers;
    }

    private ClusterConfig.Sql sql() {
        Path certificate = path(ClusterKeys.SQL_TLS_CERTIFICATE, 0);
        Path key = path(ClusterKeys.SQL_TLS_KEY, 0);
        if ((certificate == null) != (key == null)) {
            throw new ConfigException(
                    "%s: sql.tls-certificate and sql.tls-key belong together: give both"
                            .formatted(settings.file()));
        }
        return new ClusterConfig.Sql(
                settings.find(ClusterKeys.SQL_LISTEN, 0),
                path(ClusterKeys.SQL_USERS, 0),
                settings.value(ClusterKeys.SQL_ALLOW_PROCEDURES),
                certificate,
                key,
                settings.value(ClusterKeys.SQL_CONNECTIONS),
                settings.value(ClusterKeys.SQL_SESSIONS),
                settings.value(ClusterKeys.SQL_STATEMENT_TIMEOUT),
                settings.value(ClusterKeys.SQL_IDLE_IN_TRANSACTION_TIMEOUT),
                settings.value(ClusterKeys.SQL_MAX_MESSAGE),
                settings.find(ClusterKeys.SQL_LOG_MIN_DURATION, 0),
                settings.find(ClusterKeys.SQL_METRICS_LISTEN, 0));
    }

    private List<ClusterConfig.Memory> memoryServers() {
        List<ClusterConfig.Memory> servers = new ArrayList<>();
        for (int number = 0; number < settings.servers(); number++) {
            HostPort address = settings.find(ClusterKeys.ADDRESS, number);
            Long bytes = settings.find(ClusterKeys.MEMORY, number);
            Integer workers = settings.find(ClusterKeys.WORKERS, number);
            if (address == null || bytes == null || workers == null) {
                throw new ConfigException(
                        "%s: memory-servers[%d] has no address, as in 10.0.0.1:7400"
                                .formatted(settings.file(), number));
            }
            servers.add(
                    new ClusterConfig.Memory(
                            address,
                            bytes,
                            path(ClusterKeys.DIRECTORY, number),
                            workers,
                            path(ClusterKeys.DATA, number)));
        }
        if (servers.isEmpty()) {
            throw new ConfigException(
                    settings.file()
                            + ": memory-servers is empty; give each of them an item, as in"
                            + " '- address: 10.0.0.1:7400'");
        }
        if (servers.size() > RemoteAddress.MAX_SERVERS) {
            throw new ConfigException(
                    "%s: there are %d memory-servers: %d are the most"
                            .formatted(settings.file(), servers.size(), RemoteAddress.MAX_SERVERS));
        }
        checkData(servers);
        return List.copyOf(servers);
    }

    private void checkData(List<ClusterConfig.Memory> servers) {
        List<Path> directories =
                servers.stream()
                        .map(ClusterConfig.Memory::data)
                        .filter(Objects::nonNull)
                        .map(each -> each.toAbsolutePath().normalize())
                        .distinct()
                        .toList();
        if (directories.isEmpty()) {
            return;
        }
        if (directories.size() < servers.size()) {
            throw new ConfigException(
                    settings.file()
                            + ": memory-servers[].data: give each memory server a directory of its"
                            + " own, or none of them any");
        }
        if (!settings.value(ClusterKeys.REPLICATED_COMMITS)) {
            throw new ConfigException(
                    settings.file()
                            + ": memory-servers[].data needs replicated-commits: true, as what is"
                            + " kept are the images of commits");
        }
    }

    private int vectorServers() {
        int servers = settings.value(ClusterKeys.VECTOR_SERVERS);
        if (servers > settings.servers()) {
            throw new ConfigException(
                    "%s: vector-servers is %d, and there are %d memory-servers: it is theirs or less"
                            .formatted(settings.file(), servers, settings.servers()));
        }
        return servers;
    }

    private boolean replicatedCommits() {
        boolean isOn = settings.value(ClusterKeys.REPLICATED_COMMITS);
        if (isOn && settings.servers() < 2) {
            throw new ConfigException(
                    settings.file()
                            + ": replicated-commits: true needs two memory-servers at least, as"
                            + " each commit is written to two of them");
        }
        return isOn;
    }

    private @Nullable TlsFiles tls() {
        Path certificate = path(ClusterKeys.TLS_CERTIFICATE, 0);
        Path key = path(ClusterKeys.TLS_KEY, 0);
        Path authority = path(ClusterKeys.TLS_AUTHORITY, 0);
        if (certificate != null && key != null && authority != null) {
            return new TlsFiles(certificate, key, authority);
        }
        if (certificate != null || key != null || authority != null) {
            Setting<Path> missing =
                    certificate == null
                            ? ClusterKeys.TLS_CERTIFICATE
                            : key == null ? ClusterKeys.TLS_KEY : ClusterKeys.TLS_AUTHORITY;
            throw new ConfigException(
                    "%s: %s is missing: TLS needs a certificate, its key and the authority"
                            .formatted(settings.file(), missing.name()));
        }
        return null;
    }

    private RdmaOptions rdma() {
        Integer port = settings.find(ClusterKeys.RDMA_PORT, 0);
        Integer gid = settings.find(ClusterKeys.RDMA_GID, 0);
        return RdmaOptions.DEFAULT
                .withDevice(
                        settings.find(ClusterKeys.RDMA_DEVICE, 0),
                        port == null ? RdmaOptions.DEFAULT.port() : port,
                        gid == null ? RdmaOptions.DEFAULT.gid() : gid)
                .withLandingBytes(settings.value(ClusterKeys.RDMA_LANDING_BUFFER))
                .withSendDepth(settings.value(ClusterKeys.RDMA_SEND_DEPTH))
                .withTimeoutNanos(settings.value(ClusterKeys.RDMA_TIMEOUT).toNanos());
    }

    private ClusterConfig.Membership membership() {
        List<HostPort> zookeeper = settings.find(ClusterKeys.ZOOKEEPER, 0);
        return new ClusterConfig.Membership(
                zookeeper == null ? List.of() : zookeeper, settings.value(ClusterKeys.LEASE));
    }

    /// A relative path in a file is relative to the file's directory.
    private @Nullable Path path(Setting<Path> setting, int position) {
        Path path = settings.find(setting, position);
        Path directory = settings.file().toAbsolutePath().getParent();
        return path != null
                        && directory != null
                        && settings.origin(setting, position) instanceof Origin.FileLine
                ? directory.resolve(path)
                : path;
    }
}
