package org.namdb.simulation;

import java.util.ArrayList;
import java.util.List;
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
import org.namdb.sql.engine.SqlDatabase;
import org.namdb.sql.engine.SqlSession;
import org.namdb.sql.language.error.SqlException;
import org.namdb.timestamp.SlotsExhaustedException;

/// One life of a simulated cluster: it is started, loaded, driven by clients and movers through faults, and judged.
public final class SimulationRun implements AttemptLog {
    private static final long LEAST_PAUSE_NANOS = 500;
    private static final long MOST_PAUSE_NANOS = 20_000;
    private static final long REPLACEMENT_NANOS = 500_000;
    private static final int VERBS_OF_A_TRANSACTION = 60;
    private static final int MOST_RECONNECTS = 20;
    private static final AttemptLog NO_LOG =
            (session, status, slot, timestamp, begin, end, snapshot, operations) -> {};

    /// Where a process may have gone with a latch in its hand, others wait for ever; nobody waits so long otherwise.
    private static final long STALL_NANOS = 300_000_000;

    private final SimulationOptions options;
    private final SimTrace trace;
    private final AttemptLog log;
    private final Simulation simulation;
    private final SimulatedCluster cluster;
    private final SplittableRandom random;
    private final HistoryBuilder history = History.builder();
    private final List<SimHost> computeHosts = new ArrayList<>();
    private @Nullable String failure;
    private long attempts;

    /// Transactions of clients and movers that have ended, in whatever way.
    private long ended;

    private int running;
    private int clients;
    private int crashesLeft;
    private boolean isReady;
    private boolean isStalled;

