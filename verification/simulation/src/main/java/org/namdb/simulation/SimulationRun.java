package org.namdb.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.namdb.checker.IsolationChecker;
import org.namdb.checker.Verdict;
import org.namdb.checker.history.History;
import org.namdb.checker.history.HistoryBuilder;
import org.namdb.checker.history.Operation;
import org.namdb.checker.history.Status;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.TransactionException;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.sim.ClusterModel;
import org.namdb.fabric.sim.FaultPlan;
import org.namdb.fabric.sim.SimHost;
import org.namdb.fabric.sim.SimTrace;
import org.namdb.fabric.sim.Simulation;
import org.namdb.fabric.sim.UnplannedFailure;
import org.namdb.mvcc.LatchTimeoutException;
import org.namdb.timestamp.SlotsExhaustedException;

/// One life of a simulated cluster: it is started, loaded, driven by clients and movers through
/// faults, and judged.
public final class SimulationRun implements AttemptLog {
    private static final long LEAST_PAUSE_NANOS = 500;
    private static final long MOST_PAUSE_NANOS = 20_000;
    private static final long REPLACEMENT_NANOS = 500_000;
    private static final int VERBS_OF_A_TRANSACTION = 60;
    private static final int MOST_RECONNECTS = 20;
    private static final AttemptLog NO_LOG =
            (session, status, slot, timestamp, begin, end, snapshot, operations) -> {};

    /// A compute server that has posted nothing for so long is taken for dead.
    private static final long LEASE_NANOS = 500_000;

    private static final long LONGEST_STANDSTILL_NANOS = 10_000_000;

    private static final int MOST_LOST = 5;

    private static final int MOST_LAST_WRITES = 20;

    /// Longer than everybody stands still who may be in the way of a clean-up.
    private static final long LONGEST_CLEAN_UP_NANOS = 500_000_000;

    private final SimulationOptions options;
    private final SimTrace trace;
    private final AttemptLog log;
    private final Simulation simulation;
    private final SimulatedCluster cluster;
    private final SplittableRandom random;
    private final List<Workload> workloads;
    private final HistoryBuilder history = History.builder();
    private final List<SimHost> computeHosts = new ArrayList<>();
    private final Map<SimHost, Integer> processes = new HashMap<>();
    private @Nullable String failure;

    /// Transactions of clients and movers that have ended, in whatever way.
    private long ended;

    private int running;
    private int clients;
    private int crashesLeft;
    private int zombiesLeft;

    private final MadeAttempts made = new MadeAttempts();

    /// The processes that have ended or are taken for dead.
    private final Set<Integer> gone = new LinkedHashSet<>();

    private final Set<Integer> cleanedProcesses = new HashSet<>();
    private boolean isReady;

    private SimulationRun(SimulationOptions options, SimTrace trace, AttemptLog log) {
        this.options = options;
        this.log = log;
        this.trace = trace;
        this.simulation = new Simulation(options.seed(), ClusterModel.FREE_PROCESSORS, trace);
        this.cluster = new SimulatedCluster(simulation, options);
        this.random = new SplittableRandom(options.seed() + 1);
        this.workloads = options.workloads();
        this.crashesLeft = options.crashes();
        this.zombiesLeft = options.zombies();
    }

    /// Runs a cluster and judges it.
    public static SimulationVerdict of(SimulationOptions options, SimTrace trace) {
        return of(options, trace, NO_LOG);
    }

    /// Runs a cluster and judges it; every attempt to run a transaction is noted in `log` too.
    public static SimulationVerdict of(SimulationOptions options, SimTrace trace, AttemptLog log) {
        SimulationRun run = new SimulationRun(options, trace, log);
        try (run.cluster) {
            return run.judge();
        }
    }

    private SimulationVerdict judge() {
        try {
            load();
            drive();
            if (cluster.hasMemory() && failure == null) {
                lookAtAll();
            }
        } catch (IllegalStateException e) {
            fail(FailureText.of(e));
        }
        String undone = made.resolve(history, log);
        if (undone != null) {
            fail(undone);
        }
        Verdict verdict = null;
        if (!made.isEmpty()) {
            IsolationChecker checker =
                    options.isStale()
                            ? IsolationChecker.allowingStale()
                            : IsolationChecker.strict();
            verdict = checker.check(history.build());
        }
        return new SimulationVerdict(
                options,
                failure,
                verdict,
                trace.fingerprint(),
                trace.happenings(),
                simulation.nanoTime(),
                computeHosts.stream().mapToLong(SimHost::verbs).sum(),
                computeHosts.stream().mapToLong(SimHost::failures).sum());
    }

