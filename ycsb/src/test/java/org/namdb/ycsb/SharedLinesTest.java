package org.namdb.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.namdb.cache.selcc.LineCacheOptions;
import org.namdb.compute.AttachedDatabase;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.compute.Session;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.Host;
import org.namdb.fabric.Region;
import org.namdb.fabric.Threads;
import org.namdb.fabric.peer.LocalPeers;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.server.MemoryServer;
import org.namdb.workload.driver.BenchmarkRun.Opener;
import org.namdb.workload.driver.BenchmarkRun.Status;
import org.namdb.workload.driver.Pacing;
import org.namdb.workload.driver.Work;
import org.namdb.workload.report.RunConsole;
import org.namdb.workload.report.TextStyle;
import org.namdb.workload.statistics.CostSource;

/// Runs of two compute servers on the same records in lines. Their threads meet twice, so that each
/// run needs lines that the other one has, however they are scheduled:
/// ```
/// run A                              run B
///                                    changes a line: A has lost it, and B has it
///             ... all threads meet, in the middle of their transactions ...
/// accesses that line: sends B a message, unless it has done so since
///             ... all threads meet again, before their lines are released ...
/// ```
/// No line is evicted meanwhile, as each cache has frames for all of them.
class SharedLinesTest {
    private static final int RUNS = 2;
    private static final int THREADS = 2;
    private static final int TRANSACTIONS = 3_000;
    private static final int SLOTS = 64;
    private static final int SERVER_BYTES = 64 << 20;
    private static final LineCacheOptions LINES = LineCacheOptions.DEFAULT.withFrames(1_000);

    private final LocalPeers peers = new LocalPeers();

    @Test
    void ofTwoAtOnceOneLoadsAndBothRun() throws Exception {
        try (Fabric fabric = new ShmFabric(ShmFabric.Options.DEFAULT.withReadsInPlace(false))) {
            List<Region> regions = format(fabric);
            for (String workload : List.of("a", "d")) {
                List<String> said = new ArrayList<>(List.of("", ""));
                CyclicBarrier meeting = new CyclicBarrier(RUNS * THREADS);
                Opener opener = any -> attach(fabric, regions, LINES);
                Threads.run(RUNS, run -> said.set(run, run(workload, opener, meeting)));
                assertThat(said)
                        .filteredOn(each -> each.contains("loaded 500 records"))
                        .hasSize("a".equals(workload) ? 1 : 0);
                assertThat(said)
                        .noneMatch(each -> each.contains("     0 to other compute servers"));
            }
        }
    }

    private static String run(String workload, Opener opener, CyclicBarrier meeting) {
        StringWriter said = new StringWriter();
        PrintWriter writer = new PrintWriter(said, true);
        YcsbOptions options =
                YcsbOptions.of(
                        2,
                        24L << 30,
                        "--store lines --records 500 --threads %d --transactions %d --cluster c.yaml --workload %s"
                                .formatted(THREADS, TRANSACTIONS, workload));
        RunConsole console = new RunConsole(writer, writer, new TextStyle(false, true));
        YcsbRun<YcsbLines> run =
                new YcsbRun<>(
                        new YcsbLinePopulation(options), options, console, null, null, opener) {
                    @Override
                    protected Work.Factory work(NamDb db, YcsbLines tables) {
                        Work.Factory actual = super.work(db, tables);
                        return (thread, session, window, startNanos) ->
                                new MeetingWork(
                                        actual.of(thread, session, window, startNanos), meeting);
                    }
                };
        assertThat(run.run()).as(said.toString()).isEqualTo(Status.PASSED);
        return said.toString();
    }

    /// A thread's work, which meets that of all other threads in its middle and at its end.
    private static final class MeetingWork implements Work {
        private static final int HALF = TRANSACTIONS / THREADS / 2;

        private final Work actual;
        private final CyclicBarrier meeting;
        private int done;

        MeetingWork(Work actual, CyclicBarrier meeting) {
            this.actual = actual;
            this.meeting = meeting;
        }

        @Override
        public boolean run() {
            boolean isRolledBack = actual.run();
            if (++done % HALF == 0) {
                try {
                    int _ = meeting.await(1, TimeUnit.MINUTES);
                } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
                    throw new AssertionError("another thread has not come", e);
                }
            }
            return isRolledBack;
        }

        @Override
        public Pacing pacing() {
            return actual.pacing();
        }

        @Override
        public void next() {
            actual.next();
        }

        @Override
        public Workload.Kind kind() {
            return (Workload.Kind) actual.kind();
        }

        @Override
        public CostSource costs(Session session) {
            return actual.costs(session);
        }

        @Override
        public void close() {
            actual.close();
        }
    }

    @Test
    void linesThatAreTooShortAreAnError() {
        try (Fabric fabric = new ShmFabric(ShmFabric.Options.DEFAULT.withReadsInPlace(false))) {
            List<Region> regions = format(fabric);
            StringWriter said = new StringWriter();
            PrintWriter writer = new PrintWriter(said, true);
            Status status =
                    YcsbRun.of(
                                    YcsbOptions.of(
                                            2,
                                            24L << 30,
                                            "--store lines --records 500 --workload a --cluster c.yaml"),
                                    new RunConsole(writer, writer, new TextStyle(false, true)),
                                    null,
                                    null,
                                    any -> attach(fabric, regions, LINES.withLineBytes(64)))
                            .run();
            assertThat(status).isEqualTo(Status.FAILED);
            assertThat(said.toString())
                    .contains("records of 1,000 bytes don't fit in lines of 64")
                    .contains("compute.line-bytes");
        }
    }

    private static List<Region> format(Fabric fabric) {
        List<Region> regions = new ArrayList<>();
        for (int number = 0; number < 2; number++) {
            regions.add(
                    new MemoryServer(
                                    fabric,
                                    number,
                                    SERVER_BYTES,
                                    DatabaseLayout.reservedBytes(number, SLOTS))
                            .region());
        }
        DatabaseLayout.format(fabric, regions, SLOTS, Duration.ofMinutes(10));
        return regions;
    }

    private NamDb attach(Fabric fabric, List<Region> regions, LineCacheOptions lines) {
        EmbeddedOptions options =
                EmbeddedOptions.DEFAULT
                        .withMemoryServers(regions.size())
                        .withMemoryBytes((long) regions.size() * SERVER_BYTES)
                        .withSlots(24)
                        .withExecutionThreads(1)
                        .withLines(lines);
        return AttachedDatabase.open(
                options, fabric, regions, process -> peers.join(process, Host.MACHINE));
    }
}
