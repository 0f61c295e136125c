package org.namdb.compute.schema;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.Host;
import org.namdb.fabric.PlantedFault;

/// A compute server's part in schema changes: it takes its turn to make one, and yields while
/// another one does.
/// ```
/// coordinator                                    every other compute server
/// close its latch
/// CAS epoch: open -> changed by me
/// wait for its sessions                          a begin, or maintenance, finds the epoch
/// wait until all leases have passed              close its latch, wait for its sessions
///                                                lease: passed
/// change the catalog, free memory                wait until the epoch is open
/// CAS epoch: open                                read the catalog, drop what is gone
/// open the latch                                 open the latch
/// ```
/// **Why freed memory is not used.** Memory is freed only when each lease has passed the epoch, or
/// has ended. A compute server that has passed has no transaction and no background maintenance,
/// and lets none begin before it has read that the epoch is open, and has dropped from its cache
/// what no longer exists. One that attaches meanwhile claims its lease first and reads the epoch
/// then; the coordinator raises the epoch first and reads the leases then: so the one waits, or the
/// other. A begin that finds a later epoch is a hint, by which this compute server yields at once;
/// without it, background maintenance finds the epoch.
///
/// **A coordinator that dies** leaves the epoch marked as changing. When it is fenced, its lease is
/// [ended][SchemaLeases#end], and with it its turn. What it was making or freeing is freed by the
/// next coordinator ([UnnamedStorage]).
///
/// **One that gives up** opens the epoch again, having changed nothing. A compute server that has
/// not passed keeps its cache then.
///
/// **One that fails half-way** compares its cache with the catalog, as the others will, before it
/// opens the schema latch: they all go on with the same schema.
public final class SchemaExclusion {
    private static final long WAIT_NANOS = 20_000;
    private static final int NO_SLOT = Integer.MIN_VALUE;

    /// How long a thread that waits for another one of its compute server sleeps at most.
    private static final long MAX_WAIT_NANOS = 1_000_000;

    /// How many reads of the epoch there are for one of the coordinator's lease.
    private static final int POLLS_PER_LEASE = 64;

    private final Host host;
    private final SchemaLeases leases;
    private final SchemaLatch schemaLatch;
    private final Runnable refresh;
    private final Consumer<IntPredicate> reclaim;
    private final Runnable checkHeld;
    private final Runnable idleBlocks;
    private final long longestNanos;

    /// Held by the thread that closes or opens the schema latch. Not a monitor: a simulated thread
    /// that waits for one would hold up all others.
    private final ReentrantLock lock = new ReentrantLock();

    /// The last count that this compute server has passed, and that for which it has compared its
    /// cache with the catalog.
    private long passed;

    private long refreshed;

    private volatile boolean closed;

    private volatile boolean ended;

    /// @param refresh drops cached objects that are no more in the catalog; called under the schema
    ///     latch
    /// @param reclaim frees what dead coordinators have left; gets a test whether the holder of a
    ///     lease is alive; called by a thread that is about to change the schema, alone
    /// @param checkHeld throws if this compute server has lost its lease; called repeatedly by a
    ///     thread that waits to change the schema
    /// @param idleBlocks has sessions end transactions that they can begin again; called repeatedly
    ///     while a schema change waits for sessions
    /// @param longest how long another compute server's schema change is waited for
    public SchemaExclusion(
            Host host,
            SchemaLeases leases,
            SchemaLatch schemaLatch,
            Runnable refresh,
            Consumer<IntPredicate> reclaim,
            Runnable checkHeld,
            Runnable idleBlocks,
            Duration longest) {
        this.host = host;
        this.leases = leases;
        this.schemaLatch = schemaLatch;
        this.refresh = refresh;
        this.reclaim = reclaim;
        this.checkHeld = checkHeld;
        this.idleBlocks = idleBlocks;
        this.longestNanos = longest.toNanos();
    }

    /// Reads the epoch, and if another compute server changes the schema, yields and waits until it
    /// has ended. The thread has no transaction.
    ///
    /// @param whileWaiting called repeatedly while it waits; what it throws ends the wait
    /// @throws org.namdb.fabric.FabricException if memory server 0 can't be reached
    /// @throws SchemaBusyException if the schema change takes too long, or it had to wait, and this
    ///     compute server is being closed
    public void awaitOthers(Runnable whileWaiting) {
        if (schemaLatch.isHeldBy(Thread.currentThread())) {
            return;
        }
        long deadline = host.nanoTime() + longestNanos;
        if (!awaitLock(deadline, whileWaiting)) {
            throw SchemaBusyException.definedBy(leases.computeServer());
        }
        try {
            requireNotEnded(whileWaiting);
            makeWay(deadline, whileWaiting);
        } finally {
            lock.unlock();
        }
    }

    /// No thread waits for another compute server's schema change any more: it may never end.
    public void close() {
        closed = true;
    }

    /// After [#close]: waits for the thread that has the turn, and gives it to no other, so that
    /// the leases can be closed. A late thread would read the epoch by a closed connection.
    ///
    /// @return false if a thread still has the turn, after as long as one may
    public boolean end() {
        boolean isMine = awaitLock(host.nanoTime() + longestNanos, () -> {});
        ended = true;
        if (isMine) {
            lock.unlock();
        }
        return isMine;
    }

