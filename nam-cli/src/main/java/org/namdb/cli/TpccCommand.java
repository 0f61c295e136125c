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
import org.namdb.tpcc.TpccOptions;
import org.namdb.tpcc.driver.TpccRun;
import org.namdb.workload.ClusterOptions;
import org.namdb.workload.InvalidOptionException;
import org.namdb.workload.RunOptions;
import org.namdb.workload.report.MachineFacts;
import org.namdb.workload.report.ResultFiles;
import org.namdb.workload.report.RunConsole;
import org.namdb.workload.report.TextStyle;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/// `nam tpcc`: loads TPC-C, runs it, checks it, and shows what it measured.
///
/// Exit status: 0 if the run ended as it should and every consistency condition holds, 1 if one
/// doesn't or the run failed (a full memory is a failure, whatever the conditions say), 2 for
/// wrong usage, 130 if somebody interrupted it.
@Command(
        name = "tpcc",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        abbreviateSynopsis = true,
        description = {
            "Runs the TPC-C benchmark on a NamDB in this process, or on a cluster, and checks its twelve consistency"
                    + " conditions.",
            "A history leaves NEW-ORDER out, because its records are deleted.",
            "Durations are written as in 500ms, 20s, 5m or 1h, sizes as in 512m or 8g."
        })
final class TpccCommand implements Callable<Integer> {
    private static final int STATUS_INTERRUPTED = 130;

    @Spec private CommandSpec spec;

    @Mixin
    private final TpccOptions options =
            new TpccOptions(
                    Runtime.getRuntime().availableProcessors(), MachineFacts.machineBytes());

    @Mixin private final ClusterOptions cluster = options.cluster();

    @Override
    public Integer call() {
        TpccOptions checked = checkedOptions();
        ResultFiles files = resultFiles(checked);
        HistoryFile history = historyFile(checked);
        CommandLine command = spec.commandLine();
        RunConsole console =
                new RunConsole(command.getOut(), command.getErr(), TextStyle.ofStandardError());
        return switch (run(checked, console, files, history).run()) {
            case PASSED -> 0;
            case FAILED -> 1;
            case INTERRUPTED -> STATUS_INTERRUPTED;
        };
    }

    private TpccRun run(
            TpccOptions checked,
            RunConsole console,
            @Nullable ResultFiles files,
            @Nullable HistoryFile history) {
        Path file = cluster.file();
        return new TpccRun(
                checked,
                console,
                files,
                history,
                file == null ? null : asked -> attach(file, asked));
    }

    /// What is wrong with the file, or with its ZooKeeper, is a sentence about the option.
    private NamDb attach(Path file, RunOptions asked) {
        try {
            ClusterConfig config = ClusterConfig.read(file);
            return NamDb.connect(
                    config,
                    EmbeddedOptions.DEFAULT
                            .withCluster(config)
                            .withRetryPolicy(RetryPolicy.NETWORK)
                            .withOracle(asked.oracle())
                            .withStaleness(asked.staleness()));
        } catch (ConfigException | MembershipException e) {
            throw new ParameterException(spec.commandLine(), "--cluster: " + e.getMessage(), e);
        } catch (IllegalArgumentException e) {
            // The maximum transaction time is the cluster's.
            throw new InvalidOptionException("--staleness is too long: " + e.getMessage());
        } catch (IllegalStateException e) {
            // The memory servers don't belong together, which is no wrong usage.
            throw new InvalidOptionException(String.valueOf(e.getMessage()));
        }
    }

    private @Nullable ResultFiles resultFiles(TpccOptions checked) {
        try {
            return checked.out() == null ? null : ResultFiles.in(checked.out());
        } catch (InvalidOptionException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    /// Makes the file before any work, so that nobody waits for a history that can't be written.
    private @Nullable HistoryFile historyFile(TpccOptions checked) {
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

    /// What was asked for; wrong usage if it can't be.
    TpccOptions checkedOptions() {
        try {
            return options.checked(spec.commandLine().getParseResult());
        } catch (InvalidOptionException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }
}
