package org.namdb.simulation;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.namdb.cluster.membership.Member;
import org.namdb.compute.ClusterRecovery;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.compute.cluster.ClusterMember;
import org.namdb.compute.cluster.MemoryServers;
import org.namdb.compute.journal.JournalOptions;
import org.namdb.compute.journal.MemoryJournal;
import org.namdb.compute.journal.RecoveryProgress;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.server.MemoryServer;
import org.namdb.memory.server.RegionLayout;
import org.namdb.mvcc.ring.ImageRings;
import org.namdb.simulated.ClusterModel;
import org.namdb.simulated.SimDisk;
import org.namdb.simulated.SimFabric;
import org.namdb.simulated.SimHost;
import org.namdb.simulated.SimTrace;
import org.namdb.simulated.Simulation;
import org.namdb.simulation.membership.SimEnsemble;
import org.namdb.timestamp.TimestampVectorLayout;

/// One life of a simulated cluster with data directories: from the start of its memory servers,
/// with what is on their disks, to the end of all its processes at one moment.
final class KeptLife implements AutoCloseable {
    private static final int SLOTS = 24;
    private static final int RING_BYTES = 8192;
    private static final int LANDING_BYTES = 1 << 16;
    private static final long SERVER_BYTES = 16L << 20;
    private static final int SEGMENT_BYTES = 1 << 16;

    private final Simulation simulation;
    private final SimFabric fabric;
    private final SimEnsemble ensemble;
    private final List<SimDisk> disks;
    private final long checkpointBytes;
    private final TimestampVectorLayout vector = DatabaseLayout.vector(SLOTS);
    private final ImageRings rings;
    private final List<Region> regions = new ArrayList<>();
    private final List<SimHost> hosts = new ArrayList<>();
    private long recoveredNanos = -1;

    /// @param disks what the memory servers find, by number
    /// @param checkpointBytes a checkpoint is written after so many bytes of the journal
    KeptLife(long seed, List<SimDisk> disks, long checkpointBytes) {
        this.simulation = new Simulation(seed, ClusterModel.FREE_PROCESSORS, SimTrace.off());
        this.fabric = new SimFabric(simulation, LANDING_BYTES);
        this.ensemble = new SimEnsemble(simulation, LeasePlan.LEASE_NANOS);
        this.disks = disks;
        this.checkpointBytes = checkpointBytes;
        this.rings = DatabaseLayout.imageRings(disks.size(), vector, RING_BYTES);
    }

    /// Starts the memory servers, has the database recovered, and calls `ready` on the host that
    /// has done so.
    void start(Consumer<SimHost> ready) {
        SimHost operator = simulation.host("operator");
        hosts.add(operator);
        operator.start(
                "operator",
                () -> {
                    for (int server = 0; server < disks.size(); server++) {
                        startMemoryServer(server);
                    }
                    try (QueuePair queuePair = fabric.computeSide(operator).connect(regions)) {
                        DatabaseLayout.formatImageRings(queuePair, RING_BYTES);
                        DatabaseLayout.formatKept(queuePair, RegionLayout.KEPT_SYNC, true);
                    }
                    DatabaseLayout.format(
                            fabric.computeSide(operator), regions, SLOTS, Duration.ofSeconds(5));
                    ClusterRecovery.run(
                            options(operator),
                            fabric.computeSide(operator),
                            regions,
                            disks.size(),
                            RecoveryProgress.UNSEEN);
                    recoveredNanos = simulation.nanoTime();
                    ready.accept(operator);
                });
    }

    private void startMemoryServer(int number) {
        SimHost host = simulation.host("memory-" + number);
        hosts.add(host);
        Thread starting =
                host.start(
                        "start",
                        () -> {
                            MemoryServer server =
                                    new MemoryServer(
                                            fabric.memorySide(host),
                                            number,
                                            SERVER_BYTES,
                                            DatabaseLayout.reservedBytes(
                                                    number, vector, disks.size(), RING_BYTES));
                            regions.add(server.region());
                            MemoryJournal journal =
                                    new MemoryJournal(
                                            host,
                                            JournalOptions.in(Path.of("unused"))
                                                    .on(() -> disks.get(number), "disk " + number)
                                                    .withBytes(SEGMENT_BYTES, checkpointBytes),
                                            number,
                                            disks.size(),
                                            fabric.memorySide(host).memory(number),
                                            rings,
                                            SLOTS);
                            server.answerJournal(journal::answer);
                        });
        try {
            starting.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private EmbeddedOptions options(SimHost host) {
        return EmbeddedOptions.DEFAULT
                .withMemoryServers(disks.size())
                .withMemoryBytes(disks.size() * SERVER_BYTES)
                .withSlots(SLOTS / 3)
                .withExecutionThreads(1)
                .withMaintenanceInterval(Duration.ofNanos(100_000))
                .withLatchWait(Duration.ofSeconds(1))
                .withHost(host);
    }

    /// A compute server with a lease, on a host of its own.
    SimHost compute(String name, Consumer<NamDb> work) {
        SimHost host = simulation.host(name);
        hosts.add(host);
        host.start(
                name,
                () -> {
                    ClusterMember clusterMember =
                            ClusterMember.of(
                                    new MemoryServers(fabric.computeSide(host), regions, vector),
                                    ensemble.connect(host),
                                    host,
                                    LeasePlan.WATCH_REST_NANOS,
                                    process -> new Member(process, 0, host.name(), null),
                                    process -> null);
                    work.accept(NamDb.connect(clusterMember, options(host)));
                });
        return host;
    }

    Simulation simulation() {
        return simulation;
    }

    /// When the database had been recovered; -1 if it was not.
    long recoveredNanos() {
        return recoveredNanos;
    }

    /// Runs until a moment, or until [Simulation#stop].
    ///
    /// @return whether it was stopped before
    boolean run(long untilNanos) {
        return simulation.run(untilNanos);
    }

    /// The disks as they are after all processes have ended now.
    ///
    /// @param machinesToo whether what was not forced may be lost
    List<SimDisk> disksAfterDeath(SplittableRandom random, boolean machinesToo) {
        SimDisk[] left = new SimDisk[disks.size()];
        Arrays.setAll(
                left,
                number ->
                        machinesToo
                                ? disks.get(number).crashed(random)
                                : disks.get(number).killed());
        return new ArrayList<>(List.of(left));
    }

    @Override
    public void close() {
        simulation.close();
        fabric.close();
    }

    /// Long enough for everything, unless it hangs.
    static long timeoutNanos() {
        return TimeUnit.SECONDS.toNanos(60);
    }
}
