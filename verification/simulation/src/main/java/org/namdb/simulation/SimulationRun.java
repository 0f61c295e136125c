package org.namdb.simulation;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.namdb.checker.IsolationChecker;
import org.namdb.checker.Verdict;
import org.namdb.checker.history.History;
import org.namdb.checker.history.HistoryBuilder;
import org.namdb.checker.history.Operation;
import org.namdb.checker.history.Status;
import org.namdb.compute.LeaseLostException;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.TransactionException;
import org.namdb.fabric.tcp.LinkSimulation;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.simulated.SimHost;
import org.namdb.simulated.SimTrace;
import org.namdb.simulated.Simulation;

/// One life of a simulated cluster: it is started, loaded, driven by clients and movers through
/// faults, and checked.
public final class SimulationRun {
    private static final int MAX_CUTS = 10;
    private static final int VERBS_OF_A_TRANSACTION = 60;

    /// How often a compute server starts that is never lost, and one that is.
    private static final int LIVES = 2;

    private static final int MAX_LIVES = 4;

    static final long MAX_STANDSTILL_NANOS = 10_000_000;
    private static final AttemptLog NO_LOG =
            (session, status, slot, timestamp, begin, end, snapshot, operations) -> {};

    private final SimulationOptions options;
    private final SimTrace trace;
    private final AttemptLog log;
    private final RunCourse course;
    private final Simulation simulation;
    private final SimulatedCluster cluster;
    private final SplittableRandom random;
    private final List<Workload> workloads;
    private final MadeAttempts made = new MadeAttempts();
    private final Cleaners cleaners;
    private final LeaseFaults leaseFaults;
    private final LeaseChecker leaseChecker;
    private int clients;
    private int crashesLeft;
    private int zombiesLeft;
    private int partitionsLeft;
    private boolean isReady;

    private SimulationRun(SimulationOptions options, SimTrace trace, AttemptLog log) {
        this.options = options;
        this.log = log;
        this.trace = trace;
        this.course = new RunCourse(options, trace);
        this.simulation = course.simulation();
        this.cluster = course.cluster();
        this.random = course.random();
        this.workloads = options.workloads();
        this.cleaners = new Cleaners(course, made);
        this.leaseFaults = new LeaseFaults(course);
        this.leaseChecker = new LeaseChecker(course);
        this.crashesLeft = options.crashes();
        this.zombiesLeft = options.zombies();
        this.partitionsLeft = options.partitions();
    }

    /// Runs a cluster and checks it.
    public static SimulationVerdict of(SimulationOptions options, SimTrace trace) {
        return of(options, trace, NO_LOG);
    }

    /// Runs a cluster and checks it; every attempt to run a transaction is noted in `log` too.
    public static SimulationVerdict of(SimulationOptions options, SimTrace trace, AttemptLog log) {
        SimulationRun run = new SimulationRun(options, trace, log);
        try (run.cluster) {
            return run.verdict();
        }
    }

    private SimulationVerdict verdict() {
        try {
            load();
            drive();
            if (course.goesOn()) {
                new FinalCheck(course, cleaners, leaseChecker, workloads, this::attempted)
                        .run(clients * SessionLoop.MAX_CONNECTIONS);
            }
        } catch (IllegalStateException e) {
            course.fail(FailureText.of(e));
        }
        LinkSimulation.Result links = links();
        HistoryBuilder history = History.builder();
        String undone = made.resolve(history, log);
        if (undone != null) {
            course.fail(undone);
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
                course.failure(),
                verdict,
                trace.fingerprint(),
                trace.events(),
                simulation.nanoTime(),
                course.computeHosts().stream().mapToLong(SimHost::verbs).sum(),
                course.computeHosts().stream().mapToLong(SimHost::failures).sum(),
                leaseChecker.tally(),
                links);
    }

    /// The simulated fabric sends nothing again. What does is run in addition to the cluster.
    private LinkSimulation.@Nullable Result links() {
        if (!options.outage()) {
            return null;
        }
        LinkSimulation.Result result =
                LinkSimulation.of(
                        options.seed(),
                        step -> trace.say(simulation.nanoTime(), "tcp", () -> step));
        if (result.wrong() != null) {
            course.fail("over TCP, " + result.wrong());
        }
        return result;
    }