    private void load() {
        cluster.start(
                db -> {
                    int versions = options.versions();
                    Registers.create(db, options.workload().keys(), versions, options.inlined());
                    if (options.movers() > 0) {
                        Tokens.create(db, options.tokens(), versions, options.inlined());
                    }
                    workloads.forEach(workload -> workload.create(db));
                },
                () -> isReady = true);
        while (!isReady && simulation.nanoTime() < SimulatedCluster.patienceNanos()) {
            step();
        }
        if (!isReady) {
            fail("the cluster does not start");
        }
    }

    private void step() {
        simulation.run(simulation.nanoTime() + LEAST_PAUSE_NANOS);
        simulation.skipTo(simulation.nanoTime() + LEAST_PAUSE_NANOS);
    }

    private void drive() {
        if (failure != null) {
            return;
        }
        simulation.faults(options.faults());
        for (int server = 0; server < options.computeServers(); server++) {
            startComputeServer("compute-" + server, options.transactions());
        }
        if (options.memoryCrash()) {
            cluster.crashMemory(
                    random.nextInt(options.memoryServers()), random.nextLong(1, 5_000_000));
        }
        runUntilNothingMoves();
        if (running > 0) {
            fail(running + " compute servers never come to an end");
        }
    }

    /// Runs while transactions come to an end.
    private void runUntilNothingMoves() {
        long before = -1;
        while (running > 0 && failure == null && ended != before) {
            before = ended;
            simulation.run(simulation.nanoTime() + SimulatedCluster.patienceNanos());
        }
    }

    /// A compute server with clients and movers; after half of their transactions it leaves, and
    /// comes again with other sessions, whose slots were used before.
    private void startComputeServer(String name, int transactions) {
        SimHost host = simulation.host(name);
        computeHosts.add(host);
        if (crashesLeft > 0) {
            crashesLeft--;
            long atMost = (long) transactions * options.sessions() * VERBS_OF_A_TRANSACTION;
            host.crashAtVerb(random.nextLong(1, atMost + 1));
        } else if (zombiesLeft > 0) {
            zombiesLeft--;
            standStill(host, transactions);
        }
        running++;
        int first = clients;
        clients += 2 * (options.clients() + options.movers());
        host.start(
                name,
                () -> {
                    try {
                        int half = Math.max(1, transactions / 2);
                        live(host, first, half);
                        live(host, first + options.clients() + options.movers(), half);
                    } finally {
                        ended(host);
                    }
                });
    }

    /// Has a compute server stand still at one of its verbs; when its lease is over, another one
    /// fences it and cleans up.
    private void standStill(SimHost host, int transactions) {
        long atMost = (long) transactions * options.sessions() * VERBS_OF_A_TRANSACTION;
        long nanos = random.nextLong(2 * LEASE_NANOS, LONGEST_STANDSTILL_NANOS);
        host.pauseAtVerb(
                random.nextLong(1, atMost + 1),
                nanos,
                () -> {
                    Integer process = processes.get(host);
                    if (process != null) {
                        simulation.at(
                                simulation.nanoTime() + LEASE_NANOS,
                                () -> {
                                    gone.add(process);
                                    startCleaner("cleaner of " + host.name());
                                });
                    }
                });
    }

    /// A compute server that only cleans up. It may be one of several, and crash itself.
    private void startCleaner(String name) {
        SimHost host = simulation.host(name);
        computeHosts.add(host);
        if (random.nextInt(4) == 0) {
            host.crashAtVerb(random.nextLong(1, 200));
        }
        running++;
        host.start(
                name,
                () -> {
                    boolean isDone = false;
                    try (NamDb db = attach(host)) {
                        cleanUp(db, host);
                        isDone = true;
                    } catch (RuntimeException | Error e) {
                        Unplanned.requireOrFabric(e);
                    } finally {
                        left(host);
                        if (!isDone || host.isDead()) {
                            replaceByCleaner(host.name() + "'");
                        }
                        ended();
                    }
                });
    }

    /// A host could not attach, or not close.
    private void replaceByCleaner(SimHost host) {
        if (!host.isDead()) {
            replaceByCleaner("cleaner of " + host.name());
        }
    }

    /// Has what is left cleaned up, after a while.
    private void replaceByCleaner(String name) {
        if (cluster.hasMemory() && failure == null) {
            running++;
            simulation.at(
                    simulation.nanoTime() + REPLACEMENT_NANOS,
                    () -> {
                        startCleaner(name);
                        ended();
                    });
        }
    }

    private NamDb attach(SimHost host) {
        NamDb db = cluster.attach(host);
        db.observeCleanUps(made::cleanedUp);
        processes.put(host, db.process());
        return db;
    }

