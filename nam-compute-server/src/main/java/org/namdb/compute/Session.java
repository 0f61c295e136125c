package org.namdb.compute;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.admission.Admission;
import org.namdb.compute.commit.AbortCause;
import org.namdb.compute.commit.Commit;
import org.namdb.compute.commit.CommitContext;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.commit.RequiredReads;
import org.namdb.compute.commit.WriteSet;
import org.namdb.compute.guard.CopiedReads;
import org.namdb.compute.journal.Durability;
import org.namdb.compute.journal.SessionJournal;
import org.namdb.compute.maintenance.SessionFailure;
import org.namdb.compute.maintenance.SessionMaintenance;
import org.namdb.compute.read.ReadSet;
import org.namdb.compute.read.ReadSnapshot;
import org.namdb.compute.read.SessionIndexes;
import org.namdb.compute.schema.SharedSchemaLatch;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.Host;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.VerbCounters;
import org.namdb.memory.client.MemoryClient;
import org.namdb.memory.client.ThreadExtents;
import org.namdb.mvcc.gc.GarbageCollector;
import org.namdb.mvcc.hash.BucketSplit;
import org.namdb.mvcc.hash.DueSplits;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.timestamp.TimestampSlot;
import org.namdb.timestamp.TimestampVectorLayout;
import org.namdb.timestamp.snapshot.LowWatermark;
import org.namdb.timestamp.snapshot.SnapshotOracle;

/// One thread's way to run transactions: the paper's transaction execution thread. It owns a slot
/// of the timestamp vector, a queue pair to the memory servers, and what is left behind by its
/// commits. Used by one thread at a time, one transaction at a time. A session sees its own
/// commits, and its snapshots never go back. Transactions are bodies that it runs, again after a
/// conflict ([#transact], [#call]), or opened and ended by the caller ([#begin], [#commit],
/// [#rollback]).
///
/// Where more sessions are busy at a time than there are processors, run each on a virtual thread:
/// one hands over to the next without the operating system (decision 0015).
///
/// Source: NAM-DB, section 6.1.
public final class Session implements AutoCloseable {
    final ComputeServer server;
    private final EmbeddedOptions options;
    private final Host host;
    private final QueuePair queuePair;
    private final long owner;
    private final TimestampSlot slot;
    private final SnapshotOracle oracle;
    private final LowWatermark watermark;
    private final ThreadExtents data;
    private final ThreadExtents oldVersions;
    private final LatchOwner latchOwner;
    private final Intents intents;
    final GarbageCollector collector;
    private final ReadSnapshot held;
    private final SessionMaintenance maintenance;
    private final PendingOutcome pending;
    final ReadSet readSet;
    final Transaction transaction;
    private final RequiredReads required;
    private final SessionJournal journal;
    final Commit commit;
    final DueSplits splits;
    private final Admission.Participant admission;
    private final Attempts attempts;
    private final SchemaSnapshots snapshots;
    private final Cancellation cancellation;
    final SessionFailure fatalFailure;
    final SessionIndexes indexes;
    final SharedSchemaLatch sharedLatch;

    /// Whether a transaction runs, was opened by [#begin()], or is about to run.
    private boolean isRunning;

    private boolean isOpen;
    private boolean isStarting;

    /// Set by [Sessions]: whether its user has [closed][#close] it, and whether it ever had one.
    volatile boolean isReleased;

    volatile boolean isUsers;

    private @Nullable TransactionObserver observer;
    private final TransactionAttempt attempt;

