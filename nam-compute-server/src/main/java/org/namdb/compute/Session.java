package org.namdb.compute;

import org.jspecify.annotations.Nullable;
import org.namdb.compute.admission.Admission;
import org.namdb.compute.commit.AbortCause;
import org.namdb.compute.commit.Commit;
import org.namdb.compute.commit.CommitContext;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.commit.ReadSnapshot;
import org.namdb.compute.commit.RequiredReads;
import org.namdb.compute.guard.CopiedReads;
import org.namdb.compute.journal.Durability;
import org.namdb.compute.journal.SessionJournal;
import org.namdb.compute.maintenance.SessionFailure;
import org.namdb.compute.maintenance.SessionMaintenance;
import org.namdb.compute.read.ReadSet;
import org.namdb.compute.read.SessionIndexes;
import org.namdb.compute.schema.SharedSchemaLatch;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.Host;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.VerbCounters;
import org.namdb.memory.client.MemoryClient;
import org.namdb.memory.client.ThreadExtents;
import org.namdb.mvcc.LocalAllocator;
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
    final QueuePair queuePair;
    final long owner;
    private final TimestampSlot slot;
    private final SnapshotOracle oracle;
    private final Cancellation cancellation;
    private final TransactionState state;
    private final Admission.Participant admission;
    private final SessionJournal journal;
    private final SessionMaintenance maintenance;
    private final TransactionLifecycle transactions;
    final SessionFailure fatalFailure;
    final SharedSchemaLatch sharedLatch;
    final ReadSet readSet;
    final Transaction transaction;
    final SessionIndexes indexes;
    final DueSplits splits;
    final Commit commit;

    /// Set by [Sessions]: whether its user has [closed][#close] it, and whether it ever had one.
    volatile boolean isReleased;

    volatile boolean isUsers;

    Session(ComputeServer server, QueuePair queuePair, long owner) {
        this.server = server;
        this.queuePair = queuePair;
        this.owner = owner;
        EmbeddedOptions options = server.options();
        TimestampVectorLayout vector = server.vector();
        Host host = options.host();
        long maxNanos = options.maxTransactionTime().toNanos();
        cancellation = new Cancellation(host);
        fatalFailure = new SessionFailure(queuePair, server.resources()::noteFailure);
        state = new TransactionState(server, cancellation, fatalFailure);
        sharedLatch =
                new SharedSchemaLatch(
                        server.schemaLatch(), server::awaitSchema, state::checkStart, host);
        slot = TimestampSlot.take(vector, queuePair, owner);
        oracle = server.oracles().open(slot);
        LowWatermark watermark = new LowWatermark(vector, queuePair, maxNanos, host::nanoTime);
        ReadSnapshot held =
                new ReadSnapshot(host, queuePair, oracle, watermark, fatalFailure::note, maxNanos);
        MemoryClient client = new MemoryClient(queuePair, options.memoryServers());
        ThreadExtents data = new ThreadExtents(client);
        ThreadExtents oldVersions = new ThreadExtents(client);
        LatchOwner.Cancellation latchWait = () -> state.checkLatchWait(sharedLatch.isBorrowed());
        LatchOwner latchOwner =
                new LatchOwner(slot.number(), host, options.latchWait().toNanos(), latchWait);
        Intents intents = new Intents(queuePair, server.intentLayout(), slot.number(), owner, data);
        CopiedReads copies = server.copiedReads(queuePair);
        readSet = new ReadSet(queuePair, held, state, server.transactionMemory(), copies);
        BucketSplit splitter = new BucketSplit(queuePair, data, latchOwner, intents, vector::slot);
        splits = new DueSplits(options.splitsBuckets() ? splitter : null);
        LocalAllocator local = readSet.localMemory();
        CommitContext context =
                new CommitContext(
                        queuePair, slot, latchOwner, intents, data, oldVersions, local, splits);
        indexes = new SessionIndexes(server.catalog()::byNumber, context, readSet);
        transaction = new Transaction(readSet, indexes, state);
        admission =
                server.admission()
                        .participant(() -> maintenance().runMaintenance(), cancellation::check);
        maintenance =
                new SessionMaintenance(
                        server.maintenanceSettings(),
                        context,
                        new SessionMaintenance.Memory(client, data, oldVersions),
                        sharedLatch,
                        admission,
                        fatalFailure,
                        () -> server.sessions().handOverIfFailed(this),
                        oracle,
                        watermark,
                        held.snapshot(),
                        indexes);
        RequiredReads required = new RequiredReads(context, indexes, readSet.changes()::change);
        journal =
                server.journal()
                        .session(slot.number(), server.replication().cuts(), held.snapshot());
        commit = server.openCommit(context, held, indexes, maintenance.collector(), journal);
        transactions =
                new TransactionLifecycle(this, options, oracle, held, state, required, journal);
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
        return transactions.call(procedure, arguments);
    }

    /// Notifies `chosen` of every attempt to run a transaction, until the session is closed.
    ///
    /// @param chosen null for none
    public void observe(@Nullable TransactionObserver chosen) {
        transactions.observe(chosen);
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

    /// Opens a transaction in addition to the one that another session (null for none) has open,
    /// and which ends after it. It does not wait for a schema change, which waits for the other
    /// one.
    public Transaction begin(@Nullable Session other) {
        transactions.open(other != null && other.isOpen());
        return transaction;
    }

    /// The session's permit, for callers that open transactions by [#begin]; [#call] takes it.
    public Admission.Participant admission() {
        return admission;
    }

    /// Whether a transaction is open, by [#begin].
    public boolean isOpen() {
        return state.isOpen();
    }

    /// Commits the open transaction, and ends it whatever the outcome.
    ///
    /// @return the outcome: the abort, if it has failed before
    /// @throws IllegalStateException if none is open
    /// @throws FabricException if a memory server can't be reached; whether the transaction is
    ///     committed is not known then, and the session can only be closed
    public CommitOutcome commit() {
        return transactions.commit();
    }

    /// Ends the open transaction without a change.
    ///
    /// @throws IllegalStateException if none is open
    public void rollback() {
        transactions.rollback();
    }

    /// How the running transaction was aborted; null if it was not.
    public @Nullable CommitOutcome abortOutcome() {
        return state.isRunning() ? state.abort() : null;
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
    public void setDurability(@Nullable Durability durability) {
        journal.setDurability(durability);
    }

    /// How many attempts ended in this way, since the session was opened.
    public long outcomes(AbortCause cause) {
        return transactions.outcomes(cause);
    }

    /// How many attempts were made again, since the session was opened.
    public long retries() {
        return transactions.retries();
    }

    /// What the session has cost on the fabric since it was opened.
    public VerbCounters counters() {
        return queuePair.counters();
    }

    /// Foresees what the next transaction would cost.
    public TransactionForecast forecast() {
        return new TransactionForecast(this, oracle, slot);
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

    /// The bytes of old versions that the session's commits keep.
    public long oldVersionBytes() {
        return maintenance.oldVersionBytes();
    }

    /// How many buckets of tables and of hashed indexes it has split.
    public long bucketSplits() {
        return splits.splits();
    }

    /// How many records, versions and index entries wait until no snapshot needs them.
    public long garbageWaiting() {
        return maintenance.collector().garbage().waiting();
    }

    /// Releases the session; another may get its slot. An open transaction is rolled back.
    @Override
    public void close() {
        if (isOpen()) {
            rollback();
        }
        clearCancel();
        journal.setDurability(null);
        observe(null);
        server.sessions().release(this);
    }

    /// Collects what no snapshot needs any more, as far as is known; done in the background, too.
    ///
    /// @throws FabricException if the connection is lost; that of one memory server does not count
    public void collectGarbage() {
        if (state.isRunning()) {
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

    /// Whether a transaction or background maintenance runs and its connection is there. For any
    /// thread.
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

    /// Has the next transaction see every commit acknowledged before, whatever staleness allows.
    void expireSnapshot() {
        oracle.expire();
    }
}
