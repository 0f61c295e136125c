package org.namdb.compute.schema;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.Host;
import org.namdb.fabric.PlantedFault;

/// A compute server's part in definitions: it takes its turn to define, and stands aside while
/// another one does.
/// ```
/// definer                                        every other compute server
/// close the own gate
/// CAS epoch: open -> defined by me
/// wait for the own sessions                      a begin, or the background work, finds the epoch
/// wait until all leases have passed              close the gate, wait for the own sessions
///                                                lease: passed
/// change the catalog, give memory back           wait until the epoch is open
/// CAS epoch: open                                read the catalog, forget what is gone
/// open the gate                                  open the gate
/// ```
/// **Why nobody uses memory that was given back.** Memory is given back only when each lease has
/// passed the epoch, or has ended. Who has passed has no transaction and no background work, and
/// lets none begin before it has seen the epoch open and has forgotten what is gone. Who attaches
/// meanwhile claims its lease first and reads the epoch then; the definer raises the epoch first
/// and reads the leases then: so the one waits, or the other. A begin that finds a later epoch is a
/// hint, by which this compute server makes way at once; without it, the background work finds the
/// epoch.
///
/// **A definer that dies** leaves the epoch defined. When it is fenced, its lease is
/// [ended][SchemaLeases#end], and with it its turn. What it was making or giving back is given back
/// by who defines next ([UnnamedStorage]).
///
/// **One that gives up** opens the epoch again, having changed nothing. Who has not passed needs to
/// forget nothing then.
///
/// **One that fails half-way** compares what it knows with the catalog, as the others will, before
/// it opens the gate: they all go on with the same schema.
public final class DefinitionTurn {
    private static final long WAIT_NANOS = 20_000;

    /// How long who waits for another thread of its compute server sleeps at most.
    private static final long MOST_WAIT_NANOS = 1_000_000;

    /// How many looks at the epoch there are for one at the definer's lease.
    private static final int LOOKS_PER_LEASE = 64;

    private final Host host;
    private final SchemaLeases leases;
    private final SchemaGate gate;
    private final Runnable refresh;
    private final Consumer<IntPredicate> reclaim;
    private final long longestNanos;

    /// Held by who opens and closes the gate. Not a monitor: a simulated thread that waits for one
    /// would hold up all others.
    private final ReentrantLock lock = new ReentrantLock();

    /// The last count that this compute server has passed, and that for which it has compared what
    /// it knows with the catalog.
    private long passed;

    private long refreshed;

    private volatile boolean closed;

    private volatile boolean ended;

    /// @param refresh forgets what is no more in the catalog; called behind the closed gate
    /// @param reclaim gives back what definers have left who are dead; gets who tells whether the
    ///     holder of a lease is alive, and is called by who is about to define, alone
    /// @param longest how long another compute server's definition is waited for
    public DefinitionTurn(
            Host host,
            SchemaLeases leases,
            SchemaGate gate,
            Runnable refresh,
            Consumer<IntPredicate> reclaim,
            Duration longest) {
        this.host = host;
        this.leases = leases;
        this.gate = gate;
        this.refresh = refresh;
        this.reclaim = reclaim;
        this.longestNanos = longest.toNanos();
    }

    /// Looks at the epoch, and if another compute server defines, makes way and waits until it has
    /// ended. The thread has no transaction.
    ///
    /// @param whileWaiting called again and again while it waits; what it throws ends the wait
    /// @throws org.namdb.fabric.FabricException if memory server 0 can't be reached
    /// @throws SchemaBusyException if the definition takes too long, or it had to wait, and this
    ///     compute server is being closed
    public void look(Runnable whileWaiting) {
        if (gate.isHeldBy(Thread.currentThread())) {
            return;
        }
        long deadline = host.nanoTime() + longestNanos;
        if (!awaitLock(deadline, whileWaiting)) {
            throw SchemaBusyException.definedBy(leases.computeServer());
        }
        try {
            requireNotEnded();
            makeWay(deadline, whileWaiting);
        } finally {
            lock.unlock();
        }
    }

    /// Nobody waits for another compute server's definition any more: it may never end.
    public void close() {
        closed = true;
    }

    /// After [#close]: waits for whoever has the turn, and gives it to nobody any more, so that the
    /// leases can be closed. Who comes late would look at the epoch by a connection that is gone.
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

