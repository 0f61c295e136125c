package org.namdb.compute;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jctools.queues.MpmcArrayQueue;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.maintenance.MaintenanceSessions;
import org.namdb.compute.maintenance.SessionMaintenance;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.memory.server.RegionLayout;
import org.namdb.timestamp.SlotsExhaustedException;

/// The sessions of a compute server: those that users have, idle ones, and those that work for the
/// database itself. A failed one is handed over to [org.namdb.compute.maintenance.DeadSessions] as
/// soon as no thread works in it: it may hold latches that others wait for. Safe for use by many
/// threads.
final class Sessions implements MaintenanceSessions {
    /// How many sessions there may be in addition to those that the options allow: one reserves
    /// sequences' values, one compares tables where DDL in a transaction is committed, and three
    /// fill the tables of unique indexes, and tables that are changed.
    static final int RESERVED = 5;

    /// How many tables have their conflicts counted.
    private static final int MAX_COUNTED = 1_000;

    private final ComputeServer server;
    private final EmbeddedOptions options;
    private final AdvisoryLocks advisoryLocks;
    private final MpmcArrayQueue<Session> idle;

    /// Guards what follows. Not a monitor: a simulated thread that waits for one would hold up all
    /// others.
    private final ReentrantLock lock = new ReentrantLock();

    private final List<Session> all = new ArrayList<>();

    /// Those that were handed over while users have them, and may read their rows.
    private final List<Session> failed = new ArrayList<>();

    /// Failed ones that could not be handed over where they failed.
    private final Set<Session> leftToMaintenance = ConcurrentHashMap.newKeySet();

    /// Changed under the lock.
    private final AtomicInteger userSessions = new AtomicInteger();

    /// Those of sessions that are not listed any more.
    private TransactionStatistics former = TransactionStatistics.NOTHING;

    /// How many transactions have lost a conflict, by the table of its record.
    private final Map<String, LongAdder> conflicts = new ConcurrentHashMap<>();

    private boolean closed;

    /// Called when the last session of a user is closed, after [#retire].
    private volatile @Nullable Runnable left;

    Sessions(ComputeServer server) {
        this.server = server;
        this.options = server.options();
        this.advisoryLocks = new AdvisoryLocks(server::connect, server.process(), server::loss);
        this.idle = new MpmcArrayQueue<>(options.slots() + RESERVED);
    }

    /// The advisory locks of SQL's sessions.
    AdvisoryLocks advisoryLocks() {
        return advisoryLocks;
    }

    /// A session for a user.
    ///
    /// @throws SlotsExhaustedException if all slots are taken
    Session open() {
        return open(options.slots());
    }

    /// A session for what statements do in addition to their own transaction, as reserving a
    /// sequence's values: all sessions of users may be waiting for it.
    ///
    /// @throws SlotsExhaustedException if all slots are taken, those of the reserve as well
    Session openReserved() {
        return open(options.slots() + RESERVED);
    }

    private Session open(int limit) {
        Session session = pollIdle(limit);
        if (session == null) {
            session = openIfAllowed(limit);
        }
        if (session == null) {
            session = pollIdle(limit); // it was released before the other one was refused
        }
        if (session == null) {
            throw new SlotsExhaustedException(options.slots());
        }
        return session;
    }

    private @Nullable Session pollIdle(int limit) {
        Session session = pollWithin(limit);
        while (session != null && session.fatalFailure.isThere()) { // since it was released
            handOver(session);
            session = pollWithin(limit);
        }
        if (session != null) {
            session.isReleased = false;
        }
        return session;
    }

