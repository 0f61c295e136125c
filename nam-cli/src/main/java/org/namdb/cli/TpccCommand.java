package org.namdb.cli;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.history.HistoryFile;
import org.namdb.tpcc.ByteSize;
import org.namdb.tpcc.InvalidOptionException;
import org.namdb.tpcc.ItemSkew;
import org.namdb.tpcc.Mix;
import org.namdb.tpcc.TpccOptions;
import org.namdb.tpcc.TpccOptionsBuilder;
import org.namdb.tpcc.driver.TpccRun;
import org.namdb.tpcc.report.MachineFacts;
import org.namdb.tpcc.report.ResultFiles;
import org.namdb.tpcc.report.RunConsole;
import org.namdb.tpcc.report.TextStyle;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/// `nam tpcc`: loads TPC-C, runs it, checks it, and shows what it measured.
///
/// Exit status: 0 if the run ended as it should and every consistency condition holds, 1 if one
/// doesn't or the run failed (a full memory is a failure, whatever the conditions say), 2 for
/// options that can't be, 130 if somebody interrupted it.
@Command(
        name = "tpcc",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        abbreviateSynopsis = true,
        description = {
            "Runs the TPC-C benchmark on a NamDB in this process and checks its twelve consistency conditions.",
            "Durations are written as in 500ms, 20s, 5m or 1h, sizes as in 512m or 8g."
        })
final class TpccCommand implements Callable<Integer> {
    private static final int STATUS_INTERRUPTED = 130;

    @Spec private CommandSpec spec;

    private final TpccOptionsBuilder options =
            TpccOptions.builder(
                    Runtime.getRuntime().availableProcessors(), MachineFacts.machineBytes());

    @Option(
            names = "--warehouses",
            order = 1,
            paramLabel = "N",
            description = "Warehouses to load (default: 4).")
    void warehouses(int number) {
        options.warehouses(number);
    }

    @Option(
            names = "--threads",
            order = 2,
            paramLabel = "N",
            description = "Threads that run transactions (default: one for each processor).")
    void threads(int number) {
        options.threads(number);
    }

    @Option(
            names = "--duration",
            order = 3,
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "How long to measure (default: 20s).")
    void duration(Duration duration) {
        options.duration(duration);
    }

    @Option(
            names = "--warmup",
            order = 4,
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "How long to run before that (default: 5s).")
    void warmup(Duration duration) {
        options.warmup(duration);
    }

    @Option(
            names = "--transactions",
            order = 5,
            paramLabel = "N",
            description = "Run so many transactions instead of a duration, and none before them.")
    void transactions(long number) {
        options.transactions(number);
    }

    @Option(
            names = "--seed",
            order = 6,
            paramLabel = "N",
            description = "Seed of every random number (default: 1).")
    void seed(long seed) {
        options.seed(seed);
    }

    @Option(
            names = "--out",
            order = 7,
            paramLabel = "DIR",
            description = "Write result.json, CSV files and report.html to this directory.")
    void out(Path directory) {
        options.out(directory);
    }

    @Option(
            names = "--mix",
            order = 8,
            paramLabel = "N,P,O,D,S",
            converter = MixConverter.class,
            description =
                    "Percentages of NewOrder, Payment, OrderStatus, Delivery and StockLevel (default: 45,43,4,4,4).")
    void mix(Mix mix) {
        options.mix(mix);
    }

    @Option(
            names = "--think-times",
            order = 9,
            description = "Let terminals type and think as people would.")
    void thinkTimes(boolean on) {
        options.thinkTimes(on);
    }

    @Option(
            names = "--rate",
            order = 10,
            paramLabel = "TPS",
            description = "Begin so many transactions in a second (default: as many as possible).")
    void rate(double tps) {
        options.rateTps(tps);
    }

    @Option(
            names = "--distribution",
            order = 11,
            paramLabel = "PCT",
            description =
                    "Degree of distribution: percentage of NewOrders that touch a remote warehouse"
                            + " (default: each order line with 1 %%).")
    void distribution(int percent) {
        options.distributionPercent(percent);
    }

    @Option(
            names = "--item-skew",
            order = 12,
            paramLabel = "SKEW",
            converter = ItemSkewConverter.class,
            description =
                    "How items are chosen: standard, uniform, or zipf:ALPHA as in zipf:0.9 (default: standard).")
    void itemSkew(ItemSkew skew) {
        options.itemSkew(skew);
    }

