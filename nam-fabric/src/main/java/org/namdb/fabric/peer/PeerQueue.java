package org.namdb.fabric.peer;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;

/// A thread's access to other compute servers. Requests are posted, then awaited, like verbs: those
/// to one peer are received in the order in which they were posted, and one wait for any number of
/// answers, from any number of peers, is one round trip. A failed request does not fail the others.
///
/// Not thread-safe: a queue belongs to one thread at a time.
public final class PeerQueue {
    private final PeerFabric fabric;
    private final AtomicInteger outstanding = new AtomicInteger();
    private volatile @Nullable Thread waiter;
    private boolean isPosted;
    private long messages;
    private long roundTrips;

    PeerQueue(PeerFabric fabric) {
        this.fabric = fabric;
    }

    /// Sends a request to the compute server `process`.
    ///
    /// @param request at most [PeerFabric#MAX_BYTES] bytes, unchanged until the await
    /// @return what [#await] fills
    /// @throws FabricException `TOO_LARGE`
    public PeerReply post(int process, byte[] request) {
        PeerFabric.requireSize(request);
        PeerReply reply = new PeerReply(this, process);
        outstanding.incrementAndGet();
        isPosted = true;
        messages++;
        fabric.post(request, reply);
        return reply;
    }

    /// Waits until each request that was posted has been answered, or has failed: one round trip,
    /// or none if nothing was posted.
    public void await() {
        if (!isPosted) {
            return;
        }
        isPosted = false;
        roundTrips++;
        waiter = Thread.currentThread();
        while (outstanding.get() > 0) {
            fabric.park();
        }
        waiter = null;
    }

    /// Waits as [#await()] does, but for at most so long.
    ///
    /// @return whether each request has been answered, or has failed; else it can be called again,
    ///     and those that have no answer can be [abandoned][#abandon]
    public boolean await(long nanos) {
        if (isPosted) {
            isPosted = false;
            roundTrips++;
        }
        waiter = Thread.currentThread();
        long begin = fabric.nanoTime();
        long left = nanos;
        while (outstanding.get() > 0 && left > 0) {
            fabric.park(left);
            left = nanos - (fabric.nanoTime() - begin);
        }
        waiter = null;
        return outstanding.get() == 0;
    }

    /// Waits no more for the answer to a request: if there is none yet, the request fails with
    /// `CONNECTION_LOST`. The peer may handle it all the same ([PeerReply#isHandled]).
    public void abandon(PeerReply reply) {
        fabric.abandon(reply);
    }

    /// How many requests were posted.
    public long messages() {
        return messages;
    }

    /// How many waits there were.
    public long roundTrips() {
        return roundTrips;
    }

    void completed() {
        if (outstanding.decrementAndGet() == 0) {
            LockSupport.unpark(waiter);
        }
    }
}
