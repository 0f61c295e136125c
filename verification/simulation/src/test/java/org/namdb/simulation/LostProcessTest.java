package org.namdb.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.TransactionException;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.fabric.sim.ClusterModel;
import org.namdb.fabric.sim.SimHost;
import org.namdb.fabric.sim.SimTrace;
import org.namdb.fabric.sim.Simulation;

/// A compute server crashes at the first verb of a transaction, at the second, and so on, up to one
/// that it survives. Its transaction changes two records on two memory servers, and whoever comes
/// after it sees all of that or nothing, waits for nobody, and gets a conflict at worst.
/// ```
///   A  locks x and y, installs them, unlocks       crashes before it publishes
///   B  reads x and y: no snapshot shows the commit of their new versions, so it finds the old ones
///   B  writes x: a conflict, and for ever, until someone finishes or undoes what A has begun
/// ```
class LostProcessTest {
    private static final long X = 0;
    private static final long Y = 1;
    private static final int KEYS = 2;
    private static final int MOST_VERBS = 300;
    private static final SimulationOptions OPTIONS =
            SimulationOptions.ofSeed(1, EnumSet.noneOf(Fault.class))
                    .withServers(2, 2)
                    .withRegisters(1, 1, new RegisterWorkload(KEYS, 1, 1));

    /// What was seen after a crash.
    private record Aftermath(
            boolean acknowledged, boolean crashed, long x, long y, boolean conflict) {}

    @Test
    void allOfItsTransactionIsSeenOrNothingWhereverItCrashes() {
        int seen = 0;
        int unseen = 0;
        int conflicts = 0;
        int verb = 1;
        Aftermath last = crashAt(verb);
        while (last.crashed() && verb < MOST_VERBS) {
            assertThat(last.x()).as("crash at verb %d: x and y", verb).isEqualTo(last.y());
            if (last.acknowledged()) {
                assertThat(last.x()).as("crash at verb %d, acknowledged", verb).isEqualTo(2);
            }
            seen += last.x() == 2 ? 1 : 0;
            unseen += last.x() == 1 ? 1 : 0;
            conflicts += last.conflict() ? 1 : 0;
            last = crashAt(++verb);
        }
        assertThat(last.acknowledged()).isTrue();
        assertThat(last.conflict()).isFalse();
        assertThat(unseen).as("crashes before it was visible").isGreaterThan(10);
        assertThat(seen).as("crashes after it was visible").isPositive();
        assertThat(conflicts).as("crashes that leave records locked").isPositive();
    }

    private static Aftermath crashAt(int verb) {
        Simulation simulation = new Simulation(7, ClusterModel.FREE_PROCESSORS, SimTrace.off());
        try (SimulatedCluster cluster = new SimulatedCluster(simulation, OPTIONS)) {
            boolean[] isReady = new boolean[1];
            cluster.start(
                    db -> {
                        Registers.create(db, KEYS, 2, true);
                        write(db, 1);
                    },
                    () -> isReady[0] = true);
            run(simulation);
            assertThat(isReady[0]).isTrue();
            return crashAt(verb, simulation, cluster);
        }
    }

    private static Aftermath crashAt(int verb, Simulation simulation, SimulatedCluster cluster) {
        SimHost first = simulation.host("first");
        boolean[] acknowledged = new boolean[1];
        first.start(
                "first",
                () -> {
                    NamDb db = cluster.attach(first);
                    Registers registers = Registers.of(db);
                    try (Session session = db.session()) {
                        first.crashAtVerb(first.verbs() + verb);
                        session.transact(transaction -> {
                            registers.write(transaction, X, 2);
                            registers.write(transaction, Y, 2);
                            return true;
                        });
                        acknowledged[0] = true;
                        first.crashAtVerb(Long.MAX_VALUE);
                    }
                });
        run(simulation);
        SimHost second = simulation.host("second");
        Aftermath[] aftermath = new Aftermath[1];
        second.start(
                "second",
                () -> {
                    NamDb db = cluster.attach(second);
                    Registers registers = Registers.of(db);
                    long[] found = new long[KEYS];
                    try (Session session = db.session()) {
                        session.transact(transaction -> {
                            found[0] = registers.read(transaction, X);
                            found[1] = registers.read(transaction, Y);
                            return true;
                        });
                    }
                    aftermath[0] =
                            new Aftermath(
                                    acknowledged[0],
                                    first.isDead(),
                                    found[0],
                                    found[1],
                                    !write(db, 3));
                });
        run(simulation);
        assertThat(aftermath[0]).as("crash at verb %d: the second never waits", verb).isNotNull();
        return aftermath[0];
    }

    private static boolean write(NamDb db, long value) {
        Registers registers = Registers.of(db);
        try {
            return db.transact(transaction -> {
                registers.write(transaction, X, value);
                registers.write(transaction, Y, value);
                return true;
            });
        } catch (TransactionException e) {
            assertThat(e.outcome()).isInstanceOf(CommitOutcome.WriteConflict.class);
            return false;
        }
    }

    private static void run(Simulation simulation) {
        simulation.run(simulation.nanoTime() + TimeUnit.MILLISECONDS.toNanos(3));
        simulation.skipTo(simulation.nanoTime() + TimeUnit.MILLISECONDS.toNanos(1));
    }
}
