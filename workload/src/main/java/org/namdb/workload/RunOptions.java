package org.namdb.workload;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.cluster.config.ByteSize;
import org.namdb.cluster.config.DurationText;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.EmbeddedOptions.Oracle;
import org.namdb.compute.journal.Durability;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

/// The options that every benchmark has: how many threads, for how long, on which database. Each is
/// described here and nowhere else: name, type, default value and the line of the usage. What is
/// not given follows from what is, and from the machine. A benchmark adds its own in a subclass.
///
/// A command mixes this in and calls [#check].
public abstract class RunOptions {
    private static final long MIN_DEFAULT_MEMORY_BYTES = 8L << 30;
    private static final int MIN_DEFAULT_SLOTS = 16;
    private static final String DEFAULT_DURATION = "20s";
    private static final String DEFAULT_WARMUP = "5s";

    private final ClusterOptions cluster = new ClusterOptions();
    private final int processors;
    private final long machineBytes;

    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "Threads that run transactions (default: one for each processor).")
    private @Nullable Integer threads;

    @Option(
            names = "--duration",
            paramLabel = "TIME",
            description = "How long to measure (default: " + DEFAULT_DURATION + ").")
    private @Nullable Duration duration;

    @Option(
            names = "--warmup",
            paramLabel = "TIME",
            description = "How long to run before measuring (default: " + DEFAULT_WARMUP + ").")
    private @Nullable Duration warmup;

    @Option(
            names = "--transactions",
            paramLabel = "N",
            description =
                    "Run this many transactions, instead of for a duration, without a warm-up.")
    private @Nullable Long transactions;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Seed of every random number (default: ${DEFAULT-VALUE}).")
    private long seed;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Write result.json, CSV files and report.html to this directory.")
    private @Nullable Path out;

    @Option(
            names = "--rate",
            paramLabel = "TPS",
            description = "Start this many transactions per second (default: as many as possible).")
    private @Nullable Double rateTps;

    @Option(
            names = "--memory-servers",
            paramLabel = "N",
            defaultValue = "1",
            description = "Memory servers to spread the data over (default: ${DEFAULT-VALUE}).")
    private int memoryServers;

    @Option(
            names = "--vector-servers",
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "Memory servers to spread the slots of the timestamp vector over"
                            + " (default: ${DEFAULT-VALUE}).")
    private int vectorServers;

    @Option(
            names = "--memory",
            paramLabel = "SIZE",
            description =
                    "Memory of all memory servers together, taken from the machine as it is used"
                            + " (default: 8g, or twice what is loaded; at most half of the"
                            + " machine's).")
    private @Nullable ByteSize memory;

    @Option(
            names = "--data",
            paramLabel = "DIR",
            description =
                    "Keep the database in this directory, and run on what is there (default: the"
                            + " database is gone at the end).")
    private @Nullable Path data;

    @Option(
            names = "--durability",
            paramLabel = "MODE",
            defaultValue = "sync",
            description =
                    "With --data: commits are forced to the disk before they are acknowledged (sync),"
                            + " at most 10 ms later (async), or not at all (none)"
                            + " (default: ${DEFAULT-VALUE}).")
    private Durability durability;

    @Option(
            names = "--slots",
            paramLabel = "N",
            description =
                    "Slots of the timestamp vector, one for each thread"
                            + " (default: 16 or as many as threads).")
    private @Nullable Integer slots;

    @Option(
            names = "--versions",
            paramLabel = "N",
            defaultValue = "2",
            description =
                    "Old versions that a record's own buffer keeps (default: ${DEFAULT-VALUE}).")
    private int versions;

    @Option(
            names = "--reads",
            paramLabel = "MODE",
            defaultValue = "in-place",
            description =
                    "Where READs deliver: in-place, landing, or tearing, which tears and reorders"
                            + " them (default: ${DEFAULT-VALUE}).")
    private ReadMode reads;

    @Option(
            names = "--oracle",
            paramLabel = "ORACLE",
            defaultValue = "chain",
            description =
                    "Where snapshots come from: chain, shared-chain, which shares refreshes between"
                            + " threads, or direct, which isn't atomic (default: ${DEFAULT-VALUE}).")
    private Oracle oracle;

    @Option(
            names = "--staleness",
            paramLabel = "TIME",
            defaultValue = "0ms",
            description = "How old a transaction's snapshot may be (default: ${DEFAULT-VALUE}).")
    private Duration staleness;

    @Option(
            names = "--history",
            paramLabel = "FILE",
            description =
                    "Write what every attempted transaction has read and written to this file, one"
                            + " JSON object per line, for 'nam check'.")
    private @Nullable Path history;

    @Option(
            names = "--history-sample",
            paramLabel = "N",
            description = "Record only one of N records in the history (default: 1, which is all).")
    private @Nullable Long historySample;

    /// The options on the command line.
    private Set<String> given = Set.of();

    /// How READs reach their bytes.
    public enum ReadMode {
        /// In the region itself.
        IN_PLACE,
        /// In a landing buffer, as with a network.
        LANDING,
        /// In a landing buffer, torn at every cache line, in any order.
        TEARING;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /// To be parsed into, on a machine with so many processors and so much memory.
    protected RunOptions(int processors, long machineBytes) {
        this.processors = processors;
        this.machineBytes = machineBytes;
    }

    /// The benchmark's name, as in `TPC-C`.
    public abstract String benchmark();

    /// Its command, as in `nam tpcc`.
    public abstract String command();

    /// The option that sets how much is loaded, as in `--warehouses`, and its value.
    public abstract String sizeOption();

    /// That value.
    public abstract long size();

    /// About how many bytes the loaded database takes.
    public abstract long estimatedBytes();

    /// Adds the options of what is loaded to those of a result file.
    public abstract void putSize(Map<String, Object> facts);

    /// Adds those of what is run.
    public abstract void putInput(Map<String, Object> facts);

    /// Whether something else than the end of the one before determines when a transaction begins.
    public boolean isPaced() {
        return rateTps != null;
    }

    /// Checks the options of the benchmark itself.
    ///
    /// @throws InvalidOptionException with one sentence that names the option
    protected abstract void checkOwn();

    /// The maximum transaction time of a run's own database.
    public Duration maxTransactionTime() {
        return EmbeddedOptions.DEFAULT.maxTransactionTime();
    }

    /// Whether the run uses what is there, or nothing.
    public boolean loadsNothing() {
        return cluster.loadsNothing();
    }

    /// Whether the consistency conditions are checked, and no transactions run.
    public boolean checksOnly() {
        return false;
    }

    /// Parses a line of text, as in `--threads 1 --duration 2s`, into options, and checks them. Of
    /// an option that is given twice the last one counts.
    ///
    /// @throws InvalidOptionException if they make no sense
    /// @throws CommandLine.ParameterException if they can't be read
    protected void parse(String text) {
        CommandLine line = new CommandLine(this).addMixin("cluster", cluster);
        readBy(line).setOverwrittenOptionsAllowed(true);
        registerConverters(line);
        String[] words = text.isBlank() ? new String[0] : text.strip().split("\\s+");
        check(line.parseArgs(words));
    }

    /// Teaches a command line to read the types of the benchmark's own options.
    protected void registerConverters(CommandLine line) {}

    /// Teaches a command line to read the types of these options.
    public static CommandLine readBy(CommandLine line) {
        return line.registerConverter(Duration.class, text -> read(DurationText::parse, text))
                .registerConverter(ByteSize.class, text -> read(ByteSize::parse, text))
                .registerConverter(ReadMode.class, text -> named(text, ReadMode.values()))
                .registerConverter(Durability.class, text -> named(text, Durability.values()))
                .registerConverter(Oracle.class, text -> named(text, Oracle.values()));
    }

    private static <T> T read(Function<String, T> parser, String text) {
        try {
            return parser.apply(text);
        } catch (IllegalArgumentException e) {
            throw new InvalidOptionException(String.valueOf(e.getMessage()));
        }
    }

    /// The choice whose text is `name`.
    protected static <E> E named(String name, E[] choices) {
        for (E choice : choices) {
            if (choice.toString().equalsIgnoreCase(name)) {
                return choice;
            }
        }
        String all = Arrays.stream(choices).map(Object::toString).collect(Collectors.joining(", "));
        throw new InvalidOptionException("must be one of %s, not '%s'".formatted(all, name));
    }

    /// Checks what was parsed.
    ///
    /// @param parsed the command line that it was read from
    /// @throws InvalidOptionException with one sentence that names the option that makes no sense
    public void check(ParseResult parsed) {
        given =
                parsed.matchedOptions().stream()
                        .map(OptionSpec::longestName)
                        .collect(Collectors.toSet());
        OptionCheck check = new OptionCheck(this, machineBytes);
        check.options();
        checkOwn();
        check.machine();
    }

    /// Whether an option is on the command line, whatever its value.
    public boolean isGiven(String option) {
        return given.contains(option);
    }

    /// Whether and how to run on a cluster: for a command to mix in with these.
    public ClusterOptions cluster() {
        return cluster;
    }

    /// How many threads run transactions, each with a slot of its own.
    public int threads() {
        return threads == null ? processors : threads;
    }

    /// How long is measured.
    public Duration duration() {
        return duration == null ? DurationText.parse(DEFAULT_DURATION) : duration;
    }

    boolean isDurationGiven() {
        return duration != null;
    }

    /// How long is run before that.
    public Duration warmup() {
        if (warmup != null) {
            return warmup;
        }
        return transactions == null ? DurationText.parse(DEFAULT_WARMUP) : Duration.ZERO;
    }

    /// How many transactions are run, instead of a duration; then nothing is run before them.
    public OptionalLong transactions() {
        return transactions == null ? OptionalLong.empty() : OptionalLong.of(transactions);
    }

    /// Of every random number: the same seed and one thread run the same transactions.
    public long seed() {
        return seed;
    }

    /// Where the result files go, or null.
    public @Nullable Path out() {
        return out;
    }

    /// How many transactions begin in a second, of all types together; absent: as many as possible.
    public OptionalDouble rateTps() {
        return rateTps == null ? OptionalDouble.empty() : OptionalDouble.of(rateTps);
    }

    /// Over how many memory servers the data is spread.
    public int memoryServers() {
        return memoryServers;
    }

    /// Over how many of them the slots of the timestamp vector are spread.
    public int vectorServers() {
        return vectorServers;
    }

    /// The regions of all memory servers together. By default space for what is loaded and as much
    /// again to grow: a region takes memory only as it is first used.
    public long memoryBytes() {
        if (memory != null) {
            return memory.bytes();
        }
        long bytes = Math.max(MIN_DEFAULT_MEMORY_BYTES, 2 * estimatedBytes());
        return Math.min(bytes, machineBytes / 2);
    }

    /// Where a database in this process is kept; null for nowhere.
    public @Nullable Path data() {
        return data;
    }

    /// What an acknowledged commit outlives there.
    public Durability durability() {
        return durability;
    }

    /// Whether there may be a database before the run, and is one after it.
    public boolean outlastsRun() {
        return data != null || cluster.isChosen();
    }

    /// How many threads can have a slot in the timestamp vector.
    public int slots() {
        return slots == null
                ? Math.clamp(threads(), MIN_DEFAULT_SLOTS, OptionCheck.MAX_SLOTS)
                : slots;
    }

    /// How many old versions a record's own buffer keeps.
    public int versions() {
        return versions;
    }

    /// Takes the versions of what was loaded before.
    protected void learnVersions(int loaded) {
        versions = loaded;
    }

    /// How READs reach their bytes.
    public ReadMode reads() {
        return reads;
    }

    /// The source of read snapshots.
    public Oracle oracle() {
        return oracle;
    }

    /// How old a transaction's snapshot may be.
    public Duration staleness() {
        return staleness;
    }

    /// Where the history of all transactions goes, or null.
    public @Nullable Path history() {
        return history;
    }

    /// Of how many records one is in the history.
    public long historySample() {
        return historySample == null ? 1 : historySample;
    }

    boolean isHistorySampleGiven() {
        return historySample != null;
    }
}
