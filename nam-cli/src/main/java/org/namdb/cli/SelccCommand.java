package org.namdb.cli;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `nam repro selcc`: the figures of SELCC's evaluation.
@Command(
        name = "selcc",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Measures what a figure of SELCC shows (cache coherence over disaggregated memory), at a small scale: memory"
                    + " servers and compute servers with caches are in this process, and what they send each other goes"
                    + " by TCP over cables that take as long as those between machines.",
            "Figures: 12 scalability, 13 locality, 14 skew, 15 fairness, 16 busy processors, 17 YCSB on a tree, 18 parts"
                    + " of the protocol left out, 19 TPC-C."
        })
final class SelccCommand implements Callable<Integer> {
    private static final int FIRST = 12;
    private static final int LAST = 19;
    private static final int MAX_SERVERS = 16;
    private static final int MAX_THREADS = 64;
    private static final int MAX_LINES = 100_000;

    @Parameters(paramLabel = "FIGURE", description = "Its number in the paper: 12 to 19.")
    private int figure;

    @Option(
            names = "--lines",
            paramLabel = "N",
            defaultValue = "16000",
            description = "Lines of 2 KiB that are accessed (default: ${DEFAULT-VALUE}).")
    private int lines;

    @Option(
            names = "--frames",
            paramLabel = "N",
            defaultValue = "2000",
            description =
                    "How many lines each compute server caches at the most (default:"
                            + " ${DEFAULT-VALUE}).")
    private int frames;

    @Option(
            names = "--servers",
            paramLabel = "N",
            split = ",",
            defaultValue = "2,4",
            description = "Compute servers (default: ${DEFAULT-VALUE}).")
    private List<Integer> servers;

    @Option(
            names = "--threads",
            paramLabel = "N",
            split = ",",
            defaultValue = "1,4",
            description =
                    "Threads of each; where the figure does not vary them, the most"
                            + " (default: ${DEFAULT-VALUE}).")
    private List<Integer> threads;

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            defaultValue = "300ms",
            description = "How long each value is measured (default: ${DEFAULT-VALUE}).")
    private Duration duration;

    @Option(
            names = "--warmup",
            paramLabel = "TIME",
            defaultValue = "150ms",
            description = "How long is run before that (default: ${DEFAULT-VALUE}).")
    private Duration warmup;

    @Mixin private FigureOptions common;

    @Override
    public Integer call() {
        SelccRun.Settings settings = settings();
        return common.measure(progress -> new SelccRun(settings, progress).run(figure));
    }

    private SelccRun.Settings settings() {
        common.require(
                figure >= FIRST && figure <= LAST,
                "FIGURE is a number from %d to %d, not %d".formatted(FIRST, LAST, figure));
        common.require(
                lines >= 100 && lines <= MAX_LINES,
                "--lines must be 100 to %d, not %d".formatted(MAX_LINES, lines));
        common.require(frames >= 100, "--frames must be 100 or more, not " + frames);
        common.requireAscending("--servers", servers, 2, MAX_SERVERS);
        common.requireAscending("--threads", threads, 1, MAX_THREADS);
        common.requireTimes(duration, warmup);
        return new SelccRun.Settings(
                lines, frames, servers, threads, duration, warmup, common.cable(), common.seed());
    }
}
