package org.namdb.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.namdb.workload.InvalidOptionException;
import org.namdb.workload.report.MeasuredFigure;
import org.namdb.workload.report.ResultFiles;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// What the commands share that measure a figure of a paper: the seed, and where results go.
final class FigureOptions {
    private static final long MAX_CABLE_MICROS = 1_000_000;
    private static final Duration MAX_TIME = Duration.ofHours(1);

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

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

    long seed() {
        return seed;
    }

    /// The files to write; null if there is no directory for them.
    @Nullable ResultFiles files() {
        try {
            return out == null ? null : ResultFiles.in(out);
        } catch (InvalidOptionException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    void requireTimes(long cableMicros, Duration duration, Duration warmup) {
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
