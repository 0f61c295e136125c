package org.namdb.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import org.namdb.cluster.membership.Member;
import org.namdb.compute.AttachedDatabase;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.compute.RetryPolicy;
import org.namdb.compute.cluster.ClusterMember;
import org.namdb.compute.cluster.MemoryServers;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.peer.PeerFabric;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.server.MemoryServer;
import org.namdb.memory.server.RegionLayout;
import org.namdb.simulated.FaultPlan;
import org.namdb.simulated.SimFabric;
import org.namdb.simulated.SimHost;
import org.namdb.simulated.SimPeers;
import org.namdb.simulated.Simulation;
import org.namdb.simulation.membership.SimEnsemble;
import org.namdb.timestamp.SlotOwners;
import org.namdb.timestamp.TimestampVectorLayout;

/// Memory servers in virtual time, and compute servers that attach to them.
final class SimulatedCluster implements AutoCloseable {

    /// The maximum transaction time is the database's, whatever a compute server's options.
    private static final Duration NOT_THE_DATABASES = Duration.ofHours(1);

    private static final long MAX_CUT_NANOS = 1_000_000;

    private final Simulation simulation;
    private final SimFabric fabric;
    private final SimulationOptions options;
    private final List<SimHost> memoryHosts = new ArrayList<>();
    private final List<Region> regions = new ArrayList<>();
    private final SimEnsemble ensemble;
    private final SimPeers peers;
    private final List<Integer> joined = new ArrayList<>();
    private BiConsumer<SimHost, Integer> whenJoined = (host, process) -> {};
    private boolean isSpared;

    SimulatedCluster(Simulation simulation, SimulationOptions options) {
        this.simulation = simulation;
        this.options = options;
        this.fabric = new SimFabric(simulation, options.landingBytes());
        this.peers = new SimPeers(simulation);
        this.ensemble = new SimEnsemble(simulation, LeasePlan.LEASE_NANOS);
        TimestampVectorLayout vector = options.vector();
        simulation.trace().nameAddresses(address -> name(vector, address));
    }

    /// The name of a remote address in a trace: of a word of the timestamp vector by its meaning,
    /// else by server and offset.
    private static String name(TimestampVectorLayout vector, long address) {
        String name = vector.describe(address);
        return name.isEmpty() ? RemoteAddress.describe(address) : name;
    }

    /// Starts the memory servers, makes an empty database, and has `load` fill it, on a compute
    /// server of its own that leaves then.
    void start(Consumer<NamDb> load, Runnable whenReady) {
        SimHost operator = simulation.host("operator");
        operator.start(
                "operator",
                () -> {
                    for (int server = 0; server < options.memoryServers(); server++) {
                        startMemoryServer(server);
                    }
                    try (QueuePair queuePair = fabric.computeSide(operator).connect(regions)) {
                        DatabaseLayout.formatImageRings(queuePair, options.imageRingBytes());
                        options.vector().format(queuePair, options.maxTransactionNanos());
                    }
                    try (NamDb db = attach(operator)) {
                        load.accept(db);
                    }
                    whenReady.run();
                });
    }