    /// The process that a host has attached is no more, or will not be used any more.
    private void left(SimHost host) {
        Integer process = processes.remove(host);
        if (process != null) {
            gone.add(process);
        }
    }

    /// Cleans up after all processes that are gone.
    private void cleanUp(NamDb db, SimHost host) {
        long untilNanos = simulation.nanoTime() + LONGEST_CLEAN_UP_NANOS;
        int lost = 0;
        while (cluster.hasMemory()) {
            try {
                if (isClean(db)) {
                    return;
                }
            } catch (FabricException e) {
                // The process may have lost its own connection to the catalog: then it must leave.
                lost++;
                if (e.kind() != FabricException.Kind.CONNECTION_LOST || lost == MOST_LOST) {
                    throw e;
                }
            } catch (RuntimeException | Error e) {
                Unplanned.require(e);
            }
            if (simulation.nanoTime() > untilNanos) {
                fail(host, "what the dead have left is not cleaned up");
                return;
            }
            host.sleep(random.nextLong(MOST_PAUSE_NANOS, 10 * MOST_PAUSE_NANOS));
        }
    }

    /// Has all cleaned up that is to be, once.
    ///
    /// @return whether nothing is left
    private boolean isClean(NamDb db) {
        boolean isClean = true;
        for (int process : List.copyOf(gone)) { // all: one may be the dead cleaner of another
            if (process != db.process() && !cleanedProcesses.contains(process)) {
                if (db.cleanUpAfter(process)) {
                    cleanedProcesses.add(process);
                } else {
                    isClean = false;
                }
            }
        }
        return isClean && db.cleanUp();
    }

    private void ended() {
        running--;
        if (running == 0) {
            simulation.stop();
        }
    }

    private void ended(SimHost host) {
        left(host);
        if (host.isDead() && cluster.hasMemory() && failure == null) {
            simulation.at(
                    simulation.nanoTime() + REPLACEMENT_NANOS,
                    () -> {
                        if (random.nextBoolean()) {
                            startCleaner("cleaner of " + host.name());
                        }
                        startComputeServer(host.name() + "'", options.transactions() / 2 + 1);
                        running--;
                    });
        } else {
            ended();
        }
    }

