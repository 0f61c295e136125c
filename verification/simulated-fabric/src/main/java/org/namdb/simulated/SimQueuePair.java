package org.namdb.simulated;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.LandingRing;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;

/// Sends verbs through virtual time. A verb is four events: it leaves the poster's port, arrives at
/// the memory server's, takes effect, at once or in pieces, and is completed. To one server, verbs
/// arrive, take effect and are completed in the order in which they were posted.
final class SimQueuePair extends QueuePair {
    private static final int WORD_BYTES = 8;
    private static final int MAX_MOMENTS = 4;

    /// After so long without an answer the card gives up.
    static final long RETRY_NANOS = 400_000;

    private final SimFabric fabric;
    private final Simulation simulation;
    private final SimHost host;

    /// A queue pair in place on the same memory: it refuses bad addresses and has the native ones.
    private final QueuePair mapped;

    private final Arena arena = Arena.ofShared();
    private final LandingRing landing;
    private final long[] arrivals = new long[RemoteAddress.MAX_SERVERS];
    private final long[] effects = new long[RemoteAddress.MAX_SERVERS];
    private final long[] completions = new long[RemoteAddress.MAX_SERVERS];
    private @Nullable Thread waiter;
    private int outstanding;
    private @Nullable FabricException failure;

    /// What a request has failed with since the last await.
    private @Nullable FabricException refusal;

    /// How many requests memory servers are at work on.
    private int handled;

    private boolean freed;
    private boolean closed;
    private final BitSet fenced;

    /// WRITEs that have taken effect in part.
    private final List<TornVerb> begun = new ArrayList<>();

    /// @param fenced the memory servers that refuse this process
    SimQueuePair(
            SimFabric fabric, SimHost host, QueuePair mapped, int landingBytes, BitSet fenced) {
        this.fenced = fenced;
        this.fabric = fabric;
        this.simulation = fabric.simulation();
        this.host = host;
        this.mapped = mapped;
        this.landing = LandingRing.poisoning(arena, landingBytes);
    }

    @Override
    public boolean readsInPlace(int server) {
        return false;
    }

    @Override
    public int landingBytes() {
        return landing.landingBytes();
    }

    @Override
    public long landed() {
        return landing.landed();
    }

    /// A dead process gives up no views, though its threads may come here on their way out: WRITEs
    /// that it has posted from them go on.
    @Override
    protected void forgetViews(long mark) {
        UnplannedFailure.Moment moment = host.moment();
        host.failAt(UnplannedFailure.Moment.BEFORE, moment, "the end of views");
        if (!freed && !host.isDead()) {
            landing.giveUp(mark);
        }
        host.failAt(UnplannedFailure.Moment.AFTER, moment, "the end of views");
    }

    @Override
    public long localMemory(long bytes) {
        return host.call("local memory", () -> mapped.localMemory(bytes));
    }

    private long land(int bytes) {
        requireOpen();
        return landing.land(bytes);
    }

    private void requireOpen() {
        if (closed) {
            throw new FabricException(
                    FabricException.Kind.CONNECTION_LOST,
                    host.name() + " has closed this queue pair");
        }
    }

    @Override
    protected long postRead(long address, int bytes) {
        long remote = mapped.read(address, bytes);
        long view = land(bytes);
        send(SimVerb.Kind.READ, address, bytes, remote, view, 0, 0);
        return view;
    }

    @Override
    protected void postWrite(long address, long source, int bytes) {
        long remote = mapped.read(address, bytes);
        send(SimVerb.Kind.WRITE, address, bytes, remote, source, 0, 0);
    }

    @Override
    protected void postWriteWord(long address, long value) {
        long remote = mapped.read(address, WORD_BYTES);
        send(SimVerb.Kind.WRITE_WORD, address, WORD_BYTES, remote, 0, value, 0);
    }

    @Override
    protected long postCompareAndSwap(long address, long expected, long desired) {
        long remote = mapped.read(address, WORD_BYTES);
        long view = land(WORD_BYTES);
        send(SimVerb.Kind.COMPARE_AND_SWAP, address, WORD_BYTES, remote, view, expected, desired);
        return view;
    }

