package org.namdb.tpcc;

import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.EmbeddedOptions;

/// Everything that decides a run: what is loaded, what is run on it, on which database, for how
/// long. An instance is possible in itself; what isn't, is refused with one sentence that names the
/// option of the command line.
///
/// @param scale how many rows
/// @param threads how many threads run transactions, each with a slot of its own
/// @param duration how long is measured
/// @param warmup how long is run before that
/// @param transactions how many transactions are run, instead of a duration; then nothing is run
///     before them
/// @param memoryServers over how many memory servers the data is spread
/// @param memoryBytes the regions of all memory servers together
/// @param slots how many threads can have a slot in the timestamp vector
/// @param seed of every random number: the same seed and one thread run the same transactions
/// @param out where the result files go, or null
/// @param mix the shares of the types
/// @param distributionPercent how many of a hundred new orders touch a remote warehouse; absent:
///     each order line is remote with 1 percent, as the standard has it
/// @param itemSkew how likely each item is
/// @param versions how many old versions a record's own buffer keeps
/// @param thinkTimes whether terminals wait as people would
/// @param rateTps how many transactions begin in a second, of all types together; absent: as many
///     as possible
/// @param reads how READs reach their bytes
/// @param staleness how old a transaction's snapshot may be
/// @param oracle where read snapshots come from
/// @param history where the history of all transactions goes, or null
/// @param historySample of how many records one is in the history
public record TpccOptions(
        Scale scale,
        int threads,
        Duration duration,
        Duration warmup,
        OptionalLong transactions,
        int memoryServers,
        long memoryBytes,
        int slots,
        long seed,
        @Nullable Path out,
        Mix mix,
        OptionalInt distributionPercent,
        ItemSkew itemSkew,
        int versions,
        boolean thinkTimes,
        OptionalDouble rateTps,
        ReadMode reads,
        Duration staleness,
        OracleKind oracle,
        @Nullable Path history,
        long historySample) {
    /// What a thread takes besides the database: landing buffer, write set, trees' nodes.
    private static final long THREAD_BYTES = 5L << 20;

    /// The most slots that fit in a record's header.
    public static final int MAX_SLOTS = 1 << 14;

    /// The most memory servers that fit in a remote address.
    public static final int MAX_MEMORY_SERVERS = 128;

    /// The most old versions that a record's own buffer may keep.
    public static final int MAX_VERSIONS = 64;

    private static final Duration MAX_DURATION = Duration.ofDays(7);
    private static final double MAX_RATE_TPS = 1e8;

    /// How READs reach their bytes.
    public enum ReadMode {
        /// In the region itself.
        IN_PLACE("in-place"),
        /// In a landing buffer, as with a network.
        LANDING("landing"),
        /// In a landing buffer, torn at every cache line, in any order.
        TEARING("tearing");

        private final String label;

        ReadMode(String label) {
            this.label = label;
        }

        /// Reads a mode as in `in-place`.
        ///
        /// @throws InvalidOptionException if it isn't one
        public static ReadMode parse(String text) {
            for (ReadMode mode : values()) {
                if (mode.label.equals(text)) {
                    return mode;
                }
            }
            throw new InvalidOptionException(
                    "reads are in-place, landing or tearing, not '" + text + "'");
        }

        @Override
        public String toString() {
            return label;
        }
    }

    /// Where read snapshots come from.
    public enum OracleKind {
        /// The snapshot chain: real snapshot isolation.
        CHAIN("chain"),
        /// The paper's scan of the timestamp vector, which isn't atomic: for experiments.
        DIRECT("direct");

        private final String label;

        OracleKind(String label) {
            this.label = label;
        }

        /// Reads an oracle as in `chain`.
        ///
        /// @throws InvalidOptionException if it isn't one
        public static OracleKind parse(String text) {
            for (OracleKind kind : values()) {
                if (kind.label.equals(text)) {
                    return kind;
                }
            }
            throw new InvalidOptionException("an oracle is chain or direct, not '" + text + "'");
        }

        @Override
        public String toString() {
            return label;
        }
    }

    public TpccOptions {
        OptionRange.check("--slots", slots, 1, MAX_SLOTS);
        OptionRange.check("--threads", threads, 1, MAX_SLOTS);
        require(
                threads <= slots,
                "--threads %d needs a slot for each thread, but there are only %d",
                threads,
                slots);
        OptionRange.check("--memory-servers", memoryServers, 1, MAX_MEMORY_SERVERS);
        OptionRange.check("--versions", versions, 1, MAX_VERSIONS);
        OptionRange.check("--history-sample", historySample, 1, Long.MAX_VALUE);
        checkLength(duration, warmup, staleness, transactions);
        checkInput(scale, distributionPercent, thinkTimes, rateTps);
        require(
                memoryBytes / memoryServers >= EmbeddedOptions.LEAST_SERVER_BYTES,
                "--memory %s is too little for --memory-servers %d, of which each needs at least %s",
                ByteSize.describe(memoryBytes),
                memoryServers,
                ByteSize.describe(EmbeddedOptions.LEAST_SERVER_BYTES));
        require(
                scale.estimatedBytes() <= memoryBytes,
                "--warehouses %d needs about %s of memory, but --memory gives %s",
                scale.warehouses(),
                ByteSize.describe(scale.estimatedBytes()),
                ByteSize.describe(memoryBytes));
    }

    private static void checkLength(
            Duration duration, Duration warmup, Duration staleness, OptionalLong transactions) {
        require(
                duration.isPositive() && duration.compareTo(MAX_DURATION) <= 0,
                "--duration must be over 0 s and at most 7 days, not %s",
                describe(duration));
        require(
                !warmup.isNegative() && warmup.compareTo(MAX_DURATION) <= 0,
                "--warmup must be 0 s to 7 days, not %s",
                describe(warmup));
        require(
                !staleness.isNegative() && staleness.compareTo(MAX_DURATION) <= 0,
                "--staleness must be 0 s to 7 days, not %s",
                describe(staleness));
        if (transactions.isPresent()) {
            OptionRange.check("--transactions", transactions.getAsLong(), 1, Long.MAX_VALUE);
            require(
                    warmup.isZero(),
                    "--transactions counts from the first transaction on and can't be combined with --warmup");
        }
    }

    private static void checkInput(
            Scale scale,
            OptionalInt distributionPercent,
            boolean thinkTimes,
            OptionalDouble rateTps) {
        if (distributionPercent.isPresent()) {
            int percent = distributionPercent.getAsInt();
            OptionRange.check("--distribution", percent, 0, 100);
            require(
                    percent == 0 || scale.warehouses() > 1,
                    "--distribution %d needs a second warehouse, but there is only one",
                    percent);
        }
        if (rateTps.isPresent()) {
            double tps = rateTps.getAsDouble();
            require(
                    tps > 0 && tps <= MAX_RATE_TPS,
                    "--rate must be over 0 and at most 100000000 transactions/s, not %s",
                    tps);
            require(
                    !thinkTimes,
                    "--rate and --think-times both say when a transaction begins, so give one of them");
        }
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation would be one more dependency
    private static void require(boolean condition, String message, Object... arguments) {
        if (!condition) {
            throw new InvalidOptionException(message.formatted(arguments));
        }
    }

    private static String describe(Duration duration) {
        long millis = duration.toMillis();
        return millis % 1_000 == 0 ? millis / 1_000 + " s" : millis + " ms";
    }

    /// Checks the memory and the threads' buffers against the memory of the machine.
    ///
    /// @throws InvalidOptionException if the machine hasn't that much
    public TpccOptions requireMachine(long machineBytes) {
        require(
                memoryBytes <= machineBytes,
                "--memory %s is more than the %s of this machine",
                ByteSize.describe(memoryBytes),
                ByteSize.describe(machineBytes));
        long buffers = threads * THREAD_BYTES;
        require(
                buffers <= machineBytes / 2,
                "--threads %d need about %s for their buffers, more than half of the %s of this machine",
                threads,
                ByteSize.describe(buffers),
                ByteSize.describe(machineBytes));
        return this;
    }

    /// Starts with the defaults of a machine.
    public static TpccOptionsBuilder builder(int processors, long machineBytes) {
        return new TpccOptionsBuilder(processors, machineBytes);
    }
}