    private void live(SimHost host, int first, int transactions) {
        NamDb db = null;
        try {
            db = attach(host);
            cleanUp(db, host);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < options.clients() + options.movers(); i++) {
                int number = first + i;
                boolean isClient = i < options.clients();
                NamDb attached = db;
                SplittableRandom own = random.split();
                threads.add(
                        host.start(
                                host.name() + "-" + number,
                                () -> {
                                    if (isClient) {
                                        runClient(attached, host, own, number, transactions);
                                    } else {
                                        runMover(attached, host, own, transactions);
                                    }
                                }));
            }
            startWorkloads(db, host, transactions, threads);
            for (Thread thread : threads) {
                thread.join();
            }
            cleanUp(db, host);
            db.close();
        } catch (RuntimeException | Error e) {
            Unplanned.requireOrFabric(e);
            replaceByCleaner(host);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            left(host);
        }
    }

    private void startWorkloads(NamDb db, SimHost host, int transactions, List<Thread> threads) {
        Workload.ComputeServer server =
                new Workload.ComputeServer(db, host, cluster::hasMemory, () -> ended++);
        for (Workload workload : workloads) {
            for (int i = 0; i < workload.clients(); i++) {
                Runnable client = workload.client(server, random.split(), transactions);
                threads.add(
                        host.start(
                                host.name() + "-" + workload.name() + "-" + i,
                                () -> {
                                    try {
                                        client.run();
                                    } catch (IllegalStateException e) {
                                        fail(host, FailureText.of(e));
                                    }
                                }));
            }
        }
    }

    private void runClient(
            NamDb db, SimHost host, SplittableRandom own, int number, int transactions) {
        int left = transactions;
        for (int connection = 0; mayConnect(connection) && left > 0; connection++) {
            try (Session session = db.session()) {
                RegisterClient client =
                        new RegisterClient(
                                options.workload(),
                                db,
                                host,
                                this,
                                own,
                                number * MOST_RECONNECTS + connection,
                                host.name() + "/s" + number + "." + connection);
                boolean isOfUse = true;
                for (; left > 0 && isOfUse; left--) {
                    try {
                        if (!client.attempt(session)) {
                            host.sleep(own.nextLong(LEAST_PAUSE_NANOS, MOST_PAUSE_NANOS));
                        }
                    } catch (RuntimeException | Error e) {
                        isOfUse = Unplanned.isSurvived(e, own);
                    }
                }
            } catch (FabricException e) {
                left--;
            } catch (LatchTimeoutException e) {
                requireNoMemory(host, e);
                return;
            } catch (SlotsExhaustedException e) {
                return; // lost sessions keep their slots until they are cleaned up
            } catch (TornRecordException e) {
                fail(host, String.valueOf(e.getMessage()));
                return;
            } catch (RuntimeException | Error e) {
                Unplanned.require(e);
            }
        }
    }

    /// A latch is waited for in vain only where nobody can clean up any more.
    private void requireNoMemory(SimHost host, LatchTimeoutException timeout) {
        if (cluster.hasMemory()) {
            fail(host, FailureText.of(timeout));
        }
    }

    private boolean mayConnect(int connection) {
        return connection < MOST_RECONNECTS && cluster.hasMemory();
    }

    private void runMover(NamDb db, SimHost host, SplittableRandom own, int transactions) {
        int left = transactions;
        for (int connection = 0; mayConnect(connection) && left > 0; connection++) {
            try (Session session = db.session()) {
                Tokens tokens = Tokens.of(db, options.tokens());
                boolean isOfUse = true;
                for (; left > 0 && isOfUse; left--) {
                    ended++;
                    try {
                        if (own.nextInt(6) == 0) {
                            session.transact(tokens::audit);
                        } else {
                            session.transact(transaction -> tokens.change(transaction, own));
                        }
                    } catch (TransactionException e) {
                        host.sleep(own.nextLong(LEAST_PAUSE_NANOS, MOST_PAUSE_NANOS));
                    } catch (RuntimeException | Error e) {
                        isOfUse = Unplanned.isSurvived(e, own);
                    }
                }
            } catch (FabricException e) {
                left--;
            } catch (LatchTimeoutException e) {
                requireNoMemory(host, e);
                return;
            } catch (SlotsExhaustedException e) {
                return; // lost sessions keep their slots until they are cleaned up
            } catch (RuntimeException | Error e) {
                if (e instanceof IllegalStateException && !UnplannedFailure.isIn(e)) {
                    fail(host, String.valueOf(e.getMessage()));
                    return;
                }
                Unplanned.require(e);
            }
        }
    }

    /// When all have ended: a new compute server, without faults, reads everything.
    private void lookAtAll() {
        simulation.faults(FaultPlan.NONE);
        SimHost host = simulation.host("auditor");
        boolean[] isDone = new boolean[1];
        host.start(
                "auditor",
                () -> {
                    NamDb db = attach(host);
                    cleanUp(db, host);
                    try (Session session = db.session()) {
                        RegisterClient client =
                                new RegisterClient(
                                        options.workload(),
                                        db,
                                        host,
                                        this,
                                        random,
                                        clients * MOST_RECONNECTS,
                                        "auditor");
                        client.readAll(session);
                        writeAll(client, session, host);
                        if (options.movers() > 0) {
                            session.transact(Tokens.of(db, options.tokens())::audit);
                        }
                        workloads.forEach(workload -> workload.audit(db, random));
                    } catch (TornRecordException e) {
                        fail("auditor: " + e.getMessage());
                    } catch (IllegalStateException e) {
                        fail("auditor: " + FailureText.of(e));
                    }
                    isDone[0] = true;
                    simulation.stop();
                });
        simulation.run(simulation.nanoTime() + SimulatedCluster.patienceNanos());
        if (!isDone[0] && failure == null) {
            fail("the last look never comes to an end");
        }
    }

    /// The only ones who may be in the way are background workers, for a moment.
    private void writeAll(RegisterClient client, Session session, SimHost host) {
        for (int tries = 0; tries < MOST_LAST_WRITES; tries++) {
            if (client.writeAll(session)) {
                return;
            }
            host.sleep(random.nextLong(LEAST_PAUSE_NANOS, MOST_PAUSE_NANOS));
        }
        fail("the auditor can't write to all registers");
    }

    @Override
    public void attempted(
            String session,
            Status status,
            int slot,
            long timestamp,
            long beginNanos,
            long endNanos,
            long[] snapshot,
            List<Operation> operations) {
        ended++;
        made.attempted(
                session, status, slot, timestamp, beginNanos, endNanos, snapshot, operations);
        trace.say(
                endNanos,
                session,
                () -> AttemptText.of(status, slot, timestamp, snapshot, operations));
    }

    /// What a client has found wrong. What the threads of a dead process come to on their way out
    /// says nothing.
    private void fail(SimHost host, String what) {
        if (!host.isDead()) {
            fail(host.name() + ": " + what);
        }
    }

    private void fail(String what) {
        if (failure == null) {
            failure = what;
        }
        simulation.stop();
    }
}
