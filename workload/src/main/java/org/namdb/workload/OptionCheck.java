package org.namdb.workload;

import java.time.Duration;
import java.util.List;
import org.namdb.cluster.config.ByteSize;
import org.namdb.cluster.config.DurationText;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.EmbeddedOptions.Oracle;
import org.namdb.fabric.RemoteAddress;
import org.namdb.timestamp.CommitTimestamp;

/// Reports what is wrong with [RunOptions], in one sentence that names the option.
public final class OptionCheck {
    /// The most slots that fit in a record's header.
    static final int MAX_SLOTS = CommitTimestamp.MAX_SLOTS;

    /// The most old versions that a record's own buffer may keep.
    private static final int MAX_VERSIONS = 64;

    /// What a thread takes besides the database: landing buffer, write set, trees' nodes.
    private static final long THREAD_BYTES = 5L << 20;

    private static final Duration MAX_DURATION = Duration.ofDays(7);
    private static final double MAX_RATE_TPS = 1e8;

    /// What a database in this process is made of.
    private static final List<String> CLUSTERS_OWN =
            List.of(
                    "--memory",
                    "--memory-servers",
                    "--vector-servers",
                    "--slots",
                    "--reads",
                    "--data",
                    "--durability");

    private final RunOptions options;
    private final long machineBytes;

    OptionCheck(RunOptions options, long machineBytes) {
        this.options = options;
        this.machineBytes = machineBytes;
    }

    /// Requires a value to be in a range, which includes both its ends.
    ///
    /// @throws InvalidOptionException if it is outside
    public static void range(String option, long value, long least, long most) {
        require(
                value >= least && value <= most,
                "%s must be %d to %d, not %d",
                option,
                least,
                most,
                value);
    }

    /// Whether the options can be, on any machine.
    void options() {
        range("--threads", options.threads(), 1, MAX_SLOTS);
        if (options.cluster().isChosen()) {
            cluster();
        } else {
            embedded();
        }
        range("--versions", options.versions(), 1, MAX_VERSIONS);
        length();
        rate();
        history();
    }

    /// What a database in this process is made of.
    private void embedded() {
        require(
                !options.isGiven("--no-load") || options.data() != null,
                "--no-load is about a database that is there already, so it needs --cluster or"
                        + " --data");
        require(
                !options.isGiven("--durability") || options.data() != null,
                "--durability is for a database that is kept, so it needs --data");
        range("--slots", options.slots(), 1, MAX_SLOTS);
        require(
                options.threads() <= options.slots(),
                "--threads %d needs a slot for each thread, but there are only %d",
                options.threads(),
                options.slots());
        range("--memory-servers", options.memoryServers(), 1, RemoteAddress.MAX_SERVERS);
        require(
                options.vectorServers() >= 1 && options.vectorServers() <= options.memoryServers(),
                "--vector-servers must be 1 to the number of --memory-servers, %d, not %d",
                options.memoryServers(),
                options.vectorServers());
        memory();
    }

    /// The properties of a cluster can't be chosen by its users.
    private void cluster() {
        for (String option : CLUSTERS_OWN) {
            require(
                    !options.isGiven(option),
                    "%s is for a database in this process: with --cluster it is the cluster's own",
                    option);
        }
    }

    /// Whether the machine has the memory for the database and the threads' buffers.
    void machine() {
        require(
                options.cluster().isChosen() || options.memoryBytes() <= machineBytes,
                "--memory %s is more than the %s of this machine",
                ByteSize.describe(options.memoryBytes()),
                ByteSize.describe(machineBytes));
        long buffers = options.threads() * THREAD_BYTES;
        require(
                buffers <= machineBytes / 2,
                "--threads %d need about %s for their buffers, more than half of the %s of this"
                        + " machine",
                options.threads(),
                ByteSize.describe(buffers),
                ByteSize.describe(machineBytes));
    }

    private void length() {
        require(
                options.duration().isPositive() && options.duration().compareTo(MAX_DURATION) <= 0,
                "--duration must be over 0 s and at most 7 days, not %s",
                DurationText.describe(options.duration()));
        upToAWeek("--warmup", options.warmup());
        upToAWeek("--staleness", options.staleness());
        require(
                options.cluster().isChosen()
                        || options.staleness()
                                        .multipliedBy(2)
                                        .compareTo(options.maxTransactionTime())
                                < 0,
                "--staleness must be less than half of the maximum transaction time, %s",
                DurationText.describe(options.maxTransactionTime()));
        require(
                options.staleness().isZero() || options.oracle() != Oracle.SHARED_CHAIN,
                "--staleness is for --oracle chain: a shared chain has fresh snapshots only");
        if (options.transactions().isPresent()) {
            range("--transactions", options.transactions().getAsLong(), 1, Long.MAX_VALUE);
            require(
                    !options.isDurationGiven(),
                    "--transactions and --duration both say when the run ends, so give one of"
                            + " them");
            require(
                    options.warmup().isZero(),
                    "--transactions counts from the first transaction on and can't be combined"
                            + " with --warmup");
        }
    }

    private static void upToAWeek(String option, Duration duration) {
        require(
                !duration.isNegative() && duration.compareTo(MAX_DURATION) <= 0,
                "%s must be 0 s to 7 days, not %s",
                option,
                DurationText.describe(duration));
    }

    private void rate() {
        if (options.rateTps().isPresent()) {
            double tps = options.rateTps().getAsDouble();
            require(
                    tps > 0 && tps <= MAX_RATE_TPS,
                    "--rate must be over 0 and at most 100000000 transactions/s, not %s",
                    tps);
        }
    }

    private void history() {
        require(
                options.history() == null || !options.cluster().isChosen(),
                "--history needs a database that no other process writes to, so it can't be combined"
                        + " with --cluster: nam history --cluster records what many processes do");
        range("--history-sample", options.historySample(), 1, Long.MAX_VALUE);
        require(
                !options.isHistorySampleGiven() || options.history() != null,
                "--history-sample says what is in the history, so it needs --history");
    }

    private void memory() {
        require(
                options.memoryBytes() / options.memoryServers() >= EmbeddedOptions.MIN_SERVER_BYTES,
                "--memory %s is too little for --memory-servers %d, of which each needs at least"
                        + " %s",
                ByteSize.describe(options.memoryBytes()),
                options.memoryServers(),
                ByteSize.describe(EmbeddedOptions.MIN_SERVER_BYTES));
        require(
                options.estimatedBytes() <= options.memoryBytes()
                        || options.data() != null && !options.isGiven(options.sizeOption()),
                "%s %d needs about %s of memory, but --memory gives %s",
                options.sizeOption(),
                options.size(),
                ByteSize.describe(options.estimatedBytes()),
                ByteSize.describe(options.memoryBytes()));
    }

    /// Requires a condition.
    ///
    /// @throws InvalidOptionException with that message unless the condition is met
    @SuppressWarnings("AnnotateFormatMethod") // the annotation would be one more dependency
    public static void require(boolean condition, String message, Object... arguments) {
        if (!condition) {
            throw new InvalidOptionException(message.formatted(arguments));
        }
    }
}
