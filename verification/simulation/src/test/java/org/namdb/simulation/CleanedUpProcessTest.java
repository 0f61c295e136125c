package org.namdb.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.sim.ClusterModel;
import org.namdb.fabric.sim.SimHost;
import org.namdb.fabric.sim.SimTrace;
import org.namdb.fabric.sim.Simulation;
import org.namdb.mvcc.cleanup.CleanedSlot;

/// The counterpart of [LostProcessTest]: a compute server crashes at the first verb of a
/// transaction, at the second, and so on; another one fences it and cleans up. Then all of the
/// transaction is seen or nothing, and everything is writable again.
class CleanedUpProcessTest {
    private static final int KEYS = 4;
    private static final int OLD_KEYS = 2;
    private static final int MOST_VERBS = 300;
    private static final SimulationOptions OPTIONS =
            SimulationOptions.ofSeed(1, EnumSet.noneOf(Fault.class))
                    .withServers(2, 2)
                    .withRegisters(1, 1, new RegisterWorkload(KEYS, 1, 1));

    private int locks;
    private int undone;
    private int claims;

    @Test
    void updatesAndInsertsAreAllThereOrUndone() {
        int seen = 0;
        int verb = 1;
        boolean crashed = true;
        for (; crashed && verb < MOST_VERBS; verb++) {
            int at = verb;
            List<Long> values = new ArrayList<>();
            crashed =
                    crash(
                            verb,
                            db -> write(db, 1, OLD_KEYS),
                            db -> write(db, 2, KEYS),
                            db -> {
                                values.addAll(read(db));
                                write(db, 3, KEYS); // no conflict, or it throws
                                assertThat(read(db)).as("after verb %d", at).containsOnly(3L);
                            });
            boolean isSeen = values.getFirst() == 2;
            assertThat(values)
                    .as("crash at verb %d", verb)
                    .isEqualTo(isSeen ? List.of(2L, 2L, 2L, 2L) : List.of(1L, 1L, 0L, 0L));
            seen += crashed && isSeen ? 1 : 0;
        }
        assertThat(crashed).isFalse();
        assertThat(seen).as("crashes after it was published").isPositive();
        assertThat(locks).as("locks given back").isPositive();
        assertThat(undone).as("versions undone").isPositive();
        assertThat(claims).as("claims given back").isPositive();
    }

    @Test
    void aZombieThatWakesUpChangesNothing() {
        AtomicInteger refused = new AtomicInteger();
        for (int verb = 1; verb < 70; verb++) {
            int at = verb;
            List<Long> values = new ArrayList<>();
            Simulation simulation = new Simulation(7, ClusterModel.FREE_PROCESSORS, SimTrace.off());
            try (SimulatedCluster cluster = new SimulatedCluster(simulation, OPTIONS)) {
                start(simulation, cluster, db -> write(db, 1, OLD_KEYS));
                int[] process = new int[1];
                SimHost zombie = simulation.host("zombie");
                zombie.start(
                        "zombie",
                        () -> {
                            NamDb db = cluster.attach(zombie);
                            process[0] = db.process();
                            zombie.pauseAtVerb(
                                    zombie.verbs() + 40 + at,
                                    TimeUnit.MILLISECONDS.toNanos(20),
                                    () -> {});
                            try {
                                write(db, 2, KEYS);
                                write(db, 4, KEYS);
                                write(db, 5, KEYS);
                            } catch (FabricException e) {
                                assertThat(e.kind()).isEqualTo(FabricException.Kind.FENCED);
                                refused.incrementAndGet();
                            }
                        });
                run(simulation, 3);
                SimHost cleaner = simulation.host("cleaner");
                cleaner.start(
                        "cleaner",
                        () -> {
                            NamDb db = cluster.attach(cleaner);
                            assertThat(db.cleanUpAfter(process[0])).isTrue();
                            write(db, 9, KEYS);
                            cleaner.sleep(TimeUnit.MILLISECONDS.toNanos(30));
                            values.addAll(read(db));
                        });
                run(simulation, 60);
            }
            assertThat(values).as("paused at verb %d", at).containsOnly(9L).hasSize(KEYS);
        }
        assertThat(refused).as("zombies that were refused").hasPositiveValue();
    }

    /// @return whether it crashed before it had done its work
    private boolean crash(
            int verb, Consumer<NamDb> load, Consumer<NamDb> work, Consumer<NamDb> after) {
        Simulation simulation = new Simulation(7, ClusterModel.FREE_PROCESSORS, SimTrace.off());
        try (SimulatedCluster cluster = new SimulatedCluster(simulation, OPTIONS)) {
            start(simulation, cluster, load);
            int[] process = new int[1];
            SimHost first = simulation.host("first");
            first.start(
                    "first",
                    () -> {
                        NamDb db = cluster.attach(first);
                        process[0] = db.process();
                        first.crashAtVerb(first.verbs() + verb);
                        work.accept(db);
                        first.crashAtVerb(Long.MAX_VALUE);
                    });
            run(simulation, 3);
            boolean crashed = first.isDead();
            first.crash();
            SimHost second = simulation.host("second");
            boolean[] isDone = new boolean[1];
            second.start(
                    "second",
                    () -> {
                        NamDb db = cluster.attach(second);
                        db.observeCleanUps(this::count);
                        assertThat(db.cleanUpAfter(process[0])).isTrue();
                        after.accept(db);
                        isDone[0] = true;
                    });
            run(simulation, 40);
            assertThat(isDone[0]).as("crash at verb %d: the second is done", verb).isTrue();
            return crashed;
        }
    }

    private void count(CleanedSlot cleaned) {
        locks += (int) cleaned.locks();
        undone += (int) cleaned.undone();
        claims += (int) cleaned.claims();
    }

    private static void start(
            Simulation simulation, SimulatedCluster cluster, Consumer<NamDb> load) {
        boolean[] isReady = new boolean[1];
        cluster.start(
                db -> {
                    Registers.create(db, KEYS, 2, true);
                    load.accept(db);
                },
                () -> isReady[0] = true);
        run(simulation, 10);
        assertThat(isReady[0]).isTrue();
    }

    private static void write(NamDb db, long value, int keys) {
        Registers registers = Registers.of(db);
        try (Session session = db.session()) {
            session.transact(transaction -> {
                for (int key = 0; key < keys; key++) {
                    registers.write(transaction, key, value);
                }
                return true;
            });
        }
    }

    private static List<Long> read(NamDb db) {
        Registers registers = Registers.of(db);
        List<Long> values = new ArrayList<>();
        db.transact(transaction -> {
            for (int key = 0; key < KEYS; key++) {
                values.add(registers.read(transaction, key));
            }
            return true;
        });
        return values;
    }

    private static void run(Simulation simulation, long millis) {
        simulation.run(simulation.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis));
        simulation.skipTo(simulation.nanoTime() + TimeUnit.MILLISECONDS.toNanos(1));
    }
}