    private void load() {
        cluster.start(
                db -> {
                    int versions = options.versions();
                    Registers.create(
                            db,
                            options.expectedRows(options.workload().keys()),
                            versions,
                            options.inlined(),
                            options.cached());
                    if (options.movers() > 0) {
                        Tokens.create(
                                db,
                                options.tokens(),
                                options.expectedRows(options.tokens()),
                                versions,
                                options.inlined(),
                                distribution(options.seed()));
                    }
                    workloads.forEach(workload -> workload.create(db));
                },
                () -> isReady = true);
        while (!isReady && simulation.nanoTime() < SimulatedCluster.timeoutNanos()) {
            step();
        }
        if (!isReady) {
            course.fail("the cluster does not start");
        }
    }

    /// Drawn from the seed by itself, so that nothing else that is drawn from it depends on that.
    private static Map<String, String> distribution(long seed) {
        SplittableRandom random = new SplittableRandom(~seed);
        List<String> all = IndexDefinition.DISTRIBUTIONS;
        String drawn = all.get(random.nextInt(all.size()));
        Map<String, String> properties = new LinkedHashMap<>();
        if (!drawn.equals(IndexDefinition.FINE)) {
            properties.put(IndexDefinition.DISTRIBUTION, drawn);
            if (random.nextBoolean()) {
                properties.put(IndexDefinition.PARTITION, IndexDefinition.BY_RANGE);
            }
        }
        return properties;
    }

    private void step() {
        simulation.run(simulation.nanoTime() + RunCourse.MIN_PAUSE_NANOS);
        simulation.skipTo(simulation.nanoTime() + RunCourse.MIN_PAUSE_NANOS);
    }

    private void drive() {
        if (course.failure() != null) {
            return;
        }
        simulation.faults(options.faults());
        if (options.leases().isOn()) {
            leaseChecker.begin();
            leaseFaults.begin();
        }
        if (options.cached() && options.partitions() > 0) {
            cutPeers(new SplittableRandom(options.seed() + 3));
        }
        for (int server = 0; server < options.computeServers(); server++) {
            startComputeServer("compute-" + server, options.transactions());
        }
        if (options.memoryCrash()) {
            cluster.crashMemory(
                    random.nextInt(options.memoryServers()), random.nextLong(1, 5_000_000));
        }
        runUntilNothingMoves();
        if (course.running() > 0) {
            course.fail(course.running() + " compute servers never come to an end");
        }
    }

    /// Links between compute servers are cut now and then.
    private void cutPeers(SplittableRandom own) {
        int cuts = own.nextInt(1, MAX_CUTS);
        for (int i = 0; i < cuts; i++) {
            simulation.at(
                    simulation.nanoTime() + own.nextLong(LeaseFaults.LATEST_NANOS),
                    () -> cluster.cutPeers(own));
        }
    }

    /// Runs while transactions come to an end.
    private void runUntilNothingMoves() {
        long before = -1;
        while (course.running() > 0
                && course.failure() == null
                && course.endedTransactions() != before) {
            before = course.endedTransactions();
            simulation.run(simulation.nanoTime() + SimulatedCluster.timeoutNanos());
        }
    }

    /// A compute server with clients and movers; after half of their transactions it leaves, and
    /// joins again with other sessions, whose slots were used before. So it does when it has lost
    /// its lease.
    private void startComputeServer(String name, int transactions) {
        SimHost host = course.computeHost(name);
        long verbs = (long) transactions * options.sessions() * VERBS_OF_A_TRANSACTION;
        if (crashesLeft > 0) {
            crashesLeft--;
            host.crashAtVerb(random.nextLong(1, verbs + 1));
        } else if (zombiesLeft > 0) {
            zombiesLeft--;
            long nanos = random.nextLong(2 * Cleaners.LEASE_NANOS, MAX_STANDSTILL_NANOS);
            host.pauseAtVerb(
                    random.nextLong(1, verbs + 1), nanos, () -> cleaners.standsStill(host));
        }
        if (partitionsLeft > 0) {
            partitionsLeft--;
            Partition partition = new Partition(course, cleaners, random.split());
            host.partitionAtVerb(random.nextLong(1, verbs + 1), () -> partition.begin(host));
        }
        if (options.leases().isOn()) {
            leaseFaults.befall(host);
        }
        course.processStarted();
        int first = clients;
        int clientsOfALife = options.clients() + options.movers();
        clients += MAX_LIVES * clientsOfALife;
        host.start(
                name,
                () -> {
                    try {
                        int half = Math.max(1, transactions / 2);
                        int lives = LIVES;
                        for (int life = 0; life < lives; life++) {
                            boolean isLost = live(host, first + life * clientsOfALife, half);
                            lives = Math.min(isLost ? lives + 1 : lives, MAX_LIVES);
                        }
                    } finally {
                        ended(host);
                    }
                });
    }