    private SimulationRun(SimulationOptions options, SimTrace trace, AttemptLog log) {
        this.options = options;
        this.log = log;
        this.trace = trace;
        this.simulation = new Simulation(options.seed(), ClusterModel.FREE_PROCESSORS, trace);
        this.cluster = new SimulatedCluster(simulation, options);
        this.random = new SplittableRandom(options.seed() + 1);
        this.crashesLeft = options.crashes();
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
            if (cluster.hasMemory() && failure == null && !isStalled) {
                lookAtAll();
            }
        } catch (IllegalStateException e) {
            fail(describe(e));
        }
        Verdict verdict = null;
        if (attempts > 0) {
            IsolationChecker checker =
                    options.isStale()
                            ? IsolationChecker.allowingStale()
                            : IsolationChecker.strict();
            verdict = checker.check(history.build());
        }
        return new SimulationVerdict(
                options,
                failure,
                isStalled,
                verdict,
                trace.fingerprint(),
                trace.happenings(),
                simulation.nanoTime(),
                computeHosts.stream().mapToLong(SimHost::verbs).sum());
    }

    private void load() {
        cluster.start(
                db -> {
                    int versions = options.versions();
                    Registers.create(db, options.workload().keys(), versions, options.inlined());
                    if (options.movers() > 0) {
                        Tokens.create(db, options.tokens(), versions, options.inlined());
                    }
                    if (options.sqlClients() > 0) {
                        SqlBank.create(db, versions, options.inlined());
                    }
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
            stalled(running + " compute servers never come to an end");
        }
    }

    /// Runs while transactions come to an end.
    private void runUntilNothingMoves() {
        long before = -1;
        while (running > 0 && failure == null && ended != before) {
            before = ended;
            simulation.run(simulation.nanoTime() + patienceNanos());
        }
    }

    /// Nobody waits so long for anything, unless for ever.
    private long patienceNanos() {
        return options.leavesLatches() ? STALL_NANOS : SimulatedCluster.patienceNanos();
    }

    private void stalled(String what) {
        isStalled = true;
        if (!options.leavesLatches()) {
            fail(what);
        }
    }

    /// A compute server with clients and movers; after half of their transactions it leaves, and comes again with other sessions, whose slots were used
    /// before.
    private void startComputeServer(String name, int transactions) {
        SimHost host = simulation.host(name);
        computeHosts.add(host);
        if (crashesLeft > 0) {
            crashesLeft--;
            long atMost = (long) transactions * options.sessions() * VERBS_OF_A_TRANSACTION;
            host.crashAtVerb(random.nextLong(1, atMost + 1));
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

    private void ended(SimHost host) {
        if (host.isDead() && cluster.hasMemory() && failure == null) {
            simulation.at(
                    simulation.nanoTime() + REPLACEMENT_NANOS,
                    () -> {
                        startComputeServer(host.name() + "'", options.transactions() / 2 + 1);
                        running--;
                    });
        } else {
            running--;
            if (running == 0) {
                simulation.stop();
            }
        }
    }

    private void live(SimHost host, int first, int transactions) {
        NamDb db = null;
        try {
            db = cluster.attach(host);
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
            startSqlClients(db, host, transactions, threads);
            for (Thread thread : threads) {
                thread.join();
            }
            db.close();
        } catch (FabricException e) {
            // It could not be attached, or not be closed: it is gone, and its slots are lost.
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void startSqlClients(NamDb db, SimHost host, int transactions, List<Thread> threads) {
        SqlDatabase database = SqlDatabase.of(db);
        for (int i = 0; i < options.sqlClients(); i++) {
            SqlClient client =
                    new SqlClient(
                            database, host, random.split(), cluster::hasMemory, () -> ended++);
            threads.add(
                    host.start(
                            host.name() + "-sql-" + i,
                            () -> {
                                try {
                                    client.run(transactions);
                                } catch (IllegalStateException e) {
                                    fail(host, describe(e));
                                }
                            }));
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
                for (; left > 0; left--) {
                    if (!client.attempt(session)) {
                        host.sleep(own.nextLong(LEAST_PAUSE_NANOS, MOST_PAUSE_NANOS));
                    }
                }
            } catch (FabricException e) {
                left--;
            } catch (SlotsExhaustedException e) {
                return; // sessions that lost their connection keep their slots
            } catch (TornRecordException e) {
                fail(host, String.valueOf(e.getMessage()));
                return;
            }
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
                for (; left > 0; left--) {
                    ended++;
                    try {
                        if (own.nextInt(6) == 0) {
                            session.transact(tokens::audit);
                        } else {
                            session.transact(transaction -> tokens.change(transaction, own));
                        }
                    } catch (TransactionException e) {
                        host.sleep(own.nextLong(LEAST_PAUSE_NANOS, MOST_PAUSE_NANOS));
                    }
                }
            } catch (FabricException e) {
                left--;
            } catch (SlotsExhaustedException e) {
                return; // sessions that lost their connection keep their slots
            } catch (IllegalStateException e) {
                fail(host, String.valueOf(e.getMessage()));
                return;
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
                    NamDb db = cluster.attach(host);
                    try (Session session = db.session()) {
                        new RegisterClient(
                                        options.workload(),
                                        db,
                                        host,
                                        this,
                                        random,
                                        clients * MOST_RECONNECTS,
                                        "auditor")
                                .readAll(session);
                        if (options.movers() > 0) {
                            session.transact(Tokens.of(db, options.tokens())::audit);
                        }
                        if (options.sqlClients() > 0) {
                            auditBank(db);
                        }
                    } catch (TornRecordException e) {
                        fail("auditor: " + e.getMessage());
                    }
                    isDone[0] = true;
                    simulation.stop();
                });
        simulation.run(simulation.nanoTime() + patienceNanos());
        if (!isDone[0] && failure == null) {
            stalled("the last look never comes to an end");
        }
    }

    private void auditBank(NamDb db) {
        try (SqlSession session = SqlDatabase.of(db).session()) {
            new SqlBank(session, random).audit();
        } catch (SqlException | IllegalStateException e) {
            fail("auditor: " + describe(e));
        }
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
        history.add(
                attempts++,
                session,
                status,
                slot,
                timestamp,
                beginNanos,
                endNanos,
                snapshot,
                operations);
        log.attempted(session, status, slot, timestamp, beginNanos, endNanos, snapshot, operations);
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

    private static String describe(Throwable thrown) {
        StringBuilder text = new StringBuilder();
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            text.append(text.isEmpty() ? "" : ": ").append(cause);
            if (cause.getCause() == null && cause.getStackTrace().length > 0) {
                for (int i = 0; i < Math.min(12, cause.getStackTrace().length); i++) {
                    text.append("\n    at ").append(cause.getStackTrace()[i]);
                }
            }
        }
        return text.toString();
    }
}