    @Override
    protected long postFetchAndAdd(long address, long delta) {
        long remote = mapped.read(address, WORD_BYTES);
        long view = land(WORD_BYTES);
        send(SimVerb.Kind.FETCH_AND_ADD, address, WORD_BYTES, remote, view, delta, 0);
        return view;
    }

    @Override
    protected void awaitCompletions() {
        host.requireAlive();
        UnplannedFailure.Moment moment = host.moment();
        host.failAt(UnplannedFailure.Moment.BEFORE, moment, "an await");
        waiter = Thread.currentThread();
        while (outstanding > 0 && failure == null) {
            host.park();
        }
        waiter = null;
        landing.endBatch();
        throwFailure();
        throwRefusal();
        long ready = host.occupyCore(simulation.nanoTime(), simulation.model().completeNanos());
        if (ready > simulation.nanoTime()) {
            host.waitUntil(ready);
        }
        host.failAt(UnplannedFailure.Moment.AFTER, moment, "an await");
    }

    @Override
    protected long postRequest(int server, long source, int bytes, int replyBytes) {
        host.requireAlive();
        throwFailure();
        if (fenced.get(server)) {
            throw fencedBy(server);
        }
        SimHost _ = fabric.server(server);
        long view = land(landedReply(replyBytes));
        long address = RemoteAddress.of(server, 0);
        send(SimVerb.Kind.REQUEST, address, bytes, 0, view, source, replyBytes);
        return view;
    }

    /// Has a request handled when its turn comes, which is at one moment of virtual time. Until it
    /// is answered its poster waits, so that neither the request nor the view is used again.
    private void answer(SimVerb request, SimHost peer, int server) {
        boolean isPlanted = PlantedFault.FENCE_BEFORE_REQUESTS.isPlanted();
        if (failure != null && !isPlanted) {
            return;
        }
        if (fenced.get(server) && !isPlanted) {
            fencedAt(server);
            return;
        }
        try {
            int _ = handle(request, server);
        } catch (FabricException e) {
            refusal = e;
            simulation.at(simulation.nanoTime() + RETRY_NANOS, this::complete);
            return;
        }
        simulation
                .trace()
                .say(
                        simulation.nanoTime(),
                        peer.name(),
                        () -> "answers a request of " + host.name());
        long handled = peer.occupyCore(simulation.nanoTime(), simulation.model().handleNanos());
        reply(request, server, handled);
    }

    private int handle(SimVerb request, int server) {
        long reply = request.local + REPLY_HEAD_BYTES;
        handled++;
        try {
            int length =
                    fabric.answer(
                            server, request.operand, request.bytes, reply, (int) request.desired);
            LocalMemory.putLong(request.local, length);
            return length;
        } finally {
            handled--;
        }
    }

    /// A memory server refuses everything from now on: a WRITE that has begun ends at once, what
    /// has not begun is dropped, and the poster gets an error after a while.
    void fencedAt(int server) {
        if (failure == null && outstanding > 0) {
            endBegunWrites();
            failure = fencedBy(server);
            simulation.at(simulation.nanoTime() + RETRY_NANOS, this::wake);
        }
    }

    private FabricException fencedBy(int server) {
        return new FabricException(
                FabricException.Kind.FENCED,
                host.name() + " is fenced by " + fabric.server(server).name());
    }

    /// A dead process disconnects nothing, though its threads may come here on their way out: what
    /// it has posted goes on.
    @Override
    public void disconnect() {
        if (failure == null && !host.isDead()) {
            endBegunWrites();
            failure =
                    new FabricException(
                            FabricException.Kind.CONNECTION_LOST,
                            host.name() + " has disconnected");
        }
    }

    /// Its memory stays until the fabric's end if verbs that may take effect are on their way, or
    /// threads of a dead process.
    @Override
    public void close() {
        if (!closed) {
            closed = true;
            host.disconnected();
            boolean isOver =
                    failure != null
                            && handled == 0
                            && !PlantedFault.FENCE_BEFORE_REQUESTS.isPlanted();
            if ((outstanding == 0 || isOver) && !host.isDead()) {
                free();
            }
        }
    }