    private void requireNotEnded(Runnable whileWaiting) {
        if (ended) {
            whileWaiting.run();
            throw new IllegalStateException("the database is closed");
        }
    }

    /// Runs a schema change while no transaction runs anywhere. A change may consist of several:
    /// then the inner ones run at once.
    ///
    /// @param most how long to wait for transactions, and for other schema changes
    /// @throws SchemaBusyException if they take longer; nothing has changed
    public <T extends @Nullable Object> T alone(Duration most, Supplier<T> definition) {
        return alone(most, NO_SLOT, definition);
    }

    /// The same while one transaction is open, whose session the current thread uses.
    ///
    /// @param ownSlot the session's
    public <T extends @Nullable Object> T alone(
            Duration most, int ownSlot, Supplier<T> definition) {
        if (schemaLatch.isHeldBy(Thread.currentThread())) {
            return definition.get();
        }
        long deadline = host.nanoTime() + most.toNanos();
        if (!awaitLock(deadline, checkHeld)) {
            throw new SchemaBusyException(List.of(), List.of());
        }
        try {
            requireNotEnded(checkHeld);
            long changing = begin(deadline);
            boolean isDone = false;
            try {
                awaitUsers(changing, deadline, ownSlot);
                schemaLatch.hold(changing);
                passed = SchemaEpoch.count(changing);
                refreshed = passed;
                reclaim.accept(leases::isHeldBy);
                T result = definition.get();
                isDone = true;
                return result;
            } finally {
                end(changing, isDone);
            }
        } finally {
            lock.unlock();
        }
    }

    /// @return whether another thread of this compute server has let go of it in time
    private boolean awaitLock(long deadline, Runnable whileWaiting) {
        long wait = WAIT_NANOS;
        while (!lock.tryLock()) {
            if (host.nanoTime() - deadline >= 0) {
                return false;
            }
            host.sleep(wait);
            wait = Math.min(2 * wait, MAX_WAIT_NANOS);
            whileWaiting.run();
        }
        return true;
    }

    /// Makes the epoch this compute server's.
    private long begin(long deadline) {
        while (true) {
            makeWay(deadline, checkHeld);
            schemaLatch.close();
            long open = schemaLatch.epoch();
            long changing = SchemaEpoch.changing(open, leases.computeServer());
            if (leases.raise(open, changing)) {
                return changing;
            }
        }
    }

    /// @param isDone whether the schema change was completed. One that has failed may have changed
    ///     the catalog, which others will read when the epoch is open: so does this compute server,
    ///     now or before the schema latch opens again
    private void end(long changing, boolean isDone) {
        long opened = SchemaEpoch.opened(changing);
        boolean isRead = false;
        try {
            isRead = isDone || isNotBegun(changing) || isRefreshed();
        } finally {
            schemaLatch
                    .letGo(); // if the epoch is not opened now, the next schema change is another
            boolean _ = leases.raise(changing, opened);
            if (isRead) {
                schemaLatch.open(opened);
            }
        }
    }

    /// Whether a schema change was given up before its first step.
    private boolean isNotBegun(long changing) {
        return passed != SchemaEpoch.count(changing);
    }

    private boolean isRefreshed() {
        refreshed = passed - 1;
        try {
            refresh.run();
            refreshed = passed;
            return true;
        } catch (RuntimeException e) {
            return false; // the next session that begins tries again, and reports it
        }
    }

    private void awaitUsers(long changing, long deadline, int ownSlot) {
        while (true) {
            List<Integer> running =
                    schemaLatch.running().stream().filter(slot -> slot != ownSlot).toList();
            List<Integer> behind =
                    PlantedFault.EPOCH_NOT_AWAITED.isPlanted()
                            ? List.of()
                            : leases.behind(SchemaEpoch.count(changing));
            if (running.isEmpty() && behind.isEmpty()) {
                return;
            }
            if (host.nanoTime() - deadline >= 0) {
                throw new SchemaBusyException(running, behind);
            }
            if (!running.isEmpty()) {
                idleBlocks.run();
            }
            host.sleep(WAIT_NANOS);
        }
    }

    /// Returns when no other compute server changes the schema, with the latch open.
    private void makeWay(long deadline, Runnable whileWaiting) {
        long found = leases.epoch();
        if (found == schemaLatch.epoch() && !schemaLatch.isClosed()) {
            return;
        }
        schemaLatch.close();
        for (int polls = 1; SchemaEpoch.isChanging(found); polls++) {
            pass(SchemaEpoch.count(found));
            int coordinator = SchemaEpoch.coordinator(found);
            boolean mayBeLost = polls % POLLS_PER_LEASE == 0 && !leases.isHeldBy(coordinator);
            if (mayBeLost || coordinator == leases.computeServer()) {
                boolean _ = leases.raise(found, SchemaEpoch.opened(found));
            } else {
                whileWaiting.run();
                if (closed || host.nanoTime() - deadline >= 0) {
                    throw SchemaBusyException.definedBy(coordinator);
                }
                host.sleep(WAIT_NANOS);
            }
            found = leases.epoch();
        }
        if (passed > refreshed || schemaLatch.isNew()) {
            refresh.run();
            refreshed = passed;
        }
        schemaLatch.open(found);
    }

    private void pass(long count) {
        if (passed >= count) {
            return;
        }
        if (schemaLatch.running().isEmpty()) {
            leases.pass(count);
            passed = count;
        } else {
            idleBlocks.run();
        }
    }
}
