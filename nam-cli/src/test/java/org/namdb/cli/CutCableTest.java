package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.cli.Namespaces.Cut;
import org.namdb.compute.NamDb;
import org.namdb.compute.maintenance.MaintenanceThread;

/// Compute servers and memory servers lose the others for a while, as when a cable is pulled, while
/// terminals of TPC-C work: for a moment that no transaction may notice, or for so long that they
/// are declared dead.
@Tag("long")
@Timeout(value = 400, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CutCableTest {
    /// So long after the last that was heard of a compute server nothing is held by it any more,
    /// and no session waits for longer: the lease of 2 s is part of it.
    private static final long BOUND_MICROS = TimeUnit.SECONDS.toMicros(5);

    /// One that hears nothing speaks to ZooKeeper for two thirds of the lease before it gives up.
    private static final long STILL_HEARD_MICROS = TimeUnit.MILLISECONDS.toMicros(1_334);

    private static final int MOMENTS = 5;
    private static final long MIN_MOMENT_MILLIS = 300;
    private static final int MOMENT_MILLIS = 1_000;

    /// With what TCP takes to send again, while other tests run.
    private static final String LONGER_THAN_A_MOMENT = "10s";

    private static final String SHORT_LEASE = "2s";

    /// Less than the timeout of a connection, after which verbs fail.
    private static final long WAITED_FOR_MILLIS = 5_000;

    /// Longer than the timeout of a connection, which is closed then.
    private static final long LONG_CUT_MILLIS = 15_000;

    private static final long MAX_SECONDS = 60;

    /// Of a program that has lost its lease.
    private static final int MAX_LINES = 20;

    private static final String LOST_LEASE =
            "nam compute-server: was silent for longer than its lease, and was declared dead";

    @TempDir Path directory;

    private final List<RunningTerminals> all = new ArrayList<>();
    private final Set<RunningTerminals> begun = new HashSet<>();
    private HostedCluster cluster;
    private SplittableRandom random;

    @BeforeEach
    void start() throws Exception {
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        System.out.println("-Dnamdb.seed=" + seed);
        random = new SplittableRandom(seed);
        cluster = HostedCluster.up(directory);
    }

    @AfterEach
    void end() {
        if (cluster != null) {
            cluster.close();
        }
    }

    @Test
    void transactionsOutlastAMoment() throws Exception {
        Path file = cluster.fileWithLease(LONGER_THAN_A_MOMENT);
        RunningTerminals cut = startTerminals(HostedCluster.COMPUTE_0, file);
        RunningTerminals other = startTerminals(HostedCluster.COMPUTE_1, cluster.file());
        try (NamDb db = cluster.connect()) {
            try (SnapshotLook look = new SnapshotLook(db);
                    SlotHolders holders = new SlotHolders(cluster.config())) {
                awaitWork(cut, other);
                Set<Integer> slots = holders.slotsOf(cut.number());
                for (int moment = 0; moment < MOMENTS; moment++) {
                    Cut how = Cut.values()[moment % Cut.values().length];
                    long millis = MIN_MOMENT_MILLIS + random.nextInt(MOMENT_MILLIS);
                    cluster.cut(HostedCluster.COMPUTE_0, how);
                    Thread.sleep(millis);
                    cluster.mend(HostedCluster.COMPUTE_0, how);
                    awaitWork(cut, other);
                    assertThat(holders.slotsOf(cut.number())).containsAll(slots);
                }
                requireNoFailure(look, cut, other);
                assertThat(cut.end()).isZero();
                assertThat(other.end()).isZero();
            }
            requireWhole(db);
        }
    }

    @Test
    @Tag("alone") // asserts times
    void aComputeServerSilentForLongerThanTheLeaseIsDeclaredDead() throws Exception {
        RunningTerminals other = startTerminals(HostedCluster.COMPUTE_1, cluster.file());
        try (NamDb db = cluster.connect()) {
            try (SnapshotLook look = new SnapshotLook(db);
                    SlotHolders holders = new SlotHolders(cluster.config())) {
                awaitWork(other);
                Silent wholly = new Silent(Cut.BOTH_WAYS, HostedCluster.COMPUTE_0);
                Silent unheard = new Silent(Cut.SENDS_NOTHING, HostedCluster.COMPUTE_2);
                Silent deaf = new Silent(Cut.HEARS_NOTHING, HostedCluster.COMPUTE_3);
                for (Silent each : List.of(wholly, unheard, deaf)) {
                    each.awaitReady();
                }
                wholly.cut(other, look, holders);
                long start = System.nanoTime();
                for (Silent each : List.of(unheard, deaf)) {
                    each.cut(other, look, holders);
                    each.mend();
                }
                long micros = (System.nanoTime() - start) / 1_000;
                Thread.sleep(Math.max(0, LONG_CUT_MILLIS - micros / 1_000));
                wholly.mend();
                for (Silent each : List.of(unheard, deaf, wholly)) {
                    each.joinsAgain();
                    awaitWork(other);
                }
                requireNoFailure(look, other);
                assertThat(other.end()).isZero();
            }
            requireWhole(db);
        }
    }

    /// The programs of a host whose cable is cut: a compute server, terminals and a shell.
    private final class Silent {
        private final Cut how;
        private final int host;
        private final String table;
        private final Process server;
        private final RunningTerminals terminals;
        private final Process shell;

        Silent(Cut how, int host) throws Exception {
            this.how = how;
            this.host = host;
            this.table = "of_" + how;
            Path file = cluster.fileWithLease(SHORT_LEASE);
            server =
                    cluster.startNam(
                            host, "server-" + how, "compute-server", "-c", file.toString());
            terminals = startTerminals(host, file);
            shell =
                    cluster.startNam(
                            host,
                            "shell-" + how,
                            "sql",
                            "--cluster",
                            file.toString(),
                            "--on-error",
                            "continue");
        }

        void awaitReady() throws Exception {
            assertThat(answer(shell, "CREATE TABLE " + table + " (id INT PRIMARY KEY)"))
                    .isEqualTo("CREATE TABLE");
            cluster.awaitReady(server);
            terminals.awaitAttached();
        }

        /// Cuts the cable in the middle of transactions: what they hold is free in time.
        void cut(RunningTerminals other, SnapshotLook look, SlotHolders holders) throws Exception {
            assertThat(answer(shell, "BEGIN")).isEqualTo("BEGIN");
            assertThat(answer(shell, "INSERT INTO " + table + " VALUES (1)"))
                    .isEqualTo("INSERT 0 1");
            awaitWork(terminals, other);
            long start = System.nanoTime();
            cluster.cut(host, how);
            while (holders.contains(terminals.number())) {
                Thread.sleep(2); // the test's limit ends it
            }
            long micros = (System.nanoTime() - start) / 1_000;
            awaitWork(other);
            System.out.printf(
                    "%s: free after %,d ms; slowest transaction %,d ms, slowest look %,d ms%n",
                    how,
                    micros / 1_000,
                    other.slowestMicros() / 1_000,
                    look.slowestMicros() / 1_000);
            long bound = BOUND_MICROS + (how == Cut.HEARS_NOTHING ? STILL_HEARD_MICROS : 0);
            assertThat(micros).as("micros until nothing is locked").isLessThan(bound);
            assertThat(other.slowestMicros()).as("slowest").isLessThan(bound);
            assertThat(look.slowestMicros()).as("slowest look").isLessThan(bound);
        }

        void mend() {
            cluster.mend(host, how);
        }

        /// What was open is lost, and told; what comes next works.
        void joinsAgain() throws Exception {
            cluster.awaitReady(server);
            String said = cluster.errorsOf("server-" + how);
            assertThat(said.lines()).as(said).anyMatch(line -> line.startsWith(LOST_LEASE));
            assertThat(said.lines()).as(said).hasSizeLessThan(MAX_LINES);
            server.destroy();
            assertThat(server.waitFor(MAX_SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(server.exitValue()).as("its exit status").isEqualTo(143);
            shellGoesOn();
            terminals.awaitFailures(TpccTerminals.THREADS);
            assertThat(terminals.failures()).hasSize(TpccTerminals.THREADS);
            assertThat(terminals.end()).as("its exit status").isZero();
        }

        private void shellGoesOn() throws Exception {
            Writer statements = shell.outputWriter();
            statements.write("INSERT INTO " + table + " VALUES (2);\n");
            assertThat(answer(shell, "ROLLBACK")).isEqualTo("ROLLBACK");
            assertThat(answer(shell, "INSERT INTO " + table + " VALUES (3)"))
                    .isEqualTo("INSERT 0 1");
            assertThat(answer(shell, "DROP TABLE " + table)).isEqualTo("DROP TABLE");
            statements.close();
            assertThat(shell.waitFor(MAX_SECONDS, TimeUnit.SECONDS)).isTrue();
            String said = cluster.errorsOf("shell-" + how);
            assertThat(said.lines())
                    .as(said)
                    .anyMatch(line -> line.startsWith("stdin:4: ERROR "))
                    .noneMatch(line -> line.startsWith("stdin:6: "));
        }
    }

    private static String answer(Process shell, String statement) throws IOException {
        Writer statements = shell.outputWriter();
        statements.write(statement + ";\n");
        statements.flush();
        return shell.inputReader().readLine(); // the test's limit ends it
    }

    @Test
    void aMemoryServerComesBack() throws Exception {
        RunningTerminals first = startTerminals(HostedCluster.COMPUTE_0, cluster.file());
        RunningTerminals second = startTerminals(HostedCluster.COMPUTE_1, cluster.file());
        try (NamDb db = cluster.connect();
                SnapshotLook look = new SnapshotLook(db)) {
            awaitWork(first, second);
            cluster.cut(HostedCluster.MEMORY_1, Cut.BOTH_WAYS);
            Thread.sleep(WAITED_FOR_MILLIS);
            cluster.mend(HostedCluster.MEMORY_1, Cut.BOTH_WAYS);
            awaitWork(first, second);
            requireNoFailure(look, first, second);
        }
        cluster.cut(HostedCluster.MEMORY_1, Cut.BOTH_WAYS);
        for (RunningTerminals each : List.of(first, second)) {
            each.awaitFailures(TpccTerminals.THREADS);
            assertThat(each.failures())
                    .hasSize(TpccTerminals.THREADS)
                    .allMatch(failure -> failure.contains(cluster.address(HostedCluster.MEMORY_1)));
        }
        cluster.mend(HostedCluster.MEMORY_1, Cut.BOTH_WAYS);
        // Their processes live on, and recover their own sessions.
        try (SlotHolders holders = new SlotHolders(cluster.config())) {
            while (holders.slotsOf(first.number()).size() > MaintenanceThread.SLOTS
                    || holders.slotsOf(second.number()).size() > MaintenanceThread.SLOTS) {
                Thread.sleep(10); // the test's limit ends it
            }
        }
        RunningTerminals later = startTerminals(HostedCluster.COMPUTE_0, cluster.file());
        awaitWork(later);
        for (RunningTerminals each : List.of(first, second, later)) {
            assertThat(each.end()).isZero();
        }
        assertThat(later.failures()).isEmpty();
        try (NamDb db = cluster.connect()) {
            requireWhole(db);
        }
    }

    private RunningTerminals startTerminals(int host, Path file) {
        RunningTerminals terminals =
                cluster.startTerminals(
                        host, "terminals-" + all.size(), file, random.nextInt(1_000_000));
        all.add(terminals);
        return terminals;
    }

    private void awaitWork(RunningTerminals... terminals) throws Exception {
        for (RunningTerminals each : terminals) {
            if (begun.add(each)) {
                each.begin();
            }
        }
        for (RunningTerminals each : terminals) {
            each.awaitWork();
        }
    }

    private static void requireNoFailure(SnapshotLook look, RunningTerminals... terminals) {
        assertThat(look.failure()).isNull();
        assertThat(look.checks()).isPositive();
        for (RunningTerminals each : terminals) {
            assertThat(each.failures()).isEmpty();
        }
    }

    /// Every order is there, the twelve conditions hold, nothing is locked.
    private void requireWhole(NamDb db) throws Exception {
        assertThat(
                        Acknowledged.require(
                                db, all.stream().map(RunningTerminals::acknowledged).toList()))
                .as("orders")
                .isPositive();
        assertThat(cluster.nam("tpcc", "--cluster", cluster.file().toString(), "--check"))
                .as(cluster::said)
                .isZero();
        try (SlotHolders holders = new SlotHolders(cluster.config())) {
            holders.awaitNothingLeft(db);
        }
    }
}
