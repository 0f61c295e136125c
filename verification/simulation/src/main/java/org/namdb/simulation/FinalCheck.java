package org.namdb.simulation;

import java.util.List;
import java.util.SplittableRandom;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.simulated.SimHost;
import org.namdb.simulated.Simulation;

/// When all have ended: a new compute server, without faults, reads everything, and writes to
/// everything that can be written to.
final class FinalCheck {
    private static final int MAX_LAST_WRITES = 20;

    /// Long enough for several rounds of background maintenance.
    private static final long MAX_REST_NANOS = 500_000_000;

    /// Without further faults: a lease, a pause, and a recovery for each of those that have died
    /// together, which waits for the others' locks for 20 ms at the most.
    private static final long MAX_HELD_NANOS = 100_000_000;

    private final RunCourse course;
    private final SplittableRandom random;
    private final Cleaners cleaners;
    private final LeaseChecker leases;
    private final List<Workload> workloads;
    private final AttemptLog log;

    FinalCheck(
            RunCourse course,
            Cleaners cleaners,
            LeaseChecker leases,
            List<Workload> workloads,
            AttemptLog log) {
        this.course = course;
        this.random = course.random();
        this.cleaners = cleaners;
        this.leases = leases;
        this.workloads = workloads;
        this.log = log;
    }

    /// @param number of the client that reads and writes
    void run(int number) {
        Simulation simulation = course.simulation();
        course.cluster().endFaults();
        SimHost host = simulation.host("auditor");
        boolean[] isDone = new boolean[1];
        host.start(
                "auditor",
                () -> {
                    check(host, number);
                    isDone[0] = true;
                    simulation.stop();
                });
        simulation.run(simulation.nanoTime() + SimulatedCluster.timeoutNanos());
        if (!isDone[0] && course.failure() == null) {
            course.fail("the final check never ends");
        }
    }

    private void check(SimHost host, int number) {
        SimulationOptions options = course.options();
        if (options.leases().isOn()) {
            host.sleep(LeaseFaults.LATEST_NANOS); // no clock jumps any more
        }
        NamDb db = cleaners.attach(host);
        cleaners.recover(db, host);
        if (options.leases().isOn()) {
            awaitLeases(db, host);
        }
        try (Session session = db.session()) {
            RegisterClient client =
                    new RegisterClient(
                            options.workload(),
                            db,
                            course.simulation()::nanoTime,
                            log,
                            random,
                            number,
                            "auditor");
            client.readAll(session);
            writeAll(client, session, host);
            if (options.movers() > 0) {
                session.transact(Tokens.of(db, options.tokens())::audit);
            }
            workloads.forEach(workload -> workload.audit(db, random));
            awaitNothingLeft(db, host);
        } catch (IllegalStateException e) {
            course.fail("auditor: " + FailureText.of(e));
        }
    }

    /// No other compute server is there, and this one detects by itself which are dead.
    private void awaitLeases(NamDb db, SimHost host) {
        long start = host.nanoTime();
        while (leases.isAnyHeldBeside(db.process())) {
            if (host.nanoTime() - start > MAX_HELD_NANOS) {
                course.fail(
                        "compute servers %s hold or recover slots though the others' leases have ended"
                                .formatted(leases.holders()));
                return;
            }
            host.sleep(RunCourse.MAX_PAUSE_NANOS);
        }
    }

    /// Everything is collected in the end, by background maintenance alone.
    private void awaitNothingLeft(NamDb db, SimHost host) {
        long untilNanos = host.nanoTime() + MAX_REST_NANOS;
        String left = course.cluster().leftBehind(db, host);
        while (left != null && host.nanoTime() < untilNanos) {
            host.sleep(course.options().maintenanceNanos());
            left = course.cluster().leftBehind(db, host);
        }
        if (left != null) {
            course.fail("left behind: " + left);
        }
    }

    /// Only background workers may conflict, for a moment; and what was recovered just before, as
    /// long as a snapshot from before may be used.
    private void writeAll(RegisterClient client, Session session, SimHost host) {
        for (int tries = 0; tries < MAX_LAST_WRITES; tries++) {
            if (client.writeAll(session)) {
                return;
            }
            long pause = random.nextLong(RunCourse.MIN_PAUSE_NANOS, RunCourse.MAX_PAUSE_NANOS);
            host.sleep(pause + course.options().stalenessNanos());
        }
        course.fail("the auditor can't write to all registers");
    }
}
