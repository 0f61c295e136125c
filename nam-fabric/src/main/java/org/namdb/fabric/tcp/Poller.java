package org.namdb.fabric.tcp;

import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Receives for the threads of this process that wait for replies while others do, too: one thread
/// for all [AgentLink]s. A link is *armed* from when a thread goes to sleep over it until nothing
/// is under way there; as long as it is not, its own users receive for themselves. A
/// [watched][AgentLink#keepWatch] one is always armed.
final class Poller implements Receiver, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Poller.class);
    private static final long ROUND_MILLIS = 200;
    private static final long LINGER_MILLIS = 1;

    private final Supplier<List<AgentLink>> links;
    private final long timeoutNanos;
    private final Selector selector;
    private final Set<AgentLink> armed = ConcurrentHashMap.newKeySet();
    private final Queue<AgentLink> toArm = new MpscUnboundedArrayQueue<>(64);

    /// Armed ones that nothing was under way on when they were served last.
    private final Set<AgentLink> idle = new HashSet<>();

    private final Thread thread;
    private volatile boolean asleep;
    private volatile boolean closed;

    /// @param links all that there are
    /// @param timeoutNanos how long an agent may owe an answer and be silent
    Poller(Supplier<List<AgentLink>> links, long timeoutNanos) {
        this.links = links;
        this.timeoutNanos = timeoutNanos;
        try {
            selector = Selector.open();
        } catch (IOException e) {
            throw new FabricException(
                    FabricException.Kind.SYSTEM, "can't wait for sockets: " + e.getMessage(), e);
        }
        thread = Host.MACHINE.start("nam-tcp-poller", this::run);
    }

    @Override
    public boolean isArmed(AgentLink link) {
        return armed.contains(link);
    }

    @Override
    public void arm(AgentLink link) {
        if (armed.add(link) || link.isWriteBlocked()) {
            watchSoon(link);
        }
    }

    /// Waking the thread costs as much as sending a message: one that is awake polls by itself.
    private void watchSoon(AgentLink link) {
        toArm.add(link);
        if (asleep) {
            selector.wakeup();
        }
    }

    @Override
    public void reopened(AgentLink link) {
        armed.add(link);
        watchSoon(link);
    }

    @SuppressWarnings("CatchingUnchecked") // all others wait for this thread
    private void run() {
        long nextRound = Host.MACHINE.nanoTime();
        while (!closed) {
            try {
                watchNew();
                asleep = true; // a thread that arrives from here on wakes it
                watchNew();
                int served =
                        selector.select(this::serve, idle.isEmpty() ? ROUND_MILLIS : LINGER_MILLIS);
                asleep = false;
                if (served == 0) {
                    disarmIdle();
                }
                long now = Host.MACHINE.nanoTime();
                if (now - nextRound >= 0) {
                    nextRound = now + ROUND_MILLIS * 1_000_000;
                    checkSilence();
                }
            } catch (Throwable e) {
                LOG.error("receiving has failed, and is tried again", e);
                Host.MACHINE.sleep(ROUND_MILLIS * 1_000_000);
            }
        }
        try {
            selector.close();
        } catch (IOException e) {
            LOG.warn("a selector can't be closed: {}", e.toString());
        }
    }

    private void watchNew() {
        for (AgentLink link = toArm.poll(); link != null; link = toArm.poll()) {
            watch(link);
        }
    }

    private void watch(AgentLink link) {
        try {
            SelectionKey key = link.socket().keyFor(selector);
            if (key == null) {
                key = link.socket().register(selector, 0, link);
            }
            int interest = SelectionKey.OP_READ;
            if (link.isWriteBlocked()) {
                interest |= SelectionKey.OP_WRITE;
            }
            key.interestOps(interest);
        } catch (ClosedChannelException | CancelledKeyException e) {
            armed.remove(link); // it is armed again over its next connection
        }
    }

    private void serve(SelectionKey key) {
        if (key.attachment() instanceof AgentLink link) {
            try {
                serve(key, link);
            } catch (CancelledKeyException e) {
                // Its connection was closed just now. It is armed again over its next one.
                armed.remove(link);
            }
        }
    }

    private void serve(SelectionKey key, AgentLink link) {
        if (key.isWritable()) {
            link.send();
        }
        while (link.receive()) {
            link.send();
        }
        if (!key.isValid()) {
            armed.remove(link);
            return;
        }
        if (link.hasIoLoop() && !link.isWatched()) {
            disarm(link);
        } else if (link.isIdle() && !link.isWatched()) {
            if (link.wasCrowded()) {
                idle.add(link);
            } else {
                disarm(link);
            }
        } else if ((key.interestOps() & SelectionKey.OP_WRITE) != 0 && !link.isWriteBlocked()) {
            key.interestOps(SelectionKey.OP_READ);
        }
    }

    /// Links that nothing has come over for a moment, though many threads waited before: between
    /// two of their bursts that does not happen.
    private void disarmIdle() {
        for (AgentLink link : idle) {
            if (link.isIdle() && !link.isWatched()) {
                disarm(link);
            }
        }
        idle.clear();
    }

    /// From now on the link's users receive for themselves, until several of them wait again.
    private void disarm(AgentLink link) {
        SelectionKey key = link.socket().keyFor(selector);
        try {
            if (key != null) {
                key.interestOps(0);
            }
        } catch (CancelledKeyException e) {
            // Its connection was closed just now: nothing comes over it any more.
        }
        armed.remove(link);
        if ((!link.isIdle() && !link.hasIoLoop()) || link.isWatched()) {
            arm(link); // a thread has seen it armed, and sleeps, or has it watched
        }
    }

    /// A peer that is gone without a word is found by its silence.
    private void checkSilence() {
        for (AgentLink link : links.get()) {
            if (link.gone() == null && link.isSilentFor(timeoutNanos) && !link.receive()) {
                link.broken(new IOException("it has been silent for too long"));
            }
            if ((!link.isIdle() || link.isWatched()) && armed.contains(link)) {
                watch(link); // over another connection than before, maybe
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        selector.wakeup();
        boolean isInterrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
