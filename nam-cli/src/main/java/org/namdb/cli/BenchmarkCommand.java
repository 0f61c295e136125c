package org.namdb.cli;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.config.ConfigException;
import org.namdb.cluster.membership.MembershipException;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.NamDb;
import org.namdb.compute.RetryPolicy;
import org.namdb.compute.history.HistoryFile;
import org.namdb.workload.ClusterOptions;
import org.namdb.workload.InvalidOptionException;
import org.namdb.workload.RunOptions;
import org.namdb.workload.driver.BenchmarkRun;
import org.namdb.workload.driver.BenchmarkRun.Opener;
import org.namdb.workload.report.ResultFiles;
import org.namdb.workload.report.RunConsole;
import org.namdb.workload.report.TextStyle;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// A command that runs a benchmark.
///
/// Exit status: 0 if the run ended as it should and every consistency condition holds, 1 if one
/// doesn't or the run failed (full memory is a failure, whether or not the conditions hold), 2 for
/// wrong usage, 130 if it was interrupted.
///
/// @param <O> its options
abstract class BenchmarkCommand<O extends RunOptions> implements Callable<Integer> {
    private static final int STATUS_INTERRUPTED = 130;

    @Spec private CommandSpec spec;

    @Mixin private final O options;
    @Mixin private final ClusterOptions cluster;

    BenchmarkCommand(O options) {
        this.options = options;
        this.cluster = options.cluster();
    }

    /// The run of checked options.
    ///
    /// @param opener opens the database of a cluster; null for one in this process
    abstract BenchmarkRun<?> run(
            O checked,
            RunConsole console,
            @Nullable ResultFiles files,
            @Nullable HistoryFile history,
            @Nullable Opener opener);

    @Override
    public Integer call() {
        O checked = checkedOptions();
        ResultFiles files = resultFiles(checked);
        HistoryFile history = historyFile(checked);
        CommandLine command = spec.commandLine();
        RunConsole console =
                new RunConsole(command.getOut(), command.getErr(), TextStyle.ofStandardError());
        Path file = cluster.file();
        Opener opener = file == null ? null : requested -> attach(file, requested);
        return switch (run(checked, console, files, history, opener).run()) {
            case PASSED -> 0;
            case FAILED -> 1;
            case INTERRUPTED -> STATUS_INTERRUPTED;
        };
    }

    /// What is wrong with the file, or with its ZooKeeper, is a sentence about the option.
    private NamDb attach(Path file, RunOptions requested) {
        try {
            ClusterConfig config = ClusterConfig.read(file);
            return NamDb.connect(
                    config,
                    EmbeddedOptions.DEFAULT
                            .withCluster(config)
                            .withRetryPolicy(RetryPolicy.NETWORK)
                            .withOracle(requested.oracle())
                            .withStaleness(requested.staleness()));
        } catch (ConfigException | MembershipException e) {
            throw new ParameterException(spec.commandLine(), "--cluster: " + e.getMessage(), e);
        } catch (IllegalArgumentException | IllegalStateException e) {
            // An option does not suit the cluster's settings, or its memory servers don't belong
            // together.
            throw new InvalidOptionException(String.valueOf(e.getMessage()));
        }
    }

    private @Nullable ResultFiles resultFiles(RunOptions checked) {
        try {
            return checked.out() == null ? null : ResultFiles.in(checked.out());
        } catch (InvalidOptionException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    /// Makes the file before any work, so that no run is wasted on a history that can't be written.
    private @Nullable HistoryFile historyFile(RunOptions checked) {
        Path file = checked.history();
        try {
            return file == null ? null : HistoryFile.create(file);
        } catch (IOException e) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--history %s can't be written: %s".formatted(file, reason(file, e)),
                    e);
        }
    }

    private static String reason(Path file, IOException e) {
        Path directory = file.toAbsolutePath().getParent();
        if (Files.isDirectory(file)) {
            return "it is a directory";
        }
        if (directory != null && !Files.isDirectory(directory)) {
            return "there is no directory " + directory;
        }
        return e instanceof AccessDeniedException ? "permission denied" : e.toString();
    }

    /// The options; wrong usage if they are invalid.
    O checkedOptions() {
        try {
            options.check(spec.commandLine().getParseResult());
            return options;
        } catch (InvalidOptionException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }
}
