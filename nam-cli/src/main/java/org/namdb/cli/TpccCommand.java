package org.namdb.cli;

import org.jspecify.annotations.Nullable;
import org.namdb.compute.history.HistoryFile;
import org.namdb.tpcc.TpccOptions;
import org.namdb.tpcc.driver.TpccLineRun;
import org.namdb.tpcc.driver.TpccRun;
import org.namdb.workload.driver.BenchmarkRun;
import org.namdb.workload.driver.BenchmarkRun.Opener;
import org.namdb.workload.report.MachineFacts;
import org.namdb.workload.report.ResultFiles;
import org.namdb.workload.report.RunConsole;
import picocli.CommandLine.Command;

/// `nam tpcc`: loads TPC-C, runs it, checks it, and shows what it measured.
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
final class TpccCommand extends BenchmarkCommand<TpccOptions> {
    TpccCommand() {
        super(
                new TpccOptions(
                        Runtime.getRuntime().availableProcessors(), MachineFacts.machineBytes()));
    }

    @Override
    BenchmarkRun<?> run(
            TpccOptions checked,
            RunConsole console,
            @Nullable ResultFiles files,
            @Nullable HistoryFile history,
            @Nullable Opener opener) {
        return checked.engine() == null
                ? new TpccRun(checked, console, files, history, opener)
                : new TpccLineRun(checked, console, files, opener);
    }
}