    Session(
            ComputeServer server,
            EmbeddedOptions options,
            QueuePair queuePair,
            TimestampVectorLayout vector,
            long owner) {
        this.server = server;
        this.options = options;
        this.host = options.host();
        this.cancellation = new Cancellation(host);
        this.sharedLatch =
                new SharedSchemaLatch(
                        server.schemaLatch(), server::awaitSchema, this::checkStartCancelled, host);
        this.queuePair = queuePair;
        this.fatalFailure = new SessionFailure(queuePair, server.resources()::noteFailure);
        this.owner = owner;
        this.slot = TimestampSlot.take(vector, queuePair, owner);
        this.oracle = server.oracles().open(slot);
        this.snapshots = new SchemaSnapshots(server, oracle, queuePair, sharedLatch);
        this.watermark =
                new LowWatermark(
                        vector, queuePair, options.maxTransactionTime().toNanos(), host::nanoTime);
        this.held =
                new ReadSnapshot(
                        host,
                        queuePair,
                        oracle,
                        watermark,
                        fatalFailure::note,
                        options.maxTransactionTime().toNanos());
        MemoryClient client = new MemoryClient(queuePair, options.memoryServers());
        this.data = new ThreadExtents(client);
        this.oldVersions = new ThreadExtents(client);
        this.latchOwner =
                new LatchOwner(
                        slot.number(), host, options.latchWait().toNanos(), this::checkLatchWait);
        this.intents = new Intents(queuePair, server.intentLayout(), slot.number(), owner, data);
        this.pending = new PendingOutcome(held, cancellation, fatalFailure, server);
        CopiedReads copies = server.copiedReads(queuePair);
        this.readSet = new ReadSet(queuePair, held, pending, server.transactionMemory(), copies);
        BucketSplit splitter = new BucketSplit(queuePair, data, latchOwner, intents, vector::slot);
        this.splits = new DueSplits(options.splitsBuckets() ? splitter : null);
        CommitContext context =
                new CommitContext(
                        queuePair,
                        slot,
                        latchOwner,
                        intents,
                        data,
                        oldVersions,
                        readSet.localMemory(),
                        splits);
        this.indexes = new SessionIndexes(server.catalog()::byNumber, context, readSet);
        this.transaction = new Transaction(readSet, indexes, pending);
        this.collector =
                new GarbageCollector(
                        queuePair,
                        data,
                        oldVersions,
                        server.catalog()::records,
                        indexes,
                        latchOwner,
                        intents);
        collector.awaitDurable(server.journal().durable());
        this.admission =
                server.admission()
                        .participant(() -> maintenance().runMaintenance(), cancellation::check);
        this.maintenance =
                new SessionMaintenance(
                        server.maintenanceSettings(),
                        new SessionMaintenance.Context(
                                slot, queuePair, client, data, oldVersions, intents, splits),
                        sharedLatch,
                        admission,
                        fatalFailure,
                        this::handOverIfFailed,
                        oracle,
                        watermark,
                        held.snapshot(),
                        collector);
        this.attempt = new TransactionAttempt(held.snapshot(), readSet);
        this.required = new RequiredReads(context, indexes, readSet.changes()::change);
        this.journal = server.journal().session(slot.number(), server.cuts(), held.snapshot());
        this.commit =
                server.openCommit(
                        context, held, indexes, collector.garbage(), journal, this::checkLatchWait);
        this.attempts = new Attempts(this, options, admission, journal, slot.number());
    }

    /// Runs a transaction, again after a conflict, as the retry policy says.
    ///
    /// @return what the body returns
    /// @throws TransactionException if it can't be committed
    public <R extends @Nullable Object> R transact(TransactionBody<R> body) {
        return call((running, given) -> given.run(running), body);
    }

    /// Runs a procedure as a transaction, again after a conflict, as the retry policy says.
    ///
    /// @return what the procedure returns
    /// @throws TransactionException if it can't be committed
    /// @throws FabricException if a memory server can't be reached; whether the transaction is
    ///     committed is not known then, and the session can only be closed
    public <A, R extends @Nullable Object> R call(StoredProcedure<A, R> procedure, A arguments) {
        try {
            return attempts.run(transaction, procedure, arguments);
        } catch (FabricException e) {
            fatalFailure.note(e);
            handOverIfFailed();
            throw e;
        }
    }

