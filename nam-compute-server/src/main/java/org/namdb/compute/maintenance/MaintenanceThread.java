package org.namdb.compute.maintenance;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.schema.SchemaBusyException;
import org.namdb.fabric.FabricException;
import org.namdb.memory.server.MaintenanceLead;
import org.namdb.memory.server.VersionMaintenance;
import org.namdb.timestamp.SlotsExhaustedException;

/// The thread of background maintenance. The garbage of idle sessions is collected when the last
/// snapshot that needed it has ended; and the memory servers' background maintenance goes on, a
/// small step at a time, if [the lead][MaintenanceLead] is this compute server's.
public final class MaintenanceThread implements AutoCloseable {
    /// The timestamp slots that it takes for itself.
    public static final int SLOTS = 1;

    private static final int BUCKETS_PER_STEP = 256;

    /// How often it reads the catalog for tables that other compute servers have made, whose
    /// records it maintains where it leads.
    private static final int TURNS_PER_CHECK = 1 << 10;

    /// For how many pauses it waits at most, while nothing can be done.
    static final long MAX_RESTS = 64;

    private final MaintenanceSettings settings;
    private final DeadSessions dead;
    private final Runnable awaitSchema;
    private final Runnable openTables;
    private final boolean isChainIdle;
    private final Thread thread;
    private @Nullable SessionMaintenance session;
    private boolean hasFailed;

    /// Whether the session seems to be unusable.
    private boolean isStuck;

    private volatile List<VersionMaintenance> servers = List.of();
    private final List<MaintenanceLead> leads = new ArrayList<>();
    private int turns;
    private volatile boolean closed;

    /// @param dead continues recovery
    /// @param awaitSchema yields if another compute server changes the schema
    /// @param openTables opens all tables of the catalog
    /// @param isChainIdle whether no transaction appends to the snapshot chain
    public MaintenanceThread(
            MaintenanceSettings settings,
            DeadSessions dead,
            Runnable awaitSchema,
            Runnable openTables,
            boolean isChainIdle) {
        this.settings = settings;
        this.dead = dead;
        this.awaitSchema = awaitSchema;
        this.openTables = openTables;
        this.isChainIdle = isChainIdle;
        thread = settings.host().start("namdb-maintenance", this::run);
    }

    /// A failure does not end it: memory would be full in the end.
    private void run() {
        long rests = 1;
        while (!closed) {
            SessionMaintenance ready = readySession();
            boolean isAnswered = true;
            for (long left = rests; left > 0 && !closed; left--) {
                rest();
                isAnswered = isAnswered && handOverFailed();
            }
            if (!closed) {
                hasFailed = ready == null || !runMaintenance(ready);
                rests = hasFailed ? Math.min(2 * rests, MAX_RESTS) : 1;
            }
        }
        leaveLeads();
    }

    private void leaveLeads() {
        SessionMaintenance used = session;
        for (MaintenanceLead lead : leads) {
            try {
                if (used != null) {
                    used.leave(lead);
                }
            } catch (Throwable e) {
                // Whatever the failure: others take the lead when it has not changed for long.
            }
        }
    }

    /// What idle sessions hold that have failed blocks others.
    ///
    /// @return false if a memory server does not report whether it still executes what they have
    ///     posted: this is tried again, but not at once; or if it executes nothing more for this
    ///     process
    private boolean handOverFailed() {
        try {
            try {
                settings.sessions().handOverFailed();
            } finally {
                dead.goOn();
            }
        } catch (Throwable e) {
            if (e instanceof FabricException failure && isAway(failure)) {
                return false;
            }
            notForeseen(e);
        }
        return true;
    }

    /// A fenced process reports that where it checks its lease, and once.
    private static boolean isAway(FabricException failure) {
        return failure.kind() == FabricException.Kind.CONNECTION_LOST
                || failure.kind() == FabricException.Kind.PEER_GONE
                || failure.kind() == FabricException.Kind.FENCED;
    }

    /// An unexpected failure.
    private void notForeseen(Throwable failure) {
        isStuck = hasFailed; // another session may get by what has failed twice
        if (!closed) {
            report(failure);
        }
    }

    /// Reports a failure as if the thread had ended with it.
    public static void report(Throwable failure) {
        Thread thread = Thread.currentThread();
        thread.getUncaughtExceptionHandler().uncaughtException(thread, failure);
    }

    /// A session to work with, the same one for as long as that is usable.
    ///
    /// @return null if there is none to be had now
    private @Nullable SessionMaintenance readySession() {
        try {
            SessionMaintenance used = session;
            if (used == null || !isOfUse(used)) {
                used = replace(used);
            }
            return used;
        } catch (FabricException | SchemaBusyException | SlotsExhaustedException e) {
            return null;
        } catch (Throwable e) {
            notForeseen(e);
            return null;
        }
    }

    private boolean isOfUse(SessionMaintenance used) {
        return !isStuck
                && !servers.isEmpty()
                && !used.isFailed()
                && (!hasFailed || used.isConnected());
    }

    private SessionMaintenance replace(@Nullable SessionMaintenance used) {
        isStuck = false;
        servers = List.of();
        session = null;
        if (used != null) {
            settings.sessions().forgetOwn(used);
        }
        SessionMaintenance opened = settings.sessions().openOwn();
        session = opened;
        List<VersionMaintenance> work = opened.ofServers();
        leads.clear();
        for (int server = 0; server < work.size(); server++) {
            leads.add(opened.leadOf(server));
        }
        servers = List.copyOf(work);
        return opened;
    }

    /// @return whether all could be done
    private boolean runMaintenance(SessionMaintenance used) {
        try {
            awaitSchema.run();
            if (turns++ % TURNS_PER_CHECK == TURNS_PER_CHECK - 1) {
                openTables.run();
            }
            // Where no transaction begins, the low watermark has nowhere to rise to.
            boolean isGarbageLeft = collectAtRest();
            if (isGarbageLeft
                    || isChainIdle
                    || servers.stream().anyMatch(VersionMaintenance::needsNewerSnapshot)) {
                used.refreshChain();
            }
            return step(used);
        } catch (FabricException | SchemaBusyException e) {
            return false;
        } catch (Throwable e) {
            notForeseen(e);
            return false;
        }
    }

    /// Collects the garbage of idle sessions.
    ///
    /// @return whether some is left, for which the low watermark must rise
    private boolean collectAtRest() {
        boolean isLeft = false;
        for (SessionMaintenance each : settings.sessions().maintenances()) {
            isLeft |= each.keepUpAtRest();
        }
        return isLeft;
    }

    private boolean step(SessionMaintenance used) {
        boolean isDone = true;
        int buckets = Math.ceilDiv(BUCKETS_PER_STEP, servers.size());
        for (int server = 0; server < servers.size(); server++) {
            try {
                used.step(servers.get(server), leads.get(server), buckets);
            } catch (FabricException e) {
                isDone = false; // but a memory server that is down holds up no other
            }
        }
        return isDone;
    }

    private void rest() {
        settings.host().sleep(settings.restNanos());
    }

    /// How many old versions the memory servers have moved to their overflow regions. A count that
    /// may lag.
    public long versionsMoved() {
        return servers.stream().mapToLong(VersionMaintenance::moved).sum();
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
        joinUninterruptibly(thread);
    }

    /// Waits for a thread's end, uninterruptibly.
    public static void joinUninterruptibly(Thread thread) {
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