    /// A compute server is at its end. Another one takes its place if it has crashed.
    private void ended(SimHost host) {
        cleaners.left(host);
        boolean hasCrashed = host.isDead();
        if (options.leases().isOn()) {
            host.crash(); // whatever it could not close ends with it, its lease as well
        }
        if (hasCrashed && course.goesOn()) {
            simulation.at(
                    simulation.nanoTime() + Cleaners.REPLACEMENT_NANOS,
                    () -> {
                        if (random.nextBoolean()) {
                            cleaners.start("recoverer of " + host.name());
                        }
                        startComputeServer(host.name() + "'", options.transactions() / 2 + 1);
                        course.processEnded();
                    });
        } else {
            course.processEnded();
        }
    }

    /// @return whether it has lost its lease
    private boolean live(SimHost host, int first, int transactions) {
        boolean isFirst = host.connections() == 0; // none before it is still open
        try {
            NamDb db = cleaners.attach(host);
            cleaners.recover(db, host);
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < options.clients() + options.movers(); i++) {
                int number = first + i;
                boolean isClient = i < options.clients();
                SplittableRandom own = random.split();
                SessionLoop loop = new SessionLoop(course, db, host, own, transactions);
                threads.add(
                        host.start(
                                host.name() + "-" + number,
                                () ->
                                        loop.run(
                                                isClient
                                                        ? client(db, host, own, number)
                                                        : mover(db, own))));
            }
            startWorkloads(db, host, transactions, threads);
            for (Thread thread : threads) {
                thread.join();
            }
            cleaners.recover(db, host);
            boolean isLost = db.isLost();
            db.close();
            // What was lost in a throw could not be closed.
            if (isFirst && host.connections() > 0 && host.failures() == 0) {
                course.fail(
                        host,
                        "it has left, and keeps %d connections".formatted(host.connections()));
            }
            return isLost;
        } catch (RuntimeException | Error e) {
            Unplanned.requireOrFabric(e);
            cleaners.replace(host);
            return options.leases().isOn();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        } finally {
            cleaners.left(host);
        }
    }

    private void startWorkloads(NamDb db, SimHost host, int transactions, List<Thread> threads) {
        Workload.ComputeServer server =
                new Workload.ComputeServer(
                        db,
                        host,
                        () -> cluster.hasMemory() && !db.isLost(),
                        course::transactionEnded);
        for (Workload workload : workloads) {
            for (int i = 0; i < workload.clients(); i++) {
                Runnable client = workload.client(server, random.split(), transactions);
                threads.add(
                        host.start(
                                host.name() + "-" + workload.name() + "-" + i,
                                () -> {
                                    try {
                                        client.run();
                                    } catch (LeaseLostException e) {
                                        // The next life of its host has clients of its own.
                                    } catch (IllegalStateException e) {
                                        course.fail(host, FailureText.of(e));
                                    }
                                }));
            }
        }
    }

    private SessionLoop.Opening client(NamDb db, SimHost host, SplittableRandom own, int number) {
        return (session, connection) -> {
            RegisterClient client =
                    new RegisterClient(
                            options.workload(),
                            db,
                            simulation::nanoTime,
                            this::attempted,
                            own,
                            number * SessionLoop.MAX_CONNECTIONS + connection,
                            host.name() + "/s" + number + "." + connection);
            return () -> client.attempt(session);
        };
    }

    private SessionLoop.Opening mover(NamDb db, SplittableRandom own) {
        return (session, connection) -> {
            Tokens tokens = Tokens.of(db, options.tokens());
            return () -> move(session, tokens, own);
        };
    }

    private boolean move(Session session, Tokens tokens, SplittableRandom own) {
        course.transactionEnded();
        try {
            if (own.nextInt(6) == 0) {
                session.transact(tokens::audit);
            } else {
                session.transact(transaction -> tokens.change(transaction, own));
            }
            return true;
        } catch (TransactionException e) {
            return false;
        }
    }

    private void attempted(
            String session,
            Status status,
            int slot,
            long timestamp,
            long beginNanos,
            long endNanos,
            long[] snapshot,
            List<Operation> operations) {
        course.transactionEnded();
        made.attempted(
                session, status, slot, timestamp, beginNanos, endNanos, snapshot, operations);
        trace.say(
                endNanos,
                session,
                () -> AttemptText.of(status, slot, timestamp, snapshot, operations));
    }
}