    /// Notifies `chosen` of every attempt to run a transaction, until the session is closed.
    ///
    /// @param chosen null for none
    public void observe(@Nullable TransactionObserver chosen) {
        observer = chosen;
    }

    /// Opens a transaction, which stays open until [#commit] or [#rollback]; until then the session
    /// runs no other. It takes no permit: see [#admission]. Its snapshot is chosen here.
    ///
    /// Failures are exceptions: [TransactionAborted] for an abort, after which [#abortOutcome] says
    /// what it was, and [#commit] will return it; [FabricException] if a memory server can't be
    /// reached, after which the session can only be closed.
    ///
    /// @throws IllegalStateException if one is open, or running
    public Transaction begin() {
        return begin(null);
    }

    /// Opens a transaction beside the one that another session (null for none) has open, and which
    /// ends after it. It does not wait for a schema change, which waits for the other one.
    public Transaction begin(@Nullable Session other) {
        try {
            start(true, other != null && other.isOpen);
        } catch (FabricException e) {
            fatalFailure.note(e);
            handOverIfFailed();
            throw e;
        }
        isOpen = true;
        try {
            journal.await(admission); // what the snapshot shows must be durable when it is answered
            return transaction;
        } catch (Throwable e) {
            rollback();
            throw e;
        }
    }

    /// The session's permit, for callers that open transactions by [#begin]; [#call] takes it.
    public Admission.Participant admission() {
        return admission;
    }

    /// Whether a transaction is open, by [#begin].
    public boolean isOpen() {
        return isOpen;
    }

    /// Commits the open transaction, and ends it whatever the outcome.
    ///
    /// @return the outcome: the abort, if it has failed before
    /// @throws IllegalStateException if none is open
    /// @throws FabricException if a memory server can't be reached; whether the transaction is
    ///     committed is not known then, and the session can only be closed
    public CommitOutcome commit() {
        requireOpen();
        isOpen = false;
        CommitOutcome outcome = commitAndEnd();
        boolean isAnswer = !(outcome instanceof CommitOutcome.Committed) || journal.hasAppended();
        if (isAnswer && journal.wouldWait()) { // what was only read is durable since the begin
            admission.stepAside(); // permanently: only the outcome is left to report
            journal.await();
        }
        return outcome;
    }

    private CommitOutcome commitAndEnd() {
        CommitOutcome outcome = null;
        try {
            outcome = commitOutcome();
        } catch (FabricException e) {
            fatalFailure.note(e);
            throw e;
        } finally {
            end(outcome);
        }
        attempts.count(outcome);
        return outcome;
    }

    /// Ends the open transaction without a change.
    ///
    /// @throws IllegalStateException if none is open
    public void rollback() {
        requireOpen();
        isOpen = false;
        CommitOutcome abort = pending.abort();
        CommitOutcome outcome = abort != null ? abort : CommitOutcome.RolledBack.INSTANCE;
        end(fatalFailure.isThere() ? null : outcome);
        attempts.count(outcome);
    }

    /// How the running transaction was aborted; null if it was not.
    public @Nullable CommitOutcome abortOutcome() {
        return isRunning ? pending.abort() : null;
    }

    /// Cancels what the session is running; for any thread. Stays until the next
    /// [Transaction#checkCancelled] or wait of the session, which throws, or [#clearCancel].
    public void cancel() {
        cancellation.request();
    }

    /// Calls [#cancel] after a time of more than 0. Each check reads the clock.
    public void cancelAfter(long nanos) {
        cancellation.requestAfter(nanos);
    }

    /// Clears a [#cancel] that came too late, and a [#cancelAfter].
    public void clearCancel() {
        cancellation.clear();
    }

    /// Whether a commit is being rolled back; for any thread.
    public boolean isRollingBack() {
        return commit.isRollingBack();
    }

    /// Throws a [StatementCancelledException] after a [#cancel].
    public void checkCancelled() {
        cancellation.check();
    }

