package org.namdb.compute.maintenance;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.schema.Catalog;
import org.namdb.compute.schema.SchemaBusyException;
import org.namdb.compute.schema.SchemaLatch;
import org.namdb.compute.schema.SharedSchemaLatch;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.Host;
import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.owner.IntentLayout;
import org.namdb.mvcc.recovery.RecoveredSlot;
import org.namdb.mvcc.recovery.SlotRecovery;
import org.namdb.timestamp.SlotOwners;
import org.namdb.timestamp.TimestampVectorLayout;

/// Sessions that are dead and fenced, and their recovery: failed sessions of this process, whose
/// queue pairs are disconnected, and all sessions of other processes that were fenced. Safe for use
/// by many threads.
///
/// Needs no slot, since none may be free. A thread of its own does the work, and lasts as long as
/// there is work: any other thread, even that of background maintenance, may be waiting for a dead
/// session's latch.
///
/// A failed session is marked dead [in its slot's word][SlotOwners], before anything else is done.
/// Recovery in other processes would wait for it forever otherwise, as long as one of them runs
/// and this process's can't:
/// ```
/// b  failed, in this process: lists (r, h)
/// X  recovers in another process: r is a suspect, b may hold it, and b's attempt never ends
/// Y  in this process has marked b dead, and waits until X has done its work
/// ```
public final class DeadSessions {
    /// How long a recovery waits for another session.
    public static final long TIMEOUT_NANOS = 20_000_000;

    /// What is recovered, and with what.
    ///
    /// @param restNanos the pause before what can't be done now is retried
    /// @param connections connects to all memory servers
    /// @param vector where the slots lie
    /// @param intents where they write down what they lock
    /// @param catalog has the tables
    /// @param commitFinish makes what finishes commits over a queue pair; null where they leave no
    ///     images
    public record Context(
            Host host,
            long restNanos,
            Supplier<QueuePair> connections,
            TimestampVectorLayout vector,
            IntentLayout intents,
            Catalog catalog,
            Function<QueuePair, @Nullable CommitFinish> commitFinish) {}

    private final Context context;

    /// The recovering process, in the region's words.
    private final long owner;

    /// Those whose slots are not marked dead yet, as the slots call them.
    private final Set<Long> unreported = ConcurrentHashMap.newKeySet();

    /// By what their slots call them: those that may still have verbs in flight.
    private final Map<Long, QueuePair> unopened = new ConcurrentHashMap<>();

    private final Set<Integer> processes = ConcurrentHashMap.newKeySet();

    /// Not a monitor: a simulated thread that waits for one would hold up all others.
    private final ReentrantLock lock = new ReentrantLock();

    private volatile Consumer<RecoveredSlot> observer = _ -> {};
    private volatile boolean isWorkLeft;
    private final AtomicBoolean isAtWork = new AtomicBoolean();
    private volatile @Nullable Thread thread;
    private volatile boolean closed;
    private final SharedSchemaLatch sharedLatch;
    private @Nullable QueuePair queuePair;

    /// Over that queue pair, whose memory it uses; null if it was not needed yet.
    private @Nullable CommitFinish commitFinish;

    /// @param schemaLatch keeps schema changes out
    /// @param awaitSchema yields if another compute server changes the schema, calling its argument
    ///     while it waits
    /// @param owner the recovering process, as the slots call it
    public DeadSessions(
            Context context, SchemaLatch schemaLatch, Consumer<Runnable> awaitSchema, long owner) {
        this.context = context;
        this.owner = owner;
        this.sharedLatch =
                new SharedSchemaLatch(schemaLatch, awaitSchema, () -> {}, context.host());
    }

    /// A session of this process has failed, and no thread uses it any more.
    ///
    /// @param queuePair the session's
    /// @param owner what its slot calls it
    /// @throws FabricException if it is not known whether a memory server still does what the
    ///     session has posted: nothing is recovered before
    public void add(QueuePair queuePair, long owner) {
        queuePair.disconnect();
        unreported.add(owner);
        isWorkLeft = true;
        start();
    }

    /// A session has failed while it was opened: it is not known whether it has a slot. Its queue
    /// pair is closed when it is known that nothing of it is done any more: now, or later.
    ///
    /// @param queuePair its queue pair
    /// @param owner what its slot calls it, if it has one
    public void addUnopened(QueuePair queuePair, long owner) {
        unopened.put(owner, queuePair);
        isWorkLeft = true;
        try {
            if (lock.tryLock()) {
                try {
                    takeUnopened();
                } finally {
                    lock.unlock();
                }
            }
            start();
        } catch (Throwable e) {
            // Background maintenance retries it.
        }
    }

    /// For the thread that has the lock.
    private void takeUnopened() {
        for (Map.Entry<Long, QueuePair> each : Map.copyOf(unopened).entrySet()) {
            QueuePair queuePair = each.getValue();
            queuePair.disconnect();
            unreported.add(each.getKey());
            unopened.remove(each.getKey());
            queuePair.close();
        }
    }

    /// Processes are fenced on every memory server.
    public void addProcesses(Collection<Integer> fenced) {
        if (processes.addAll(fenced)) {
            isWorkLeft = true;
            start();
        }
    }

