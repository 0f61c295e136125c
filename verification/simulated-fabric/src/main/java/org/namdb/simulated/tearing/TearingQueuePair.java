package org.namdb.simulated.tearing;

import java.lang.foreign.Arena;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.LandingRing;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;

/// Checks an address when a verb is posted, and lets the verb take effect then, later, or in
/// the await.
final class TearingQueuePair extends QueuePair {
    private static final int WORD_BYTES = 8;

    /// A queue pair in place on the same memory: it refuses bad addresses, has the native ones, and
    /// has requests answered.
    private final QueuePair mapped;

    private final SplittableRandom random;
    private final TornCopy tornCopy;
    private final Arena arena = Arena.ofShared();
    private final LandingRing landing;
    private final SendQueue[] sendQueues = new SendQueue[RemoteAddress.MAX_SERVERS];

    /// The send queues that are not empty: the first `busyQueues` of the array.
    private final SendQueue[] busy = new SendQueue[RemoteAddress.MAX_SERVERS];

    private int busyQueues;
    private final ArrayDeque<PostedVerb> spare = new ArrayDeque<>();
    private boolean written;

    /// What a request has failed with since the last await.
    private @Nullable FabricException refusal;

    TearingQueuePair(
            QueuePair mapped,
            int landingBytes,
            TearingFabric.Options options,
            SplittableRandom random) {
        this.mapped = mapped;
        this.random = random;
        this.tornCopy = new TornCopy(random, options);
        this.landing = LandingRing.poisoning(arena, landingBytes);
        for (int server = 0; server < sendQueues.length; server++) {
            sendQueues[server] = new SendQueue();
        }
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

    @Override
    protected void forgetViews(long mark) {
        landing.giveUp(mark);
    }

    @Override
    public long localMemory(long bytes) {
        return mapped.localMemory(bytes);
    }

    @Override
    public boolean releaseLocalMemory(long address) {
        return mapped.releaseLocalMemory(address);
    }

    @Override
    protected long postRead(long address, int bytes) {
        long remote = mapped.read(address, bytes);
        PostedVerb verb = verb(PostedVerb.Kind.READ, remote, landing.land(bytes));
        verb.bytes = bytes;
        post(address, verb);
        return verb.view;
    }

    @Override
    protected void postWrite(long address, long source, int bytes) {
        PostedVerb verb = verb(PostedVerb.Kind.WRITE, mapped.read(address, bytes), 0);
        verb.bytes = bytes;
        verb.operand = source;
        post(address, verb);
    }

    @Override
    protected void postWriteWord(long address, long value) {
        PostedVerb verb = verb(PostedVerb.Kind.WRITE_WORD, mapped.read(address, WORD_BYTES), 0);
        verb.operand = value;
        post(address, verb);
    }

    @Override
    protected long postCompareAndSwap(long address, long expected, long desired) {
        long remote = mapped.read(address, WORD_BYTES);
        PostedVerb verb = verb(PostedVerb.Kind.COMPARE_AND_SWAP, remote, landing.land(WORD_BYTES));
        verb.operand = expected;
        verb.desired = desired;
        post(address, verb);
        return verb.view;
    }

    @Override
    protected long postFetchAndAdd(long address, long delta) {
        long remote = mapped.read(address, WORD_BYTES);
        PostedVerb verb = verb(PostedVerb.Kind.FETCH_AND_ADD, remote, landing.land(WORD_BYTES));
        verb.operand = delta;
        post(address, verb);
        return verb.view;
    }

    @Override
    protected void awaitCompletions() {
        while (busyQueues > 0) {
            tornCopy.maybePause();
            completeOne();
        }
        fenceWrites();
        landing.endBatch();
        FabricException refused = refusal;
        if (refused != null) {
            refusal = null;
            throw refused;
        }
    }

    @Override
    protected long postRequest(int server, long source, int bytes, int replyBytes) {
        long view = landing.land(landedReply(replyBytes));
        PostedVerb verb = verb(PostedVerb.Kind.REQUEST, 0, view);
        verb.server = server;
        verb.operand = source;
        verb.bytes = bytes;
        verb.replyBytes = replyBytes;
        post(RemoteAddress.of(server, 0), verb);
        return view;
    }

    @Override
    public void disconnect() {
        for (SendQueue queue : sendQueues) {
            queue.verbs.clear();
        }
        busyQueues = 0;
        mapped.disconnect();
    }

    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            mapped.close();
            arena.close();
        }
    }

    private PostedVerb verb(PostedVerb.Kind kind, long remote, long view) {
        PostedVerb verb = spare.isEmpty() ? new PostedVerb() : spare.pop();
        verb.kind = kind;
        verb.remote = remote;
        verb.view = view;
        return verb;
    }

    private void post(long address, PostedVerb verb) {
        SendQueue queue = sendQueues[RemoteAddress.server(address)];
        if (queue.verbs.isEmpty()) {
            busy[busyQueues++] = queue;
        }
        queue.verbs.add(verb);
        while (busyQueues > 0 && random.nextBoolean()) {
            completeOne();
        }
    }

    /// Lets the oldest verb to a server, whichever, take effect.
    private void completeOne() {
        int chosen = random.nextInt(busyQueues);
        SendQueue queue = busy[chosen];
        PostedVerb verb = queue.verbs.remove();
        if (queue.verbs.isEmpty()) {
            busy[chosen] = busy[--busyQueues];
        }
        takeEffect(verb);
        spare.push(verb);
    }

    private void takeEffect(PostedVerb verb) {
        switch (verb.kind) {
            case READ -> {
                fenceWrites();
                tornCopy.copy(verb.remote, verb.view, verb.bytes, verb.remote);
            }
            case WRITE -> {
                tornCopy.copy(verb.operand, verb.remote, verb.bytes, verb.remote);
                written = true;
            }
            case WRITE_WORD -> {
                LocalMemory.putLongRelease(verb.remote, verb.operand);
                written = true;
            }
            case COMPARE_AND_SWAP ->
                    LocalMemory.putLong(
                            verb.view,
                            LocalMemory.compareAndExchange(
                                    verb.remote, verb.operand, verb.desired));
            case FETCH_AND_ADD ->
                    LocalMemory.putLong(
                            verb.view, LocalMemory.fetchAndAdd(verb.remote, verb.operand));
            case REQUEST -> request(verb);
        }
    }

    private void request(PostedVerb verb) {
        fenceWrites();
        try {
            long reply = mapped.request(verb.server, verb.operand, verb.bytes, verb.replyBytes);
            mapped.await();
            LocalMemory.copy(reply, verb.view, landedReply(replyLength(reply)));
        } catch (FabricException e) {
            refusal = e; // the thread that next posts or awaits may have posted it
        }
    }

    /// What was written is seen by others before this thread reads on.
    private void fenceWrites() {
        if (written) {
            written = false;
            VarHandle.fullFence();
        }
    }

    /// The verbs for one server, in issue order.
    private static final class SendQueue {
        final ArrayDeque<PostedVerb> verbs = new ArrayDeque<>();
    }
}
