package org.namdb.fabric.rdma;

import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.FabricException.Kind;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.LandingRing;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;

/// Verbs that a NIC carries out. They are queued when they are posted, passed to it some dozens at
/// a time and at the await, and the thread that awaits them polls for their completion. Addresses
/// are checked here before the NIC checks its keys, so that a bad one costs no connection.
final class RdmaQueuePair extends QueuePair {
    private static final int ATOMIC_BYTES = 8;

    /// Data that a work request holds itself: a word, a few words. What a device offers is more.
    private static final int INLINE_BYTES = 64;

    /// More than this goes by several verbs, as devices limit how long one may be.
    private static final int MAX_VERB_BYTES = 1 << 20;

    /// Completions of messages, in addition to those of verbs.
    private static final int MESSAGES = 8;

    private final RdmaComputeFabric fabric;
    private final Nic nic;
    private final RdmaOptions options;
    private final RegisteredMemory memory;
    private final Completions completions;
    private final Requester requester;
    private final CompletionWait timeout;
    private final LandingRing landing;

    /// The directory's entry of each server when this was opened.
    private final @Nullable RemoteRegion[] regions =
            new @Nullable RemoteRegion[RemoteAddress.MAX_SERVERS];

    /// The servers whose region has another key.
    private final boolean[] wrongKeys = new boolean[RemoteAddress.MAX_SERVERS];

    private final @Nullable SendQueue[] byServer =
            new @Nullable SendQueue[RemoteAddress.MAX_SERVERS];

    /// All that were opened, by index.
    private final List<SendQueue> queues = new ArrayList<>();

    private boolean closed;

    RdmaQueuePair(RdmaComputeFabric fabric, Nic nic, RdmaOptions options, int servers) {
        this.fabric = fabric;
        this.nic = nic;
        this.options = options;
        memory = new RegisteredMemory(nic);
        completions = new Completions(nic, Math.max(servers, 1) * (options.sendDepth() + MESSAGES));
        requester =
                new Requester(nic, completions, this::completed, memory, options.timeoutNanos());
        timeout = new CompletionWait(options.timeoutNanos());
        landing = new LandingRing(memory, options.landingBytes());
    }

    /// Before the first verb: a server's region, or null if it is unknown.
    void knows(int server, @Nullable RemoteRegion region, boolean hasWrongKey) {
        regions[server] = region;
        wrongKeys[server] = hasWrongKey;
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
        return memory.place(bytes);
    }

    @Override
    public boolean releaseLocalMemory(long address) {
        return memory.release(address);
    }

    @Override
    protected long postRead(long address, int bytes) {
        RemoteRegion region = require(address, bytes);
        SendQueue queue = queue(address);
        long view = landing.land(bytes);
        int key = memory.localKey(view);
        long offset = RemoteAddress.offset(address);
        for (int done = 0; done < bytes; ) {
            int part = part(region, offset + done, bytes - done);
            awaitCapacity(queue);
            queue.read(offset + done, view + done, key, part);
            queue.ring();
            done += part;
        }
        return view;
    }

    @Override
    protected void postWrite(long address, long source, int bytes) {
        RemoteRegion region = require(address, bytes);
        SendQueue queue = queue(address);
        int key = queue.isInline(bytes) ? 0 : memory.localKey(source);
        long offset = RemoteAddress.offset(address);
        for (int done = 0; done < bytes; ) {
            int part = part(region, offset + done, bytes - done);
            awaitCapacity(queue);
            queue.write(offset + done, source + done, key, part);
            queue.ring();
            done += part;
        }
    }

    private static int part(RemoteRegion region, long offset, int bytes) {
        return (int) Math.min(Math.min(bytes, MAX_VERB_BYTES), region.bytesToEnd(offset));
    }

    @Override
    protected void postWriteWord(long address, long value) {
        require(address, ATOMIC_BYTES);
        SendQueue queue = queue(address);
        awaitCapacity(queue);
        queue.writeWord(RemoteAddress.offset(address), value);
        queue.ring();
    }

    @Override
    protected long postCompareAndSwap(long address, long expected, long desired) {
        require(address, ATOMIC_BYTES);
        SendQueue queue = queue(address);
        awaitCapacity(queue);
        long view = landing.land(ATOMIC_BYTES);
        queue.compareAndSwap(
                RemoteAddress.offset(address), view, memory.localKey(view), expected, desired);
        queue.ring();
        return view;
    }

    @Override
    protected long postFetchAndAdd(long address, long delta) {
        require(address, ATOMIC_BYTES);
        SendQueue queue = queue(address);
        awaitCapacity(queue);
        long view = landing.land(ATOMIC_BYTES);
        queue.fetchAndAdd(RemoteAddress.offset(address), view, memory.localKey(view), delta);
        queue.ring();
        return view;
    }

    /// Until another verb can be written.
    private void awaitCapacity(SendQueue queue) {
        if (queue.hasCapacity() && !queue.hasFailed()) {
            return;
        }
        timeout.renew();
        while (!queue.hasCapacity() && !queue.hasFailed()) {
            pollOrWait();
        }
        if (queue.hasFailed()) {
            throw queue.failure();
        }
    }

