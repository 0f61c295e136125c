package org.namdb.simulated;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.ComputeFabric;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.MemoryFabric;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.RequestHandler;
import org.namdb.fabric.shm.ShmFabric;

/// The network of a simulated cluster. Each process uses its own side of it.
public final class SimFabric implements AutoCloseable {
    /// The queue pairs of [#memory] only find addresses, so they land nothing.
    private static final int NO_LANDING = 0;

    private final Simulation simulation;
    private final int landingBytes;
    private final ShmFabric memory = new ShmFabric(new ShmFabric.Options(true, NO_LANDING, null));
    private final @Nullable SimHost[] servers = new @Nullable SimHost[RemoteAddress.MAX_SERVERS];
    private final @Nullable RequestHandler[] handlers =
            new @Nullable RequestHandler[RemoteAddress.MAX_SERVERS];
    private final List<SimQueuePair> queuePairs = new ArrayList<>();
    private final Map<Integer, ComputeSide> enrolled = new HashMap<>();
    private IntConsumer whenFenced = process -> {};

    /// @param landingBytes what a queue pair can land
    public SimFabric(Simulation simulation, int landingBytes) {
        this.simulation = simulation;
        this.landingBytes = landingBytes;
    }

    /// The side of a process that holds memory servers: those that it registers.
    public MemoryFabric memorySide(SimHost host) {
        return new MemorySide(host);
    }

    /// The side of a process that is a compute server.
    public ComputeFabric computeSide(SimHost host) {
        return new ComputeSide(host);
    }

    /// Notifies `observer` of each process when its fence begins.
    public void observeFences(IntConsumer observer) {
        whenFenced = observer;
    }

    /// Access to all memory from outside of virtual time: its verbs take none, and no faults hit
    /// them. For the checks of a run.
    public QueuePair observe(List<Region> regions) {
        return memory.connect(regions);
    }

    /// Frees all memory, also that of processes that have crashed.
    @Override
    public void close() {
        queuePairs.forEach(SimQueuePair::free);
        memory.close();
    }

    Simulation simulation() {
        return simulation;
    }

    /// The process that holds memory server `server`.
    SimHost server(int server) {
        SimHost host = servers[server];
        if (host == null) {
            throw new FabricException(
                    FabricException.Kind.PEER_GONE, "there is no memory server " + server);
        }
        return host;
    }

    /// Answers a request on the memory server's processor.
    ///
    /// @return the length of the reply
    /// @throws FabricException if no handler answers requests, or the handler has failed
    int answer(int server, long request, int bytes, long reply, int replyBytes) {
        return RequestHandler.answer(server, handlers[server], request, bytes, reply, replyBytes);
    }

    private final class MemorySide implements MemoryFabric {
        private final SimHost host;

        MemorySide(SimHost host) {
            this.host = host;
        }

        @Override
        public Region register(int server, long bytes) {
            Region region = memory.register(server, bytes);
            servers[server] = host;
            return region;
        }

        @Override
        public Region resume(int server, long bytes) {
            Region region = memory.resume(server, bytes);
            servers[server] = host;
            return region;
        }

        @Override
        public long memory(int server) {
            return memory.memory(server);
        }

        @Override
        public void serve(int server, Supplier<RequestHandler> workers) {
            handlers[server] = workers.get();
        }

        /// Its verbs take effect at once, and no time.
        @Override
        public @Nullable QueuePair map(int server, int landingBytes) {
            return memory.map(server, landingBytes);
        }

        @Override
        public void leave(int server) {
            handlers[server] = null;
            memory.leave(server);
        }

        /// Memory outlasts its process, for the next one that uses it.
        @Override
        public void close() {}
    }

    private final class ComputeSide implements ComputeFabric {
        private final SimHost host;
        private final List<SimQueuePair> own = new ArrayList<>();
        private final BitSet fencedAt = new BitSet();

        ComputeSide(SimHost host) {
            this.host = host;
        }

        @Override
        public List<Region> regions() {
            return memory.regions();
        }

        @Override
        public QueuePair connect(List<Region> regions) {
            return host.call("a registration", () -> open(regions));
        }

        private QueuePair open(List<Region> regions) {
            SimQueuePair queuePair =
                    new SimQueuePair(
                            SimFabric.this, host, memory.connect(regions), landingBytes, fencedAt);
            queuePairs.add(queuePair);
            own.add(queuePair);
            host.connected();
            return queuePair;
        }

        @Override
        public void enroll(int process) {
            UnplannedFailure.Moment moment = host.moment();
            host.failAt(UnplannedFailure.Moment.BEFORE, moment, "a registration");
            enrolled.put(process, this);
            host.failAt(UnplannedFailure.Moment.AFTER, moment, "a registration");
        }

        /// A request to each memory server, one after the other. A server that has confirmed it
        /// refuses the process's verbs from then on, those included that are half done.
        @Override
        public void fence(int process) {
            whenFenced.accept(process);
            ComputeSide zombie = enrolled.get(process);
            if (zombie == null) {
                return; // it has never opened a queue pair
            }
            for (int server = 0; server < servers.length; server++) {
                SimHost peer = servers[server];
                if (peer != null) {
                    fenceAt(server, peer, zombie);
                    if (PlantedFault.FENCE_CONFIRMED_EARLY.isPlanted()) {
                        return;
                    }
                }
            }
        }

        private void fenceAt(int server, SimHost peer, ComputeSide zombie) {
            awaitWay(peer, host.requestsHeldUntil(server));
            if (peer.isDead()) {
                throw new FabricException(
                        FabricException.Kind.PEER_GONE, peer.name() + " does not fence");
            }
            zombie.fencedAt.set(server);
            zombie.own.forEach(queuePair -> queuePair.fencedAt(server));
            awaitRequests(peer);
            simulation
                    .trace()
                    .say(simulation.nanoTime(), peer.name(), () -> "fences " + zombie.host.name());
            awaitWay(peer, host.repliesHeldUntil(server));
        }

        /// Waits for the requests that have come so far: one of the fenced process may be being
        /// handled.
        private void awaitRequests(SimHost peer) {
            long taken = peer.requestsTaken();
            while (!peer.hasHandled(taken)
                    && !peer.isDead()
                    && !PlantedFault.FENCE_BEFORE_REQUESTS.isPlanted()) {
                host.waitUntil(simulation.nanoTime() + simulation.model().oneWayNanos());
            }
        }

        /// A message's time on the wire, which may exceed the waiter's timeout.
        private void awaitWay(SimHost peer, long heldUntilNanos) {
            long timeout = simulation.nanoTime() + SimQueuePair.RETRY_NANOS;
            host.waitUntil(
                    Math.clamp(
                            heldUntilNanos,
                            simulation.nanoTime() + simulation.model().oneWayNanos(),
                            timeout));
            if (heldUntilNanos > timeout) {
                throw new FabricException(
                        FabricException.Kind.CONNECTION_LOST,
                        host.name() + " has lost its connection to " + peer.name());
            }
        }

        @Override
        public void close() {}
    }
}