    void free() {
        if (!freed) {
            freed = true;
            mapped.close();
            arena.close();
        }
    }

    private void send(
            SimVerb.Kind kind,
            long address,
            int bytes,
            long remote,
            long local,
            long operand,
            long desired) {
        UnplannedFailure.Moment moment = host.moment();
        host.failAt(UnplannedFailure.Moment.BEFORE, moment, "a post");
        host.beforeVerb();
        requireOpen();
        if (failure != null) {
            return; // the await throws
        }
        SimVerb verb = new SimVerb(kind, address, bytes, remote, local, operand, desired);
        int server = RemoteAddress.server(address);
        long posted = host.occupyCore(simulation.nanoTime(), simulation.model().postNanos());
        long arrival = host.send(posted, verb.requestBytes()) + wayNanos();
        long held = host.requestsHeldUntil(server);
        arrivals[server] = Math.max(Math.max(arrival, held), arrivals[server]);
        breakIfHeld(verb, server, held);
        outstanding++;
        double loss = simulation.faults().lossProbability();
        boolean isLost = loss > 0 && simulation.random().nextDouble() < loss;
        simulation.at(arrivals[server], () -> arrive(verb, server, isLost));
        host.failAt(UnplannedFailure.Moment.AFTER, moment, "a post");
    }

    /// What is lost is sent again, up to a timeout: then some of what was posted has arrived, and
    /// the remainder never will.
    private void breakIfHeld(SimVerb verb, int server, long untilNanos) {
        long timeout = simulation.nanoTime() + RETRY_NANOS;
        if (untilNanos > timeout) {
            simulation.at(timeout, () -> lose(verb, fabric.server(server), true, false));
        }
    }

    private void arrive(SimVerb verb, int server, boolean isLost) {
        SimHost peer = fabric.server(server);
        if (failure != null) {
            return;
        }
        if (fenced.get(server)) {
            fencedAt(server);
            return;
        }
        if (isLost || peer.isDead()) {
            boolean isReplyLost = isLost && simulation.random().nextBoolean();
            // Those before it come first.
            simulation.at(
                    Math.max(effects[server], simulation.nanoTime()),
                    () -> lose(verb, peer, isLost, isReplyLost));
            return;
        }
        long start =
                Math.max(peer.receive(simulation.nanoTime(), verb.requestBytes()), effects[server]);
        if (verb.kind == SimVerb.Kind.REQUEST) {
            effects[server] = start;
            simulation.at(
                    start,
                    () ->
                            peer.receiveRequest(
                                    () -> answer(verb, peer, server),
                                    () -> lose(verb, peer, false, false)));
            return;
        }
        if (verb.isAtomic()) {
            start += simulation.model().atomicNanos();
        }
        FaultPlan faults = simulation.faults();
        if (faults.tearBytes() > 0
                && verb.canTear(faults.tearBytes())
                && simulation.random().nextDouble() < faults.tearProbability()) {
            tear(verb, server, start, faults);
        } else {
            effects[server] = start;
            simulation.at(
                    start,
                    () -> {
                        if (failure == null) {
                            traceEffect(verb, verb.takeEffect());
                            reply(verb, server, simulation.nanoTime());
                        }
                    });
        }
    }

    private void tear(SimVerb verb, int server, long start, FaultPlan faults) {
        int moments = simulation.random().nextInt(2, MAX_MOMENTS + 1);
        byte[] momentOf = verb.tear(faults.tearBytes(), moments, simulation.random());
        long[] times = new long[moments];
        for (int i = 0; i < moments; i++) {
            times[i] = start + simulation.random().nextLong(faults.tearNanos() + 1);
        }
        Arrays.sort(times);
        effects[server] = times[moments - 1];
        TornVerb torn = new TornVerb(verb, momentOf, moments, faults.tearBytes());
        for (int i = 0; i < moments; i++) {
            simulation.at(
                    times[i],
                    () -> {
                        if (failure == null) {
                            torn.takeNextEffect();
                            if (torn.isOver()) {
                                begun.remove(torn);
                                traceEffect(verb, moments);
                                reply(verb, server, simulation.nanoTime());
                            } else if (verb.kind == SimVerb.Kind.WRITE && torn.next == 1) {
                                begun.add(torn);
                            }
                        }
                    });
        }
    }

