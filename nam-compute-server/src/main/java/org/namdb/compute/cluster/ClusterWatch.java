package org.namdb.compute.cluster;

import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.cluster.membership.Membership;
import org.namdb.cluster.membership.MembershipException;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;
import org.namdb.fabric.PlantedFault;
import org.slf4j.Logger;

/// Finds compute servers that have died, in a thread of its own: those that hold something and have
/// no lease. It checks whenever a lease has ended, and periodically, so that it makes no difference
/// which events it has missed, or when it was started.
///
/// The holders are read first, then the leases. In the other order, one that joins in between would
/// be declared dead:
/// ```
/// W  watches: reads the leases        {1}
/// N  joins: takes a lease, a slot
/// W  reads the holders                {1, N}     N holds something, and W has seen no lease of it
/// ```
/// A holder had a lease before the first read, so if it has none at the second, its lease has
/// ended, and it will never have one again.
final class ClusterWatch implements AutoCloseable {
    /// What could not be done is retried after such a part of a pause.
    private static final int RETRIES_PER_REST = 20;

    private static final String DECLARED_DEAD =
            "was silent for longer than its lease, and was declared dead";

    /// The memory of a server that has died can't be had back: nothing is acknowledged any more.
    private static final String MEMORY_IS_GONE =
            "has lost its database, as a memory server has died or was restarted";

    /// It is on disks, too: it is there again when all memory servers have restarted.
    private static final String MEMORY_IS_RECOVERED =
            "has lost the memory that it was attached to, as a memory server has died or was"
                    + " restarted (its database is kept on disks)";

    /// What a watch needs of its process.
    ///
    /// @param restNanos the pause between two checks, if no lease has ended
    /// @param areReplaced whether a memory server has other memory than at first
    record Context(Host host, Membership membership, long restNanos, BooleanSupplier areReplaced) {}

    private final Host host;
    private final Logger log;
    private final Membership membership;
    private final long restNanos;
    private final BooleanSupplier areReplaced;
    private final int process;
    private final String memoryLoss;
    private final Supplier<Holders> connections;
    private final Predicate<Set<Integer>> recoverProcesses;
    private final Runnable fenced;
    private final Thread thread;

    /// The dead that were reported already, as recovery may need many tries.
    private final Set<Integer> announced = new TreeSet<>();

    private volatile boolean isChanged = true;
    private volatile @Nullable String loss;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile boolean isClosed;
    private @Nullable Holders holders;
    private String lastFailure = "";

    /// @param isKept whether memory servers keep the database on disks
    ClusterWatch(
            Context context,
            int process,
            boolean isKept,
            Supplier<Holders> connections,
            Predicate<Set<Integer>> recoverProcesses,
            Runnable fenced) {
        this.host = context.host();
        this.log = host.logger(ClusterWatch.class);
        this.membership = context.membership();
        this.restNanos = context.restNanos();
        this.areReplaced = context.areReplaced();
        this.process = process;
        this.memoryLoss = isKept ? MEMORY_IS_RECOVERED : MEMORY_IS_GONE;
        this.connections = connections;
        this.recoverProcesses = recoverProcesses;
        this.fenced = fenced;
        this.thread = host.start("namdb-membership", this::run);
        membership.watch(this::wakeUp);
    }

    private void wakeUp() {
        isChanged = true;
        LockSupport.unpark(thread);
    }

    private void run() {
        while (!isClosed && loss == null) {
            isChanged = false; // what changes from here on is for the next check
            boolean isDone = check();
            long start = host.nanoTime();
            long rest = isDone ? restNanos : restNanos / RETRIES_PER_REST;
            while (!isClosed
                    && loss == null
                    && !(isDone && isChanged)
                    && host.nanoTime() - start < rest) {
                host.sleep(rest - (host.nanoTime() - start));
            }
        }
        disconnect();
        if (loss != null && !isMemoryLost()) {
            if (!DECLARED_DEAD.equals(loss)) {
                endLease();
            }
            fenced.run();
        }
    }

    private void endLease() {
        try {
            membership.close();
        } catch (MembershipException e) {
            log.warn("compute server {} could not end its lease", process, e);
        }
    }

