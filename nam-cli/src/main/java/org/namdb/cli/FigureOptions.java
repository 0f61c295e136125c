package org.namdb.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.scalestore.PageTimeoutException;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.disk.DiskException;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.workload.InvalidOptionException;
import org.namdb.workload.report.MeasuredFigure;
import org.namdb.workload.report.ResultFiles;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// What the commands share that measure a figure of a paper: the length of cables, the seed, and
/// where results go.
final class FigureOptions {
    private static final long MAX_CABLE_MICROS = 1_000_000;
    private static final Duration MAX_TIME = Duration.ofHours(1);

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--cable",
            paramLabel = "MICROSECONDS",
            defaultValue = "50",
            description =
                    "The time from one end of a cable to the other (default: ${DEFAULT-VALUE}).")
    private long cableMicros;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Seed of every random number (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Write a CSV file and a plot for each part to this directory.")
    private @Nullable Path out;

    /// Measures a figure.
    @FunctionalInterface
    interface Measurement {
        /// Does so.
        ///
        /// @param progress gets what is measured next
        MeasuredFigure run(Consumer<String> progress) throws IOException;
    }

    long seed() {
        return seed;
    }

    Duration cable() {
        return Duration.ofNanos(1_000 * cableMicros);
    }

    /// The files to write; null if there is no directory for them.
    @Nullable ResultFiles files() {
        try {
            return out == null ? null : ResultFiles.in(out);
        } catch (InvalidOptionException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    void requireAscending(String option, List<Integer> numbers, int least, int most) {
        boolean isAscending = true;
        for (int i = 0; i < numbers.size(); i++) {
            isAscending &= numbers.get(i) >= (i == 0 ? least : numbers.get(i - 1) + 1);
        }
        require(
                isAscending && numbers.getLast() <= most,
                "%s must be numbers from %d to %d in ascending order, like 2,4"
                        .formatted(option, least, most));
    }

    /// Requires times that can be measured; that of a cable as well.
    void requireTimes(Duration duration, Duration warmup) {
        require(
                cableMicros >= 0 && cableMicros <= MAX_CABLE_MICROS,
                "--cable must be 0 to %d microseconds".formatted(MAX_CABLE_MICROS));
        require(
                duration.toMillis() > 0 && duration.compareTo(MAX_TIME) <= 0,
                "--duration must be over 0 s and at most an hour");
        require(
                !warmup.isNegative() && warmup.compareTo(MAX_TIME) <= 0,
                "--warmup must be 0 s to an hour");
    }

    void require(boolean isRight, String message) {
        if (!isRight) {
            throw new ParameterException(spec.commandLine(), message);
        }
    }

    /// Measures a figure, and reports what is measured, and then the result.
    ///
    /// @return the command's exit status
    int measure(Measurement measurement) {
        PrintWriter errors = spec.commandLine().getErr();
        ResultFiles files = files();
        String[] last = {""};
        try {
            MeasuredFigure measured =
                    measurement.run(what -> {
                        if (!what.equals(last[0])) {
                            last[0] = what;
                            errors.println("measuring: " + what);
                            errors.flush();
                        }
                    });
            report(measured, files);
            return 0;
        } catch (IOException
                | UncheckedIOException
                | DiskException
                | PageTimeoutException
                | FabricException
                | MemoryFullException
                | IllegalStateException e) {
            errors.println(
                    spec.commandLine().getCommandSpec().qualifiedName() + ": " + e.getMessage());
            return 1;
        }
    }

    /// Prints what was measured, and writes it to files, if there are any.
    void report(MeasuredFigure measured, @Nullable ResultFiles files) throws IOException {
        PrintWriter printed = spec.commandLine().getOut();
        measured.lines().forEach(printed::println);
        printed.flush();
        if (files != null) {
            measured.write(files);
            spec.commandLine().getErr().println("written to " + out);
        }
    }
}
