package org.namdb.tpcc.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.tpcc.TpccOptions;
import org.namdb.tpcc.load.TpccPopulation;
import org.namdb.tpcc.schema.TpccSchema;
import org.namdb.workload.driver.BenchmarkRun.Status;
import org.namdb.workload.load.LoadMark;
import org.namdb.workload.load.LoadStage;
import org.namdb.workload.load.MarkTable;
import org.namdb.workload.load.SharedLoad;
import org.namdb.workload.load.UnusableDatabaseException;
import org.namdb.workload.report.RunConsole;
import org.namdb.workload.report.TextStyle;

/// `nam tpcc --cluster`: runs that attach to a database which others use, too.
class ClusterRunTest {
    private static final String ONE_WAREHOUSE = "--warehouses 1 --population 1 ";
    private static final int MAX_SECONDS = 120;

    private final SharedDatabase shared = new SharedDatabase();

    @AfterEach
    void close() {
        shared.close();
    }

    /// A run, and what it has said.
    private final class Attached {
        private final StringWriter output = new StringWriter();
        private final StringWriter errors = new StringWriter();
        private final TpccRun run;

        Attached(String options) {
            run =
                    new TpccRun(
                            TpccOptions.of(2, 24L << 30, "--cluster c.yaml " + options),
                            console(output, errors),
                            null,
                            null,
                            any -> shared.attach());
        }

        Status run() {
            return run.run();
        }

        String all() {
            return errors + "\n" + output;
        }
    }

    private static RunConsole console(StringWriter output, StringWriter errors) {
        return new RunConsole(
                new PrintWriter(output, true),
                new PrintWriter(errors, true),
                new TextStyle(false, true));
    }

    private Attached passed(String options) {
        Attached attached = new Attached(options);
        assertThat(attached.run()).as(attached.all()).isEqualTo(Status.PASSED);
        return attached;
    }

    private String refused(String options) {
        Attached attached = new Attached(options);
        assertThat(attached.run()).as(attached.all()).isEqualTo(Status.FAILED);
        return attached.errors.toString().lines().toList().getLast();
    }

    @Test
    void whatIsMissingIsLoadedAndWhatIsThereIsUsed() {
        assertThat(passed(ONE_WAREHOUSE + "--transactions 300").all())
                .contains("attached to 2 memory servers with 128 MiB, as compute server 0 of")
                .contains("loaded 1 warehouse, ")
                .contains("ran on       2 memory servers with 128 MiB, as compute server 0 of");
        assertThat(passed(ONE_WAREHOUSE + "--transactions 300").all())
                .contains("found 1 warehouse, ", " rows, loaded by compute server 0\n")
                .doesNotContain("rows in 0 s");
        // Its size is read.
        assertThat(passed("--no-load --transactions 300").all())
                .contains("found 1 warehouse, ", "loaded       1 warehouse, ");
        assertThat(passed("--check").all())
                .contains("✓ 3.3.2.12")
                .doesNotContain("tpmC")
                .endsWith("PASSED: all twelve consistency conditions hold.\n");
    }

    /// Two processes find an empty database; whatever the interleaving, one loads.
    @Test
    void ofTwoAtOnceOneLoadsAndBothRun() throws Exception {
        List<Attached> both = new ArrayList<>();
        List<FutureTask<Status>> ends = new ArrayList<>();
        CountDownLatch together = new CountDownLatch(2);
        for (int process = 0; process < 2; process++) {
            Attached attached = new Attached(ONE_WAREHOUSE + "--threads 2 --transactions 1000");
            FutureTask<Status> end =
                    new FutureTask<>(() -> {
                        together.countDown();
                        assertThat(together.await(MAX_SECONDS, TimeUnit.SECONDS)).isTrue();
                        return attached.run();
                    });
            both.add(attached);
            ends.add(end);
            Thread.ofPlatform().daemon().start(end);
        }
        for (int process = 0; process < 2; process++) {
            assertThat(ends.get(process).get(MAX_SECONDS, TimeUnit.SECONDS))
                    .as(both.get(process).all())
                    .isEqualTo(Status.PASSED);
        }
        assertThat(both.stream().filter(a -> a.errors.toString().contains("\nloaded 1 warehouse")))
                .hasSize(1);
        assertThat(both.stream().filter(a -> a.errors.toString().contains("\nfound 1 warehouse")))
                .hasSize(1);
        passed("--check");
    }

    /// The check is one snapshot, so it holds at any moment.
    @Test
    void theConditionsAreCheckedBesideARun() throws Exception {
        passed(ONE_WAREHOUSE + "--transactions 10");
        Attached beside = new Attached("--warmup 0s --duration 5m --threads 2");
        FutureTask<Status> end = new FutureTask<>(beside::run);
        Thread.ofPlatform().daemon().start(end);
        try {
            for (int check = 0; check < 5; check++) {
                passed("--check");
            }
        } finally {
            beside.run.stop();
        }
        assertThat(end.get(MAX_SECONDS, TimeUnit.SECONDS))
                .as(beside.all())
                .isEqualTo(Status.INTERRUPTED);
        assertThat(beside.output.toString())
                .endsWith("INTERRUPTED: all twelve consistency conditions hold.\n");
    }

    @Test
    void whereNothingIsAndNothingShallBeLoadedThereIsNothingToRun() {
        assertThat(refused("--no-load"))
                .isEqualTo(
                        "nam tpcc: there is no TPC-C in the cluster: leave out --no-load to have it"
                                + " loaded");
        assertThat(refused("--check"))
                .isEqualTo(
                        "nam tpcc: there is no TPC-C in the cluster: leave out --check to have it"
                                + " loaded");
    }

