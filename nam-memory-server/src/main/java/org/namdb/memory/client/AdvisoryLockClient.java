package org.namdb.memory.client;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.QueuePair;
import org.namdb.memory.server.Request;

/// Requests about advisory locks, to memory server 0. Used by one thread at a time.
public final class AdvisoryLockClient {
    private static final int REPLY_BYTES = 64;
    private static final int ROW_BYTES = 6 * Long.BYTES;
    private static final int ROWS = 500;

    private final QueuePair queuePair;

    public AdvisoryLockClient(QueuePair queuePair) {
        this.queuePair = queuePair;
    }

    /// A session of a compute server that has a lock, or waits for it.
    ///
    /// @param space distinguishes the kinds of keys
    public record Held(
            int computeServer,
            long session,
            int space,
            long key,
            boolean isExclusive,
            boolean isGranted) {}

    /// What a request for a lock has come to.
    public enum Outcome {
        GRANTED,

        /// Others have it. Who waits is in the queue, and requests it again.
        BUSY,

        /// The session would wait for itself; it waits no more.
        DEADLOCK
    }

    /// Requests a lock.
    ///
    /// @param waits whether to wait for it, by further requests
    /// @throws TooManyLocksException if there are too many locks
    public Outcome lock(
            int computeServer,
            long session,
            int space,
            long key,
            boolean isExclusive,
            boolean waits) {
        long operation = waits ? Request.LOCK : Request.TRY_LOCK;
        long outcome = request(operation, computeServer, session, space, key, mode(isExclusive));
        return outcome == Request.LOCK_GRANTED
                ? Outcome.GRANTED
                : outcome == Request.LOCK_DEADLOCK ? Outcome.DEADLOCK : Outcome.BUSY;
    }

    /// Releases a lock.
    ///
    /// @return whether the session had it
    public boolean unlock(
            int computeServer, long session, int space, long key, boolean isExclusive) {
        return request(Request.UNLOCK, computeServer, session, space, key, mode(isExclusive)) != 0;
    }

    private static int mode(boolean isExclusive) {
        return isExclusive ? Request.EXCLUSIVE : Request.SHARED;
    }

    /// The session waits no more.
    public void stopWaiting(int computeServer, long session) {
        long _ = request(Request.STOP_WAITING, computeServer, session);
    }

    /// Releases all locks of a session, which has ended.
    public void end(int computeServer, long session) {
        long _ = request(Request.END_LOCKS, computeServer, session);
    }

    /// Releases all locks of a compute server, which has ended, or is fenced.
    public void endServer(int computeServer) {
        long _ = request(Request.END_LOCKS_OF_SERVER, computeServer);
    }

    /// All locks. Those that are taken or released meanwhile may be missing.
    public List<Held> list() {
        List<Held> all = new ArrayList<>();
        int piece = Math.min(ROWS, queuePair.batchBytes() / ROW_BYTES - 1);
        boolean isMore = true;
        while (isMore) {
            ByteBuffer reply =
                    call(1 + piece * ROW_BYTES, Request.LIST_LOCKS, (long) all.size(), piece);
            isMore = reply.remaining() == piece * ROW_BYTES;
            while (reply.hasRemaining()) {
                all.add(
                        new Held(
                                (int) reply.getLong(),
                                reply.getLong(),
                                (int) reply.getLong(),
                                reply.getLong(),
                                reply.getLong() == Request.EXCLUSIVE,
                                reply.getLong() == 1));
            }
        }
        return all;
    }

    private long request(long... numbers) {
        ByteBuffer reply = call(REPLY_BYTES, numbers);
        return reply.hasRemaining() ? reply.getLong() : 0;
    }

    private ByteBuffer call(int replyBytes, long... numbers) {
        byte[] request = Request.of(Request.ADVISORY_LOCKS, numbers);
        ByteBuffer reply = ByteBuffer.wrap(queuePair.call(0, request, replyBytes));
        byte status = reply.get();
        if (status == Request.FULL) {
            throw new TooManyLocksException();
        }
        if (status != Request.DONE) {
            throw new FabricException(
                    FabricException.Kind.SYSTEM, "memory server 0 refuses request " + request[0]);
        }
        return reply;
    }
}
