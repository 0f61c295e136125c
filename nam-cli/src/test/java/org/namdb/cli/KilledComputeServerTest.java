package org.namdb.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.namdb.compute.NamDb;

/// Compute servers are killed by SIGKILL in the middle of TPC-C, repeatedly, each time one of two
/// that run terminals, and another one takes its place. The others go on.
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KilledComputeServerTest {
    /// So long after a death nothing is held by the dead one any more, and no session waits for
    /// longer: the lease is part of it. Asserted where the machine has nothing else to do.
    private static final long BOUND_MICROS = TimeUnit.SECONDS.toMicros(5);

    private static final String SHORT_LEASE = "2s";

    private static final int MAX_WORK_MILLIS = 300;

    /// `-Dnamdb.deaths=N`: so many, in place of six.
    private static final int DEATHS = Integer.getInteger("namdb.deaths", 6);

    @TempDir Path directory;

    private List<String> cached = List.of();
    private final List<RunningTerminals> running = new ArrayList<>();
    private final List<RunningTerminals> all = new ArrayList<>();
    private long started;
    private long mostMicros;

    @Test
    @Tag("sample")
    void othersGoOn() throws Exception {
        mostMicros = Long.MAX_VALUE;
        kill(3, "5s", "tcp");
    }

    @Test
    void othersGoOnWhereMemoryIsMapped() throws Exception {
        mostMicros = Long.MAX_VALUE;
        kill(3, "5s", "shm");
    }

    /// The dead own guard lines: each Payment changes a cached row. Others finish what they have
    /// committed.
    @Test
    void othersGoOnWhereTablesAreCachedAndCommitsReplicated() throws Exception {
        mostMicros = Long.MAX_VALUE;
        cached = List.of("item", "warehouse");
        kill(Integer.getInteger("namdb.deaths", 3), "5s", "tcp", "--replicated-commits");
    }

    @Test
    @Tag("long")
    @Tag("alone")
    void othersGoOnManyTimes() throws Exception {
        mostMicros = BOUND_MICROS;
        kill(DEATHS, SHORT_LEASE, "tcp");
    }

    private void kill(int rounds, String lease, String transport, String... options)
            throws Exception {
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        System.out.println("-Dnamdb.seed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        List<String> up = new ArrayList<>(List.of(options));
        up.addAll(
                List.of(
                        "--memory=512m",
                        "--compute-servers=0",
                        "--vector-servers=2",
                        "--lease=" + lease,
                        "--transport=" + transport));
        try (ClusterFixture cluster = ClusterFixture.up(directory, up.toArray(String[]::new))) {
            load(cluster);
            for (String table : cached) {
                String sql = "ALTER TABLE " + table + " SET (cached = true)";
                assertThat(cluster.nam("sql", "--cluster", cluster.file().toString(), "-c", sql))
                        .as(cluster::said)
                        .isZero();
            }
            try (NamDb db = cluster.connect()) {
                try (SnapshotLook look = new SnapshotLook(db);
                        SlotHolders holders = new SlotHolders(cluster.config())) {
                    killAll(cluster, rounds, random, holders, look);
                }
                assertThat(
                                Acknowledged.require(
                                        db,
                                        all.stream().map(RunningTerminals::acknowledged).toList()))
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
    }

    private static void load(ClusterFixture cluster) {
        assertThat(
                        cluster.nam(
                                "tpcc",
                                "--cluster",
                                cluster.file().toString(),
                                "--warehouses",
                                Integer.toString(TpccTerminals.SCALE.warehouses()),
                                "--population",
                                Integer.toString(TpccTerminals.SCALE.populationPercent()),
                                "--transactions",
                                "10"))
                .as(cluster::said)
                .isZero();
    }

    private RunningTerminals start(ClusterFixture cluster) {
        started++;
        RunningTerminals each =
                RunningTerminals.start(cluster, "terminals-" + started, 1_000 * started);
        all.add(each);
        return each;
    }

    private void killAll(
            ClusterFixture cluster,
            int rounds,
            SplittableRandom random,
            SlotHolders holders,
            SnapshotLook look)
            throws Exception {
        running.add(start(cluster));
        running.add(start(cluster));
        RunningTerminals spare = start(cluster);
        for (RunningTerminals each : running) {
            each.begin();
        }
        awaitWork();
        for (int round = 1; round <= rounds; round++) {
            Thread.sleep(random.nextInt(MAX_WORK_MILLIS));
            RunningTerminals dead = running.remove(random.nextInt(running.size()));
            long death = System.nanoTime();
            dead.kill();
            spare.begin();
            running.add(spare);
            spare = start(cluster); // it starts while the lease ends
            while (holders.contains(dead.number())) {
                Thread.sleep(2); // the test's limit ends it
            }
            long micros = (System.nanoTime() - death) / 1_000;
            awaitWork();
            System.out.printf(
                    "round %d: free after %,d ms, all at work after %,d ms%n",
                    round,
                    micros / 1_000,
                    TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - death));
            assertThat(micros).as("micros until nothing is locked").isLessThan(mostMicros);
            requireNothingWrong(look);
        }
        for (RunningTerminals each : running) {
            assertThat(each.end()).isZero();
        }
        assertThat(spare.end()).isZero();
        requireNothingWrong(look);
        tell(look);
    }

    /// Until no session waits any more for what the last dead process has held: none waits for two.
    private void awaitWork() throws InterruptedException {
        for (RunningTerminals each : running) {
            each.awaitWork();
        }
    }

    private void tell(SnapshotLook look) {
        long slowest = all.stream().mapToLong(RunningTerminals::slowestMicros).max().orElse(0);
        long released = all.stream().mapToLong(RunningTerminals::released).sum();
        System.out.printf(
                "%d compute servers; slowest transaction %,d ms; %d looks, the slowest %,d ms;"
                        + " survivors released or undid %d records%n",
                all.size(), slowest / 1_000, look.checks(), look.slowestMicros() / 1_000, released);
        assertThat(look.checks()).isPositive();
    }

    private void requireNothingWrong(SnapshotLook look) {
        assertThat(look.failure()).isNull();
        for (RunningTerminals each : all) {
            assertThat(each.failures()).isEmpty();
            assertThat(each.slowestMicros()).as("slowest").isLessThan(mostMicros);
        }
        assertThat(look.slowestMicros()).as("slowest look").isLessThan(mostMicros);
    }
}
