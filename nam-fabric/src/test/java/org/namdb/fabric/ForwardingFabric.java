package org.namdb.fabric;

import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// A fabric that is another one but for what a test changes about it.
public abstract class ForwardingFabric implements Fabric {
    protected final Fabric actual;

    protected ForwardingFabric(Fabric actual) {
        this.actual = actual;
    }

    @Override
    public Region register(int server, long bytes) {
        return actual.register(server, bytes);
    }

    @Override
    public Region resume(int server, long bytes) {
        return actual.resume(server, bytes);
    }

    @Override
    public long memory(int server) {
        return actual.memory(server);
    }

    @Override
    public void serve(int server, Supplier<RequestHandler> workers) {
        actual.serve(server, workers);
    }

    @Override
    public @Nullable QueuePair map(int server, int landingBytes) {
        return actual.map(server, landingBytes);
    }

    @Override
    public void leave(int server) {
        actual.leave(server);
    }

    @Override
    public List<Region> regions() {
        return actual.regions();
    }

    @Override
    public QueuePair connect(List<Region> regions) {
        return actual.connect(regions);
    }

    @Override
    public void enroll(int process) {
        actual.enroll(process);
    }

    @Override
    public void fence(int process) {
        actual.fence(process);
    }

    @Override
    public void close() {
        actual.close();
    }
}
