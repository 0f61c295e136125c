package org.namdb.compute;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.selcc.LineCacheOptions;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.compute.journal.Durability;
import org.namdb.compute.journal.JournalOptions;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.Host;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.shm.ShmFabric;
import org.namdb.timestamp.CommitTimestamp;

/// The options of a database, embedded or attached to a cluster; those of memory servers are read
/// for an embedded one alone.
///
/// @param memoryServers how many memory servers the data is spread over, 1 to 128
/// @param vectorServers how many of them the slots of the timestamp vector lie on, from the first
///     one on. A database is made with it; compute servers attached to one find it there
/// @param memoryBytes what all of them hold together; memory is taken from the operating system as
///     it is first used
/// @param slots how many sessions there can be at once
/// @param executionThreads how many threads run stored procedures that are called by name
/// @param oracle where read timestamps come from
/// @param staleness how old a snapshot may be; zero for strong snapshot isolation
/// @param maxTransactionTime the paper's E: a transaction that takes longer may fail with "snapshot
///     too old". A database is made with it; compute servers attached to one go by what it was made
///     with
/// @param retryPolicy what happens after a conflict
/// @param fabric makes the fabric
/// @param host gives time and threads
/// @param maintenanceInterval the pause between two steps of background maintenance
/// @param schemaWait how long a change of the schema waits for running transactions to end
/// @param latchWait how long a session waits for another one's latch of a bucket or tree node
/// @param concurrency how many procedures and bodies run at a time in an embedded database, the
///     others waiting for their turn; 0 for as many as are called. Transactions that are opened and
///     ended by their caller don't count
/// @param transactionMemoryBytes what all open transactions may hold of this process's memory
///     together, native memory and heap, of which they never hold more than half; one that needs
///     more fails. Half of the machine's memory, unless it is set. What reads don't keep does not
///     count, nor does a small transaction
/// @param splitsBuckets whether sessions split the buckets that their inserts have filled, so that
///     tables and hashed indexes grow bucket by bucket
/// @param replicatedCommits whether each commit leaves its image on two memory servers, by which it
///     is finished if its session fails half-way. A database is made with it; compute servers
///     attached to one find it there
/// @param lines of the cache of lines, but for the limit of its waits, which is that for a latch
/// @param journal where an embedded database keeps what must outlast the process; null for nowhere
public record EmbeddedOptions(
        int memoryServers,
        int vectorServers,
        long memoryBytes,
        int slots,
        int executionThreads,
        Oracle oracle,
        Duration staleness,
        Duration maxTransactionTime,
        RetryPolicy retryPolicy,
        Supplier<Fabric> fabric,
        Host host,
        Duration maintenanceInterval,
        Duration schemaWait,
        Duration latchWait,
        int concurrency,
        long transactionMemoryBytes,
        boolean splitsBuckets,
        boolean replicatedCommits,
        LineCacheOptions lines,
        @Nullable JournalOptions journal) {
    /// Where read timestamps come from.
    public enum Oracle {
        /// The snapshot chain: true snapshot isolation.
        CHAIN,
        /// The snapshot chain, whose refreshes all sessions of a compute server share: one serves
        /// all transactions that began before it did. Always fresh: staleness does not apply.
        SHARED_CHAIN,
        /// The paper's plain read of the vector, for experiments: its snapshots can fork.
        DIRECT;

        /// As options name it.
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }
    }

    /// The least memory of a server.
    public static final long MIN_SERVER_BYTES = 16L << 20;

    /// One memory server of 4 GiB, 64 slots, strong snapshots, reads in place.
    public static final EmbeddedOptions DEFAULT =
            new EmbeddedOptions(
                    1,
                    1,
                    4L << 30,
                    64,
                    Runtime.getRuntime().availableProcessors(),
                    Oracle.CHAIN,
                    Duration.ZERO,
                    Duration.ofSeconds(60),
                    RetryPolicy.DEFAULT,
                    () -> new ShmFabric(ShmFabric.Options.DEFAULT),
                    Host.MACHINE,
                    Duration.ofMillis(20),
                    Duration.ofSeconds(5),
                    Duration.ofSeconds(5),
                    Runtime.getRuntime().availableProcessors(),
                    machineBytes() / 2,
                    true,
                    false,
                    LineCacheOptions.DEFAULT.withLineBytes(64).withFrames(1 << 14),
                    null);

    /// The memory of the machine, or of the container; of the heap, if the JVM does not report it.
    private static long machineBytes() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean machine
                ? machine.getTotalMemorySize()
                : Runtime.getRuntime().maxMemory();
    }

    public EmbeddedOptions {
        require(
                memoryServers >= 1 && memoryServers <= RemoteAddress.MAX_SERVERS,
                "1 to 128 memory servers, not " + memoryServers);
        require(
                vectorServers >= 1 && vectorServers <= memoryServers,
                "the vector is on 1 to "
                        + memoryServers
                        + " memory servers, not on "
                        + vectorServers);
        require(slots >= 1 && slots <= CommitTimestamp.MAX_SLOTS, "1 to 16384 slots, not " + slots);
        require(
                memoryBytes / memoryServers >= MIN_SERVER_BYTES,
                "a memory server needs at least 16 MiB");
        require(
                executionThreads >= 1 && executionThreads <= slots,
                "1 execution thread to one for each of the "
                        + slots
                        + " slots, not "
                        + executionThreads);
        require(maintenanceInterval.isPositive(), "the maintenance interval must be positive");
        require(!schemaWait.isNegative(), "the wait of a change of the schema can't be negative");
        require(latchWait.isPositive(), "the wait for a latch must be positive");
        require(concurrency >= 0, "0 or more procedures at a time, not " + concurrency);
        require(transactionMemoryBytes >= 0, "transactionMemoryBytes can't be negative");
        require(!staleness.isNegative(), "staleness can't be negative");
        require(
                staleness.isZero() || oracle != Oracle.SHARED_CHAIN,
                "a shared chain has fresh snapshots only: staleness is for another oracle");
        require(
                !replicatedCommits || memoryServers > 1,
                "replicated commits need two memory servers at least, as each commit is written to"
                        + " two of them");
        require(
                !replicatedCommits || oracle != Oracle.DIRECT,
                "replicated commits need snapshots that can be ordered: not --oracle direct");
        require(
                !replicatedCommits || journal == null,
                "replicated commits are for memory servers without a data directory");
        require(maxTransactionTime.isPositive(), "the maximum transaction time must be positive");
        require(
                staleness.multipliedBy(2).compareTo(maxTransactionTime) < 0,
                "staleness must be less than half of the maximum transaction time");
    }

    private static void require(boolean condition, String message) {
        if (!condition) {
            throw new IllegalArgumentException(message);
        }
    }

    public EmbeddedOptions withMemoryServers(int servers) {
        return with(parts -> {
            parts.memoryServers = servers;
            parts.vectorServers = Math.min(vectorServers, servers);
        });
    }

    /// With the slots of the timestamp vector on so many memory servers.
    public EmbeddedOptions withVectorServers(int servers) {
        return with(parts -> parts.vectorServers = servers);
    }

    public EmbeddedOptions withMemoryBytes(long bytes) {
        return with(parts -> parts.memoryBytes = bytes);
    }

    public EmbeddedOptions withSlots(int count) {
        return with(parts -> {
            parts.slots = count;
            parts.executionThreads = Math.min(executionThreads, count);
        });
    }

    public EmbeddedOptions withExecutionThreads(int threads) {
        return with(parts -> parts.executionThreads = threads);
    }

    public EmbeddedOptions withOracle(Oracle chosen) {
        return with(parts -> parts.oracle = chosen);
    }

    public EmbeddedOptions withStaleness(Duration duration) {
        return with(parts -> parts.staleness = duration);
    }

    public EmbeddedOptions withMaxTransactionTime(Duration duration) {
        return with(parts -> parts.maxTransactionTime = duration);
    }

    public EmbeddedOptions withRetryPolicy(RetryPolicy policy) {
        return with(parts -> parts.retryPolicy = policy);
    }

    public EmbeddedOptions withFabric(Supplier<Fabric> maker) {
        return with(parts -> parts.fabric = maker);
    }

    /// Another machine than this one: a simulated one.
    public EmbeddedOptions withHost(Host newHost) {
        return with(parts -> parts.host = newHost);
    }

    /// With another pause between the steps of background maintenance.
    public EmbeddedOptions withMaintenanceInterval(Duration interval) {
        return with(parts -> parts.maintenanceInterval = interval);
    }

    /// With another time that a change of the schema waits for running transactions.
    public EmbeddedOptions withSchemaWait(Duration most) {
        return with(parts -> parts.schemaWait = most);
    }

    /// With another time that a session waits for a latch.
    public EmbeddedOptions withLatchWait(Duration most) {
        return with(parts -> parts.latchWait = most);
    }

    /// With so many procedures at a time; 0 for as many as are called.
    public EmbeddedOptions withConcurrency(int procedures) {
        return with(parts -> parts.concurrency = procedures);
    }

    /// With another limit of what open transactions hold together.
    public EmbeddedOptions withTransactionMemoryBytes(long bytes) {
        return with(parts -> parts.transactionMemoryBytes = bytes);
    }

    /// With sessions that split the buckets that their inserts have filled, or don't.
    public EmbeddedOptions withBucketSplits(boolean isOn) {
        return with(parts -> parts.splitsBuckets = isOn);
    }

    /// With commits that leave their images on two memory servers, or don't.
    public EmbeddedOptions withReplicatedCommits(boolean isOn) {
        return with(parts -> parts.replicatedCommits = isOn);
    }

    /// Kept in a data directory, and recovered from there. An acknowledged commit outlives a crash
    /// of the machine, by default: see [#withDurability].
    public EmbeddedOptions withData(Path directory) {
        return withJournal(JournalOptions.in(directory));
    }

    /// Where there is a data directory, with another promise.
    public EmbeddedOptions withDurability(Durability durability) {
        JournalOptions kept = journal;
        if (kept == null) {
            throw new IllegalArgumentException(
                    "durability " + durability + " needs a data directory");
        }
        return withJournal(kept.withDurability(durability));
    }

    /// With another journal; null for none.
    public EmbeddedOptions withJournal(@Nullable JournalOptions kept) {
        return with(parts -> parts.journal = kept);
    }

    /// With the settings that a cluster has for each compute server. A wait for a latch or a line
    /// lasts until a dead holder has been declared dead and recovered.
    public EmbeddedOptions withCluster(ClusterConfig config) {
        return with(parts -> {
            parts.executionThreads = config.compute().executionThreads();
            parts.maintenanceInterval = config.compute().maintenanceInterval();
            parts.schemaWait = config.compute().schemaWait();
            Duration recovery = config.membership().lease().multipliedBy(2);
            parts.latchWait = recovery.plus(latchWait);
            ClusterConfig.Lines shared = config.compute().lines();
            parts.lines =
                    lines.withLineBytes(shared.lineBytes())
                            .withFrames(Math.toIntExact(shared.cacheBytes() / shared.lineBytes()))
                            .withWaitLimit(recovery.plus(lines.waitLimit()));
        });
    }

    /// With the settings that memory servers report.
    EmbeddedOptions withLearnt(List<Region> regions, int allSlots) {
        return with(parts -> {
            parts.memoryServers = regions.size();
            parts.vectorServers = 1;
            parts.memoryBytes = regions.stream().mapToLong(Region::bytes).sum();
            parts.slots = allSlots;
            parts.executionThreads = Math.min(executionThreads, allSlots);
        });
    }

    /// With another cache of lines, whose waits are as long as those for a latch.
    public EmbeddedOptions withLines(LineCacheOptions options) {
        return with(parts -> parts.lines = options);
    }

    private EmbeddedOptions with(Consumer<Parts> change) {
        Parts parts = new Parts(this);
        change.accept(parts);
        return parts.options();
    }

    /// The same, to be changed.
    private static final class Parts {
        private int memoryServers;
        private int vectorServers;
        private long memoryBytes;
        private int slots;
        private int executionThreads;
        private Oracle oracle;
        private Duration staleness;
        private Duration maxTransactionTime;
        private RetryPolicy retryPolicy;
        private Supplier<Fabric> fabric;
        private Host host;
        private Duration maintenanceInterval;
        private Duration schemaWait;
        private Duration latchWait;
        private int concurrency;
        private long transactionMemoryBytes;
        private boolean splitsBuckets;
        private boolean replicatedCommits;
        private LineCacheOptions lines;
        private @Nullable JournalOptions journal;

        private Parts(EmbeddedOptions from) {
            memoryServers = from.memoryServers;
            vectorServers = from.vectorServers;
            memoryBytes = from.memoryBytes;
            slots = from.slots;
            executionThreads = from.executionThreads;
            oracle = from.oracle;
            staleness = from.staleness;
            maxTransactionTime = from.maxTransactionTime;
            retryPolicy = from.retryPolicy;
            fabric = from.fabric;
            host = from.host;
            maintenanceInterval = from.maintenanceInterval;
            schemaWait = from.schemaWait;
            latchWait = from.latchWait;
            concurrency = from.concurrency;
            transactionMemoryBytes = from.transactionMemoryBytes;
            splitsBuckets = from.splitsBuckets;
            replicatedCommits = from.replicatedCommits;
            lines = from.lines;
            journal = from.journal;
        }

        private EmbeddedOptions options() {
            return new EmbeddedOptions(
                    memoryServers,
                    vectorServers,
                    memoryBytes,
                    slots,
                    executionThreads,
                    oracle,
                    staleness,
                    maxTransactionTime,
                    retryPolicy,
                    fabric,
                    host,
                    maintenanceInterval,
                    schemaWait,
                    latchWait,
                    concurrency,
                    transactionMemoryBytes,
                    splitsBuckets,
                    replicatedCommits,
                    lines,
                    journal);
        }
    }
}