    /// Chooses what an acknowledged commit outlives, and what is read before it is answered, until
    /// it chooses again or is closed; where there is a data directory.
    ///
    /// @param durability null for what the process promises
    public void choose(@Nullable Durability durability) {
        journal.choose(durability);
    }

    private void requireOpen() {
        if (!isOpen) {
            throw new IllegalStateException("no transaction is open");
        }
    }

    CommitOutcome commitOutcome() {
        CommitOutcome abort = pending.abort(); // the body may have caught the abort
        if (abort != null) {
            return abort;
        }
        if (pending.isRolledBack()) {
            return CommitOutcome.RolledBack.INSTANCE;
        }
        server.checkHeld(); // a memory server may have died, and this commit not need it
        try {
            WriteSet writes = readSet.changes().collect(required);
            if (!writes.isEmpty()) {
                readSet.settle();
            }
            CommitOutcome outcome = commit.commit(writes, required);
            if (outcome instanceof CommitOutcome.MemoryFull full) {
                journal.force(); // what is not durable is not collected
                return maintenance.tryAgain( // with a write set of which nothing is locked
                        commit,
                        full,
                        () -> commit.commit(readSet.changes().collect(required), required));
            }
            return outcome;
        } catch (TransactionAborted e) {
            return Objects.requireNonNull(pending.abort());
        } finally {
            fatalFailure.note(commit.fatalFailure());
        }
    }

    /// Polled while the session waits for a latch. Its own maintenance, such as garbage collection,
    /// belongs to no statement; nor does what a borrower does, even while a statement waits
    /// outside:
    /// ```
    /// s  begins, finds another epoch, releases the schema latch and waits
    /// b  borrows the session, collects, waits for a latch
    /// c  cancels the statement of s, which is to notice it, and not b
    /// ```
    private void checkLatchWait() {
        server.checkNotFenced(); // no process may be left to recover a dead lock holder
        if (isRunning && !sharedLatch.isBorrowed()) {
            cancellation.check();
        }
    }

    /// Polled while the session waits for the schema latch. A waiting statement can be cancelled,
    /// and ends with the lease; the session's own maintenance does not.
    private void checkStartCancelled() {
        if (isStarting) {
            cancellation.check();
            server.checkHeld();
        }
    }

    /// How many attempts ended in this way, since the session was opened.
    public long outcomes(AbortCause cause) {
        return attempts.outcomes(cause);
    }

    /// How many attempts were made again, since the session was opened.
    public long retries() {
        return attempts.retries();
    }

    /// What the session has cost on the fabric since it was opened.
    public VerbCounters counters() {
        return queuePair.counters();
    }

    /// Foresees what the next transaction would cost.
    public TransactionForecast forecast() {
        return new TransactionForecast(
                indexes, queuePair, options.memoryServers(), oracle, slot, server.cached());
    }

    /// The number of the session's slot in the timestamp vector.
    public int slotNumber() {
        return slot.number();
    }

    /// The last transaction's commit timestamp, as a word of
    /// [org.namdb.timestamp.CommitTimestamp]; 0 if it changed nothing, or failed before.
    public long commitTimestamp() {
        return commit.commitTimestamp();
    }

    /// The bytes of old versions that this session's commits keep.
    public long oldVersionBytes() {
        return oldVersions.usedBytes();
    }

    /// How many buckets of tables and of hashed indexes it has split.
    public long bucketSplits() {
        return splits.splits();
    }

    /// How many records, versions and index entries wait until no snapshot needs them.
    public long garbageWaiting() {
        return collector.garbage().waiting();
    }

    /// Releases the session; another may get its slot. An open transaction is rolled back.
    @Override
    public void close() {
        if (isOpen) {
            rollback();
        }
        clearCancel();
        journal.choose(null);
        observer = null;
        server.sessions().release(this);
    }

