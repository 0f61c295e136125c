package org.namdb.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `nam repro scalestore`: the figures of ScaleStore's evaluation.
@Command(
        name = "scalestore",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measures what a figure of ScaleStore shows (pages in the memories and on the disks of many nodes), at a"
                    + " small scale: all nodes are in this process, and what they send each other goes by TCP over"
                    + " cables that take as long as those between machines. Disks are directories of this machine.",
            "Figures: 6 one page or many, 7 scale-out of YCSB, 8 by the size of the data, 9 parts of the data change"
                    + " nodes, 10 nodes join and leave, 11 one node whose memory is too small (its lower half)."
        })
final class ScaleStoreCommand implements Callable<Integer> {
    private static final int FIRST = 6;
    private static final int LAST = 11;
    private static final int MAX_NODES = 16;
    private static final int MAX_THREADS = 64;
    private static final int MIN_RECORDS = 1_000;
    private static final int MAX_RECORDS = 100_000_000;
    private static final int MIN_FRAMES = 100;
    private static final int MAX_FRAMES = 1 << 18;

    @Parameters(paramLabel = "FIGURE", description = "Its number in the paper: 6 to 11.")
    private int figure;

    @Option(
            names = "--nodes",
            paramLabel = "N",
            split = ",",
            defaultValue = "1,2,4",
            description =
                    "Nodes with disks; where the figure does not vary them, the most"
                            + " (default: ${DEFAULT-VALUE}).")
    private List<Integer> nodes;

    @Option(
            names = "--threads",
            paramLabel = "N",
            defaultValue = "4",
            description = "Threads of each node, one in figure 6 (default: ${DEFAULT-VALUE}).")
    private int threads;

    @Option(
            names = "--records",
            paramLabel = "N",
            defaultValue = "280000",
            description =
                    "Records, of which about 250 are in a page of 4 KiB; figure 8 varies them"
                            + " (default: ${DEFAULT-VALUE}).")
    private int records;

    @Option(
            names = "--frames",
            paramLabel = "N",
            defaultValue = "600",
            description =
                    "How many pages are in each node's memory at the most (default:"
                            + " ${DEFAULT-VALUE}).")
    private int frames;

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            defaultValue = "1s",
            description =
                    "How long each value is measured; a tenth of that in figures 9 and 10"
                            + " (default: ${DEFAULT-VALUE}).")
    private Duration duration;

    @Option(
            names = "--warmup",
            paramLabel = "TIME",
            defaultValue = "1s",
            description = "How long is run before that (default: ${DEFAULT-VALUE}).")
    private Duration warmup;

    @Option(
            names = "--directory",
            paramLabel = "DIR",
            description =
                    "Where the nodes' files are while it runs (default: the system's directory for"
                            + " temporary files).")
    private @Nullable Path directory;

    @Mixin private FigureOptions common;

    @Override
    public Integer call() {
        ScaleStoreRun.Settings settings = settings();
        return common.measure(progress -> new ScaleStoreRun(settings, progress).run(figure));
    }

    private ScaleStoreRun.Settings settings() {
        common.require(
                figure >= FIRST && figure <= LAST,
                "FIGURE is a number from %d to %d, not %d".formatted(FIRST, LAST, figure));
        common.requireAscending("--nodes", nodes, 1, MAX_NODES);
        common.require(
                figure != 9 || nodes.getLast() > 1,
                "figure 9 needs 2 nodes or more: give it --nodes 2");
        common.require(
                threads >= 1 && threads <= MAX_THREADS,
                "--threads must be 1 to %d, not %d".formatted(MAX_THREADS, threads));
        common.require(
                records >= MIN_RECORDS && records <= MAX_RECORDS,
                "--records must be %d to %d, not %d".formatted(MIN_RECORDS, MAX_RECORDS, records));
        common.require(
                frames >= MIN_FRAMES && frames <= MAX_FRAMES,
                "--frames must be %d to %d, not %d".formatted(MIN_FRAMES, MAX_FRAMES, frames));
        common.require(
                directory == null || Files.isDirectory(directory),
                "--directory %s is no directory: make it first".formatted(directory));
        common.requireTimes(duration, warmup);
        return new ScaleStoreRun.Settings(
                nodes,
                threads,
                records,
                frames,
                duration,
                warmup,
                common.cable(),
                directory,
                common.seed());
    }
}