    private void startMemoryServer(int number) {
        SimHost host = simulation.host("memory-" + number);
        memoryHosts.add(host);
        Thread starting =
                host.start(
                        "start",
                        () -> {
                            MemoryServer server =
                                    new MemoryServer(
                                            fabric.memorySide(host),
                                            number,
                                            options.serverBytes(),
                                            DatabaseLayout.reservedBytes(
                                                    number,
                                                    options.vector(),
                                                    options.memoryServers(),
                                                    options.imageRingBytes()));
                            regions.add(server.region());
                        });
        try {
            starting.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /// A compute server on `host`, without a lease; called on one of its threads.
    NamDb attach(SimHost host) {
        return options.cached()
                ? AttachedDatabase.open(
                        attached(host),
                        fabric.computeSide(host),
                        regions,
                        process -> joinPeers(process, host))
                : AttachedDatabase.open(attached(host), fabric.computeSide(host), regions);
    }

    /// A compute server on `host` that holds a lease, and recovers the others that do; called on
    /// one of its threads.
    NamDb join(SimHost host) {
        ClusterMember clusterMember =
                ClusterMember.of(
                        new MemoryServers(fabric.computeSide(host), regions, options.vector()),
                        ensemble.connect(host),
                        host,
                        LeasePlan.WATCH_REST_NANOS,
                        process -> new Member(process, 0, host.name(), null),
                        process -> options.cached() ? joinPeers(process, host) : null);
        return NamDb.connect(clusterMember, attached(host));
    }

    /// What a process has of lines is not free before it is recovered, even if it dies while it is
    /// being attached.
    private PeerFabric joinPeers(int process, SimHost host) {
        whenJoined.accept(host, process);
        joined.add(process);
        return peers.join(process, host);
    }

    /// Cuts the link from a compute server that has joined its peers to another one for a while, if
    /// there are several.
    void cutPeers(SplittableRandom random) {
        if (joined.size() > 1 && !isSpared) {
            int from = joined.get(random.nextInt(joined.size()));
            int to = joined.get(random.nextInt(joined.size()));
            peers.cut(from, to, random.nextLong(1, MAX_CUT_NANOS));
        }
    }

    /// Has `observer` notified of each process that joins its peers.
    void observeJoins(BiConsumer<SimHost, Integer> observer) {
        whenJoined = observer;
    }

    private EmbeddedOptions attached(SimHost host) {
        return EmbeddedOptions.DEFAULT
                .withMemoryServers(options.memoryServers())
                .withMemoryBytes(options.memoryServers() * options.serverBytes())
                .withSlots(options.slots() / 2)
                .withExecutionThreads(1)
                .withOracle(options.oracle())
                .withStaleness(Duration.ofNanos(options.stalenessNanos()))
                .withMaxTransactionTime(NOT_THE_DATABASES)
                .withMaintenanceInterval(Duration.ofNanos(options.maintenanceNanos()))
                .withLatchWait(Duration.ofNanos(timeoutNanos() / 2))
                .withBucketSplits(options.splits())
                .withRetryPolicy(RetryPolicy.NONE)
                .withHost(host);
    }

    /// The lease service.
    SimEnsemble ensemble() {
        return ensemble;
    }

    /// Notifies `observer` of each process that is fenced, when that begins.
    void observeFences(IntConsumer observer) {
        fabric.observeFences(observer);
    }

    /// Reads the slots from outside of virtual time; closed with the cluster.
    SlotOwners observeSlots() {
        return new SlotOwners(options.vector(), fabric.observe(List.copyOf(regions)));
    }

    /// Checks images from outside of virtual time; null if commits are not replicated.
    @Nullable ImageChecker observeImages() {
        int ringBytes = options.imageRingBytes();
        return ringBytes == 0
                ? null
                : new ImageChecker(
                        fabric.observe(List.copyOf(regions)),
                        DatabaseLayout.imageRings(
                                options.memoryServers(), options.vector(), ringBytes));
    }

    /// Checks what has been left behind, over a queue pair of its own.
    ///
    /// @param db the only compute server that is left, on `host`
    @Nullable String leftBehind(NamDb db, SimHost host) {
        try (QueuePair queuePair = fabric.computeSide(host).connect(regions)) {
            long first = RegionLayout.address(0, RegionLayout.HEAD_BYTES);
            SlotOwners owners =
                    new SlotOwners(TimestampVectorLayout.open(queuePair, first), queuePair);
            return new LeftBehind(db, queuePair, owners).find();
        }
    }

    /// Has memory server `number` crash after a while.
    void crashMemory(int number, long afterNanos) {
        simulation.at(
                simulation.nanoTime() + afterNanos,
                () -> {
                    if (!isSpared) {
                        memoryHosts.get(number).crash();
                    }
                });
    }

    /// There are no faults any more: nor does a memory server crash whose time has not come yet.
    void endFaults() {
        simulation.faults(FaultPlan.NONE);
        isSpared = true;
    }

    /// Whether all memory servers are still there.
    boolean hasMemory() {
        return memoryHosts.stream().noneMatch(SimHost::isDead);
    }

    @Override
    public void close() {
        simulation.close();
        fabric.close();
    }

    /// Long enough for everything that a run does, unless it hangs.
    static long timeoutNanos() {
        return TimeUnit.SECONDS.toNanos(2);
    }
}
