package org.namdb.fabric.tcp;

import java.net.InetSocketAddress;
import java.util.function.Supplier;
import org.namdb.fabric.MemoryFabric;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RequestHandler;
import org.namdb.fabric.shm.ShmFabric;

/// The memory servers of this process, which compute servers in other processes reach by TCP, or,
/// where a region is a file and they are on the same machine, by mapping it.
public final class TcpMemoryFabric implements MemoryFabric {
    private final ShmFabric memory;
    private final Agent agent;

    /// Listens from now on.
    ///
    /// @throws org.namdb.fabric.FabricException if it can't listen on the address
    public TcpMemoryFabric(TcpServerOptions options) {
        this.memory = new ShmFabric(new ShmFabric.Options(true, 0, options.directory()));
        this.agent = new Agent(options, memory::verbsOfOthers);
    }

    /// Where it listens.
    public InetSocketAddress address() {
        return agent.address();
    }

    /// What it has done so far.
    public TcpStatistics statistics() {
        return agent.statisticsNow();
    }

    @Override
    public Region register(int server, long bytes) {
        return open(memory.register(server, bytes));
    }

    @Override
    public Region resume(int server, long bytes) {
        return open(memory.resume(server, bytes));
    }

    private Region open(Region region) {
        int server = region.server();
        agent.memory()
                .open(new ServedMemory.Served(region, memory.file(server)), memory.memory(server));
        return region;
    }

    @Override
    public long memory(int server) {
        return memory.memory(server);
    }

    @Override
    public void serve(int server, Supplier<RequestHandler> workers) {
        agent.calls().serve(server, workers);
    }

    @Override
    public QueuePair map(int server, int landingBytes) {
        return memory.map(server, landingBytes);
    }

    @Override
    public void leave(int server) {
        agent.memory().close(server);
        agent.calls().serve(server, null);
        memory.leave(server);
    }

    @Override
    public void close() {
        agent.close();
        memory.close();
    }
}
