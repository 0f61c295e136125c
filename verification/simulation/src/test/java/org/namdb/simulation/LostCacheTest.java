package org.namdb.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.simulated.SimHost;

/// A compute server is cut off from a memory server for so long that its cache of lines fails. It
/// reaches the lease service and the other compute servers all the time.
/// ```
/// A, has the guard lines                   B
///                                          commits: requests a guard line of A
/// can't reach memory to release it: the
/// cache has failed, and answers nothing
/// gives up its lease
///                                          fences and recovers A, takes it out of the latch words
///                                          has the line, and commits
/// ```
class LostCacheTest {
    private static final int KEYS = 4;
    private static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long CUT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /// The cache's attempts to connect, a lease, and time for recovery.
    private static final long SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(15);

    private static final SimulationOptions OPTIONS =
            SimulationOptions.ofSeed(1, EnumSet.noneOf(Fault.class))
                    .withServers(2, 2)
                    .withRegisters(1, 1, new RegisterWorkload(KEYS, 1, 1))
                    .withCached(true);

    private long cutNanos;
    private long committedNanos;
    private boolean wasLost;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void othersCommitToTheRowsWhoseGuardLinesItHad(long seed) {
        List<Long> values = new ArrayList<>();
        try (TestCluster cluster = new TestCluster(seed, OPTIONS)) {
            cluster.load(db -> Registers.create(db, KEYS, 2, true, true), 10);
            SimHost _ =
                    cluster.join(
                            "owner",
                            (db, host) -> {
                                RegisterValues.write(db, 1, KEYS);
                                host.sleep(REST_NANOS);
                                cutNanos = cluster.nanoTime();
                                for (int server = 0; server < 2; server++) {
                                    host.cutOff(server, true, true, CUT_NANOS);
                                }
                                host.sleep(CUT_NANOS);
                                wasLost = db.isLost();
                            });
            SimHost _ =
                    cluster.join(
                            "other",
                            (db, host) -> {
                                while (cutNanos == 0) {
                                    host.sleep(REST_NANOS / 10);
                                }
                                RegisterValues.write(db, 2, KEYS); // no conflict, or it throws
                                committedNanos = cluster.nanoTime();
                                values.addAll(RegisterValues.read(db, KEYS));
                            });
            cluster.run(2_000);
        }
        assertThat(values).containsExactly(2L, 2L, 2L, 2L);
        assertThat(committedNanos - cutNanos).isLessThan(SOON_NANOS);
        assertThat(wasLost).isTrue();
    }
}
