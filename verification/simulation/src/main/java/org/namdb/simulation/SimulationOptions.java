package org.namdb.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.namdb.compute.EmbeddedOptions.Oracle;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.simulated.FaultPlan;
import org.namdb.timestamp.TimestampVectorLayout;

/// A simulated cluster, its workload and its faults: all that a run needs. [#ofSeed] makes one of a
/// seed, and a run of equal options is the same, event by event.
///
/// @param seed what the choices during the run are drawn from
/// @param memoryServers how many memory servers there are
/// @param computeServers how many compute servers there are
/// @param clients of the register workload on each compute server
/// @param movers of the token workload on each compute server
/// @param sqlClients of the bank in SQL on each compute server
/// @param terminals of a small TPC-C on each compute server
/// @param transactions that each client, each mover, each client of SQL and each terminal tries
/// @param workload what clients do
/// @param tokens how many tokens there are
/// @param versions places of an old-version buffer
/// @param inlined whether records are in their buckets
/// @param oracle where snapshots come from
/// @param stalenessNanos how old a snapshot may be
/// @param maxTransactionNanos the maximum transaction time, E
/// @param maintenanceNanos the pause between two steps of background maintenance
/// @param landingBytes landing buffer of a queue pair
/// @param faults which faults there are
/// @param crashes how many compute servers crash, one after the other
/// @param zombies how many stand still for too long
/// @param partitions how many are cut off from memory servers
/// @param memoryCrash whether a memory server crashes
/// @param outage whether the two ends of the TCP provider are run over a wire that is away, too
/// @param leases whether compute servers hold leases, and their faults
/// @param cached whether registers, the bank and some tables of TPC-C are cached tables
public record SimulationOptions(
        long seed,
        int memoryServers,
        int computeServers,
        int clients,
        int movers,
        int sqlClients,
        int terminals,
        int transactions,
        RegisterWorkload workload,
        int tokens,
        int versions,
        boolean inlined,
        Oracle oracle,
        long stalenessNanos,
        long maxTransactionNanos,
        long maintenanceNanos,
        int landingBytes,
        FaultPlan faults,
        int crashes,
        int zombies,
        int partitions,
        boolean memoryCrash,
        boolean outage,
        LeasePlan leases,
        boolean cached) {
    private static final int TRANSACTIONS_IN_ALL = 400;
    private static final int MIN_SLOTS = 128;
    private static final int ATTEMPTS_PER_SLOT = 20;

    /// One of so many seeds has the bank, too.
    private static final int SEEDS_PER_SQL = 4;

    /// The same of TPC-C, which takes long to load.
    private static final int SEEDS_PER_TPCC = 32;

    /// In one of so many seeds calls of the fabric throw unplanned failures, at the most one of so
    /// many calls.
    private static final int SEEDS_PER_THROW = 4;

    private static final double CALLS_PER_THROW = 1_000;

    /// One of so many seeds has a partitioned vector, if it has several memory servers.
    private static final int SEEDS_PER_PARTITIONED = 3;

    /// Of so many seeds two have replicated commits, if they have several memory servers.
    private static final int SEEDS_PER_REPLICATED = 5;

    /// So small that they turn often, and that some images are too large.
    private static final int[] RING_BYTES = {1 << 10, 4 << 10, 16 << 10};

    /// One of so many seeds has cached tables.
    private static final int SEEDS_PER_CACHED = 4;

    private static final long SERVER_BYTES = 16L << 20;

    private static final double MEMORY_CRASHES = 0.05;

    /// Where compute servers hold leases there are several, to recover each other.
    private static final int MIN_MEMBERS = 2;

    private static final int MAX_MEMBERS = 4;
    private static final int[] KEYS = {3, 10, 40, 200};

    /// Where buckets are split, they go on being split while there are new keys.
    private static final int[] KEYS_OF_SPLITS = {10, 100, 300, 500};

    private static final int[] VERSIONS = {1, 1, 2, 3, 8};
    private static final int[] LANDING_KIBIBYTES = {32, 64, 256};
    private static final long MICRO = 1_000;
    private static final long MILLI = 1_000_000;

    /// Everything from one seed.
    ///
    /// @param allowed the faults that may happen; a seed does not use all of them
    public static SimulationOptions ofSeed(long seed, Set<Fault> allowed) {
        SplittableRandom random = new SplittableRandom(seed);
        int memoryServers = random.nextInt(1, 4);
        int computeServers = random.nextInt(1, 4);
        int clients = random.nextInt(1, 5);
        int movers = random.nextInt(3);
        int transactions = TRANSACTIONS_IN_ALL / (computeServers * (clients + movers));
        RegisterWorkload workload =
                new RegisterWorkload(
                        (splits(seed) ? KEYS_OF_SPLITS : KEYS)[random.nextInt(KEYS.length)],
                        random.nextInt(1, 9),
                        random.nextInt(1, 10) / 10.0);
        int tokens = random.nextInt(4, 40);
        int versions = VERSIONS[random.nextInt(VERSIONS.length)];
        boolean inlined = random.nextInt(4) != 0;
        boolean isStale = random.nextInt(8) == 0;
        long maxTransactionNanos = random.nextInt(3) == 0 ? MILLI : 50 * MILLI;
        long stalenessNanos = isStale ? random.nextLong(10 * MICRO, 400 * MICRO) : 0;
        long maintenanceNanos = random.nextLong(20 * MICRO, MILLI);
        int landing = LANDING_KIBIBYTES[random.nextInt(LANDING_KIBIBYTES.length)] << 10;
        FaultPlan faults = faultsOf(random, allowed);
        int crashes = use(random, allowed, Fault.CRASH) ? random.nextInt(1, 3) : 0;
        boolean memoryCrash =
                allowed.contains(Fault.MEMORY_CRASH) && random.nextDouble() < MEMORY_CRASHES;
        // Drawn last, so that they make no other choice another one.
        int sqlClients = random.nextInt(SEEDS_PER_SQL) == 0 ? random.nextInt(1, 3) : 0;
        int zombies = use(random, allowed, Fault.ZOMBIE) ? random.nextInt(1, 3) : 0;
        int terminals = random.nextInt(SEEDS_PER_TPCC) == 0 ? random.nextInt(1, 3) : 0;
        boolean throwsSomething = random.nextInt(SEEDS_PER_THROW) == 0;
        double throwProbability = random.nextDouble() / CALLS_PER_THROW;
        int partitions = use(random, allowed, Fault.PARTITION) ? random.nextInt(1, 4) : 0;
        LeasePlan leases = LeasePlan.draw(random, allowed);
        int members = random.nextInt(MIN_MEMBERS, MAX_MEMBERS + 1);
        boolean isCached = random.nextInt(SEEDS_PER_CACHED) == 0;
        if (throwsSomething && allowed.contains(Fault.THROW)) {
            faults = faults.withUnplanned(throwProbability);
        }
        SimulationOptions options =
                new SimulationOptions(
                        seed,
                        memoryServers,
                        computeServers,
                        clients,
                        movers,
                        sqlClients,
                        terminals,
                        transactions,
                        workload,
                        tokens,
                        versions,
                        inlined,
                        Oracle.CHAIN,
                        stalenessNanos,
                        terminals > 0
                                ? Math.max(
                                        maxTransactionNanos, TpccWorkload.MIN_MAX_TRANSACTION_NANOS)
                                : maxTransactionNanos,
                        maintenanceNanos,
                        landing,
                        faults,
                        crashes,
                        zombies,
                        partitions,
                        memoryCrash,
                        allowed.contains(Fault.OUTAGE),
                        leases,
                        isCached);
        return leases.isOn() ? options.withServers(memoryServers, members) : options;
    }

    private static FaultPlan faultsOf(SplittableRandom random, Set<Fault> allowed) {
        boolean isLate = use(random, allowed, Fault.LATENCY);
        boolean tearsLines = use(random, allowed, Fault.TEAR64);
        boolean tearsWords = use(random, allowed, Fault.TEAR8);
        boolean pauses = use(random, allowed, Fault.PAUSE);
        boolean pausesOften = random.nextBoolean();
        boolean disconnects = allowed.contains(Fault.DISCONNECT) && random.nextInt(4) == 0;
        return new FaultPlan(
                isLate ? random.nextLong(200, 5 * MICRO) : 0,
                isLate ? random.nextDouble() / 200 : 0,
                isLate ? random.nextLong(20 * MICRO, 500 * MICRO) : 0,
                tearsWords ? 8 : tearsLines ? 64 : 0,
                random.nextDouble(0.05, 0.8),
                random.nextLong(100, 20 * MICRO),
                pauses ? random.nextDouble() / (pausesOften ? 40 : 300) : 0,
                random.nextLong(10 * MICRO, pausesOften ? 150 * MICRO : 3 * MILLI),
                disconnects ? random.nextDouble() / 5_000 : 0,
                0);
    }

    static boolean use(SplittableRandom random, Set<Fault> allowed, Fault fault) {
        boolean wanted = random.nextInt(4) != 0;
        return wanted && allowed.contains(fault);
    }

    /// The same with other numbers of servers.
    public SimulationOptions withServers(int memory, int compute) {
        return new SimulationOptions(
                seed,
                memory,
                compute,
                clients,
                movers,
                sqlClients,
                terminals,
                Math.max(1, TRANSACTIONS_IN_ALL / (compute * (clients + movers))),
                workload,
                tokens,
                versions,
                inlined,
                oracle,
                stalenessNanos,
                maxTransactionNanos,
                maintenanceNanos,
                landingBytes,
                faults,
                crashes,
                zombies,
                partitions,
                memoryCrash,
                outage,
                leases,
                cached);
    }

    /// The same with another source of snapshots.
    public SimulationOptions withOracle(Oracle chosen) {
        return new SimulationOptions(
                seed,
                memoryServers,
                computeServers,
                clients,
                movers,
                sqlClients,
                terminals,
                transactions,
                workload,
                tokens,
                versions,
                inlined,
                chosen,
                chosen == Oracle.SHARED_CHAIN ? 0 : stalenessNanos, // it is always fresh
                maxTransactionNanos,
                maintenanceNanos,
                landingBytes,
                faults,
                crashes,
                zombies,
                partitions,
                memoryCrash,
                outage,
                leases,
                cached);
    }

    /// The same with other registers, and without tokens, SQL and TPC-C.
    public SimulationOptions withRegisters(
            int clientsPerServer, int transactionsPerClient, RegisterWorkload registers) {
        return new SimulationOptions(
                seed,
                memoryServers,
                computeServers,
                clientsPerServer,
                0,
                0,
                0,
                transactionsPerClient,
                registers,
                tokens,
                versions,
                inlined,
                oracle,
                stalenessNanos,
                maxTransactionNanos,
                maintenanceNanos,
                landingBytes,
                faults,
                crashes,
                zombies,
                partitions,
                memoryCrash,
                outage,
                leases,
                cached);
    }

    /// The same with cached tables, or without.
    public SimulationOptions withCached(boolean isCached) {
        return new SimulationOptions(
                seed,
                memoryServers,
                computeServers,
                clients,
                movers,
                sqlClients,
                terminals,
                transactions,
                workload,
                tokens,
                versions,
                inlined,
                oracle,
                stalenessNanos,
                maxTransactionNanos,
                maintenanceNanos,
                landingBytes,
                faults,
                crashes,
                zombies,
                partitions,
                memoryCrash,
                outage,
                leases,
                isCached);
    }

    /// The same with nothing going wrong but that processes are paused.
    ///
    /// @param probability how likely one is before a verb of its own
    /// @param longestNanos the longest pause
    public SimulationOptions withPausesOnly(double probability, long longestNanos) {
        return new SimulationOptions(
                seed,
                memoryServers,
                computeServers,
                clients,
                movers,
                sqlClients,
                terminals,
                transactions,
                workload,
                tokens,
                versions,
                inlined,
                oracle,
                stalenessNanos,
                maxTransactionNanos,
                maintenanceNanos,
                landingBytes,
                new FaultPlan(0, 0, 0, 0, 0, 0, probability, longestNanos, 0, 0),
                0,
                0,
                0,
                false,
                false,
                leases,
                cached);
    }

    /// Whether transactions may miss commits that were acknowledged before they began.
    public boolean isStale() {
        return stalenessNanos > 0;
    }

    /// Sessions of each compute server.
    int sessions() {
        return clients + movers + sqlClients + terminals;
    }

    /// What clients do besides registers and tokens.
    List<Workload> workloads() {
        List<Workload> workloads = new ArrayList<>();
        if (sqlClients > 0) {
            workloads.add(
                    new BankWorkload(
                            sqlClients,
                            expectedRows(BankWorkload.ROWS),
                            versions,
                            inlined,
                            cached));
        }
        if (terminals > 0) {
            workloads.add(new TpccWorkload(terminals, versions, cached));
        }
        return workloads;
    }

    /// The memory of a memory server.
    long serverBytes() {
        return terminals > 0 ? TpccWorkload.SERVER_BYTES : SERVER_BYTES;
    }

    /// Slots of the timestamp vector: a session whose connection is lost keeps its own until it is
    /// recovered, so the more for the longer a run is.
    int slots() {
        int attempts = computeServers * sessions() * transactions;
        return Math.max(MIN_SLOTS, attempts / ATTEMPTS_PER_SLOT);
    }

    /// Whether sessions split buckets, of tables that begin with as few as possible: every second
    /// seed.
    boolean splits() {
        return splits(seed);
    }

    private static boolean splits(long seed) {
        return (seed & 1) == 0;
    }

    /// For how many rows a table is made that will have so many.
    int expectedRows(int rows) {
        return splits() ? 1 : rows;
    }

    /// The timestamp vector: one of so many clusters with several memory servers has its slots on
    /// all of them.
    TimestampVectorLayout vector() {
        boolean isPartitioned = Math.floorMod(seed, SEEDS_PER_PARTITIONED) == 0;
        return DatabaseLayout.vector(slots(), isPartitioned ? memoryServers : 1);
    }

    /// The bytes of each image ring; 0 if commits are not replicated.
    int imageRingBytes() {
        int which = (int) Math.floorMod(seed, (long) SEEDS_PER_REPLICATED);
        boolean isOn = (which == 0 || which == 3) && memoryServers > 1 && oracle != Oracle.DIRECT;
        long ring = Math.floorMod(seed / SEEDS_PER_REPLICATED, (long) RING_BYTES.length);
        return isOn ? RING_BYTES[(int) ring] : 0;
    }

    /// All options, one to a line, for people.
    public String describe() {
        return """
        seed               %d
        servers            %d memory, %d compute
        sessions           %d clients, %d movers, %d of SQL, %d of TPC-C on each compute server, %d transactions each
        registers          %d keys, %d operations, %.0f %% of them writes
        tokens             %d
        records            %d old-version places, %s%s%s
        snapshots          %s on %d memory servers, staleness %.3f ms, maximum transaction time %.0f ms
        maintenance        every %.3f ms
        commits            %s
        membership         %s
        landing buffers    %d KiB
        faults             %s
        """
                .formatted(
                        seed,
                        memoryServers,
                        computeServers,
                        clients,
                        movers,
                        sqlClients,
                        terminals,
                        transactions,
                        workload.keys(),
                        workload.operations(),
                        100 * workload.writeShare(),
                        tokens,
                        versions,
                        inlined ? "inlined" : "outside of their buckets",
                        splits() ? ", in buckets that are split" : "",
                        cached ? ", cached" : "",
                        oracle.name().toLowerCase(java.util.Locale.ROOT),
                        vector().servers(),
                        stalenessNanos / 1e6,
                        maxTransactionNanos / 1e6,
                        maintenanceNanos / 1e6,
                        imageRingBytes() == 0
                                ? "not replicated"
                                : "replicated, in rings of %d KiB"
                                        .formatted(imageRingBytes() >> 10),
                        leases.describe(),
                        landingBytes >> 10,
                        describeFaults());
    }

    private String describeFaults() {
        java.util.StringJoiner text = new java.util.StringJoiner("; ");
        if (faults.jitterNanos() > 0) {
            text.add(
                    "messages %,d ns late on average, %.2f %% of them up to %,d ns"
                            .formatted(
                                    faults.jitterNanos(),
                                    100 * faults.spikeProbability(),
                                    faults.spikeNanos()));
        }
        if (faults.tearBytes() > 0) {
            text.add(
                    "%.0f %% torn at %d bytes, over %,d ns"
                            .formatted(
                                    100 * faults.tearProbability(),
                                    faults.tearBytes(),
                                    faults.tearNanos()));
        }
        if (faults.pauseProbability() > 0) {
            text.add(
                    "paused before %.2f %% of the verbs, up to %,d ns"
                            .formatted(100 * faults.pauseProbability(), faults.pauseNanos()));
        }
        if (faults.lossProbability() > 0) {
            text.add(
                    "connection lost at %.3f %% of the verbs"
                            .formatted(100 * faults.lossProbability()));
        }
        if (faults.unplannedProbability() > 0) {
            text.add(
                    "%.3f %% of the calls throw unplanned failures"
                            .formatted(100 * faults.unplannedProbability()));
        }
        if (crashes > 0) {
            text.add("%d compute servers crash".formatted(crashes));
        }
        if (zombies > 0) {
            text.add("%d compute servers stand still for too long".formatted(zombies));
        }
        if (partitions > 0) {
            text.add("%d compute servers are cut off from memory servers".formatted(partitions));
        }
        if (memoryCrash) {
            text.add("a memory server crashes");
        }
        if (outage) {
            text.add("TCP connections break, and links are lost and replaced");
        }
        leases.describe(text);
        return text.length() == 0 ? "none" : text.toString();
    }
}
