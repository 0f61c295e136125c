package org.namdb.compute;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.namdb.fabric.FabricException;
import org.namdb.memory.server.VersionUpkeep;
import org.namdb.timestamp.SlotsExhaustedException;

/// A thread of low duty. Sessions that nobody uses take their garbage away when the last snapshot
/// that needed it has ended; and the memory servers' background work goes on, a small step at a
/// time.
final class Housekeeping implements AutoCloseable {
    /// The timestamp slots that it takes for itself.
    static final int SLOTS = 1;

    private static final int BUCKETS_PER_STEP = 256;

    private final NamDb db;
    private final Thread thread;
    private volatile List<VersionUpkeep> servers = List.of();
    private volatile boolean closed;

    Housekeeping(NamDb db) {
        this.db = db;
        thread = db.options().host().start("namdb-housekeeping", this::run);
    }

    private void run() {
        while (!closed) {
            try {
                keepHouse();
            } catch (FabricException | SlotsExhaustedException e) {
                // A connection was lost, and with it the session. Another one goes on with the
                // work; if there is none to be had, a later one.
                servers = List.of();
                rest();
            }
        }
    }

    private void keepHouse() {
        Session session = db.newSession();
        List<VersionUpkeep> each = new ArrayList<>();
        for (int server = 0; server < db.options().memoryServers(); server++) {
            each.add(session.upkeep(server));
        }
        servers = List.copyOf(each);
        boolean refreshes = db.options().oracle() == EmbeddedOptions.Oracle.DIRECT;
        while (!closed) {
            rest();
            if (!closed) {
                db.lookAtSchema();
                db.keepIdleSessions();
                if (refreshes) {
                    session.refreshChain();
                }
                session.keepHouse(this::step);
            }
        }
    }

    private void step() {
        for (VersionUpkeep upkeep : servers) {
            upkeep.step(Math.ceilDiv(BUCKETS_PER_STEP, servers.size()));
        }
    }

    private void rest() {
        db.options().host().sleep(db.options().upkeepInterval().toNanos());
    }

    /// How many old versions the memory servers have moved to their overflow regions. A count that
    /// may lag.
    long versionsMoved() {
        return servers.stream().mapToLong(VersionUpkeep::moved).sum();
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
