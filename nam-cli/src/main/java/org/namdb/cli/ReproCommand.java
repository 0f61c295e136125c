package org.namdb.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.namdb.cluster.config.DurationText;
import org.namdb.fabric.FabricException;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.workload.report.MeasuredFigure;
import org.namdb.workload.report.ProgressBar;
import org.namdb.workload.report.ResultFiles;
import org.namdb.workload.report.TextStyle;
import org.namdb.ycsb.TreeIndexFigure;
import org.namdb.ycsb.TreeIndexRun;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `nam repro`: measures what the figures of papers show. A subcommand for each paper.
@Command(
        name = "repro",
        mixinStandardHelpOptions = true,
        description = "Measures here what the figures of a paper show.",
        synopsisSubcommandLabel = "PAPER",
        subcommands = {ReproCommand.TreeIndex.class, SelccCommand.class, ScaleStoreCommand.class})
final class ReproCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "No paper given");
    }

    /// Those of the tree-index paper.
    @Command(
            name = "tree-index",
            mixinStandardHelpOptions = true,
            sortOptions = false,
            description = {
                "Measures what a figure of the tree-index paper shows (Ziegler et al., SIGMOD 2019), at a small scale:"
                        + " memory servers and clients are threads of this process, and what is sent goes by TCP over"
                        + " cables that take as long as those between machines.",
                "Figures: 7 to 9 throughput and network utilization of point queries and ranges, 10 by the size of the"
                        + " data, 11 by memory servers, 12 with inserts, 13 and 14 latency, 15 with a memory server"
                        + " beside the compute server."
            })
    static final class TreeIndex implements Callable<Integer> {
        private static final int MAX_CLIENTS = 4_096;
        private static final int MAX_MEMORY_SERVERS = 16;

        @Spec private CommandSpec spec;

        @Parameters(paramLabel = "FIGURE", description = "Its number in the paper: 7 to 15.")
        private int figure;

        @Option(
                names = "--records",
                paramLabel = "N",
                defaultValue = "50000",
                description =
                        "Records, the most where the figure varies them (default: ${DEFAULT-VALUE}).")
        private int records;

        @Option(
                names = "--clients",
                paramLabel = "N",
                split = ",",
                defaultValue = "1,4,16,64",
                description =
                        "Clients, each a thread; where the figure does not vary them, the most"
                                + " (default: ${DEFAULT-VALUE}).")
        private List<Integer> clients;

        @Option(
                names = "--memory-servers",
                paramLabel = "N",
                defaultValue = "4",
                description =
                        "Memory servers, the most where the figure varies them"
                                + " (default: ${DEFAULT-VALUE}).")
        private int memoryServers;

        @Option(
                names = "--duration",
                paramLabel = "TIME",
                defaultValue = "1s",
                description = "How long each value is measured (default: ${DEFAULT-VALUE}).")
        private Duration duration;

        @Option(
                names = "--warmup",
                paramLabel = "TIME",
                defaultValue = "500ms",
                description = "How long is run before that (default: ${DEFAULT-VALUE}).")
        private Duration warmup;

        @Mixin private FigureOptions common;

        @Override
        public Integer call() {
            PrintWriter errors = spec.commandLine().getErr();
            TextStyle style = TextStyle.ofStandardError();
            TreeIndexRun.Settings settings = settings();
            ResultFiles files = common.files();
            ProgressBar bar = new ProgressBar(errors, style, "measuring", System.nanoTime());
            TreeIndexRun run =
                    new TreeIndexRun(
                            TreeIndexFigure.of(figure),
                            settings,
                            (what, share) -> bar.show(share, what, System.nanoTime()));
            errors.printf(
                    "loading %,d records; then %d values are measured for %s each, behind a warm-up of %s%n",
                    records,
                    run.count(),
                    DurationText.describe(duration),
                    DurationText.describe(warmup));
            errors.flush();
            try {
                MeasuredFigure measured = run.run();
                bar.clear();
                common.report(measured, files);
                return 0;
            } catch (IOException
                    | FabricException
                    | MemoryFullException
                    | IllegalStateException e) {
                bar.clear();
                errors.println("nam repro tree-index: " + e.getMessage());
                return 1;
            }
        }

        private TreeIndexRun.Settings settings() {
            List<Integer> figures = TreeIndexFigure.numbers();
            common.require(
                    figures.contains(figure),
                    "FIGURE is a number from %d to %d, not %d"
                            .formatted(figures.getFirst(), figures.getLast(), figure));
            common.require(records >= 100, "--records must be 100 or more, not " + records);
            boolean isAscending = true;
            for (int i = 0; i < clients.size(); i++) {
                isAscending &= clients.get(i) > (i == 0 ? 0 : clients.get(i - 1));
            }
            common.require(
                    isAscending && clients.getLast() <= MAX_CLIENTS,
                    "--clients must be numbers from 1 to %d in ascending order, like 1,4,16"
                            .formatted(MAX_CLIENTS));
            common.require(
                    memoryServers >= 1 && memoryServers <= MAX_MEMORY_SERVERS,
                    "--memory-servers must be 1 to " + MAX_MEMORY_SERVERS);
            common.requireTimes(duration, warmup);
            return new TreeIndexRun.Settings(
                    records,
                    clients,
                    memoryServers,
                    duration,
                    warmup,
                    common.cable(),
                    common.seed());
        }
    }
}