    /// @return whether nothing is left to do
    private boolean check() {
        try {
            boolean isReversed = PlantedFault.LEASES_READ_FIRST.isPlanted();
            Set<Integer> before = isReversed ? membership.members() : Set.of();
            connected().requireServers();
            Set<Integer> dead = new TreeSet<>(connected().read());
            dead.removeAll(isReversed ? before : membership.members());
            if (membership.isLost()) {
                lose(DECLARED_DEAD, "its lease has ended");
                return true;
            }
            dead.remove(process);
            if (!dead.isEmpty()) {
                dead.retainAll(connected().read()); // those that have left in between hold nothing
            }
            announced.retainAll(dead);
            for (int each : dead) {
                if (announced.add(each)) {
                    log.warn("compute server {} has died: recovering what it held", each);
                }
            }
            boolean isDone = dead.isEmpty() || recoverProcesses.test(dead);
            lastFailure = "";
            return isDone;
        } catch (FabricException e) {
            disconnect();
            if (e.kind() == FabricException.Kind.FENCED) {
                lose(DECLARED_DEAD, "others have fenced it");
                return true;
            }
            noteFailure(e);
            if (loss == null && areReplaced.getAsBoolean()) { // mapped memory does not show that
                lose(memoryLoss, String.valueOf(e.getMessage()));
            }
            if (loss != null) {
                return true;
            }
            failed(e);
        } catch (MembershipException e) {
            failed(e); // no compute server is declared dead while leases can't be read
        } catch (Throwable e) {
            disconnect();
            failed(e);
        }
        return false;
    }

    /// Notes what a thread of this compute server has found out about the memory servers.
    void noteFailure(FabricException failure) {
        if (MemoryServers.areLost(failure)) {
            lose(memoryLoss, String.valueOf(failure.getMessage()));
        } else if (failure.kind() == FabricException.Kind.PEER_GONE) {
            wakeUp(); // it finds out
        }
    }

    /// Checks after [#close] whether the memory servers are alive: a lost connection does not show
    /// it, and the thread may not have checked since.
    void checkServers() {
        try {
            connected().requireServers();
            Set<Integer> _ = connected().read(); // by verbs, which a new process refuses
        } catch (FabricException e) {
            noteFailure(e);
        } finally {
            disconnect();
        }
    }

    /// Gives up the lease: the others fence this compute server and recover what it holds, as it
    /// can't release that itself any more.
    ///
    /// @param why the end of a sentence about it
    void giveUp(String why, FabricException failure) {
        noteFailure(failure); // the database may be lost, too
        boolean isFenced = failure.kind() == FabricException.Kind.FENCED;
        lose(isFenced ? DECLARED_DEAD : why, String.valueOf(failure.getMessage()));
        wakeUp();
    }

    /// The first reason stays.
    private void lose(String why, String how) {
        lock.lock();
        try {
            if (loss == null) {
                loss = why;
                log.error("compute server {} {}: {}", process, why, how);
            }
        } finally {
            lock.unlock();
        }
    }

    /// The database is lost, as was found after this compute server had lost its lease.
    void loseMemory(String how) {
        loss = MEMORY_IS_GONE;
        log.error("compute server {} {}: {}", process, MEMORY_IS_GONE, how);
    }

    /// Whether the database is lost with a memory server.
    boolean isMemoryLost() {
        return MEMORY_IS_GONE.equals(loss);
    }

    private void failed(Throwable failure) {
        String message = String.valueOf(failure.getMessage());
        if (!isClosed && !message.equals(lastFailure)) {
            lastFailure = message;
            log.warn("can't monitor the other compute servers: {}", message);
        }
    }

    private Holders connected() {
        Holders open = holders;
        if (open == null) {
            open = connections.get();
            holders = open;
        }
        return open;
    }

    private void disconnect() {
        Holders open = holders;
        if (open != null) {
            holders = null;
            open.close();
        }
    }

    /// Whether the memory is lost, and the database is recovered from disks.
    boolean isMemoryRecovered() {
        return MEMORY_IS_RECOVERED.equals(loss);
    }

    /// Why this compute server can't go on, permanently: the end of a sentence about it. Null if it
    /// can.
    @Nullable String loss() {
        return loss;
    }

    /// Ends the thread, and waits for that.
    @Override
    public void close() {
        isClosed = true;
        LockSupport.unpark(thread);
        boolean isInterrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join(); // without a limit, which would be one in the machine's time
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