    @Override
    protected void awaitCompletions() {
        SendQueue failed = null;
        for (int i = 0; i < queues.size(); i++) {
            queues.get(i).flush();
        }
        timeout.renew();
        for (int i = 0; i < queues.size(); i++) {
            SendQueue queue = queues.get(i);
            while (queue.isPending()) {
                pollOrWait();
            }
            if (queue.failsBatch() && failed == null) {
                failed = queue;
            }
        }
        VarHandle.fullFence();
        landing.endBatch();
        FabricException refusal = takeRefusals();
        if (failed != null) {
            throw failed.failure();
        }
        if (refusal != null) {
            throw refusal;
        }
    }

    private @Nullable FabricException takeRefusals() {
        FabricException first = null;
        for (int i = 0; i < queues.size(); i++) {
            FabricException refusal = queues.get(i).takeRefusal();
            first = first == null ? refusal : first;
        }
        return first;
    }

    private void pollOrWait() {
        int count = completions.poll();
        for (int i = 0; i < count; i++) {
            completed(i);
        }
        if (count > 0) {
            timeout.renew();
        } else if (timeout.pause()) {
            requireConnected();
        }
    }

    /// Takes note of a completion that is about a verb; those of abandoned messages have negative
    /// numbers.
    private void completed(int index) {
        long number = completions.number(index);
        if (number >= 0) {
            queues.get(SendQueue.index(number))
                    .completed(number, completions.status(index), completions.bytes(index));
        }
    }

    private void requireConnected() {
        boolean isOver = timeout.isOver();
        for (SendQueue queue : queues) {
            if (!queue.isPending()) {
                continue;
            }
            if (queue.connection().isEnded()) {
                queue.fail("the memory server's process has ended it");
            } else if (isOver) {
                if (queue.awaitsReply() && queue.control().isThere()) {
                    timeout.renew();
                } else {
                    queue.fail("timeout: no completion");
                }
            }
        }
    }

    /// The way to an address's server, opened when it is first used.
    private SendQueue queue(long address) {
        SendQueue queue = byServer[RemoteAddress.server(address)];
        return queue == null ? open(RemoteAddress.server(address)) : queue;
    }

    private SendQueue open(int server) {
        RemoteRegion region = Objects.requireNonNull(regions[server]);
        ControlConnection control = fabric.control(region);
        ReliableConnection connection = connect(control);
        try {
            SendQueue.Capacity capacity =
                    new SendQueue.Capacity(memory, options.sendDepth(), INLINE_BYTES);
            SendQueue queue =
                    new SendQueue(nic, control, region, connection, capacity, queues.size());
            int key = region.region().key();
            queue.openedAs(control.greet(connection, requester, server, key));
            queues.add(queue);
            byServer[server] = queue;
            return queue;
        } catch (FabricException e) {
            connection.close();
            throw e;
        }
    }

    private ReliableConnection connect(ControlConnection control) {
        ReliableConnection.Shape shape =
                new ReliableConnection.Shape(
                        completions.queue(), options.sendDepth(), INLINE_BYTES);
        return ReliableConnection.open(nic, control.address(), shape, options.timeoutNanos());
    }

    @Override
    protected long postRequest(int server, long source, int bytes, int replyBytes) {
        if (regions[server] == null) {
            throw new FabricException(Kind.PEER_GONE, "no connection to memory server " + server);
        }
        int most = Math.max(bytes, replyBytes);
        if (most > Message.MAX_BYTES) {
            throw new FabricException(
                    Kind.TOO_LARGE,
                    "a request or a reply of %,d bytes: %,d are the most"
                            .formatted(most, Message.MAX_BYTES));
        }
        SendQueue queue = queue(RemoteAddress.of(server, 0));
        awaitCapacity(queue);
        long view = landing.land(landedReply(replyBytes));
        queue.request(source, bytes, view, memory.localKey(view), replyBytes);
        queue.ring();
        return view;
    }

    /// The region of a verb's server, if all of `bytes` lie in it and both are multiples of 8.
    private RemoteRegion require(long address, int bytes) {
        RemoteRegion region = regions[RemoteAddress.server(address)];
        long offset = RemoteAddress.offset(address);
        if (address >= 0
                || region == null
                || bytes <= 0
                || offset + bytes > region.bytes()
                || ((offset | bytes) & 7) != 0) {
            throw refused(address, bytes, region);
        }
        return region;
    }

    private FabricException refused(long address, int bytes, @Nullable RemoteRegion region) {
        String what = bytes + " bytes at " + RemoteAddress.describe(address);
        if (RemoteAddress.isNull(address)) {
            return new FabricException(Kind.BAD_ADDRESS, "a verb on the null address");
        }
        if (wrongKeys[RemoteAddress.server(address)]) {
            return new FabricException(
                    Kind.BAD_KEY, what + ": the region key does not open this region");
        }
        if (region == null) {
            return new FabricException(Kind.PEER_GONE, what + ": the memory server is gone");
        }
        return new FabricException(
                Kind.BAD_ADDRESS,
                what
                        + ": not inside of a region of "
                        + region.bytes()
                        + " bytes, or not aligned to 8");
    }

    /// What the NIC has sent may still be on its way, so the other sides end the connections, too.
    @Override
    public void disconnect() {
        forgetRegions();
        FirstFailure failure = new FirstFailure();
        for (SendQueue queue : queues) {
            failure.attempt(queue::end);
        }
        failure.rethrow();
    }

    private void forgetRegions() {
        Arrays.fill(regions, null);
        Arrays.fill(wrongKeys, false);
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        forgetRegions();
        for (SendQueue queue : queues) {
            queue.fail("closed");
        }
        completions.close();
        memory.close();
        fabric.closed(this);
    }
}
