package org.namdb.cluster.membership;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.server.SessionTracker;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A ZooKeeper that ignores clients' silence while it stood still itself: on a laptop that sleeps,
/// in a virtual machine that migrates, or where other processes have all processors.
/// ```
/// m   stands still for longer than a lease: clients and this server
/// s   goes on, and finds that no client has been heard for that long
/// c   go on, and would find their sessions expired
/// ```
/// So a session that expires within its timeout after a standstill starts its timeout again. A
/// client that has died meanwhile is found a timeout later.
final class StallingServer extends ZooKeeperServer {
    private static final Logger LOG = LoggerFactory.getLogger(StallingServer.class);

    /// So many ticks without a beat are a standstill.
    private static final int STALLED_TICKS = 4;

    private final long tickMillis;
    private volatile long beatNanos = System.nanoTime();

    /// When the last standstill was over, or has been found.
    private volatile long resumedNanos;

    private volatile boolean hasStalled;
    private final Thread beats;

    StallingServer(Path directory, Duration tick) throws IOException {
        super(directory.toFile(), directory.toFile(), (int) tick.toMillis());
        this.tickMillis = tick.toMillis();
        this.beats = Thread.ofPlatform().daemon().name("namdb-zookeeper-beats").start(this::beat);
    }

    private void beat() {
        try {
            while (true) {
                Thread.sleep(tickMillis);
                noticeStandstill();
                beatNanos = System.nanoTime();
            }
        } catch (InterruptedException e) {
            // It is being closed.
        }
    }

    private void noticeStandstill() {
        long now = System.nanoTime();
        if (now - beatNanos > TimeUnit.MILLISECONDS.toNanos(STALLED_TICKS * tickMillis)) {
            resumedNanos = now;
            hasStalled = true;
        }
    }

    @Override
    public void expire(SessionTracker.Session session) {
        noticeStandstill(); // the thread of the beats may come later than this one
        int timeoutMillis = session.getTimeout();
        long sinceNanos = System.nanoTime() - resumedNanos;
        if (!hasStalled || sinceNanos > TimeUnit.MILLISECONDS.toNanos(timeoutMillis)) {
            super.expire(session);
            return;
        }
        long id = session.getSessionId();
        LOG.warn("session {} goes on, since this server has stood still", Long.toHexString(id));
        SessionTracker tracker = getSessionTracker();
        tracker.removeSession(id);
        boolean _ = tracker.trackSession(id, timeoutMillis);
        boolean _ = tracker.commitSession(id, timeoutMillis);
    }

    /// Looks for standstills no more.
    void endBeats() {
        beats.interrupt();
    }
}
