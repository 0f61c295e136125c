package org.namdb.compute;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jctools.queues.MpmcArrayQueue;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.QueuePair;
import org.namdb.memory.server.RegionLayout;
import org.namdb.timestamp.SlotsExhaustedException;

/// The sessions of a compute server: those that users have, those that wait for the next one, and
/// those that work for the database itself. One that is broken is handed over to [DeadSessions].
/// Safe for use by many threads.
final class Sessions {
    private final NamDb db;
    private final EmbeddedOptions options;
    private final MpmcArrayQueue<Session> idle;

    /// Guards what follows. Not a monitor: a simulated thread that waits for one would hold up all
    /// others.
    private final ReentrantLock lock = new ReentrantLock();

    private final List<Session> all = new ArrayList<>();
    private final List<Session> broken = new ArrayList<>();
    private int userSessions;

    private boolean closed;

    Sessions(NamDb db) {
        this.db = db;
        this.options = db.options();
        this.idle = new MpmcArrayQueue<>(Math.max(2, options.slots()));
    }

    /// A session for a user.
    ///
    /// @throws SlotsExhaustedException if all slots are taken
    Session open() {
        Session session = pollIdle();
        if (session == null) {
            session = openIfAllowed();
        }
        if (session == null) {
            session = pollIdle(); // it has come back before the other one was refused
        }
        if (session == null) {
            throw new SlotsExhaustedException(options.slots());
        }
        return session;
    }

    private @Nullable Session pollIdle() {
        Session session = idle.poll();
        while (session != null && session.isBroken()) { // since it was given back
            forget(session);
            session = idle.poll();
        }
        return session;
    }

    private @Nullable Session openIfAllowed() {
        lock.lock();
        try {
            if (userSessions == options.slots()) {
                return null;
            }
            Session opened = open(db.connect());
            userSessions++;
            return opened;
        } finally {
            lock.unlock();
        }
    }

    /// A session for the database's own work, which needs all memory servers. While one of them is
    /// gone, no slot is taken: the session would be broken at once, and so would the next.
    Session openOwn() {
        QueuePair queuePair = db.connect();
        try {
            for (int server = 0; server < options.memoryServers(); server++) {
                long _ = queuePair.read(RegionLayout.address(server, 0), Long.BYTES);
            }
            queuePair.await();
        } catch (FabricException e) {
            queuePair.close();
            throw e;
        }
        return open(queuePair);
    }

    private Session open(QueuePair queuePair) {
        lock.lock();
        try {
            if (closed) {
                throw new IllegalStateException("the database is closed");
            }
            long owner = db.nextOwner();
            Session opened;
            try {
                opened = new Session(db, options, queuePair, db.vector(), owner);
            } catch (Throwable e) {
                db.dead().add(queuePair, owner);
                queuePair.close();
                throw e;
            }
            all.add(opened);
            return opened;
        } finally {
            lock.unlock();
        }
    }

    /// All that there are now, idle ones and the background work's included.
    List<Session> all() {
        lock.lock();
        try {
            return List.copyOf(all);
        } finally {
            lock.unlock();
        }
    }

    /// Takes a session back from its user.
    void giveBack(Session session) {
        if (session.isBroken()) {
            forget(session);
        } else {
            idle.offer(session);
        }
    }

    /// A broken session can't be used again. What it holds is cleaned up, by and by.
    private void forget(Session session) {
        lock.lock();
        try {
            userSessions--;
        } finally {
            lock.unlock();
        }
        forgetOwn(session);
    }

    /// The same of a session that works for the database itself.
    void forgetOwn(Session session) {
        lock.lock();
        try {
            all.remove(session);
            broken.add(session);
        } finally {
            lock.unlock();
        }
        db.dead().add(session.queuePair(), session.owner());
    }

    /// Ends all of them; no other one is opened.
    ///
    /// @param isMemoryLeft whether others go on with the database
    /// @return false if that was done before
    boolean close(boolean isMemoryLeft, FirstFailure failures) {
        lock.lock();
        try {
            if (closed) {
                return false;
            }
            closed = true;
            for (Session session : all) {
                failures.attempt(isMemoryLeft ? session::dispose : session.queuePair()::close);
            }
            for (Session session : broken) {
                failures.attempt(session.queuePair()::close);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }
}