    private void requireNotEnded() {
        if (ended) {
            throw new IllegalStateException("the database is closed");
        }
    }

    /// Runs a definition while no transaction runs anywhere. A definition may consist of several:
    /// then the inner ones run at once.
    ///
    /// @param most how long to wait for transactions, and for other definitions
    /// @throws SchemaBusyException if they take longer; nothing has changed
    public <T extends @Nullable Object> T alone(Duration most, Supplier<T> definition) {
        if (gate.isHeldBy(Thread.currentThread())) {
            return definition.get();
        }
        long deadline = host.nanoTime() + most.toNanos();
        if (!awaitLock(deadline, () -> {})) {
            throw new SchemaBusyException(List.of(), List.of());
        }
        try {
            requireNotEnded();
            long defined = begin(deadline);
            boolean isDone = false;
            try {
                awaitUsers(defined, deadline);
                gate.hold(defined);
                passed = SchemaEpoch.count(defined);
                refreshed = passed;
                reclaim.accept(leases::isHeldBy);
                T result = definition.get();
                isDone = true;
                return result;
            } finally {
                end(defined, isDone);
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
            wait = Math.min(2 * wait, MOST_WAIT_NANOS);
            whileWaiting.run();
        }
        return true;
    }

    /// Makes the epoch this compute server's.
    private long begin(long deadline) {
        while (true) {
            makeWay(deadline, () -> {});
            gate.close();
            long open = gate.epoch();
            long defined = SchemaEpoch.defined(open, leases.computeServer());
            if (leases.raise(open, defined)) {
                return defined;
            }
        }
    }

    /// @param isDone whether the schema change has come to its end. One that has failed may have
    ///     changed the catalog, as others will read it when the epoch is open: so does this compute
    ///     server, now or before the gate opens again
    private void end(long defined, boolean isDone) {
        long opened = SchemaEpoch.opened(defined);
        boolean isRead = isDone || isNotBegun(defined) || isRefreshed();
        gate.letGo(); // should the epoch not be opened now, its next definition is no part of this
        boolean _ = leases.raise(defined, opened);
        if (isRead) {
            gate.open(opened);
        }
    }

    /// Whether a schema change was given up before its first step.
    private boolean isNotBegun(long defined) {
        return passed != SchemaEpoch.count(defined);
    }

    private boolean isRefreshed() {
        refreshed = passed - 1;
        try {
            refresh.run();
            refreshed = passed;
            return true;
        } catch (FabricException e) {
            return false; // the next session that begins tries again
        }
    }

    private void awaitUsers(long defined, long deadline) {
        while (true) {
            List<Integer> running = gate.running();
            List<Integer> behind =
                    PlantedFault.EPOCH_NOT_AWAITED.isPlanted()
                            ? List.of()
                            : leases.behind(SchemaEpoch.count(defined));
            if (running.isEmpty() && behind.isEmpty()) {
                return;
            }
            if (host.nanoTime() - deadline >= 0) {
                throw new SchemaBusyException(running, behind);
            }
            host.sleep(WAIT_NANOS);
        }
    }

    /// Returns when no other compute server defines, with the gate open.
    private void makeWay(long deadline, Runnable whileWaiting) {
        long found = leases.epoch();
        if (found == gate.epoch() && !gate.isClosed()) {
            return;
        }
        gate.close();
        for (int looks = 1; SchemaEpoch.isDefined(found); looks++) {
            pass(SchemaEpoch.count(found));
            int definer = SchemaEpoch.definer(found);
            boolean mayBeLost = looks % LOOKS_PER_LEASE == 0 && !leases.isHeldBy(definer);
            if (mayBeLost || definer == leases.computeServer()) {
                boolean _ = leases.raise(found, SchemaEpoch.opened(found));
            } else if (closed || host.nanoTime() - deadline >= 0) {
                throw SchemaBusyException.definedBy(definer);
            } else {
                host.sleep(WAIT_NANOS);
                whileWaiting.run();
            }
            found = leases.epoch();
        }
        if (passed > refreshed || gate.isNew()) {
            refresh.run();
            refreshed = passed;
        }
        gate.open(found);
    }

    private void pass(long count) {
        if (passed < count && gate.running().isEmpty()) {
            leases.pass(count);
            passed = count;
        }
    }
}
