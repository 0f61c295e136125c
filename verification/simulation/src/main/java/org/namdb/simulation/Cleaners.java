package org.namdb.simulation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.NamDb;
import org.namdb.fabric.FabricException;
import org.namdb.mvcc.recovery.RecoveredSlot;
import org.namdb.simulated.SimHost;
import org.namdb.simulated.Simulation;

/// The processes of a run, and the recovery of those that are gone. Where they hold leases, they
/// recover each other, and detect deaths themselves. Elsewhere this class announces them: compute
/// servers recover others before and after their own work, and some do nothing else.
final class Cleaners {
    /// A process that has posted nothing for so long is declared dead.
    static final long LEASE_NANOS = 500_000;

    /// After so long another process takes the place of one that has crashed.
    static final long REPLACEMENT_NANOS = 500_000;

    /// Longer than all those stand still that may block recovery.
    private static final long MAX_RECOVERY_NANOS = 500_000_000;

    private static final int MAX_LOST = 5;

    private final RunCourse course;
    private final Simulation simulation;
    private final SimulatedCluster cluster;
    private final SplittableRandom random;
    private final MadeAttempts made;
    private final boolean hasLeases;
    private @Nullable ImageChecker images;
    private final Map<SimHost, Integer> processes = new HashMap<>();

    /// The processes that have ended or were declared dead.
    private final Set<Integer> gone = new LinkedHashSet<>();

    private final Set<Integer> recoveredProcesses = new HashSet<>();

    /// @param made is notified of each slot that is recovered
    Cleaners(RunCourse course, MadeAttempts made) {
        this.course = course;
        this.simulation = course.simulation();
        this.cluster = course.cluster();
        this.random = course.random();
        this.made = made;
        cluster.observeJoins(processes::put);
        this.hasLeases = course.options().leases().isOn();
    }

    /// Attaches a compute server; called on one of its threads.
    NamDb attach(SimHost host) {
        NamDb db = hasLeases ? cluster.join(host) : cluster.attach(host);
        db.observeRecoveries(this::recovered);
        processes.put(host, db.process());
        return db;
    }

    private void recovered(RecoveredSlot slot) {
        made.recovered(slot);
        ImageChecker judge = images;
        if (judge == null) {
            judge = cluster.observeImages();
            images = judge;
        }
        String wrong = judge == null ? null : judge.check(slot);
        if (wrong != null) {
            course.fail(wrong);
        }
    }

    /// The process that a host has attached is no more, or will not be used any more.
    void left(SimHost host) {
        Integer process = processes.remove(host);
        if (process != null) {
            gone.add(process);
        }
    }

    /// A host stands still: when its lease is over, another one fences and recovers it.
    void standsStill(SimHost host) {
        isSilent(host, LEASE_NANOS);
    }

    /// A host can't renew its lease: when that is over, another one fences and recovers it,
    /// whatever it does itself.
    ///
    /// @param leaseNanos as measured by those that end it: their clocks need not run as others do
    void isSilent(SimHost host, long leaseNanos) {
        Integer process = processes.get(host);
        if (process != null && !hasLeases) {
            simulation.at(
                    simulation.nanoTime() + leaseNanos,
                    () -> {
                        gone.add(process);
                        start("recoverer of " + host.name());
                    });
        }
    }

    /// A compute server that only recovers others, where deaths are announced. It may be one of
    /// several, and crash itself.
    void start(String name) {
        if (hasLeases) {
            return;
        }
        SimHost host = course.computeHost(name);
        if (random.nextInt(4) == 0) {
            host.crashAtVerb(random.nextLong(1, 200));
        }
        course.processStarted();
        host.start(
                name,
                () -> {
                    boolean isDone = false;
                    try (NamDb db = attach(host)) {
                        recover(db, host);
                        isDone = true;
                    } catch (RuntimeException | Error e) {
                        Unplanned.requireOrFabric(e);
                    } finally {
                        left(host);
                        if (!isDone || host.isDead()) {
                            replace(host.name() + "'");
                        }
                        course.processEnded();
                    }
                });
    }

    /// A host could not attach, or not close: another one recovers it.
    void replace(SimHost host) {
        if (!host.isDead()) {
            replace("recoverer of " + host.name());
        }
    }

    /// Has what is left recovered, after a while.
    private void replace(String name) {
        if (course.goesOn() && !hasLeases) {
            course.processStarted();
            simulation.at(
                    simulation.nanoTime() + REPLACEMENT_NANOS,
                    () -> {
                        start(name);
                        course.processEnded();
                    });
        }
    }

    /// Recovers all processes that are gone, where deaths are announced.
    ///
    /// @throws FabricException if the process must leave, and another one recover the others
    void recover(NamDb db, SimHost host) {
        if (hasLeases) {
            return;
        }
        long untilNanos = simulation.nanoTime() + MAX_RECOVERY_NANOS;
        int lost = 0;
        while (cluster.hasMemory()) {
            try {
                if (isClean(db)) {
                    return;
                }
                requireNotLost(db, host);
            } catch (FabricException e) {
                // The process may have lost its own connection to the catalog: then it must leave.
                lost++;
                if (e.kind() != FabricException.Kind.CONNECTION_LOST || lost == MAX_LOST) {
                    throw e;
                }
            } catch (RuntimeException | Error e) {
                Unplanned.require(e);
            }
            if (simulation.nanoTime() > untilNanos) {
                course.fail(host, "dead sessions are not recovered");
                return;
            }
            host.sleep(random.nextLong(RunCourse.MAX_PAUSE_NANOS, 10 * RunCourse.MAX_PAUSE_NANOS));
        }
    }

    /// One whose cache of lines has failed can't finish commits to cached tables.
    private static void requireNotLost(NamDb db, SimHost host) {
        if (db.isLost()) {
            throw new FabricException(
                    FabricException.Kind.SYSTEM, host.name() + " " + db.loss() + ": it leaves");
        }
    }

    /// Runs recovery once.
    ///
    /// @return whether nothing is left
    private boolean isClean(NamDb db) {
        boolean isClean = true;
        for (int process : List.copyOf(gone)) { // all: one may be the dead recoverer of another
            if (process != db.process() && !recoveredProcesses.contains(process)) {
                if (db.recoverProcess(process)) {
                    recoveredProcesses.add(process);
                } else {
                    isClean = false;
                }
            }
        }
        return isClean && db.recover();
    }
}
