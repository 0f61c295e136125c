package org.namdb.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.namdb.checker.IsolationChecker;
import org.namdb.checker.Verdict;
import org.namdb.checker.history.History;
import org.namdb.checker.history.HistoryBuilder;
import org.namdb.checker.history.Status;
import org.namdb.checker.report.VerdictReport;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.EmbeddedOptions.Oracle;
import org.namdb.simulated.SimTrace;

/// Histories of the register workload, checked by the checker. `-Dnamdb.seed=N` runs that seed
/// only, `-Dnamdb.histories=N` as many long ones of each kind.
class HistoryRunsTest {
    private static final int SESSIONS = 8;
    private static final int OPERATIONS = 6;
    private static final int MANY = 10_000;
    private static final int HISTORIES = Integer.getInteger("namdb.histories", 4);
    private static final int SIMULATED_LIVES = 60;

    @ParameterizedTest
    @ValueSource(ints = {10, 200})
    void onRealMemoryWithMoreThreadsThanProcessors(int keys) throws InterruptedException {
        judgeReal(seed(1), keys, 2_000, Oracle.CHAIN);
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 200})
    void withASharedChain(int keys) throws InterruptedException {
        judgeReal(seed(1), keys, 2_000, Oracle.SHARED_CHAIN);
    }

    /// With every fault: a connection that is lost takes the refreshes of all sessions with it.
    @Test
    void withASharedChainInSimulatedClusters() {
        for (int life = 0; life < SIMULATED_LIVES; life++) {
            SimulationOptions options =
                    SimulationOptions.ofSeed(seed(1) + life, Fault.all())
                            .withOracle(Oracle.SHARED_CHAIN);
            SimulationVerdict verdict = SimulationRun.of(options, SimTrace.off());
            assertThat(verdict.failure()).as(options.describe()).isNull();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 200})
    @Tag("long")
    void manyLongOnesOnRealMemory(int keys) throws InterruptedException {
        for (int history = 0; history < HISTORIES; history++) {
            judgeReal(seed(1) + history, keys, MANY, Oracle.CHAIN);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 200})
    @Tag("long")
    void manyLongOnesInSimulatedClusters(int keys) {
        // Where processes have died, their transactions are not run again; the clusters of
        // SimulationRunTest go through that.
        EnumSet<Fault> faults = EnumSet.of(Fault.LATENCY, Fault.TEAR64, Fault.TEAR8, Fault.PAUSE);
        for (int history = 0; history < HISTORIES; history++) {
            SimulationOptions options =
                    SimulationOptions.ofSeed(seed(1) + history, faults)
                            .withServers(2, 2)
                            .withRegisters(
                                    SESSIONS / 2,
                                    MANY / SESSIONS,
                                    new RegisterWorkload(keys, OPERATIONS, 0.5));
            SimulationVerdict verdict = SimulationRun.of(options, SimTrace.off());
            assertThat(verdict.failure()).as(options.describe()).isNull();
            Verdict judged = java.util.Objects.requireNonNull(verdict.history());
            assertThat(judged.history().transactions()).hasSizeGreaterThan(MANY - SESSIONS);
            requireHolds(judged, options.seed());
        }
    }

    /// What a process that has died held is let go of. Locks that stayed would cost more and more
    /// attempts: with these seeds it was three quarters of all.
    @ParameterizedTest
    @ValueSource(longs = {11, 22})
    void whatADeadProcessHeldIsReleased(long seed) {
        SimulationOptions options =
                SimulationOptions.ofSeed(seed, Fault.all())
                        .withServers(2, 2)
                        .withRegisters(
                                SESSIONS / 2,
                                MANY / SESSIONS,
                                new RegisterWorkload(200, OPERATIONS, 0.5));
        List<Status> attempts = new ArrayList<>();
        SimulationVerdict verdict =
                SimulationRun.of(
                        options,
                        SimTrace.off(),
                        (session, status, slot, timestamp, begin, end, snapshot, operations) ->
                                attempts.add(status));
        assertThat(verdict.failure()).as(options.describe()).isNull();
        int third = attempts.size() / 3;
        for (int from = 0; from < 3 * third; from += third) {
            List<Status> some = attempts.subList(from, from + third);
            // Others write to the four hot registers at the same time: that costs nearly half.
            assertThat(Collections.frequency(some, Status.OK))
                    .as("committed of attempts %d to %d", from, from + third)
                    .isGreaterThan(45 * third / 100);
        }
    }

    @Test
    void theLogGetsEveryAttempt() throws InterruptedException {
        AtomicLong attempts = new AtomicLong();
        run(1, 20, 1_000)
                .runEmbedded(
                        database(Oracle.CHAIN),
                        (session, status, slot, timestamp, begin, end, snapshot, operations) ->
                                attempts.incrementAndGet(),
                        done -> {});
        assertThat(attempts).hasValue(1_000);
    }

    private static void judgeReal(long seed, int keys, int transactions, Oracle oracle)
            throws InterruptedException {
        System.out.println("-Dnamdb.seed=" + seed);
        HistoryBuilder history = History.builder();
        ReentrantLock lock = new ReentrantLock();
        long[] tid = new long[1];
        run(seed, keys, transactions)
                .runEmbedded(
                        database(oracle),
                        (session, status, slot, timestamp, begin, end, snapshot, operations) -> {
                            lock.lock();
                            try {
                                history.add(
                                        tid[0]++,
                                        session,
                                        status,
                                        slot,
                                        timestamp,
                                        begin,
                                        end,
                                        snapshot,
                                        operations);
                            } finally {
                                lock.unlock();
                            }
                        },
                        done -> {});
        Verdict verdict = IsolationChecker.strict().check(history.build());
        assertThat(verdict.history().transactions()).hasSize(transactions);
        requireHolds(verdict, seed);
    }

    private static EmbeddedOptions database(Oracle oracle) {
        return EmbeddedOptions.DEFAULT.withMemoryBytes(256 << 20).withOracle(oracle);
    }

    private static RegisterRun run(long seed, int keys, int transactions) {
        return new RegisterRun(
                new RegisterWorkload(keys, OPERATIONS, 0.5),
                SESSIONS,
                transactions,
                seed,
                (int) (1 + seed % 3));
    }

    private static void requireHolds(Verdict verdict, long seed) {
        if (!verdict.holds()) {
            throw new AssertionError("-Dnamdb.seed=" + seed + "\n" + VerdictReport.of(verdict));
        }
    }

    private static long seed(long otherwise) {
        return Long.getLong("namdb.seed", otherwise);
    }
}
