package org.namdb.cluster.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.rdma.RdmaOptions;
import org.namdb.fabric.tls.TlsFiles;

/// A cluster's configuration, common to all of its processes. What only one of them decides (keys,
/// the size of regions), it reports to the others; a memory server uses its own entry here.
///
/// @param name the cluster's, so that several can use one ZooKeeper
/// @param memoryServers by number
/// @param slots how many sessions there can be at once, those of background maintenance included
/// @param vectorServers how many of the memory servers the slots' timestamps lie on, from 0 on
/// @param replicatedCommits whether each commit leaves its image on two memory servers
/// @param durability when a commit is acknowledged, if memory servers have data directories
/// @param maxTransactionTime the paper's E
/// @param transport how this compute server reaches memory servers, and by what a memory server is
///     reached
/// @param rdma the settings for `transport: rdma`, except the token
public record ClusterConfig(
        String name,
        List<Memory> memoryServers,
        int slots,
        int vectorServers,
        boolean replicatedCommits,
        ClusterDurability durability,
        Duration maxTransactionTime,
        Transport transport,
        RdmaOptions rdma,
        Security security,
        Membership membership,
        Compute compute,
        Sql sql) {
    /// A memory server.
    ///
    /// @param address where it listens
    /// @param bytes the size of its region
    /// @param directory where its region is a file that others can map; null for memory of its own
    /// @param workers how many threads handle requests
    /// @param data the directory where it keeps commits; null if it keeps none
    public record Memory(
            HostPort address,
            long bytes,
            @Nullable Path directory,
            int workers,
            @Nullable Path data) {
        /// One that keeps nothing.
        public Memory(HostPort address, long bytes, @Nullable Path directory, int workers) {
            this(address, bytes, directory, workers, null);
        }
    }

    /// Authentication within the cluster.
    ///
    /// @param tokenFile with the cluster's token; null for none
    /// @param tls the certificate of each process; null for unencrypted connections. One of the two
    ///     is needed where memory servers listen beyond the loopback address
    public record Security(@Nullable Path tokenFile, @Nullable TlsFiles tls) {
        /// For processes of one machine, whose users trust each other.
        public static final Security NONE = new Security(null, null);
    }

    /// Membership of the cluster.
    ///
    /// @param zookeeper the ensemble's servers; none if compute servers have no leases
    /// @param lease how long one may be silent before it is declared dead
    public record Membership(List<HostPort> zookeeper, Duration lease) {}

    /// What a compute server does for itself.
    ///
    /// @param attachWait how long it waits for memory servers
    /// @param peers where it listens for the other compute servers, which it shares cached tables
    ///     with; null if it caches none
    /// @param lines what it caches of lines
    public record Compute(
            int executionThreads,
            Duration maintenanceInterval,
            Duration schemaWait,
            Duration attachWait,
            @Nullable HostPort peers,
            Lines lines) {}

    /// The lines that compute servers cache coherently.
    ///
    /// @param lineBytes the size of one, the same on all of them
    /// @param cacheBytes how much a compute server caches at the most
    public record Lines(int lineBytes, long cacheBytes) {
        /// For cached tables, whose lines hold nothing.
        public static final Lines DEFAULT = new Lines(64, 1 << 20);
    }

    /// How a compute server serves PostgreSQL's clients.
    ///
    /// @param listen where it listens; null if it serves none
    /// @param users the file of users and passwords; null to accept every client, which is allowed
    ///     on a loopback address alone
    /// @param allowsProcedures whether clients may submit procedures
    /// @param tlsCertificate its certificate with the chain, in PEM; null if clients can't have TLS
    /// @param tlsKey the certificate's private key; null without a certificate
    /// @param connections how many clients may be connected
    /// @param sessions how many statements and transaction blocks may run at a time
    /// @param statementTimeout the longest time of a statement; zero for no limit
    /// @param idleInTransactionTimeout how long a block may be idle; zero for no limit
    /// @param maxMessageBytes the longest message of a client
    /// @param logMinDuration statements that take so long are logged; null for none
    /// @param metricsListen where it serves its metrics by HTTP; null if it does not
    public record Sql(
            @Nullable HostPort listen,
            @Nullable Path users,
            boolean allowsProcedures,
            @Nullable Path tlsCertificate,
            @Nullable Path tlsKey,
            int connections,
            int sessions,
            Duration statementTimeout,
            Duration idleInTransactionTimeout,
            int maxMessageBytes,
            @Nullable Duration logMinDuration,
            @Nullable HostPort metricsListen) {
        /// It serves none.
        public static final Sql NONE =
                new Sql(
                        null,
                        null,
                        false,
                        null,
                        null,
                        2_000,
                        32,
                        Duration.ZERO,
                        Duration.ofMinutes(5),
                        64 << 20,
                        null,
                        null);
    }

    /// Whether memory servers keep commits in data directories.
    public boolean isKept() {
        return memoryServers.getFirst().data() != null;
    }

    /// Reads a file, with the environment of this process over it.
    ///
    /// @throws ConfigException if it can't be read, or is invalid
    public static ClusterConfig read(Path file) {
        return ClusterSettings.read(file, System.getenv(), Map.of()).config();
    }
}