    @Option(
            names = "--population",
            order = 13,
            paramLabel = "PCT",
            description =
                    "Percentage of the standard's items, customers and orders in a warehouse, for quick trials"
                            + " (default: 100).")
    void population(int percent) {
        options.populationPercent(percent);
    }

    @Option(
            names = "--memory-servers",
            order = 14,
            paramLabel = "N",
            description = "Memory servers to spread the data over (default: 1).")
    void memoryServers(int number) {
        options.memoryServers(number);
    }

    @Option(
            names = "--memory",
            order = 15,
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            description =
                    "Memory of all memory servers together, taken from the machine as it is used (default: 8g, or twice"
                            + " what is loaded; at most half of the machine's).")
    void memory(long bytes) {
        options.memoryBytes(bytes);
    }

    @Option(
            names = "--slots",
            order = 16,
            paramLabel = "N",
            description =
                    "Slots of the timestamp vector, one for each thread (default: 16 or as many as threads).")
    void slots(int number) {
        options.slots(number);
    }

    @Option(
            names = "--versions",
            order = 17,
            paramLabel = "N",
            description = "Old versions that a record's own buffer keeps (default: 2).")
    void versions(int number) {
        options.versions(number);
    }

    @Option(
            names = "--reads",
            order = 18,
            paramLabel = "MODE",
            converter = ReadModeConverter.class,
            description =
                    "Where READs deliver: in-place, landing, or tearing, which tears and reorders them"
                            + " (default: in-place).")
    void reads(TpccOptions.ReadMode mode) {
        options.reads(mode);
    }

    @Option(
            names = "--oracle",
            order = 19,
            paramLabel = "ORACLE",
            converter = OracleConverter.class,
            description =
                    "Where snapshots come from: chain, or direct, which isn't atomic (default: chain).")
    void oracle(TpccOptions.OracleKind kind) {
        options.oracle(kind);
    }

    @Option(
            names = "--staleness",
            order = 20,
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description = "How old a transaction's snapshot may be (default: 0ms).")
    void staleness(Duration duration) {
        options.staleness(duration);
    }

    @Option(
            names = "--history",
            order = 21,
            paramLabel = "FILE",
            description =
                    "Write what every attempted transaction has read and written to this file, a JSON object a line, for"
                            + " 'nam check'. NEW-ORDER is left out, as its records get deleted.")
    void history(Path file) {
        options.history(file);
    }

    @Option(
            names = "--history-sample",
            order = 22,
            paramLabel = "N",
            description = "Put one of N records in the history (default: 1, which is all).")
    void historySample(long number) {
        options.historySample(number);
    }

    @Override
    public Integer call() {
        TpccOptions checked = checkedOptions();
        ResultFiles files = resultFiles(checked);
        HistoryFile history = historyFile(checked);
        CommandLine command = spec.commandLine();
        RunConsole console =
                new RunConsole(command.getOut(), command.getErr(), TextStyle.ofStandardError());
        return switch (new TpccRun(checked, console, files, history).run()) {
            case PASSED -> 0;
            case FAILED -> 1;
            case INTERRUPTED -> STATUS_INTERRUPTED;
        };
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
            return options.build();
        } catch (InvalidOptionException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    /// As in `8g`.
    private static final class SizeConverter implements ITypeConverter<Long> {
        @Override
        public Long convert(String text) {
            return converted(() -> ByteSize.parse(text));
        }
    }

    /// As in `45,43,4,4,4`.
    private static final class MixConverter implements ITypeConverter<Mix> {
        @Override
        public Mix convert(String text) {
            return converted(() -> Mix.parse(text));
        }
    }

    /// As in `zipf:0.9`.
    private static final class ItemSkewConverter implements ITypeConverter<ItemSkew> {
        @Override
        public ItemSkew convert(String text) {
            return converted(() -> ItemSkew.parse(text));
        }
    }

    /// As in `in-place`.
    private static final class ReadModeConverter implements ITypeConverter<TpccOptions.ReadMode> {
        @Override
        public TpccOptions.ReadMode convert(String text) {
            return converted(() -> TpccOptions.ReadMode.parse(text));
        }
    }

    /// As in `chain`.
    private static final class OracleConverter implements ITypeConverter<TpccOptions.OracleKind> {
        @Override
        public TpccOptions.OracleKind convert(String text) {
            return converted(() -> TpccOptions.OracleKind.parse(text));
        }
    }

    private static <T> T converted(Supplier<T> parser) {
        try {
            return parser.get();
        } catch (InvalidOptionException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
