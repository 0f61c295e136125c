package org.namdb.timestamp;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;

/// A queue pair whose every access to a word of remote memory is a step of its own, so that a test
/// decides what happens in between. Verbs take effect in issue order, or only those to one server
/// do; the words of one READ or WRITE in ascending order, or in any.
public final class SteppedQueuePair extends QueuePair {
    private static final int LANDING_BYTES = 1 << 13;

    private final QueuePair inner;
    private final Map<Long, Runnable> before = new HashMap<>();
    private final List<Runnable> delayed = new ArrayList<>();
    private final long landing;
    private int landed;
    private LongConsumer step = address -> {};
    private @Nullable Random order;
    private boolean readsLastFirst;
    private @Nullable Random serverOrder;
    private final List<Deque<Runnable>> posted = new ArrayList<>();

    public SteppedQueuePair(QueuePair inner) {
        this.inner = inner;
        this.landing = inner.localMemory(LANDING_BYTES);
    }

    /// Calls `newStep` before each access, with the remote address.
    public SteppedQueuePair step(LongConsumer newStep) {
        step = newStep;
        return this;
    }

    /// Accesses the words of a verb in any order.
    public SteppedQueuePair wordsInAnyOrder(Random newOrder) {
        order = newOrder;
        return this;
    }

    /// Breaks the promise that verbs take effect in issue order: the READs of a batch take effect
    /// at its end, last first.
    public SteppedQueuePair readsLastFirst() {
        readsLastFirst = true;
        return this;
    }

    /// Accesses words when they are awaited, and those of different servers in any order.
    public SteppedQueuePair serversInAnyOrder(Random newOrder) {
        serverOrder = newOrder;
        return this;
    }

    /// Runs `action` once, right before the next access to the word at `address`.
    public void before(long address, Runnable action) {
        before.put(address, action);
    }

    @Override
    public long landed() {
        return landed;
    }

    @Override
    protected void forgetViews(long mark) {}

    @Override
    protected long postRead(long address, int bytes) {
        long view = land(bytes);
        if (readsLastFirst) {
            delayed.add(() -> readWords(address, bytes, view));
        } else {
            readWords(address, bytes, view);
        }
        return view;
    }

    private void readWords(long address, int bytes, long view) {
        for (int offset : offsets(bytes)) {
            perform(
                    address + offset,
                    () -> {
                        long word = inner.read(address + offset, 8);
                        inner.await();
                        LocalMemory.putLong(view + offset, LocalMemory.longAt(word));
                    });
        }
    }

    private void perform(long address, Runnable access) {
        Runnable step =
                () -> {
                    access(address);
                    access.run();
                };
        if (serverOrder == null) {
            step.run();
            return;
        }
        int server = RemoteAddress.server(address);
        while (posted.size() <= server) {
            posted.add(new ArrayDeque<>());
        }
        posted.get(server).add(step);
    }

    @Override
    protected void postWrite(long address, long source, int bytes) {
        for (int offset : offsets(bytes)) {
            postWriteWord(address + offset, LocalMemory.longAt(source + offset));
        }
    }

    @Override
    protected void postWriteWord(long address, long value) {
        perform(
                address,
                () -> {
                    inner.writeWord(address, value);
                    inner.await();
                });
    }

    @Override
    protected long postCompareAndSwap(long address, long expected, long desired) {
        long view = land(8);
        perform(address, () -> land(view, inner.compareAndSwap(address, expected, desired)));
        return view;
    }

    @Override
    protected long postFetchAndAdd(long address, long delta) {
        long view = land(8);
        perform(address, () -> land(view, inner.fetchAndAdd(address, delta)));
        return view;
    }

    private void land(long view, long found) {
        inner.await();
        LocalMemory.putLong(view, LocalMemory.longAt(found));
    }

    @Override
    protected void awaitCompletions() {
        for (Runnable read : delayed.reversed()) {
            read.run();
        }
        delayed.clear();
        Random random = serverOrder;
        while (random != null && posted.stream().anyMatch(steps -> !steps.isEmpty())) {
            Runnable next = posted.get(random.nextInt(posted.size())).poll();
            if (next != null) {
                next.run();
            }
        }
    }

    @Override
    protected long postRequest(int server, long source, int bytes, int replyBytes) {
        long view = land(landedReply(replyBytes));
        long reply = inner.request(server, source, bytes, replyBytes);
        inner.await();
        LocalMemory.copy(reply, view, landedReply(replyLength(reply)));
        return view;
    }

    @Override
    public boolean readsInPlace(int server) {
        return false;
    }

    @Override
    public int landingBytes() {
        return LANDING_BYTES;
    }

    @Override
    public long localMemory(long bytes) {
        return inner.localMemory(bytes);
    }

    @Override
    public void disconnect() {
        inner.disconnect();
    }

    @Override
    public void close() {
        inner.close();
    }

    private void access(long address) {
        Runnable action = before.remove(address);
        if (action != null) {
            action.run();
        }
        step.accept(address);
    }

    private int[] offsets(int bytes) {
        int[] offsets = new int[bytes / 8];
        for (int index = 0; index < offsets.length; index++) {
            int other = order == null ? index : order.nextInt(index + 1);
            offsets[index] = offsets[other];
            offsets[other] = 8 * index;
        }
        return offsets;
    }

    private long land(int bytes) {
        if (landed + bytes > LANDING_BYTES) {
            landed = 0;
        }
        long view = landing + landed;
        landed += bytes;
        return view;
    }
}
