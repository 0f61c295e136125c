package org.namdb.memory.process;

import java.nio.ByteBuffer;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.UnaryOperator;
import org.namdb.cluster.config.ClusterConfig;
import org.namdb.cluster.config.ClusterDurability;
import org.namdb.cluster.config.ConfigException;
import org.namdb.cluster.config.HostPort;
import org.namdb.cluster.transport.MemoryTransport;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.MemoryFabric;
import org.namdb.fabric.Region;
import org.namdb.fabric.shm.MemoryPages;
import org.namdb.memory.client.DatabaseLayout;
import org.namdb.memory.server.MemoryServer;
import org.namdb.memory.server.RegionLayout;
import org.namdb.mvcc.ring.ImageRings;
import org.namdb.timestamp.TimestampVectorLayout;

/// One memory server, with a network of its own. It starts empty: number 0 makes an empty database,
/// and chooses the number that marks the others as parts of it. Where the servers have data
/// directories, compute servers wait until that is recovered.
public final class MemoryProcess implements AutoCloseable {
    private final MemoryFabric fabric;
    private final MemoryServer server;

    private final HostPort address;

    private MemoryProcess(MemoryFabric fabric, MemoryServer server, HostPort address) {
        this.fabric = fabric;
        this.server = server;
        this.address = address;
    }

    /// Starts it.
    ///
    /// @param number which of the configuration's memory servers it is
    /// @throws ConfigException if the configuration has no such server, or does not allow it
    /// @throws org.namdb.fabric.FabricException if the operating system refuses the memory, or the
    ///     address
    public static MemoryProcess start(ClusterConfig config, int number) {
        checkNumber(config, number);
        MemoryTransport transport = MemoryTransport.open(config, number);
        return start(config, number, transport.fabric(), transport.address());
    }

    /// Starts it on a fabric that it closes at its end.
    static MemoryProcess start(
            ClusterConfig config, int number, MemoryFabric fabric, HostPort address) {
        try {
            long bytes = config.memoryServers().get(number).bytes();
            long reserved =
                    DatabaseLayout.reservedBytes(
                            number,
                            vector(config),
                            config.memoryServers().size(),
                            ringBytes(config));
            checkSize(number, bytes, reserved);
            MemoryServer server = new MemoryServer(fabric, number, bytes, reserved);
            if (number == 0) {
                makeDatabase(config, fabric.memory(0));
            }
            return new MemoryProcess(fabric, server, address);
        } catch (Throwable e) {
            FirstFailure failures = new FirstFailure();
            failures.add(e);
            failures.attempt(fabric::close);
            throw e;
        }
    }

    private static void checkNumber(ClusterConfig config, int number) {
        if (number < 0 || number >= config.memoryServers().size()) {
            throw new ConfigException(
                    "there is no memory server %d: the configuration has %d, from 0"
                            .formatted(number, config.memoryServers().size()));
        }
    }

    /// Half of the memory at most for what no row is in.
    private static void checkSize(int number, long bytes, long reserved) {
        if (reserved > bytes / 2) {
            throw new ConfigException(
                    "memory-servers[%d].memory: %d MiB are too little, as the slots take %d of it;"
                                    .formatted(number, bytes >> 20, reserved >> 20)
                            + " give it more memory, or the cluster fewer slots, or no"
                            + " replicated-commits");
        }
    }

    private static TimestampVectorLayout vector(ClusterConfig config) {
        return DatabaseLayout.vector(config.slots(), config.vectorServers());
    }

    private static int ringBytes(ClusterConfig config) {
        return config.replicatedCommits() ? ImageRings.DEFAULT_BYTES : 0;
    }

    /// The vector last: a compute server that finds it finds the number, too.
    private static void makeDatabase(ClusterConfig config, long region) {
        long database = ThreadLocalRandom.current().nextLong(1, Long.MAX_VALUE);
        LocalMemory.putLongRelease(region + RegionLayout.DATABASE_OFFSET, database);
        LocalMemory.putLongRelease(
                region + RegionLayout.IMAGE_RING_BYTES_OFFSET, ringBytes(config));
        if (config.isKept()) {
            long kept =
                    config.durability() == ClusterDurability.SYNC
                            ? RegionLayout.KEPT_SYNC
                            : RegionLayout.KEPT_ASYNC;
            LocalMemory.putLongRelease(region + RegionLayout.RECOVERING_OFFSET, 1);
            LocalMemory.putLongRelease(region + RegionLayout.KEPT_OFFSET, kept);
        }
        vector(config)
                .formatZeroes(
                        region + RegionLayout.HEAD_BYTES, config.maxTransactionTime().toNanos());
    }

    /// From now on, requests about its data directory are answered: see
    /// [MemoryServer#answerJournal].
    public void answerJournal(UnaryOperator<ByteBuffer> handler) {
        server.answerJournal(handler);
    }

    /// The native address of its memory.
    public long memory() {
        return fabric.memory(server.region().server());
    }

    /// Where it listens.
    public HostPort address() {
        return address;
    }

    /// What it holds.
    public Region region() {
        return server.region();
    }

    /// In pages of which size the first of its memory is, in bytes. What is touched later is in the
    /// same ones, as long as the kernel has any.
    public long pageBytes() {
        return MemoryPages.bytesAt(fabric.memory(server.region().server()));
    }

    /// Leaves, and frees its memory, with everything that is in it.
    @Override
    public void close() {
        FirstFailure failures = new FirstFailure();
        failures.attempt(server::close);
        failures.attempt(fabric::close);
        failures.rethrow();
    }
}
