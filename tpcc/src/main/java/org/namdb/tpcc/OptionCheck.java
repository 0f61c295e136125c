package org.namdb.tpcc;

import java.time.Duration;
import java.util.List;
import org.namdb.cluster.config.ByteSize;
import org.namdb.cluster.config.DurationText;
import org.namdb.compute.EmbeddedOptions;
import org.namdb.compute.EmbeddedOptions.Oracle;
import org.namdb.fabric.RemoteAddress;
import org.namdb.timestamp.CommitTimestamp;

/// Says what is wrong with [TpccOptions], in one sentence that names the option.
final class OptionCheck {
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

    /// What is of no use without a run.
    private static final List<String> OF_A_RUN =
            List.of(
                    "--no-load",
                    "--threads",
                    "--duration",
                    "--warmup",
                    "--transactions",
                    "--out",
                    "--mix",
                    "--think-times",
                    "--rate",
                    "--distribution",
                    "--item-skew",
                    "--seed");

    private final TpccOptions options;
    private final long machineBytes;

    OptionCheck(TpccOptions options, long machineBytes) {
        this.options = options;
        this.machineBytes = machineBytes;
    }

    /// @throws InvalidOptionException if the value is outside of the range, which includes both its
    ///     ends
    static void range(String option, long value, long least, long most) {
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
        input();
        history();
    }

    /// What a database in this process is made of.
    private void embedded() {
        for (String option : List.of("--no-load", "--check")) {
            require(
                    !options.isGiven(option) || options.data() != null,
                    "%s is about a database that is there already, so it needs --cluster or"
                            + " --data",
                    option);
        }
        require(
                !options.isGiven("--durability") || options.data() != null,
                "--durability is for a database that is kept, so it needs --data");
        ofARun();
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

    /// What a cluster has, or is, is not to be chosen by those who use it.
    private void cluster() {
        for (String option : CLUSTERS_OWN) {
            require(
                    !options.isGiven(option),
                    "%s is for a database in this process: with --cluster it is the cluster's own",
                    option);
        }
        require(
                options.history() == null,
                "--history needs a database that nobody else writes to, so it can't be combined"
                        + " with --cluster: nam history --cluster records what many processes do");
        ofARun();
    }

    private void ofARun() {
        if (options.cluster().checksOnly()) {
            for (String option : OF_A_RUN) {
                require(
                        !options.isGiven(option),
                        "%s is about running transactions, but --check runs none",
                        option);
            }
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
                        || options.staleness().multipliedBy(2).compareTo(TpccOptions.MAX_CHECK_TIME)
                                < 0,
                "--staleness must be less than half of the maximum transaction time, %s",
                DurationText.describe(TpccOptions.MAX_CHECK_TIME));
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

    /// Whether what is run can be run on what is loaded.
    void input() {
        if (options.distributionPercent().isPresent()) {
            int percent = options.distributionPercent().getAsInt();
            range("--distribution", percent, 0, 100);
            require(
                    percent == 0 || options.scale().warehouses() > 1,
                    "--distribution %d needs a second warehouse, but there is only one",
                    percent);
        }
        if (options.rateTps().isPresent()) {
            double tps = options.rateTps().getAsDouble();
            require(
                    tps > 0 && tps <= MAX_RATE_TPS,
                    "--rate must be over 0 and at most 100000000 transactions/s, not %s",
                    tps);
            require(
                    !options.thinkTimes(),
                    "--rate and --think-times both say when a transaction begins, so give one of"
                            + " them");
        }
    }

    private void history() {
        range("--history-sample", options.historySample(), 1, Long.MAX_VALUE);
        require(
                !options.isHistorySampleGiven() || options.history() != null,
                "--history-sample says what is in the history, so it needs --history");
    }

    private void memory() {
        require(
                options.memoryBytes() / options.memoryServers()
                        >= EmbeddedOptions.LEAST_SERVER_BYTES,
                "--memory %s is too little for --memory-servers %d, of which each needs at least"
                        + " %s",
                ByteSize.describe(options.memoryBytes()),
                options.memoryServers(),
                ByteSize.describe(EmbeddedOptions.LEAST_SERVER_BYTES));
        Scale scale = options.scale();
        require(
                scale.estimatedBytes() <= options.memoryBytes()
                        || options.data() != null && !options.isGiven("--warehouses"),
                "--warehouses %d needs about %s of memory, but --memory gives %s",
                scale.warehouses(),
                ByteSize.describe(scale.estimatedBytes()),
                ByteSize.describe(options.memoryBytes()));
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation would be one more dependency
    private static void require(boolean condition, String message, Object... arguments) {
        if (!condition) {
            throw new InvalidOptionException(message.formatted(arguments));
        }
    }
}
