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
import org.namdb.fabric.FabricException;
import org.namdb.mvcc.recovery.RecoveredSlot;
import org.namdb.simulated.SimHost;

/// The counterpart of [LostProcessTest]: a compute server crashes at the first verb of a
/// transaction, at the second, and so on; another one fences and recovers it. Then all of the
/// transaction is seen or nothing, and everything is writable again.
class RecoveredProcessTest {
    private static final int KEYS = 4;
    private static final int OLD_KEYS = 2;
    private static final int MAX_VERBS = 300;

    /// Of a seed without replicated commits, and of one with them.
    private static final SimulationOptions OPTIONS = options(1);

    private static final SimulationOptions REPLICATED = options(3);

    private static SimulationOptions options(long seed) {
        return SimulationOptions.ofSeed(seed, EnumSet.noneOf(Fault.class))
                .withServers(2, 2)
                .withRegisters(1, 1, new RegisterWorkload(KEYS, 1, 1));
    }

    private int locks;
    private int undone;
    private int claims;

    @Test
    void updatesAndInsertsAreAllThereOrUndone() {
        assertThat(crashAtEachVerb(OPTIONS)).as("crashes after it was published").isPositive();
        assertThat(undone).as("versions undone").isPositive();
    }

    /// From when an image is whole: before the first record is installed, too.
    @Test
    void replicatedCommitsAreFinished() {
        int published = crashAtEachVerb(OPTIONS);
        undone = 0;
        assertThat(crashAtEachVerb(REPLICATED))
                .as("crashes after the image was whole")
                .isGreaterThan(published + 10);
        assertThat(undone).as("versions undone").isZero();
    }

    /// @return after how many crashes the transaction was seen
    private int crashAtEachVerb(SimulationOptions options) {
        int seen = 0;
        int verb = 1;
        boolean crashed = true;
        for (; crashed && verb < MAX_VERBS; verb++) {
            int at = verb;
            List<Long> values = new ArrayList<>();
            crashed =
                    crash(
                            options,
                            verb,
                            db -> RegisterValues.write(db, 2, KEYS),
                            db -> {
                                values.addAll(RegisterValues.read(db, KEYS));
                                RegisterValues.write(db, 3, KEYS); // no conflict, or it throws
                                assertThat(RegisterValues.read(db, KEYS))
                                        .as("after verb %d", at)
                                        .containsOnly(3L);
                            });
            boolean isSeen = values.getFirst() == 2;
            assertThat(values)
                    .as("crash at verb %d", verb)
                    .isEqualTo(isSeen ? List.of(2L, 2L, 2L, 2L) : List.of(1L, 1L, 0L, 0L));
            seen += crashed && isSeen ? 1 : 0;
        }
        assertThat(crashed).isFalse();
        assertThat(locks).as("locks released").isPositive();
        assertThat(claims).as("claims released").isPositive();
        return seen;
    }

    @Test
    void aZombieThatWakesUpChangesNothing() {
        AtomicInteger refused = new AtomicInteger();
        for (int verb = 1; verb < 70; verb++) {
            int at = verb;
            List<Long> values = new ArrayList<>();
            try (TestCluster cluster = new TestCluster(7, OPTIONS)) {
                load(cluster);
                int[] process = new int[1];
                SimHost _ =
                        cluster.start(
                                "zombie",
                                (db, zombie) -> {
                                    process[0] = db.process();
                                    zombie.pauseAtVerb(
                                            zombie.verbs() + 40 + at,
                                            TimeUnit.MILLISECONDS.toNanos(20),
                                            () -> {});
                                    try {
                                        RegisterValues.write(db, 2, KEYS);
                                        RegisterValues.write(db, 4, KEYS);
                                        RegisterValues.write(db, 5, KEYS);
                                    } catch (FabricException e) {
                                        assertThat(e.kind()).isEqualTo(FabricException.Kind.FENCED);
                                        refused.incrementAndGet();
                                    }
                                });
                cluster.run(3);
                SimHost _ =
                        cluster.start(
                                "recoverer",
                                (db, recoverer) -> {
                                    assertThat(db.recoverProcess(process[0])).isTrue();
                                    RegisterValues.write(db, 9, KEYS);
                                    recoverer.sleep(TimeUnit.MILLISECONDS.toNanos(30));
                                    values.addAll(RegisterValues.read(db, KEYS));
                                });
                cluster.run(60);
            }
            assertThat(values).as("paused at verb %d", at).containsOnly(9L).hasSize(KEYS);
        }
        assertThat(refused).as("zombies that were refused").hasPositiveValue();
    }

    /// @return whether it crashed before it had done its work
    private boolean crash(
            SimulationOptions options, int verb, Consumer<NamDb> work, Consumer<NamDb> after) {
        try (TestCluster cluster = new TestCluster(7, options)) {
            load(cluster);
            int[] process = new int[1];
            SimHost first =
                    cluster.start(
                            "first",
                            (db, host) -> {
                                process[0] = db.process();
                                host.crashAtVerb(host.verbs() + verb);
                                work.accept(db);
                                host.crashAtVerb(Long.MAX_VALUE);
                            });
            cluster.run(3);
            boolean crashed = first.isDead();
            first.crash();
            boolean[] isDone = new boolean[1];
            SimHost _ =
                    cluster.start(
                            "second",
                            (db, host) -> {
                                db.observeRecoveries(this::count);
                                assertThat(db.recoverProcess(process[0])).isTrue();
                                after.accept(db);
                                isDone[0] = true;
                            });
            cluster.run(40);
            assertThat(isDone[0]).as("crash at verb %d: the second is done", verb).isTrue();
            return crashed;
        }
    }

    private void count(RecoveredSlot cleaned) {
        locks += (int) cleaned.locks();
        undone += (int) cleaned.undone();
        claims += (int) cleaned.claims();
    }

    private static void load(TestCluster cluster) {
        cluster.load(
                db -> {
                    Registers.create(db, KEYS, 2, true, false);
                    RegisterValues.write(db, 1, OLD_KEYS);
                },
                10);
    }
}