    /// A WRITE that has begun to take effect when the connection to another server is lost ends:
    /// the card has all of it, and does not notice the loss. So no WRITE is ever left half done, on
    /// which the recovery of a dead process relies. It ends at once, before its poster may reuse
    /// the memory that it is written from.
    private void endBegunWrites() {
        for (TornVerb torn : begun) {
            while (!torn.isOver()) {
                torn.takeNextEffect();
            }
        }
        begun.clear();
    }

    private void reply(SimVerb verb, int server, long readyNanos) {
        long done = fabric.server(server).send(readyNanos, verb.replyBytes()) + wayNanos();
        long held = host.repliesHeldUntil(server);
        completions[server] = Math.max(Math.max(done, held), completions[server]);
        breakIfHeld(verb, server, held);
        simulation.at(completions[server], this::complete);
    }

    private void complete() {
        outstanding--;
        if (outstanding == 0) {
            wake();
        }
    }

    /// The connection is gone, before or after the verb; after a while the poster's card notices.
    private void lose(SimVerb verb, SimHost peer, boolean isLost, boolean isReplyLost) {
        if (failure != null) {
            return;
        }
        if (isReplyLost) {
            traceEffect(verb, effect(verb));
        }
        endBegunWrites();
        failure =
                new FabricException(
                        isLost
                                ? FabricException.Kind.CONNECTION_LOST
                                : FabricException.Kind.PEER_GONE,
                        host.name() + " has lost its connection to " + peer.name());
        simulation
                .trace()
                .say(
                        simulation.nanoTime(),
                        host.name(),
                        () -> "loses its connection to " + peer.name());
        simulation.at(simulation.nanoTime() + RETRY_NANOS, this::wake);
    }

    private long effect(SimVerb verb) {
        if (verb.kind != SimVerb.Kind.REQUEST) {
            return verb.takeEffect();
        }
        try {
            return handle(verb, RemoteAddress.server(verb.address));
        } catch (FabricException e) {
            return e.kind().ordinal();
        }
    }

    private void wake() {
        Thread thread = waiter;
        if (thread != null) {
            LockSupport.unpark(thread);
        }
    }

    private void throwFailure() {
        FabricException lost = failure;
        if (lost != null) {
            throw new FabricException(lost.kind(), String.valueOf(lost.getMessage()));
        }
    }

    private void throwRefusal() {
        FabricException refused = refusal;
        if (refused != null) {
            refusal = null;
            throw refused;
        }
    }

    private long wayNanos() {
        return simulation.model().oneWayNanos()
                + simulation.faults().delayNanos(simulation.random());
    }

    private void traceEffect(SimVerb verb, long result) {
        SimTrace trace = simulation.trace();
        trace.mix(simulation.nanoTime(), verb.kind.ordinal(), verb.address, result);
        if (trace.isOn()) {
            String what =
                    switch (verb.kind) {
                        case READ, WRITE, WRITE_WORD, REQUEST -> "";
                        case COMPARE_AND_SWAP ->
                                result == verb.operand
                                        ? ": won"
                                        : ": lost to %#x".formatted(result);
                        case FETCH_AND_ADD -> ": was " + result;
                    };
            trace.verb(simulation.nanoTime(), host.name(), verb, what);
        }
    }

    /// A verb that takes effect piece by piece.
    private static final class TornVerb {
        private final SimVerb verb;
        private final byte[] momentOf;
        private final int moments;
        private final int pieceBytes;
        private int next;

        TornVerb(SimVerb verb, byte[] momentOf, int moments, int pieceBytes) {
            this.verb = verb;
            this.momentOf = momentOf;
            this.moments = moments;
            this.pieceBytes = pieceBytes;
        }

        void takeNextEffect() {
            verb.takeEffect(momentOf, next++, pieceBytes);
        }

        boolean isOver() {
            return next == moments;
        }
    }
}
