package org.namdb.cli;

import org.jspecify.annotations.Nullable;
import org.namdb.compute.history.HistoryFile;
import org.namdb.workload.driver.BenchmarkRun.Opener;
import org.namdb.workload.report.MachineFacts;
import org.namdb.workload.report.ResultFiles;
import org.namdb.workload.report.RunConsole;
import org.namdb.ycsb.YcsbOptions;
import org.namdb.ycsb.YcsbRun;
import picocli.CommandLine.Command;

/// `nam ycsb`: loads YCSB's table, runs a workload on it, and shows what it measured.
@Command(
        name = "ycsb",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        abbreviateSynopsis = true,
        description = {
            "Runs a workload of YCSB, or of the tree-index paper, on a NamDB in this process, or on a cluster: each"
                    + " operation is a transaction. All workloads run on the same records.",
            "Durations are written as in 500ms, 20s, 5m or 1h, sizes as in 512m or 8g."
        })
final class YcsbCommand extends BenchmarkCommand<YcsbOptions> {
    YcsbCommand() {
        super(
                new YcsbOptions(
                        Runtime.getRuntime().availableProcessors(), MachineFacts.machineBytes()));
    }

    @Override
    YcsbRun<?> run(
            YcsbOptions checked,
            RunConsole console,
            @Nullable ResultFiles files,
            @Nullable HistoryFile history,
            @Nullable Opener opener) {
        return YcsbRun.of(checked, console, files, history, opener);
    }
}
