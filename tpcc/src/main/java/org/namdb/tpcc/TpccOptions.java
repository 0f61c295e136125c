package org.namdb.tpcc;

import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.engine.ConcurrencyControl;
import org.namdb.workload.InvalidOptionException;
import org.namdb.workload.RunOptions;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/// Everything that decides a run of TPC-C: what is loaded, what is run on it, and what every
/// benchmark has.
///
/// A command mixes this in and calls [#check]; a program parses a line of text with [#of].
public final class TpccOptions extends RunOptions {
    /// The maximum transaction time of a run's own database: the check is one transaction that
    /// reads everything.
    public static final Duration MAX_CHECK_TIME = Duration.ofMinutes(10);

    @Option(
            names = "--warehouses",
            order = -2,
            paramLabel = "N",
            defaultValue = "4",
            description = "Warehouses to load (default: ${DEFAULT-VALUE}).")
    private int warehouses;

    @Option(
            names = "--mix",
            order = -2,
            paramLabel = "N,P,O,D,S",
            defaultValue = Mix.STANDARD_TEXT,
            description =
                    "Percentages of NewOrder, Payment, OrderStatus, Delivery and StockLevel"
                            + " (default: ${DEFAULT-VALUE}).")
    private Mix mix;

    @Option(
            names = "--think-times",
            order = -2,
            description = "Let terminals type and think as people would.")
    private boolean thinkTimes;

    @Option(
            names = "--distribution",
            order = -2,
            paramLabel = "PCT",
            description =
                    "Degree of distribution: percentage of NewOrders that touch a remote warehouse"
                            + " (default: each order line with 1 %%).")
    private @Nullable Integer distributionPercent;

    @Option(
            names = "--item-skew",
            order = -2,
            paramLabel = "SKEW",
            defaultValue = "standard",
            description =
                    "How items are chosen: standard, uniform, or zipf:ALPHA as in zipf:0.9"
                            + " (default: ${DEFAULT-VALUE}).")
    private ItemSkew itemSkew;

    @Option(
            names = "--population",
            order = -2,
            paramLabel = "PCT",
            defaultValue = "100",
            description =
                    "Percentage of the standard's items, customers and orders in a warehouse,"
                            + " for quick trials (default: ${DEFAULT-VALUE}).")
    private int populationPercent;

    @Option(
            names = "--engine",
            paramLabel = "ENGINE",
            description =
                    "Run on tuples in cached lines, with SELCC's transactions: 2pl (locks), to (timestamps) or occ"
                            + " (optimistic); without it, on rows under snapshot isolation.")
    private @Nullable ConcurrencyControl engine;

    @Option(
            names = "--check",
            description =
                    "With --cluster: load and run nothing, only check the twelve conditions on what"
                            + " is there.")
    private boolean checkOnly;

    /// The seed of what was loaded before; null if this run loads.
    private @Nullable Long loadSeed;

    /// To be parsed into, on a machine with so many processors and so much memory.
    public TpccOptions(int processors, long machineBytes) {
        super(processors, machineBytes);
    }

    /// The options that a line of text gives, as in `--warehouses 2 --threads 1`, on the defaults
    /// of a machine. Of an option that is given twice the last one counts.
    ///
    /// @throws InvalidOptionException if they make no sense
    /// @throws CommandLine.ParameterException if they can't be read
    public static TpccOptions of(int processors, long machineBytes, String text) {
        TpccOptions options = new TpccOptions(processors, machineBytes);
        options.parse(text);
        return options;
    }

    /// Teaches a command line to read the types of these options.
    public static CommandLine readBy(CommandLine line) {
        return RunOptions.readBy(line)
                .registerConverter(
                        ConcurrencyControl.class, text -> named(text, ConcurrencyControl.values()))
                .registerConverter(Mix.class, Mix::parse)
                .registerConverter(ItemSkew.class, ItemSkew::parse);
    }

    @Override
    protected void registerConverters(CommandLine line) {
        readBy(line);
    }

    @Override
    protected void checkOwn() {
        new TpccOptionCheck(this).options();
    }

    @Override
    public String benchmark() {
        return "TPC-C";
    }

    @Override
    public String command() {
        return "nam tpcc";
    }

    @Override
    public String sizeOption() {
        return "--warehouses";
    }

    @Override
    public long size() {
        return warehouses;
    }

    @Override
    public long estimatedBytes() {
        // Lines are filled from rows.
        return (engine == null ? 1 : 2) * scale().estimatedBytes();
    }

    @Override
    public Duration maxTransactionTime() {
        return MAX_CHECK_TIME;
    }

    @Override
    public boolean loadsNothing() {
        return super.loadsNothing() || checkOnly;
    }

    @Override
    public void putSize(Map<String, Object> facts) {
        facts.put("warehouses", warehouses);
        facts.put("population", populationPercent);
    }

    @Override
    public void putInput(Map<String, Object> facts) {
        facts.put("mix", mix.toString());
        distributionPercent().ifPresent(percent -> facts.put("distribution", percent));
        facts.put("itemSkew", itemSkew.toString());
        facts.put("thinkTimes", thinkTimes);
        if (engine != null) {
            facts.put("engine", engine.toString());
        }
    }

    @Override
    public boolean isPaced() {
        return super.isPaced() || thinkTimes;
    }

    @Override
    public boolean checksOnly() {
        return checkOnly;
    }

    /// Whether options require something else than what was loaded before.
    public boolean wantsOther(Scale there, int thereVersions) {
        return isGiven("--warehouses") && warehouses != there.warehouses()
                || isGiven("--population") && populationPercent != there.populationPercent()
                || isGiven("--versions") && versions() != thereVersions;
    }

    /// Takes what was loaded before.
    ///
    /// @throws InvalidOptionException if other options make no sense on it
    public void learnLoad(Scale there, int thereVersions, long thereSeed) {
        warehouses = there.warehouses();
        populationPercent = there.populationPercent();
        learnVersions(thereVersions);
        loadSeed = thereSeed;
        new TpccOptionCheck(this).input();
    }

    /// How many rows there are.
    public Scale scale() {
        return new Scale(warehouses, populationPercent);
    }

    /// The seed of what is loaded, by which runs choose customers and items, too (clause 2.1.6.1).
    public long loadSeed() {
        return loadSeed == null ? seed() : loadSeed;
    }

    /// The engine on cached lines; null for rows.
    public @Nullable ConcurrencyControl engine() {
        return engine;
    }

    /// The shares of the types.
    public Mix mix() {
        return mix;
    }

    /// Whether terminals wait as people would.
    public boolean thinkTimes() {
        return thinkTimes;
    }

    /// How many of a hundred new orders touch a remote warehouse; absent: each order line is remote
    /// with 1 percent, as the standard has it.
    public OptionalInt distributionPercent() {
        return distributionPercent == null
                ? OptionalInt.empty()
                : OptionalInt.of(distributionPercent);
    }

    /// How likely each item is.
    public ItemSkew itemSkew() {
        return itemSkew;
    }
}