    /// Starts a recovery thread if work is left and none runs: starting one may have failed before.
    public void goOn() {
        if (isWorkLeft) {
            start();
        }
    }

    private void start() {
        if (!closed && isAtWork.compareAndSet(false, true)) {
            boolean isStarted = false;
            try {
                thread = context.host().start("namdb-session-recovery", this::work);
                isStarted = true;
            } finally {
                if (!isStarted) {
                    isAtWork.set(false); // the next one tries again
                }
            }
        }
    }

    /// A failure does not end it: the others wait for it.
    private void work() {
        Host host = context.host();
        long rests = 1;
        while (!closed && isWorkLeft) {
            try {
                boolean _ = recover();
                rests = 1;
            } catch (FabricException e) {
                if (e.kind() == FabricException.Kind.FENCED) {
                    return; // others recover this process
                }
            } catch (SchemaBusyException e) {
                rests =
                        Math.min(
                                2 * rests,
                                MaintenanceThread.MAX_RESTS); // a schema change takes long
            } catch (Throwable e) {
                if (!closed) {
                    MaintenanceThread.report(e);
                }
                rests = Math.min(2 * rests, MaintenanceThread.MAX_RESTS);
            }
            if (isWorkLeft && !closed) { // a wait within may have taken the unpark
                host.sleep(rests * context.restNanos());
            }
        }
        isAtWork.set(false);
        if (isWorkLeft) {
            start(); // it came when this one had looked for the last time
        }
    }

    /// Whether a process was [added][#addProcesses] before.
    public boolean hasProcess(int process) {
        return processes.contains(process);
    }

    /// Notifies `chosen` of every slot that is recovered from now on.
    public void observe(Consumer<RecoveredSlot> chosen) {
        observer = chosen;
    }

    /// Notified of slots that are recovered.
    public Consumer<RecoveredSlot> observer() {
        return observer;
    }

    /// Recovers dead sessions, if there are any, and no other thread does.
    ///
    /// @return whether nothing is left
    /// @throws org.namdb.fabric.FabricException if a memory server can't be reached; another call
    ///     continues
    public boolean recover() {
        if (!lock.tryLock()) {
            return false;
        }
        boolean isDone = false;
        try {
            if (!isWorkLeft) {
                isDone = true;
                return true;
            }
            isWorkLeft = false; // what is added from here on is work for the next time
            try {
                isDone = run(open());
            } catch (Throwable e) {
                close();
                letOthersRecover();
                throw e;
            }
            return isDone;
        } finally {
            if (!isDone) {
                isWorkLeft = true;
            }
            lock.unlock();
        }
    }

    private boolean run(QueuePair open) {
        takeUnopened();
        Set<Long> owners = Set.copyOf(unreported);
        if (!owners.isEmpty()) {
            new SlotOwners(context.vector(), open).reportDead(owners);
            unreported.removeAll(owners);
        }
        CommitFinish finish = commitFinish;
        if (finish == null) {
            finish = context.commitFinish().apply(open);
            commitFinish = finish;
        }
        SlotRecovery recover =
                new SlotRecovery(
                        open,
                        context.vector(),
                        context.intents(),
                        new CatalogTables(context.catalog()),
                        finish == null ? null : finish::finish,
                        context.host(),
                        owner,
                        TIMEOUT_NANOS);
        sharedLatch.enter(false);
        try {
            return recover.run(this::isFenced, observer);
        } finally {
            sharedLatch.leave();
        }
    }

    /// This thread can't go on now; another may, as none of this one's verbs is in flight.
    private void letOthersRecover() {
        try {
            new SlotOwners(context.vector(), open()).endRecovery(owner);
        } catch (FabricException e) {
            close(); // this one tries again, or is fenced
        }
    }

    private boolean isFenced(long who) {
        return processes.contains(SlotOwners.process(who));
    }

    private QueuePair open() {
        QueuePair open = queuePair;
        if (open == null) {
            open = context.connections().get();
            queuePair = open;
        }
        return open;
    }

    /// Nothing that was posted takes effect any more, so another thread may continue what is half
    /// done.
    private void close() {
        QueuePair open = queuePair;
        commitFinish = null;
        if (open != null) {
            queuePair = null;
            try {
                open.disconnect();
            } finally {
                open.close();
            }
        }
    }

    /// Whether this is walking the tables.
    public boolean isRunning() {
        return sharedLatch.isEntered();
    }

    /// Ends it.
    ///
    /// @param isMemoryLeft whether to try once more before, as others will go on with the database
    public void end(boolean isMemoryLeft) {
        closed = true;
        Thread last = thread;
        if (last != null) {
            LockSupport.unpark(last);
            MaintenanceThread.joinUninterruptibly(last);
        }
        FirstFailure failures = new FirstFailure();
        lock.lock();
        try {
            if (isMemoryLeft) {
                failures.attempt(this::recoverOnceMore);
            }
            unopened.values().forEach(each -> failures.attempt(each::close));
            failures.attempt(this::close); // it may be called again
        } finally {
            lock.unlock();
        }
        failures.rethrow();
    }

    private void recoverOnceMore() {
        try {
            boolean _ = recover();
        } catch (SchemaBusyException e) {
            // Others go on: the slots are marked dead.
        }
    }
}
