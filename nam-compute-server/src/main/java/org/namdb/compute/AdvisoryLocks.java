package org.namdb.compute;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.QueuePair;
import org.namdb.memory.client.AdvisoryLockClient;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The advisory locks of a compute server's sessions: locks of numbers that mean something to
/// programs alone, and are valid in the whole cluster. Memory server 0 keeps them
/// ([why](docs/decisions/0087-advisory-locks-are-kept-by-memory-server-0.md)). Those of a compute
/// server that has died are released when it is fenced. Safe for use by many threads.
public final class AdvisoryLocks {
    private static final Logger LOG = LoggerFactory.getLogger(AdvisoryLocks.class);

    private final Supplier<QueuePair> connections;
    private final int process;
    private final Supplier<@Nullable String> loss;
    private final AtomicLong sessions = new AtomicLong();
    private final Set<Holder> holders = ConcurrentHashMap.newKeySet();

    /// Not a monitor: a simulated thread that waits for one would hold up all others.
    private final ReentrantLock lock = new ReentrantLock();

    /// Sessions that have ended, and whose locks are not released yet.
    private final List<Long> ended = new ArrayList<>();

    private @Nullable QueuePair queuePair;
    private boolean isClosed;

    /// @param connections connects to the memory servers
    /// @param loss why the compute server can't go on; null if it can
    AdvisoryLocks(Supplier<QueuePair> connections, int process, Supplier<@Nullable String> loss) {
        this.connections = connections;
        this.process = process;
        this.loss = loss;
    }

    /// Those of this process: others after it has been fenced, and has joined its cluster again.
    public static AdvisoryLocks of(NamDb database) {
        return database.current.held().sessions().advisoryLocks();
    }

    /// What is locked.
    ///
    /// @param space distinguishes the kinds of keys
    public record Key(int space, long key) {}

    /// A session that takes locks. A lock that it has in a mode it is granted again.
    public final class Holder {
        private final long session;
        private final Runnable makeWay;

        private Holder(int number, Runnable makeWay) {
            session = sessions.incrementAndGet() << Integer.SIZE | number;
            this.makeWay = makeWay;
        }

        /// Why the locks are lost, as the end of a sentence about the compute server; null if they
        /// are not. It may have been fenced, and then others have them.
        public @Nullable String loss() {
            return loss.get();
        }

        /// Takes a lock.
        ///
        /// @param waits whether to wait for it, by further calls, until [#stopWaiting]
        /// @throws org.namdb.memory.client.TooManyLocksException if there are too many
        public AdvisoryLockClient.Outcome lock(Key key, boolean isExclusive, boolean waits) {
            return request(client ->
                    client.lock(process, session, key.space, key.key, isExclusive, waits));
        }

        /// Releases a lock.
        public void unlock(Key key, boolean isExclusive) {
            boolean _ =
                    request(client ->
                            client.unlock(process, session, key.space, key.key, isExclusive));
        }

        /// It waits no more.
        public void stopWaiting() {
            long _ =
                    request(client -> {
                        client.stopWaiting(process, session);
                        return session;
                    });
        }

        /// Releases all of its locks; it takes no other ones. If memory server 0 can't be reached,
        /// the next request of any session releases them.
        public void end() {
            holders.remove(this);
            lock.lock();
            try {
                if (!isClosed) {
                    ended.add(session);
                    endSessions(new AdvisoryLockClient(connected()));
                }
            } catch (FabricException e) {
                LOG.warn("advisory locks of a session are released later: {}", e.getMessage());
            } finally {
                lock.unlock();
            }
        }
    }

    /// A session of SQL, which may hold locks until its [end][Holder#end].
    ///
    /// @param number what [#number] gives
    /// @param makeWay called repeatedly while a schema change waits for sessions of this process,
    ///     by its thread: may end a transaction that can begin again
    public Holder holder(int number, Runnable makeWay) {
        Holder holder = new Holder(number, makeWay);
        holders.add(holder);
        return holder;
    }

    /// A schema change waits for sessions of this process.
    void makeWay() {
        for (Holder holder : holders) {
            try {
                holder.makeWay.run();
            } catch (FabricException | IllegalStateException e) { // that session's own failure
                LOG.warn("a session does not make way for DDL: {}", e.getMessage());
            }
        }
    }

    private void endSessions(AdvisoryLockClient client) {
        for (Iterator<Long> each = ended.iterator(); each.hasNext(); each.remove()) {
            client.end(process, each.next());
        }
    }

    /// The number that a session was given.
    public static int number(AdvisoryLockClient.Held held) {
        return (int) held.session();
    }

    /// All locks of the cluster.
    public List<AdvisoryLockClient.Held> list() {
        return request(AdvisoryLockClient::list);
    }

    private <T> T request(Function<AdvisoryLockClient, T> request) {
        lock.lock();
        try {
            AdvisoryLockClient client = new AdvisoryLockClient(connected());
            endSessions(client);
            return request.apply(client);
        } finally {
            lock.unlock();
        }
    }

    private QueuePair connected() {
        if (isClosed) {
            throw new IllegalStateException("the database is closed");
        }
        QueuePair before = queuePair;
        if (before != null && (before.isInDoubt() || before.isLost())) {
            before.disconnect();
            queuePair = null;
            before.close();
        }
        QueuePair current = queuePair;
        if (current == null) {
            current = connections.get();
            queuePair = current;
        }
        return current;
    }

    /// Disconnects. Its locks are released with the compute server's lease.
    void close() {
        lock.lock();
        try {
            QueuePair current = queuePair;
            queuePair = null;
            isClosed = true;
            if (current != null) {
                current.close();
            }
        } finally {
            lock.unlock();
        }
    }
}
