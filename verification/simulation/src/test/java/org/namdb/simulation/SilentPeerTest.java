package org.namdb.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.compute.StatementCancelledException;
import org.namdb.compute.TransactionException;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.simulated.SimHost;

/// A compute server that has guard lines stands still: it gets requests, and answers none.
class SilentPeerTest {
    private static final int KEYS = 4;
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long SILENT_NANOS = TimeUnit.SECONDS.toNanos(3);

    /// How long a lookup waits for a guard line, and how long a commit does.
    private static final long READ_NANOS = 100 * MILLI;

    private static final long COMMIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final SimulationOptions OPTIONS =
            SimulationOptions.ofSeed(1, EnumSet.noneOf(Fault.class))
                    .withServers(2, 2)
                    .withRegisters(1, 1, new RegisterWorkload(KEYS, 1, 1))
                    .withCached(true);

    private long readNanos;
    private long secondReadNanos;
    private long commitNanos;
    private long cancelledNanos;
    private boolean isOver;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void readersGoOnAndCommitsWaitForTheirLimit(long seed) {
        try (TestCluster cluster = new TestCluster(seed, OPTIONS)) {
            cluster.load(db -> Registers.create(db, KEYS, 2, true, true), 10);
            boolean[] hasLines = new boolean[1];
            SimHost owner =
                    cluster.start(
                            "owner",
                            (db, host) -> {
                                RegisterValues.write(db, 1, KEYS);
                                hasLines[0] = true;
                            });
            SimHost _ =
                    cluster.start(
                            "other",
                            (db, host) -> {
                                while (!hasLines[0]) {
                                    host.sleep(MILLI);
                                }
                                owner.pause(SILENT_NANOS);
                                meet(db, host);
                                host.sleep(SILENT_NANOS);
                                RegisterValues.write(db, 3, KEYS);
                                assertThat(RegisterValues.read(db, KEYS))
                                        .isEqualTo(List.of(3L, 3L, 3L, 3L));
                                isOver = true;
                            });
            cluster.run(10_000);
        }
        assertThat(readNanos).isBetween(READ_NANOS, READ_NANOS + MILLI);
        assertThat(secondReadNanos).isLessThan(MILLI);
        assertThat(commitNanos).isBetween(COMMIT_NANOS, COMMIT_NANOS + 2 * MILLI);
        assertThat(cancelledNanos).isBetween(50 * MILLI, 62 * MILLI);
        assertThat(isOver).isTrue();
    }

    private void meet(NamDb db, SimHost host) {
        long begin = host.nanoTime();
        assertThat(RegisterValues.read(db, KEYS)).isEqualTo(List.of(1L, 1L, 1L, 1L));
        readNanos = host.nanoTime() - begin;

        begin = host.nanoTime();
        assertThat(RegisterValues.read(db, KEYS)).isEqualTo(List.of(1L, 1L, 1L, 1L));
        secondReadNanos = host.nanoTime() - begin;

        long beginOfCommit = host.nanoTime();
        assertThatExceptionOfType(TransactionException.class)
                .isThrownBy(() -> RegisterValues.write(db, 2, KEYS))
                .satisfies(e ->
                        assertThat(e.outcome()).isInstanceOf(CommitOutcome.WriteConflict.class));
        commitNanos = host.nanoTime() - beginOfCommit;

        Registers registers = Registers.of(db);
        try (Session session = db.session()) {
            long beginOfStatement = host.nanoTime();
            session.cancelAfter(50 * MILLI);
            assertThatExceptionOfType(StatementCancelledException.class)
                    .isThrownBy(() ->
                            session.transact(transaction -> {
                                registers.write(transaction, 0, 2);
                                return true;
                            }));
            cancelledNanos = host.nanoTime() - beginOfStatement;
        }
    }
}
