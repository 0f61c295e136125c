package org.namdb.workload.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/// Real signals to a real process.
@DisabledOnOs(OS.WINDOWS)
class InterruptionTest {
    /// A run that ends when it is stopped, or never, or has not begun.
    static final class Run {
        public static void main(String[] arguments) throws InterruptedException {
            CountDownLatch stopped = new CountDownLatch(1);
            boolean obeys = arguments[0].equals("obeys");
            BooleanSupplier stop =
                    () -> {
                        System.out.println("stopping");
                        if (obeys) {
                            stopped.countDown();
                        }
                        return !arguments[0].equals("waits");
                    };
            try (Interruption interruption = Interruption.during(stop)) {
                System.out.println("running " + interruption.getClass().getSimpleName());
                if (!arguments[0].equals("ends")) {
                    stopped.await();
                }
                System.out.println("results");
            }
        }
    }

    /// The process takes the signal although its parent may ignore it, as what a script starts in
    /// the background does.
    private static Process start(String how) throws IOException {
        return new ProcessBuilder(
                        "env",
                        "--default-signal=INT",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Run.class.getName(),
                        how)
                .redirectErrorStream(true)
                .start();
    }

    private static void interrupt(Process process) throws IOException, InterruptedException {
        new ProcessBuilder("kill", "-INT", String.valueOf(process.pid())).start().waitFor();
    }

    private static int exitStatus(Process process) throws InterruptedException {
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).as("the process has ended").isTrue();
        return process.exitValue();
    }

    @Test
    void theFirstSignalStopsTheRunAndLetsItShowItsResults() throws Exception {
        Process process = start("obeys");
        try (BufferedReader output = process.inputReader()) {
            assertThat(output.readLine()).isEqualTo("running Interruption");
            interrupt(process);
            assertThat(output.readLine()).isEqualTo("stopping");
            assertThat(output.readLine()).isEqualTo("results");
        }
        assertThat(exitStatus(process)).isEqualTo(130);
    }

    @Test
    void theSecondSignalEndsTheProcess() throws Exception {
        Process process = start("defies");
        try (BufferedReader output = process.inputReader()) {
            assertThat(output.readLine()).isEqualTo("running Interruption");
            interrupt(process);
            assertThat(output.readLine()).isEqualTo("stopping");
            interrupt(process);
            assertThat(exitStatus(process)).isEqualTo(130);
        }
    }

    @Test
    void theFirstSignalEndsAProcessThatHasNothingToStop() throws Exception {
        Process process = start("waits");
        try (BufferedReader output = process.inputReader()) {
            assertThat(output.readLine()).isEqualTo("running Interruption");
            interrupt(process);
            assertThat(output.readLine()).isEqualTo("stopping");
            assertThat(exitStatus(process)).isEqualTo(130);
        }
    }

    @Test
    void withoutASignalNothingIsStopped() throws Exception {
        Process process = start("ends");
        try (BufferedReader output = process.inputReader()) {
            assertThat(output.readLine()).isEqualTo("running Interruption");
            assertThat(output.readLine()).isEqualTo("results");
            assertThat(output.readLine()).isNull();
        }
        assertThat(exitStatus(process)).isZero();
    }
}
