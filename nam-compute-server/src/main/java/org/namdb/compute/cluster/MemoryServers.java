package org.namdb.compute.cluster;

import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.config.DurationText;
import org.namdb.cluster.transport.ComputeTransport;
import org.namdb.fabric.ComputeFabric;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.memory.client.DatabaseFinding;
import org.namdb.timestamp.TimestampVectorLayout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The memory servers of a cluster, with the database that they hold.
///
/// @param fabric the way to them
/// @param regions by number
/// @param vector the database's
public record MemoryServers(
        ComputeFabric fabric, List<Region> regions, TimestampVectorLayout vector) {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryServers.class);
    private static final long PAUSE_NANOS = 50_000_000;
    private static final long REPEAT_NANOS = 5_000_000_000L;

    /// Waits until all of them are up, and logs now and then which are missing.
    ///
    /// @param connector connects to them
    /// @param awaitsRecovery whether a recovery from disks is waited for, however long it takes
    /// @param waiting is notified what it waits for, each time that this changes
    /// @throws FabricException if they don't start within the configuration's limit, or refuse this
    ///     compute server
    /// @throws IllegalStateException if they don't belong together
    public static MemoryServers await(
            ClusterConfig config,
            Supplier<ComputeFabric> connector,
            boolean awaitsRecovery,
            Host host,
            Consumer<String> waiting) {
        ComputeFabric fabric = null;
        boolean isFound = false;
        long limit = config.compute().attachWait().toNanos();
        long start = host.nanoTime();
        long said = start;
        String before = "";
        try {
            while (true) {
                String reason;
                try {
                    fabric = fabric == null ? connector.get() : fabric;
                    List<Region> regions = fabric.regions();
                    reason = missing(config, regions);
                    DatabaseFinding finding =
                            reason.isEmpty() ? checkAndJoin(fabric, regions) : null;
                    if (finding instanceof DatabaseFinding.Found found) {
                        ComputeTransport.check(config, fabric, regions);
                        isFound = true;
                        return new MemoryServers(fabric, regions, found.vector());
                    }
                    if (finding instanceof DatabaseFinding.NotYet notYet) {
                        reason = notYet.reason();
                        start = awaitsRecovery && notYet.isRecovering() ? host.nanoTime() : start;
                    }
                } catch (FabricException e) {
                    reason = reason(e);
                }
                long now = host.nanoTime();
                if (now - start >= limit) {
                    throw new FabricException(
                            FabricException.Kind.PEER_GONE,
                            "gave up after %s of waiting for %s"
                                    .formatted(
                                            DurationText.describe(config.compute().attachWait()),
                                            reason));
                }
                if (!reason.equals(before) || now - said >= REPEAT_NANOS) {
                    LOG.warn("waiting for {}", reason);
                    waiting.accept(reason);
                    before = reason;
                    said = now;
                }
                host.sleep(PAUSE_NANOS);
            }
        } finally {
            if (!isFound && fabric != null) {
                fabric.close();
            }
        }
    }

    /// Whether a failure means that a memory server, and the database with it, is lost permanently:
    /// its process has ended, or was replaced by one with other memory. An unreachable network does
    /// not mean that.
    static boolean areLost(FabricException e) {
        if (e.kind() == FabricException.Kind.BAD_KEY) {
            return true;
        }
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof ConnectException) {
                return e.kind() == FabricException.Kind.PEER_GONE; // refused, for a while
            }
        }
        return false;
    }

    /// Whether one of them is there with other memory: it was restarted. One that can't be reached
    /// now may be there.
    boolean areReplaced() {
        return areReplaced(fabric, regions);
    }

    /// Whether one of the memory servers is there with another region.
    public static boolean areReplaced(ComputeFabric fabric, List<Region> regions) {
        List<Region> found;
        try {
            found = fabric.regions();
        } catch (FabricException e) {
            return false; // a connection was lost just now: another look finds out why
        }
        return found.stream()
                .anyMatch(now ->
                        regions.stream()
                                .anyMatch(before ->
                                        before.server() == now.server() && !before.equals(now)));
    }

    /// Whether all of the memory servers can be reached now, with the same regions.
    public static boolean areThere(ComputeFabric fabric, List<Region> regions) {
        try {
            return fabric.regions().containsAll(regions);
        } catch (FabricException e) {
            return false;
        }
    }

    private static DatabaseFinding checkAndJoin(ComputeFabric fabric, List<Region> regions) {
        try (QueuePair queuePair = fabric.connect(regions)) {
            return DatabaseFinding.checkAndJoin(queuePair, regions);
        }
    }

    /// Only of those that may still start.
    private static String reason(FabricException e) {
        if (e.kind() != FabricException.Kind.PEER_GONE
                && e.kind() != FabricException.Kind.CONNECTION_LOST) {
            throw e;
        }
        return "memory servers: " + e.getMessage();
    }

    /// Those that have not registered their regions; empty if all have.
    private static String missing(ClusterConfig config, List<Region> regions) {
        List<String> missing = new ArrayList<>();
        for (int number = 0; number < config.memoryServers().size(); number++) {
            if (find(regions, number) == null) {
                missing.add(
                        "memory server %d at %s"
                                .formatted(number, config.memoryServers().get(number).address()));
            }
        }
        if (missing.isEmpty() && regions.size() > config.memoryServers().size()) {
            throw new IllegalStateException(
                    "%d memory servers answer, and the configuration has %d: is it that of the cluster?"
                            .formatted(regions.size(), config.memoryServers().size()));
        }
        return String.join(", ", missing);
    }

    private static @Nullable Region find(List<Region> regions, int number) {
        return regions.stream()
                .filter(region -> region.server() == number)
                .findFirst()
                .orElse(null);
    }
}
