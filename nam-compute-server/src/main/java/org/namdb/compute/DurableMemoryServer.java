package org.namdb.compute;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.transport.ComputeTransport;
import org.namdb.compute.cluster.MemoryServers;
import org.namdb.compute.commit.JournalFullException;
import org.namdb.compute.journal.JournalClient;
import org.namdb.compute.journal.JournalException;
import org.namdb.compute.journal.JournalOptions;
import org.namdb.compute.journal.MemoryJournal;
import org.namdb.compute.journal.RecoveryProgress;
import org.namdb.compute.maintenance.MaintenanceThread;
import org.namdb.fabric.ComputeFabric;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.Host;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.process.MemoryProcess;
import org.namdb.memory.server.RegionLayout;
import org.namdb.mvcc.ring.ImageRings;
import org.namdb.timestamp.TimestampVectorLayout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A memory server that keeps commits in a data directory. Number 0 recovers the database of all of
/// them, when all have been started.
///
/// If one of them dies, the database in memory is lost, and is recovered from the directories: the
/// others restart with empty memory, in the same processes.
/// ```
/// server 1      server 2                  server 0                        compute servers
/// dies                                                                    their verbs fail; they
/// is started                              finds that 1 has other memory    disconnect, and try
///                                         restarts                         to join again
///               is requested to: closes   requests the others to
///               its memory and journal
///               restarts
///                                         recovers, as after the start
///                                         of all                          join: other numbers,
///                                                                         other tables
/// ```
/// Number 0 finds out which ones have begun something by their journals; so it makes no difference
/// which one has died, and whether another one, or the recovery, dies meanwhile. Before a journal
/// is read, the memory that its images are from is closed, with all connections to it: no compute
/// server goes on by it with what is not recovered. (One that has mapped it can read it until it
/// finds out, but nothing that it commits is acknowledged: cuts need all memory servers.)
public final class DurableMemoryServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(DurableMemoryServer.class);
    private static final long PAUSE_NANOS = 50_000_000;
    private static final long CHECKPOINT_BYTES = 1L << 30;
    private static final long REPEAT_NANOS = 5_000_000_000L;

    /// The pause between two checks whether a memory server was started again.
    private static final long MONITOR_NANOS = 200_000_000;

    private final MemoryProcess process;
    private final MemoryJournal journal;
    private volatile boolean isClosed;
    private volatile boolean isOver;
    private @Nullable Thread monitor;

    private DurableMemoryServer(MemoryProcess process, MemoryJournal journal) {
        this.process = process;
        this.journal = journal;
    }

    /// Opens the data directory of a memory server that has been started.
    ///
    /// @param data its directory
    /// @throws JournalException if that can't be had
    public static DurableMemoryServer open(
            ClusterConfig config, int number, MemoryProcess process, Path data) {
        TimestampVectorLayout vector =
                DatabaseLayout.vector(config.slots(), config.vectorServers());
        int servers = config.memoryServers().size();
        MemoryJournal journal =
                new MemoryJournal(
                        Host.MACHINE,
                        JournalOptions.in(data)
                                .withBytes(JournalOptions.SEGMENT_BYTES, CHECKPOINT_BYTES),
                        number,
                        servers,
                        process.memory(),
                        DatabaseLayout.imageRings(servers, vector, ImageRings.DEFAULT_BYTES),
                        vector.maxSlots());
        process.answerJournal(journal::answer);
        return new DurableMemoryServer(process, journal);
    }

    /// Waits for all memory servers, and recovers what they have kept. For number 0. Those that
    /// have outlived another one, or this one, restart with empty memory, as this one has.
    ///
    /// @param progress notified of the progress
    /// @return false if this one, too, has to restart, as another one has ended meanwhile
    /// @throws JournalException if directories don't belong together, or are damaged; nothing was
    ///     changed then
    /// @throws JournalFullException if a disk is full
    public boolean recover(ClusterConfig config, RecoveryProgress progress) {
        ComputeFabric fabric = await(config, () -> ComputeTransport.connectToRecover(config));
        boolean isRecovered = false;
        List<Region> regions = List.of();
        try {
            regions = fabric.regions();
            List<Region> found = regions;
            ClusterRecovery.run(
                    EmbeddedOptions.DEFAULT.withCluster(config),
                    fabric,
                    regions,
                    config.memoryServers().size(),
                    progress);
            monitor = Host.MACHINE.start("namdb-memory-servers", () -> monitor(config, found));
            isRecovered = true;
        } catch (FabricException e) {
            awaitRetry(e);
        } catch (RuntimeException e) { // it may follow from the end of another memory server
            if (MemoryServers.areThere(fabric, regions)) {
                throw e;
            }
            awaitRetry(e);
        } finally {
            fabric.close();
        }
        return isRecovered;
    }

    private static void awaitRetry(RuntimeException why) {
        LOG.warn("the recovery is retried, as it has failed: {}", why.getMessage());
        Host.MACHINE.sleep(MONITOR_NANOS);
    }

    /// Whether this memory server has to be closed, and another one to be started in its place, as
    /// the database in memory is lost with another one.
    public boolean isOver() {
        return isOver || journal.isOver();
    }

    /// Finds out when a memory server was started again, with empty memory.
    private void monitor(ClusterConfig config, List<Region> regions) {
        ComputeFabric fabric = null;
        try {
            while (!isClosed && !isOver) {
                try {
                    fabric = fabric == null ? ComputeTransport.connect(config) : fabric;
                    isOver = MemoryServers.areReplaced(fabric, regions);
                } catch (FabricException e) {
                    LOG.debug("a memory server can't be reached: {}", e.getMessage());
                }
                Host.MACHINE.sleep(MONITOR_NANOS);
            }
        } finally {
            if (fabric != null) {
                fabric.close();
            }
        }
    }

    private ComputeFabric await(ClusterConfig config, Supplier<ComputeFabric> connector) {
        ComputeFabric fabric = null;
        boolean isFound = false;
        long said = Host.MACHINE.nanoTime();
        try {
            while (true) {
                String missing;
                try {
                    fabric = fabric == null ? connector.get() : fabric;
                    missing = missing(config, fabric);
                    if (missing.isEmpty() && isBegunAnywhere(fabric)) {
                        fabric.close(); // these servers will have other memory
                        fabric = null;
                        missing = "those that have outlived another one to restart";
                    }
                } catch (FabricException e) {
                    missing = String.valueOf(e.getMessage());
                }
                if (fabric != null && missing.isEmpty()) {
                    isFound = true;
                    return fabric;
                }
                if (isClosed) {
                    throw new IllegalStateException("it was ended before the others were started");
                }
                if (Host.MACHINE.nanoTime() - said > REPEAT_NANOS) {
                    LOG.warn("the recovery waits for memory servers: {}", missing);
                    said = Host.MACHINE.nanoTime();
                }
                Host.MACHINE.sleep(PAUSE_NANOS);
            }
        } finally {
            if (!isFound && fabric != null) {
                fabric.close();
            }
        }
    }

    /// Has all memory servers restart that have begun a generation: what is in their memory is a
    /// part of a database that is lost. When they have closed it, no compute server changes
    /// anything of it any more, and their journals are complete.
    ///
    /// @return whether there is one
    private static boolean isBegunAnywhere(ComputeFabric fabric) {
        List<Region> regions = fabric.regions();
        boolean isBegun = false;
        try (QueuePair queuePair = fabric.connect(regions)) {
            Long own = new JournalClient(queuePair, 0).contents().database();
            for (Region region : regions) {
                JournalClient client = new JournalClient(queuePair, region.server());
                JournalClient.Contents contents = client.contents();
                if (contents.begun() != 0) {
                    if (own != null && !own.equals(contents.database())) { // else its disk was lost
                        throw new JournalException(
                                JournalException.Kind.DAMAGED,
                                "memory server %d has another database than the data directory of memory server 0:"
                                                .formatted(region.server())
                                        + " give each memory server the directory that it has written",
                                null);
                    }
                    client.end(contents.begun());
                    isBegun = true;
                }
            }
        }
        return isBegun;
    }

    private static String missing(ClusterConfig config, ComputeFabric fabric) {
        List<Region> regions = fabric.regions();
        List<String> missing = new ArrayList<>();
        for (int number = 0; number < config.memoryServers().size(); number++) {
            if (regions.size() <= number || !isReady(fabric, regions, regions.get(number))) {
                missing.add(config.memoryServers().get(number).address().toString());
            }
        }
        return String.join(", ", missing);
    }

    private static boolean isReady(ComputeFabric fabric, List<Region> regions, Region region) {
        try (QueuePair queuePair = fabric.connect(regions)) {
            long magic = RegionLayout.address(region.server(), RegionLayout.MAGIC_OFFSET);
            if (queuePair.readWord(magic) != RegionLayout.MAGIC) {
                return false;
            }
            JournalClient.Contents _ = new JournalClient(queuePair, region.server()).contents();
            return true;
        } catch (FabricException e) {
            return false; // its data directory is not open yet
        }
    }

    /// Ends the journal, then the memory server.
    @Override
    public void close() {
        isClosed = true;
        FirstFailure failures = new FirstFailure();
        Thread started = monitor;
        if (started != null) {
            LockSupport.unpark(started);
            MaintenanceThread.joinUninterruptibly(started);
        }
        failures.attempt(journal::close);
        failures.attempt(process::close);
        failures.rethrow();
    }
}