    @Test
    void aLoadOfAnotherSizeIsNotUsed() {
        passed(ONE_WAREHOUSE + "--transactions 10");
        for (String other : List.of("--warehouses 2", "--population 2", "--versions 3")) {
            assertThat(refused(other))
                    .startsWith(
                            "nam tpcc: the cluster holds TPC-C with --warehouses 1 --population 1"
                                    + " --versions 2: leave these options out to use it, or drop it"
                                    + " by nam sql --cluster c.yaml -c \"DROP TABLE IF EXISTS ")
                    .endsWith(", stock, warehouse, tpcc_load\"");
        }
        assertThat(refused("--no-load --distribution 10"))
                .isEqualTo(
                        "nam tpcc: --distribution 10 needs a second warehouse, but there is only"
                                + " one");
    }

    @Test
    void aLoadThatWasStoppedIsNotUsed() {
        Attached stopped = new Attached("--warehouses 1 --population 10");
        stopped.run.loading().stop();
        assertThat(stopped.run()).isEqualTo(Status.INTERRUPTED);
        assertThat(refused("--warehouses 1 --population 10"))
                .startsWith(
                        "nam tpcc: the cluster's TPC-C is incomplete, with 0 rows: compute server 0"
                                + " gave up loading it; drop it by nam sql --cluster c.yaml -c ");
    }

    @Test
    void aLoadThatStandsStillIsNotWaitedForForever() {
        try (NamDb dead = shared.attach();
                NamDb db = shared.attach();
                Session session = dead.session()) {
            assertThat(marks().claim(dead, session, mark(dead, 7))).isTrue();
            TpccOptions options = TpccOptions.of(2, 24L << 30, "--cluster c.yaml");
            assertThatThrownBy(() -> load(options).prepare(db))
                    .isInstanceOf(UnusableDatabaseException.class)
                    .hasMessageStartingWith(
                            "the cluster's TPC-C is incomplete, with 7 rows: compute server 0 has made"
                                    + " no progress for 0 s; wait, or drop it by nam sql ");
        }
    }

    private static SharedLoad<TpccSchema> load(TpccOptions options) {
        RunConsole console = console(new StringWriter(), new StringWriter());
        TpccPopulation population = new TpccPopulation(options);
        return new SharedLoad<>(
                TpccRun.TPCC,
                options,
                population,
                console,
                new LoadStage<>(TpccRun.TPCC, options, population, console),
                () -> false,
                Duration.ofMillis(300).toNanos());
    }

    private static MarkTable marks() {
        return new TpccPopulation(TpccOptions.of(2, 24L << 30, "")).markTable();
    }

    private static LoadMark mark(NamDb db, long rows) {
        return new LoadMark(
                LoadMark.State.LOADING,
                Map.of("warehouses", 1, "population", 1),
                1,
                2,
                db.process(),
                rows,
                0,
                0);
    }

    @Test
    void tablesOfOthersAreLeftAlone() {
        try (NamDb other = shared.attach()) {
            for (String name : List.of("stock", "item")) {
                other.createTable(
                        TableDefinition.named(name)
                                .column("id", ColumnType.INT64)
                                .primaryKey("id")
                                .build());
            }
        }
        assertThat(refused(ONE_WAREHOUSE))
                .isEqualTo(
                        "nam tpcc: the cluster has tables item, stock, which nam tpcc has not"
                                + " loaded: drop or rename what is there");
    }

    @Test
    void whatDoesNotFitIsNotBegun() {
        assertThat(refused("--warehouses 2"))
                .matches(
                        "nam tpcc: --warehouses 2 needs about 40\\d MiB of memory, but the cluster"
                                + " has 1\\d\\d(\\.\\d)? MiB left: load fewer warehouses, or give"
                                + " its memory servers more memory");
    }

    @Test
    void moreThreadsThanSlotsAreRefused() {
        assertThat(refused(ONE_WAREHOUSE + "--threads 100"))
                .isEqualTo(
                        "nam tpcc: --threads 100 needs a slot for each thread, but the cluster has"
                                + " no more: use fewer threads, or give it more slots");
        passed("--no-load --threads 2 --transactions 10");
    }

    /// The process that inserts the mark loads: exactly one, however many try.
    @Test
    void exactlyOneClaimIsWon() throws Exception {
        List<NamDb> servers = List.of(shared.attach(), shared.attach(), shared.attach());
        List<FutureTask<Boolean>> claims = new ArrayList<>();
        CountDownLatch together = new CountDownLatch(servers.size());
        for (NamDb db : servers) {
            FutureTask<Boolean> claim =
                    new FutureTask<>(() -> {
                        try (Session session = db.session()) {
                            together.countDown();
                            assertThat(together.await(MAX_SECONDS, TimeUnit.SECONDS)).isTrue();
                            return marks().claim(db, session, mark(db, 0));
                        }
                    });
            claims.add(claim);
            Thread.ofPlatform().daemon().start(claim);
        }
        int won = 0;
        for (FutureTask<Boolean> claim : claims) {
            won += claim.get(MAX_SECONDS, TimeUnit.SECONDS) ? 1 : 0;
        }
        servers.forEach(NamDb::close);
        assertThat(won).isEqualTo(1);
    }
}
