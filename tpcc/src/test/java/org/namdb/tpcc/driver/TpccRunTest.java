package org.namdb.tpcc.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.namdb.tpcc.TpccOptions;
import org.namdb.workload.driver.BenchmarkRun.Status;
import org.namdb.workload.report.RunConsole;
import org.namdb.workload.report.TextStyle;

/// The whole of `nam tpcc`, with endings that no command line causes.
class TpccRunTest {
    private final StringWriter output = new StringWriter();
    private final StringWriter errors = new StringWriter();

    private TpccRun run(TpccOptions options) {
        return new TpccRun(
                options,
                new RunConsole(
                        new PrintWriter(output, true),
                        new PrintWriter(errors, true),
                        new TextStyle(false, true)),
                null,
                null);
    }

    @Test
    void aFullMemoryIsAFailureThatIsSaid() {
        TpccOptions options =
                RunFixture.options("--warehouses 1 --memory 16m --warmup 0s --duration 5m");
        assertThat(run(options).run()).isEqualTo(Status.FAILED);
        assertThat(output.toString())
                .contains("The memory is full and ended the run early")
                .contains("new orders/min (tpmC)")
                .contains("✓ 3.3.2.12")
                .doesNotContain("✗")
                .endsWith(
                        "FAILED: the memory was full, and the run ended early; all twelve consistency"
                                + " conditions hold.\n");
    }

    @Test
    void whatIsStoppedWhileItLoadsIsNotRun() {
        TpccRun run = run(RunFixture.options(""));
        run.stop();
        assertThat(run.run()).isEqualTo(Status.INTERRUPTED);
        assertThat(errors.toString()).endsWith("The load was interrupted; nothing was run.\n");
        assertThat(output.toString()).isEmpty();
    }

    @Test
    void anInterruptOfTheThreadStopsTheLoadToo() {
        TpccRun run = run(RunFixture.options("--warmup 5m"));
        Thread.currentThread().interrupt();
        assertThat(run.run()).isEqualTo(Status.INTERRUPTED);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aRunThatIsStoppedShowsWhatItMeasuredAndIsChecked() throws InterruptedException {
        TpccRun run = run(RunFixture.options("--warmup 0s --memory 8g --duration 5m"));
        Thread stopper =
                Thread.ofPlatform()
                        .start(() -> {
                            awaitFirstSecond();
                            run.stop();
                        });
        Status status = run.run();
        stopper.join();
        assertThat(status).as(output.toString() + errors).isEqualTo(Status.INTERRUPTED);
        assertThat(output.toString())
                .startsWith("The run was interrupted")
                .contains("new orders/min (tpmC)", "✓ 3.3.2.1 ")
                .endsWith("INTERRUPTED: all twelve consistency conditions hold.\n");
    }

    private void awaitFirstSecond() {
        long giveUp = System.nanoTime() + 60_000_000_000L;
        while (!errors.toString().contains(" tps ") && System.nanoTime() - giveUp < 0) {
            Thread.onSpinWait();
            java.util.concurrent.locks.LockSupport.parkNanos(10_000_000);
        }
    }
}
