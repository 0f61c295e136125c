package org.namdb.fabric;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Two sides, each with a provider of its own.
record JoinedFabric(MemoryFabric memory, ComputeFabric compute) implements Fabric {
    @Override
    public Region register(int server, long bytes) {
        return memory.register(server, bytes);
    }

    @Override
    public Region resume(int server, long bytes) {
        return memory.resume(server, bytes);
    }

    @Override
    public long memory(int server) {
        return memory.memory(server);
    }

    @Override
    public void serve(int server, Supplier<RequestHandler> workers) {
        memory.serve(server, workers);
    }

    @Override
    public @Nullable QueuePair map(int server, int landingBytes) {
        return memory.map(server, landingBytes);
    }

    @Override
    public void leave(int server) {
        memory.leave(server);
    }

    @Override
    public List<Region> regions() {
        return compute.regions();
    }

    @Override
    public QueuePair connect(List<Region> regions) {
        return compute.connect(regions);
    }

    @Override
    public void enroll(int process) {
        compute.enroll(process);
    }

    @Override
    public void fence(int process) {
        compute.fence(process);
    }

    @Override
    public void close() {
        try {
            compute.close();
        } finally {
            memory.close();
        }
    }
}