    /// An idle session, unless so many are used already: users leave those of the reserve.
    private @Nullable Session pollWithin(int limit) {
        if (userSessions.get() <= limit) {
            return idle.poll(); // as all may be used
        }
        lock.lock();
        try {
            return userSessions.get() - idle.size() < limit ? idle.poll() : null;
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Session openIfAllowed(int limit) {
        lock.lock();
        try {
            if (userSessions.get() >= limit) {
                return null;
            }
            Session opened = open(server.connect());
            opened.isUsers = true;
            int _ = userSessions.incrementAndGet();
            return opened;
        } finally {
            lock.unlock();
        }
    }

    /// While a memory server is down, this session would fail at once, and so would the next.
    @Override
    public SessionMaintenance openOwn() {
        QueuePair queuePair = server.connect();
        try {
            for (int server = 0; server < options.memoryServers(); server++) {
                long _ = queuePair.read(RegionLayout.address(server, 0), Long.BYTES);
            }
            queuePair.await();
        } catch (FabricException e) {
            queuePair.close();
            throw e;
        }
        return open(queuePair).maintenance();
    }

    /// A session that is not counted among the users'.
    Session openForDatabase() {
        return open(server.connect());
    }

    private Session open(QueuePair queuePair) {
        lock.lock();
        try {
            if (closed) {
                server.checkHeld(); // it was closed since the caller has found it held
                throw new IllegalStateException("the database is closed");
            }
            if (left != null) {
                server.checkHeld(); // nothing is opened after a retirement
            }
            long owner = server.owners().next();
            Session opened;
            try {
                opened = new Session(server, queuePair, owner);
            } catch (Throwable e) {
                server.dead().addUnopened(queuePair, owner);
                throw e;
            }
            all.add(opened);
            return opened;
        } finally {
            lock.unlock();
        }
    }

    /// All that there are now, idle ones and those of background maintenance included.
    List<Session> all() {
        lock.lock();
        try {
            return List.copyOf(all);
        } finally {
            lock.unlock();
        }
    }

    /// Outcomes and costs of the transactions of all, of those that are closed, too.
    TransactionStatistics statistics() {
        lock.lock();
        try {
            TransactionStatistics sum = former;
            for (Session session : all) {
                sum = sum.plus(session);
            }
            Map<String, Long> byTable = new HashMap<>();
            conflicts.forEach((table, count) -> byTable.put(table, count.sum()));
            return new TransactionStatistics(sum.outcomes(), byTable, sum.retries(), sum.verbs());
        } finally {
            lock.unlock();
        }
    }

    /// A transaction has lost a conflict over a record of a table.
    void conflict(String table) {
        LongAdder count = conflicts.get(table);
        if (count == null && conflicts.size() < MAX_COUNTED) {
            count = conflicts.computeIfAbsent(table, _ -> new LongAdder());
        }
        if (count != null) {
            count.increment();
        }
    }

    /// The bytes of old versions that sessions' commits keep.
    long oldVersionBytes() {
        long freed = server.catalog().oldVersionBytes(); // with their tables: less than zero
        return freed + all().stream().mapToLong(Session::oldVersionBytes).sum();
    }

    @Override
    public List<SessionMaintenance> maintenances() {
        return all().stream().map(Session::maintenance).toList();
    }

    /// Releases a user's session, once: another user may get it.
    void release(Session session) {
        if (session.isReleased) {
            return;
        }
        session.isReleased = true;
        Runnable whenLeft = left;
        if (whenLeft != null) {
            close(session, whenLeft);
            return;
        }
        if (!session.fatalFailure.isThere()) {
            idle.offer(session);
            closeIdle(); // if it was retired meanwhile
        } else if (!closeIfHandedOver(session)) {
            handOver(session);
        }
    }

    private boolean closeIfHandedOver(Session session) {
        lock.lock();
        try {
            boolean isHandedOver = failed.remove(session);
            if (isHandedOver && !closed && !PlantedFault.FAILED_STAYS_CONNECTED.isPlanted()) {
                session.queuePair.close();
            }
            return isHandedOver;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void handOverFailed() {
        for (Session session : all()) {
            if (session.fatalFailure.isThere()) {
                handOverNow(session);
            }
        }
    }

    /// What a failed session holds blocks others, whether or not its user closes it.
    void handOverIfFailed(Session session) {
        if (session.fatalFailure.isThere()) {
            handOver(session);
        }
    }

    /// Hands a failed session over where it fails. If that needs a memory server that can't be
    /// reached, background maintenance does it later: the caller has waited for that server
    /// already.
    private void handOver(Session session) {
        if (!leftToMaintenance.contains(session)) {
            try {
                handOverNow(session);
            } catch (FabricException e) {
                leftToMaintenance.add(session);
            }
        }
    }

    /// A failed session can't be used again. It is recovered in the background. The thread that
    /// finds the failure hands it over at once: all others, background maintenance included, may
    /// come to wait for its latches.
    private void handOverNow(Session session) {
        if (PlantedFault.FAILED_NOT_HANDED_OVER.isPlanted()
                || left != null // it is fenced: others recover it
                || !session.sharedLatch.seize()) {
            return; // the thread that works in it will do so
        }
        try {
            if (isListed(session)) {
                // If this fails, for lack of heap for example, background maintenance retries it.
                server.dead().add(session.queuePair, session.owner);
                forget(session);
                if (session.isReleased) {
                    boolean _ = closeIfHandedOver(session);
                }
            }
        } finally {
            session.sharedLatch.leave();
        }
    }

    @Override
    public void forgetOwn(SessionMaintenance used) {
        Session session = sessionOf(used);
        session.isReleased = true;
        if (!closeIfHandedOver(session)) {
            handOver(session);
        }
    }

    /// One that is not released yet, whether or not it was handed over.
    private Session sessionOf(SessionMaintenance maintenance) {
        lock.lock();
        try {
            return Stream.concat(all.stream(), failed.stream())
                    .filter(session -> session.maintenance() == maintenance)
                    .findFirst()
                    .orElseThrow();
        } finally {
            lock.unlock();
        }
    }

    private boolean isListed(Session session) {
        lock.lock();
        try {
            return all.contains(session);
        } finally {
            lock.unlock();
        }
    }

    private void forget(Session session) {
        leftToMaintenance.remove(session);
        lock.lock();
        try {
            failed.add(session);
            if (all.remove(session)) {
                former = former.plus(session);
                int _ = userSessions.addAndGet(session.isUsers ? -1 : 0);
            }
        } finally {
            lock.unlock();
        }
    }

    /// The compute server was fenced: its idle sessions and those of background maintenance are
    /// closed, and others when their users close them.
    ///
    /// @param whenLeft called when there are none any more
    void retire(Runnable whenLeft) {
        List<Session> ended;
        lock.lock();
        try {
            left = whenLeft;
            ended = all.stream().filter(session -> !session.isUsers).toList();
        } finally {
            lock.unlock();
        }
        advisoryLocks.close();
        ended.forEach(session -> close(session, () -> {}));
        closeIdle();
        callIfLeft(whenLeft);
    }

    private void closeIdle() {
        Runnable whenLeft = left;
        if (whenLeft != null) {
            for (Session session = idle.poll(); session != null; session = idle.poll()) {
                close(session, whenLeft);
            }
        }
    }

    /// One that no user has, of a compute server that was fenced.
    private void close(Session session, Runnable whenLeft) {
        session.queuePair.close();
        lock.lock();
        try {
            if (all.remove(session)) {
                former = former.plus(session);
            }
            boolean _ = failed.remove(session);
        } finally {
            lock.unlock();
        }
        callIfLeft(whenLeft);
    }

    private void callIfLeft(Runnable whenLeft) {
        boolean isLeft;
        lock.lock();
        try {
            isLeft = all.isEmpty() && failed.isEmpty();
        } finally {
            lock.unlock();
        }
        if (isLeft) {
            whenLeft.run();
        }
    }

    /// Ends all of them; no other one is opened.
    ///
    /// They are closed without the lock: a session that collects once more may wait for a schema
    /// change, which calls [all][#all()].
    ///
    /// @param isMemoryLeft whether others go on with the database
    /// @return false if that was done before
    boolean close(boolean isMemoryLeft, FirstFailure failures) {
        List<Session> open;
        List<Session> before;
        lock.lock();
        try {
            if (closed) {
                return false;
            }
            closed = true;
            open = List.copyOf(all);
            before = List.copyOf(failed); // others may fail meanwhile
        } finally {
            lock.unlock();
        }
        for (Session session : open) {
            failures.attempt(isMemoryLeft ? session::dispose : session.queuePair::close);
        }
        for (Session session : before) {
            failures.attempt(session.queuePair::close);
        }
        failures.attempt(advisoryLocks::close);
        return true;
    }
}
