package org.namdb.simulated;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.peer.PeerFabric;
import org.namdb.fabric.peer.PeerRequest;

/// The network between the compute servers of a simulated cluster. Messages from one process to
/// another arrive in the order in which they were sent, over a connection that is lost when it is
/// cut for too long, or by the fault plan; then every request that it had not completed fails, and
/// the next one connects again.
public final class SimPeers {
    private final Simulation simulation;

    /// Those that have joined and not left, by number; the dead stay.
    private final Map<Integer, SimPeer> members = new TreeMap<>();

    /// Until when what one process sends to another is held up.
    private final Map<Link, Long> cuts = new HashMap<>();

    private record Link(int from, int to) {}

    public SimPeers(Simulation simulation) {
        this.simulation = simulation;
    }

    /// The side of the compute server `process`, which runs on `host`.
    public PeerFabric join(int process, SimHost host) {
        SimPeer member = new SimPeer(process, host);
        members.put(process, member);
        host.onCrash(member::crashed);
        return member;
    }

    /// Cuts the link from one process to another in this direction for a while. What is lost is
    /// sent again until it arrives; if that takes too long, the connection is lost.
    public void cut(int from, int to, long nanos) {
        cuts.put(new Link(from, to), simulation.nanoTime() + nanos);
        simulation
                .trace()
                .say(
                        simulation.nanoTime(),
                        "process " + from,
                        () -> "is not heard by process %d for %,d ns".formatted(to, nanos));
    }

    private long heldUntil(int from, int to) {
        return cuts.getOrDefault(new Link(from, to), 0L);
    }

    private final class SimPeer extends PeerFabric {
        private final SimHost host;

        /// By peer, when the last message to it arrives.
        private final Map<Integer, Long> arrivals = new HashMap<>();

        /// By peer, how many connections to it were lost.
        private final Map<Integer, Integer> losses = new HashMap<>();

        SimPeer(int process, SimHost host) {
            super(process, host);
            this.host = host;
        }

        @Override
        protected void park() {
            host.park();
        }

        /// By virtual time: the host's clock may drift a little.
        @Override
        protected void park(long nanos) {
            Thread thread = Thread.currentThread();
            simulation.at(simulation.nanoTime() + nanos, () -> LockSupport.unpark(thread));
            host.park();
        }

        @Override
        protected void carry(int peer, long number, byte[] request) {
            host.beforeVerb();
            int connection = losses(peer);
            simulation
                    .trace()
                    .say(
                            simulation.nanoTime(),
                            host.name(),
                            () -> "sends request %d to process %d".formatted(number, peer));
            if (!sends(peer, request.length, () -> arrive(peer, number, request, connection))) {
                lose(peer, FabricException.Kind.CONNECTION_LOST);
            }
        }

        private int losses(int peer) {
            return losses.getOrDefault(peer, 0);
        }

        private boolean isConnected(int peer, int connection) {
            return losses(peer) == connection && !host.isDead();
        }

        /// Sends a message.
        ///
        /// @return whether it arrives
        private boolean sends(int peer, int bytes, Runnable arrival) {
            long posted = host.occupyCore(simulation.nanoTime(), simulation.model().postNanos());
            long sent =
                    host.send(posted, bytes)
                            + simulation.model().oneWayNanos()
                            + simulation.faults().delayNanos(simulation.random());
            long held = heldUntil(process(), peer);
            double loss = simulation.faults().lossProbability();
            if (held > simulation.nanoTime() + SimQueuePair.RETRY_NANOS
                    || loss > 0 && simulation.random().nextDouble() < loss) {
                return false;
            }
            long at = Math.max(Math.max(sent, held), arrivals.getOrDefault(peer, 0L));
            arrivals.put(peer, at);
            simulation.at(at, arrival);
            return true;
        }

        private void arrive(int peer, long number, byte[] request, int connection) {
            SimPeer receiver = members.get(peer);
            if (receiver == null || receiver.host.isDead()) {
                lose(peer, FabricException.Kind.PEER_GONE);
            } else if (isConnected(peer, connection)) {
                receiver.receive(new SimRequest(receiver, this, number, request, connection));
            }
        }

        /// The connection to a peer is gone; after a while this process notices.
        private void lose(int peer, FabricException.Kind kind) {
            losses.merge(peer, 1, Integer::sum);
            long last = posted();
            simulation.at(
                    simulation.nanoTime() + SimQueuePair.RETRY_NANOS,
                    () -> fail(peer, last, kind, "is out of reach of process " + process()));
        }

        @Override
        protected void leave() {
            members.remove(process(), this);
            crashed();
        }

        private void crashed() {
            members.values().forEach(this::lost);
        }

        private void lost(SimPeer member) {
            if (member != this) {
                member.lose(process(), FabricException.Kind.PEER_GONE);
            }
        }

        /// On this peer's host, an answer to `requester`.
        private void carryAnswer(SimRequest request, byte @Nullable [] answer) {
            host.beforeVerb();
            SimPeer requester = request.requester;
            int bytes = answer == null ? 0 : answer.length;
            if (!sends(
                    requester.process(), bytes, () -> requester.answered(request, answer, this))) {
                requester.lose(process(), FabricException.Kind.CONNECTION_LOST);
            }
        }

        private void answered(SimRequest request, byte @Nullable [] answer, SimPeer peer) {
            if (isConnected(peer.process(), request.connection)) {
                if (answer == null) {
                    fail(
                            request.number,
                            FabricException.Kind.FENCED,
                            "refuses process " + process());
                } else {
                    complete(request.number, answer);
                }
            }
        }
    }

    private static final class SimRequest extends PeerRequest {
        private final SimPeer receiver;
        private final SimPeer requester;
        private final long number;

        /// How many connections the requester had lost before.
        private final int connection;

        SimRequest(SimPeer receiver, SimPeer requester, long number, byte[] bytes, int connection) {
            super(requester.process(), bytes);
            this.receiver = receiver;
            this.requester = requester;
            this.number = number;
            this.connection = connection;
        }

        @Override
        protected void carry(byte[] answer) {
            receiver.carryAnswer(this, answer);
        }

        @Override
        protected void reject() {
            receiver.carryAnswer(this, null);
        }
    }
}