    /// Collects what no snapshot needs any more, as far as is known; done in the background, too.
    ///
    /// @throws FabricException if the connection is lost; that of one memory server does not count
    public void collectGarbage() {
        if (isRunning) {
            readSet.settle(); // what is read here may overwrite what the begin waits for
        }
        maintenance.collectNow();
    }

    /// The session's garbage collection; other threads may run it in its place.
    SessionMaintenance maintenance() {
        return maintenance;
    }

    /// Whether it can't be used again and is to be closed: a memory server can't be reached, an
    /// install has failed, or its compute server was declared dead.
    public boolean isFailed() {
        return fatalFailure.isThere() || server.loss() != null;
    }

    QueuePair queuePair() {
        return queuePair;
    }

    long owner() {
        return owner;
    }

    /// Whether a transaction or background work runs and its connection is there. For any thread.
    boolean isRunning() {
        return sharedLatch.isEntered() && !fatalFailure.isThere();
    }

    /// Frees the slot and everything else, as far as possible; the session can't be used again. A
    /// failed session's slot is freed when the session is recovered.
    void dispose() {
        FirstFailure failures = new FirstFailure();
        journal.close();
        if (!fatalFailure.isThere()) {
            maintenance.releaseAll(failures);
        }
        failures.attempt(queuePair::close);
        failures.rethrow();
    }

    /// A transaction begins, maybe beside another; its snapshot is chosen now or with its reads.
    void start(boolean isChosenNow, boolean isBeside) {
        if (isRunning) {
            throw new IllegalStateException(
                    isOpen
                            ? "a transaction is open: commit it, or roll it back"
                            : "a transaction is running: transactions don't nest");
        }
        commit.begin(); // also of one that can't start: it has no commit timestamp
        server.checkHeld();
        fatalFailure.requireNone(slot.number());
        isStarting = true;
        boolean isReady = false;
        try {
            sharedLatch.enter(isBeside);
            isRunning = true;
            held.begin();
            held.started(snapshots.start(held.snapshot()));
            pending.start();
            readSet.start(isChosenNow, observer != null);
            isReady = true;
        } finally {
            isStarting = false;
            if (!isReady) {
                isRunning = false;
                if (sharedLatch.isEnteredBy(Thread.currentThread())) { // else it may be borrowed
                    sharedLatch.leave();
                }
                handOverIfFailed();
            }
        }
    }

    /// Has the next transaction see every commit acknowledged before, whatever staleness allows.
    void expireSnapshot() {
        oracle.expire();
    }

    void end(@Nullable CommitOutcome outcome) {
        try {
            isRunning = false;
            if (observer != null) { // while the rows of the transaction are still there
                long endNanos = host.nanoTime();
                attempt.ended(
                        outcome,
                        fatalFailure.isThere(),
                        commit.commitTimestamp(),
                        held.beginNanos(),
                        endNanos);
                observer.ended(attempt);
            }
        } finally {
            end();
        }
    }

    /// A failure from here on does not change the transaction's outcome.
    private void end() {
        try {
            try {
                oracle.release();
                queuePair.await();
                if (!fatalFailure.isThere()) {
                    maintenance.afterTransaction();
                }
            } finally {
                forgetLargeTransaction();
            }
        } catch (FabricException e) {
            maintenance.lost(e);
        } catch (AssertionError e) {
            throw e; // a violated invariant is no outcome
        } catch (Throwable e) {
            fatalFailure.note(e);
        } finally {
            sharedLatch.leave();
            handOverIfFailed();
        }
    }

    /// What a failed session holds blocks others, whether or not its user closes it.
    void handOverIfFailed() {
        if (fatalFailure.isThere()) {
            server.sessions().handOver(this);
        }
    }

    /// Drops the rows of a large transaction, and frees their memory. No verb is in flight.
    private void forgetLargeTransaction() {
        if (readSet.shrink()) {
            required.clear();
            commit.shrink();
        }
    }
}
