package org.namdb.workload.report;

import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.namdb.cluster.config.ByteSize;
import org.namdb.workload.Benchmark;
import org.namdb.workload.RunOptions;
import org.namdb.workload.statistics.RunEnd;
import org.namdb.workload.statistics.RunStatistics;
import org.namdb.workload.statistics.ThreadStatistics;
import org.namdb.workload.statistics.TimelinePoint;

/// What a person at the command line sees: results on standard output, everything else on
/// standard error.
public final class RunConsole {
    private final PrintWriter output;
    private final PrintWriter errors;
    private final TextStyle style;

    public RunConsole(PrintWriter output, PrintWriter errors, TextStyle style) {
        this.output = output;
        this.errors = errors;
        this.style = style;
    }

    /// Prints what is going to be done, so that it can be repeated.
    public void begin(RunOptions options) {
        StringBuilder line = new StringBuilder(options.benchmark()).append(':');
        OptionFacts.of(options)
                .forEach((name, value) -> line.append(' ').append(name).append('=').append(value));
        errors.println(line);
        errors.flush();
    }

    /// A bar for a job that begins now.
    public ProgressBar progress(String label, long nowNanos) {
        return new ProgressBar(errors, style, label, nowNanos);
    }

    /// Shows a recovery.
    public RecoveryBar recovery() {
        return new RecoveryBar(errors, style);
    }

    /// A bar below lines that show the same, so only where it can be erased again.
    public ProgressBar progressBetweenLines(String label, long nowNanos) {
        return style.terminal()
                ? progress(label, nowNanos)
                : new ProgressBar(new PrintWriter(Writer.nullWriter()), style, label, nowNanos);
    }

    /// Everything is loaded.
    public void loaded(LoadFacts load) {
        say(
                "loaded %s, %s rows in %s s (%s %ss/s)"
                        .formatted(
                                Plural.of(load.size(), load.unit()),
                                Figures.count(load.rows()),
                                Figures.measure(load.seconds()),
                                Figures.measure(load.unitsPerSecond()),
                                load.unit()));
    }

    /// Everything was there already.
    ///
    /// @param loader the process that has loaded it
    public void found(LoadFacts load, String loader) {
        say(
                "found %s, %s rows, loaded by %s"
                        .formatted(
                                Plural.of(load.size(), load.unit()),
                                Figures.count(load.rows()),
                                loader));
    }

    /// A line for a second of the run; fits in 80 columns.
    public void second(TimelinePoint point, Benchmark benchmark) {
        Benchmark.Measure measure = benchmark.measure();
        errors.println(
                style.text(
                        String.format(
                                Locale.ROOT,
                                "%4.0f s%,8.0f tps%s %,6.0f aborts/s  p99 %,8.0f µs  %s",
                                point.endSeconds(),
                                point.tps(),
                                measure == null
                                        ? ""
                                        : String.format(
                                                Locale.ROOT,
                                                "%,10.0f %s",
                                                point.of(measure),
                                                measure.name()),
                                point.abortsPerSecond(),
                                point.p99Micros(),
                                point.warmup()
                                        ? "warm-up"
                                        : "old " + ByteSize.describe(point.oldVersionBytes()))));
        errors.flush();
    }

    /// The run is over, and its history written.
    public void recorded(long transactions, @Nullable Path file) {
        say("history of %s in %s".formatted(Plural.of(transactions, "transaction"), file));
    }

    /// Prints something that isn't a result.
    public void say(String sentence) {
        errors.println(style.text(sentence));
        errors.flush();
    }

    /// What the run measured.
    public void measured(RunResult result) {
        RunStatistics statistics = result.statistics();
        if (!result.end().notice().isEmpty()) {
            print(result.end().notice());
        }
        print("");
        Benchmark.Measure measure = result.benchmark().measure();
        String caption = "transactions/s";
        if (measure != null) {
            print(measure.caption() + "  " + Figures.measure(statistics.of(measure)));
            caption += " ".repeat(measure.caption().length() - caption.length());
        }
        print(
                "%s  %s, measured for %s s"
                        .formatted(
                                caption,
                                Figures.measure(statistics.tps()),
                                Figures.measure(statistics.elapsedSeconds())));
        print("");
        ResultGrids.transactions(result).lines().forEach(this::print);
        print("");
        ResultGrids.verbsAndAborts(result).lines().forEach(this::print);
        print("Verbs, bytes and round trips are averages of a transaction.");
        print("");
        facts(result);
    }

    private void facts(RunResult result) {
        RunStatistics statistics = result.statistics();
        LoadFacts load = result.load();
        print("ran on       " + result.database().sentence());
        print(
                "loaded       %s, %s rows in %s s"
                        .formatted(
                                Plural.of(load.size(), load.unit()),
                                Figures.count(load.rows()),
                                Figures.measure(load.seconds())));
        MemoryFacts memory = result.memory();
        print(
                "regions      %s per %s when loaded, %s in all at the end"
                        .formatted(
                                ByteSize.describe(Math.round(load.regionBytesPerUnit())),
                                load.unit(),
                                ByteSize.describe(memory.endBytes())));
        print(
                "growth       %s bytes per %s%s"
                        .formatted(
                                Figures.measure(memory.growthBytesPerTransaction()),
                                result.benchmark().growthUnit(),
                                result.database().cluster() == null
                                        ? ""
                                        : " of this process, with that of others"));
        print(
                "old versions %s on average, at most %s"
                        .formatted(
                                ByteSize.describe(Math.round(statistics.meanOldVersionBytes())),
                                ByteSize.describe(statistics.mostOldVersionBytes())));
        print(
                "heap         %s bytes allocated per transaction"
                        .formatted(Figures.measure(memory.allocatedBytesPerTransaction())));
        result.counts().lines().forEach((name, text) -> print("%-12s %s".formatted(name, text)));
        if (result.options().isPaced()) {
            print(
                    "late starts  %s (over %d ms after the intended start)"
                            .formatted(
                                    Figures.count(statistics.lateStarts()),
                                    ThreadStatistics.LATE_NANOS / 1_000_000));
        }
    }

    /// What the checks found.
    public void checked(List<CheckedCondition> conditions, double seconds) {
        print("");
        print("consistency conditions, checked in %s s".formatted(Figures.measure(seconds)));
        for (CheckedCondition condition : conditions) {
            String sign = condition.holds() ? style.check() : style.cross();
            print("%s %-8s %s".formatted(sign, condition.clause(), condition.formula()));
            if (!condition.holds()) {
                print("    " + Plural.of(condition.differences(), "difference") + ":");
                condition.examples().forEach(example -> print("    " + example));
            }
        }
    }

    /// The result in a sentence.
    public void verdict(RunResult result) {
        print("");
        print(result.verdict());
    }

    /// The result of a check without a run.
    public void verdict(Benchmark benchmark, List<CheckedCondition> conditions) {
        print("");
        print(RunResult.verdict(benchmark, conditions, RunEnd.DURATION));
    }

    private void print(String line) {
        output.println(style.text(line));
        output.flush();
    }
}
