package org.namdb.tpcc;

import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/// Collects [TpccOptions], from defaults that suit a machine. What is not given follows from
/// what is.
public final class TpccOptionsBuilder {
    private static final long LEAST_DEFAULT_MEMORY_BYTES = 8L << 30;
    private static final int LEAST_DEFAULT_SLOTS = 16;
    private static final Duration DEFAULT_DURATION = Duration.ofSeconds(20);
    private static final Duration DEFAULT_WARMUP = Duration.ofSeconds(5);

    private final long machineBytes;
    private int warehouses = 4;
    private int populationPercent = 100;
    private int threads;
    private @Nullable Duration duration;
    private @Nullable Duration warmup;
    private OptionalLong transactions = OptionalLong.empty();
    private int memoryServers = 1;
    private OptionalLong memoryBytes = OptionalLong.empty();
    private OptionalInt slots = OptionalInt.empty();
    private long seed = 1;
    private @Nullable Path out;
    private Mix mix = Mix.STANDARD;
    private OptionalInt distributionPercent = OptionalInt.empty();
    private ItemSkew itemSkew = new ItemSkew.Standard();
    private int versions = 2;
    private boolean thinkTimes;
    private OptionalDouble rateTps = OptionalDouble.empty();
    private TpccOptions.ReadMode reads = TpccOptions.ReadMode.IN_PLACE;
    private Duration staleness = Duration.ZERO;
    private TpccOptions.OracleKind oracle = TpccOptions.OracleKind.CHAIN;
    private @Nullable Path history;
    private OptionalLong historySample = OptionalLong.empty();

    TpccOptionsBuilder(int processors, long machineBytes) {
        this.machineBytes = machineBytes;
        threads = processors;
    }

    public TpccOptionsBuilder warehouses(int warehouses) {
        this.warehouses = warehouses;
        return this;
    }

    public TpccOptionsBuilder populationPercent(int populationPercent) {
        this.populationPercent = populationPercent;
        return this;
    }

    public TpccOptionsBuilder threads(int threads) {
        this.threads = threads;
        return this;
    }

    public TpccOptionsBuilder duration(Duration duration) {
        this.duration = duration;
        return this;
    }

    public TpccOptionsBuilder warmup(Duration warmup) {
        this.warmup = warmup;
        return this;
    }

    public TpccOptionsBuilder transactions(long transactions) {
        this.transactions = OptionalLong.of(transactions);
        return this;
    }

    public TpccOptionsBuilder memoryServers(int memoryServers) {
        this.memoryServers = memoryServers;
        return this;
    }

    public TpccOptionsBuilder memoryBytes(long memoryBytes) {
        this.memoryBytes = OptionalLong.of(memoryBytes);
        return this;
    }

    public TpccOptionsBuilder slots(int slots) {
        this.slots = OptionalInt.of(slots);
        return this;
    }

    public TpccOptionsBuilder seed(long seed) {
        this.seed = seed;
        return this;
    }

    public TpccOptionsBuilder out(Path out) {
        this.out = out;
        return this;
    }

    public TpccOptionsBuilder mix(Mix mix) {
        this.mix = mix;
        return this;
    }

    public TpccOptionsBuilder distributionPercent(int distributionPercent) {
        this.distributionPercent = OptionalInt.of(distributionPercent);
        return this;
    }

    public TpccOptionsBuilder itemSkew(ItemSkew itemSkew) {
        this.itemSkew = itemSkew;
        return this;
    }

    public TpccOptionsBuilder versions(int versions) {
        this.versions = versions;
        return this;
    }

    public TpccOptionsBuilder thinkTimes(boolean thinkTimes) {
        this.thinkTimes = thinkTimes;
        return this;
    }

    public TpccOptionsBuilder rateTps(double rateTps) {
        this.rateTps = OptionalDouble.of(rateTps);
        return this;
    }

    public TpccOptionsBuilder reads(TpccOptions.ReadMode reads) {
        this.reads = reads;
        return this;
    }

    public TpccOptionsBuilder staleness(Duration staleness) {
        this.staleness = staleness;
        return this;
    }

    public TpccOptionsBuilder oracle(TpccOptions.OracleKind oracle) {
        this.oracle = oracle;
        return this;
    }

    public TpccOptionsBuilder history(Path history) {
        this.history = history;
        return this;
    }

    public TpccOptionsBuilder historySample(long historySample) {
        this.historySample = OptionalLong.of(historySample);
        return this;
    }

    /// The options, all of them checked.
    ///
    /// @throws InvalidOptionException if they can't be
    public TpccOptions build() {
        if (transactions.isPresent() && duration != null) {
            throw new InvalidOptionException(
                    "--transactions and --duration both say when the run ends, so give one of them");
        }
        if (historySample.isPresent() && history == null) {
            throw new InvalidOptionException(
                    "--history-sample says what is in the history, so it needs --history");
        }
        Duration usualWarmup = transactions.isPresent() ? Duration.ZERO : DEFAULT_WARMUP;
        Scale scale = new Scale(warehouses, populationPercent);
        TpccOptions options =
                new TpccOptions(
                        scale,
                        threads,
                        duration == null ? DEFAULT_DURATION : duration,
                        warmup == null ? usualWarmup : warmup,
                        transactions,
                        memoryServers,
                        memoryBytes.orElse(defaultMemoryBytes(scale)),
                        slots.orElse(
                                Math.clamp(threads, LEAST_DEFAULT_SLOTS, TpccOptions.MAX_SLOTS)),
                        seed,
                        out,
                        mix,
                        distributionPercent,
                        itemSkew,
                        versions,
                        thinkTimes,
                        rateTps,
                        reads,
                        staleness,
                        oracle,
                        history,
                        historySample.orElse(1));
        return options.requireMachine(machineBytes);
    }

    /// Room for the loaded data and as much again to grow; a region takes memory only as it is
    /// first used.
    private long defaultMemoryBytes(Scale scale) {
        long bytes = Math.max(LEAST_DEFAULT_MEMORY_BYTES, 2 * scale.estimatedBytes());
        return Math.min(bytes, machineBytes / 2);
    }
}
