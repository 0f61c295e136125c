package org.namdb.fabric.shm;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.RequestHandler;

/// Memory servers whose regions are mapped in this process.
public final class ShmFabric implements Fabric {
    /// How queue pairs of a fabric work.
    ///
    /// @param readsInPlace whether the view of a READ is the region itself; if not, every READ is
    ///     copied to a landing buffer. The results are the same
    /// @param landingBytes how much a queue pair can land before it overwrites
    /// @param directory where regions are files that other processes can map, or null for anonymous
    ///     memory
    public record Options(boolean readsInPlace, int landingBytes, @Nullable Path directory) {
        /// Reads in place, 1 MiB of landing buffer, anonymous memory.
        public static final Options DEFAULT = new Options(true, 1 << 20, null);

        /// The same with reads in place or not.
        public Options withReadsInPlace(boolean inPlace) {
            return new Options(inPlace, landingBytes, directory);
        }
    }

    private final Options options;
    private final @Nullable Mapping[] mappings = new @Nullable Mapping[RemoteAddress.MAX_SERVERS];
    private final int[] keys = new int[RemoteAddress.MAX_SERVERS];
    private final @Nullable Served[] served = new @Nullable Served[RemoteAddress.MAX_SERVERS];

    /// The bytes of each server's region; 0 for a server that has none, or has left. Queue pairs
    /// share the array.
    private final long[] limits = new long[RemoteAddress.MAX_SERVERS];

    /// The workers that answer the requests to a memory server, and those that are idle.
    private record Served(Supplier<RequestHandler> workers, ArrayDeque<RequestHandler> idle) {}

    public ShmFabric(Options options) {
        this.options = options;
    }

    @Override
    public synchronized Region register(int server, long bytes) {
        Region region = new Region(server, bytes, ThreadLocalRandom.current().nextInt());
        if (mappings[server] != null) {
            throw new FabricException(
                    FabricException.Kind.SYSTEM,
                    "memory server " + server + " has a region already");
        }
        Path directory = options.directory();
        return open(
                region,
                directory == null
                        ? Mapping.anonymous(bytes)
                        : Mapping.file(file(directory, server), MappedRegion.fileBytes(bytes)));
    }

    @Override
    public synchronized Region resume(int server, long bytes) {
        Path directory = options.directory();
        Mapping mapping = mappings[server];
        if (limits[server] != 0) {
            throw new FabricException(
                    FabricException.Kind.SYSTEM, "memory server " + server + " has not left");
        }
        if (mapping == null && directory != null) {
            mapping = Mapping.existing(file(directory, server), MappedRegion.fileBytes(bytes));
        }
        if (mapping == null || mapping.bytes() != mappedBytes(bytes)) {
            throw new FabricException(
                    FabricException.Kind.SYSTEM,
                    "memory server " + server + " had no region of " + bytes + " bytes");
        }
        return open(new Region(server, bytes, ThreadLocalRandom.current().nextInt()), mapping);
    }

    private Region open(Region region, Mapping mapping) {
        int server = region.server();
        mappings[server] = mapping;
        keys[server] = region.key();
        limits[server] = region.bytes();
        if (options.directory() != null) {
            MappedRegion.open(mapping.address(), region.bytes(), region.key());
        }
        return region;
    }

    private long mappedBytes(long bytes) {
        return options.directory() == null ? bytes : MappedRegion.fileBytes(bytes);
    }

    @Override
    public synchronized long memory(int server) {
        Mapping mapping = mappings[server];
        if (mapping == null) {
            throw new FabricException(
                    FabricException.Kind.SYSTEM, "memory server " + server + " is not here");
        }
        return mapping.address();
    }

    private static Path file(Path directory, int server) {
        return directory.resolve("memory-server-" + server + ".region");
    }

    /// The file of a region, for other processes of this machine.
    ///
    /// @return null if no other can map it
    public synchronized @Nullable RegionFile file(int server) {
        Path directory = options.directory();
        return directory == null ? null : RegionFile.of(file(directory, server));
    }

    /// How many verbs other processes have done that have mapped regions.
    public synchronized long verbsOfOthers() {
        long verbs = 0;
        for (int server = 0; server < mappings.length; server++) {
            Mapping mapping = mappings[server];
            if (mapping != null && options.directory() != null && limits[server] != 0) {
                verbs += MappedRegion.counted(mapping.address(), limits[server]);
            }
        }
        return verbs;
    }

    @Override
    public synchronized void serve(int server, Supplier<RequestHandler> workers) {
        stopServing(server);
        served[server] = new Served(workers, new ArrayDeque<>());
    }

    private void stopServing(int server) {
        Served before = served[server];
        served[server] = null;
        if (before != null) {
            before.idle.forEach(RequestHandler::close);
        }
    }

    @Override
    public synchronized QueuePair map(int server, int landingBytes) {
        long[] bases = new long[RemoteAddress.MAX_SERVERS];
        bases[server] = memory(server);
        return new ShmQueuePair(this, new Options(true, landingBytes, null), bases, limits);
    }

    @Override
    public synchronized void leave(int server) {
        Mapping mapping = mappings[server];
        if (mapping != null && limits[server] != 0 && options.directory() != null) {
            MappedRegion.shut(mapping.address(), limits[server]);
        }
        limits[server] = 0;
        stopServing(server);
    }

    @Override
    public synchronized List<Region> regions() {
        return IntStream.range(0, limits.length)
                .filter(server -> limits[server] != 0)
                .mapToObj(server -> new Region(server, limits[server], keys[server]))
                .toList();
    }

    @Override
    public synchronized QueuePair connect(List<Region> regions) {
        long[] bases = new long[RemoteAddress.MAX_SERVERS];
        for (Region region : regions) {
            Mapping mapping = mappings[region.server()];
            if (mapping != null) {
                boolean opens = keys[region.server()] == region.key();
                bases[region.server()] = opens ? mapping.address() : ShmQueuePair.NO_KEY;
            }
        }
        return new ShmQueuePair(this, options, bases, limits);
    }

    /// Has a request answered on the caller's thread, by a worker of its own.
    ///
    /// @return the length of the reply
    int answer(int server, long request, int bytes, long reply, int replyBytes) {
        Served by;
        RequestHandler worker = null;
        synchronized (this) {
            by = served[server];
            if (by != null) {
                worker = by.idle.poll();
            }
        }
        if (by != null && worker == null) {
            worker = by.workers.get();
        }
        try {
            return RequestHandler.answer(server, worker, request, bytes, reply, replyBytes);
        } finally {
            if (by != null && worker != null) {
                release(server, by, worker);
            }
        }
    }

    private synchronized void release(int server, Served by, RequestHandler worker) {
        if (by.equals(served[server])) {
            by.idle.push(worker);
        } else {
            worker.close();
        }
    }

    @Override
    public synchronized void close() {
        for (int server = 0; server < mappings.length; server++) {
            leave(server);
            Mapping mapping = mappings[server];
            if (mapping != null) {
                mapping.close();
                mappings[server] = null;
            }
        }
    }
}
