package org.namdb.compute.commit;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.Host;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.gc.Garbage;
import org.namdb.mvcc.hash.DueSplits;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.owner.CancelledException;
import org.namdb.timestamp.TimestampSlot;
import org.namdb.timestamp.snapshot.Snapshot;

/// Commits the transactions of one thread.
/// ```
/// reserve    space in the journal                   may wait for its disk
/// lock       CAS every record to be changed,
///            claim an entry for every insert        1 round trip, a failed CAS ends it
/// prepare    memory for old versions;
///            link new overflow areas                2, if there are many; a failed CAS ends it
///            index entries
/// require    READ again what must be as it was      2, if there is such
/// guard      the guard lines of cached tables       none, if they are owned here
/// journal    the image of the write set             1 before, if commits are replicated and the
///                                                   claims not awaited yet
/// install    old versions, payloads, headers        1 round trip, all in one batch
/// journal    the head of an image that is larger
///            than a ring, if images are kept        1, where it is
/// publish    WRITE the timestamp slot: visible      1 round trip
/// ```
/// A failure before the install rolls everything back. Locks never deadlock: no commit waits for
/// one.
///
/// Source: NAM-DB, sections 3.1 and 4.1.
public final class Commit {
    /// Fewer inserts into a table are no reason to split its buckets before.
    private static final int MIN_TOGETHER = 3;

    /// After so many inserts it checks whether it is cancelled.
    private static final int CHECKED_AFTER = 1 << 14;

    private static final long CONFLICT_PAUSE_NANOS = 100_000;

    private final CommitContext context;
    private final ReadSnapshot held;
    private final CommitJournal journal;
    private final QueuePair queuePair;
    private final TimestampSlot slot;
    private final RecordLocks locks;
    private final EntryChanges entries;
    private final Install install;
    private final Undo undo;
    private final CommitGuards guards;
    private final Host host;
    private long conflictNanos;
    private boolean splitsAhead = true;
    private long lastCommitTimestamp;
    private @Nullable Throwable fatalFailure;
    private volatile boolean isRollingBack;

    /// @param held the snapshot that the thread's transactions read
    /// @param indexes keep secondary indexes up
    /// @param garbage gets what the commits supersede
    /// @param journal gets the images
    /// @param guards takes the guard lines of cached tables
    /// @param host the clock, and the sleep
    public Commit(
            Host host,
            CommitContext context,
            ReadSnapshot held,
            IndexWriters indexes,
            Garbage garbage,
            CommitJournal journal,
            CommitGuards guards) {
        this.host = host;
        this.guards = guards;
        this.context = context;
        this.held = held;
        this.journal = journal;
        this.queuePair = context.queuePair();
        this.slot = context.slot();
        this.undo = new Undo(queuePair);
        this.locks = new RecordLocks(context, undo);
        this.entries = new EntryChanges(context, indexes, garbage);
        this.install = new Install(queuePair, context.local(), garbage);
    }

    /// A transaction begins: none of its own has a commit timestamp.
    public void begin() {
        lastCommitTimestamp = 0;
        fatalFailure = null;
        journal.begin();
    }

    /// Has commits that meet a conflict be tried again for so long: where no other session changes
    /// these records, which would be a conflict forever.
    /// ```
    /// maintenance                                 this commit
    /// splits a bucket, or collects: locks r
    ///                                             changes r: a conflict
    /// releases r, unchanged, maybe elsewhere
    ///                                             the same once more
    /// ```
    ///
    /// @param nanos 0 for not at all
    public void retryConflicts(long nanos) {
        conflictNanos = nanos;
    }

    /// Whether a commit with many inserts first splits buckets that have no space. It need not
    /// where tables were made for the rows that come.
    public void setSplitsAhead(boolean isWanted) {
        splitsAhead = isWanted;
    }

    /// Commits a write set.
    ///
    /// @param required what must hold then, beyond the writes
    /// @return the outcome
    public CommitOutcome commit(WriteSet writes, RequiredReads required) {
        CommitOutcome outcome = commitOnce(writes, required);
        if (conflictNanos > 0 && outcome instanceof CommitOutcome.WriteConflict) {
            long begin = host.nanoTime();
            while (outcome instanceof CommitOutcome.WriteConflict
                    && host.nanoTime() - begin < conflictNanos) {
                host.sleep(CONFLICT_PAUSE_NANOS);
                writes.startOver();
                outcome = commitOnce(writes, required);
            }
        }
        return outcome;
    }

    private CommitOutcome commitOnce(WriteSet writes, RequiredReads required) {
        if (writes.isEmpty()) {
            return CommitOutcome.Committed.INSTANCE;
        }
        locks.start(writes);
        CommitOutcome failure = splitAhead(writes);
        if (failure == null) {
            failure = reachInstall(writes, required);
        }
        if (failure != null) {
            return failure;
        }
        try {
            installAndPublish(writes, lastCommitTimestamp);
        } catch (Throwable e) {
            fatalFailure = e;
            journal.failed(e);
            throw e;
        } finally {
            guards.release();
        }
        try {
            int count = writes.isPacked() ? locks.countWithGarbage() : writes.size();
            install.leaveGarbage(writes, count, lastCommitTimestamp);
            entries.leaveGarbage(lastCommitTimestamp);
        } catch (Throwable e) {
            fatalFailure = e; // the transaction is committed whatever becomes of its garbage
        }
        return CommitOutcome.Committed.INSTANCE;
    }

    /// Before anything is locked: provides, as far as is possible now, space for all inserts in the
    /// buckets of tables and hashed indexes.
    private @Nullable CommitOutcome splitAhead(WriteSet writes) {
        boolean mayCrowd = isOfMany(writes) || locks.isCrowded() || hasManyHashed(writes);
        if (!context.splits().isOn() || !mayCrowd) {
            return null;
        }
        Map<Table, Integer> inserts = new LinkedHashMap<>();
        for (int i = 0; i < writes.inserts(); i++) {
            checkNowAndThen(i);
            inserts.merge(writes.insertTable(i), 1, Integer::sum);
        }
        try {
            inserts.forEach((table, count) -> {
                if (count >= MIN_TOGETHER) {
                    splitAhead(writes, table, count);
                }
            });
            locks.start(writes);
            return null;
        } catch (MemoryFullException e) {
            return memoryFull(e);
        } finally {
            fatalFailure = context.splits().fatalFailure();
        }
    }

    /// Whether many entries may go to one bucket of a hashed index.
    private static boolean hasManyHashed(WriteSet writes) {
        int hashed = 0;
        for (int i = 0; i < writes.inserts(); i++) {
            hashed += writes.insert(i).table().hasHashedIndex() ? 1 : 0;
        }
        return hashed >= MIN_TOGETHER;
    }

    private boolean isOfMany(WriteSet writes) {
        return splitsAhead && writes.inserts() >= DueSplits.MIN_MANY;
    }

    private void splitAhead(WriteSet writes, Table table, int count) {
        long[] hashes = new long[count];
        int rows = 0;
        for (int i = 0; i < writes.inserts(); i++) {
            checkNowAndThen(i);
            if (writes.insertTable(i) == table) {
                hashes[rows++] = writes.insertHash(i);
            }
        }
        boolean ofMany = isOfMany(writes);
        Snapshot published = held.lowWatermark();
        context.splits().splitAhead(table.records(), false, hashes, ofMany, published);
        for (Index index : table.indexArray()) {
            HashTable buckets = index.hash();
            if (buckets != null) {
                long[] ofIndex = entries.hashes(writes, table, index, buckets);
                context.splits().splitAhead(buckets, true, ofIndex, ofMany, published);
            }
        }
    }

    private void checkNowAndThen(int number) {
        if (number % CHECKED_AFTER == CHECKED_AFTER - 1) {
            context.owner().checkCancelled();
        }
    }

    /// Why there must not be another commit: the last one is half installed, or could not be rolled
    /// back. Null if there may be.
    public @Nullable Throwable fatalFailure() {
        return fatalFailure;
    }

    /// Whether a commit is being rolled back. For any thread.
    public boolean isRollingBack() {
        return isRollingBack;
    }

    /// The timestamp that the last commit took; 0 if it took none.
    public long commitTimestamp() {
        return lastCommitTimestamp;
    }

    /// Frees the buffers of a large write set. None of its verbs is in flight.
    public void shrink() {
        locks.shrink();
        entries.shrink();
        context.splits().shrink();
    }

    /// Does all that can fail, up to the commit timestamp; from there on nothing is allocated. What
    /// fails before is rolled back.
    private @Nullable CommitOutcome reachInstall(WriteSet writes, RequiredReads required) {
        CommitOutcome failure = reserve(writes);
        if (failure != null) {
            return failure;
        }
        undo.clear();
        entries.clear();
        CancelledException cancelled = null;
        try {
            failure = lockAndPrepare(writes, required);
            if (failure == null) {
                lastCommitTimestamp = slot.next();
                return null;
            }
        } catch (CancelledException e) {
            cancelled = e; // no verb has failed: it is rolled back as after a conflict
        } catch (Throwable e) {
            if (PlantedFault.FAILURE_NOT_ROLLED_BACK.isPlanted()) {
                throw e;
            }
            undo.add(e);
        }
        isRollingBack = true;
        try {
            rollBack();
        } finally {
            isRollingBack = false;
        }
        undo.rethrow();
        if (cancelled != null) {
            throw cancelled;
        }
        return failure;
    }

    /// Waits for the journal's disk, if need be, while nothing is locked.
    private @Nullable CommitOutcome reserve(WriteSet writes) {
        try {
            journal.reserve(writes);
            return null;
        } catch (JournalFullException e) {
            return new CommitOutcome.JournalFull(String.valueOf(e.getMessage()));
        }
    }

    private @Nullable CommitOutcome lockAndPrepare(WriteSet writes, RequiredReads required) {
        try {
            CommitOutcome early =
                    PlantedFault.REQUIRED_EARLY.isPlanted() ? required.checkRecords(held) : null;
            CommitOutcome failure = writes.isPacked() ? lockPacked() : lockAtOnce(writes);
            if (failure == null) {
                failure = early;
            }
            if (failure == null && !required.isEmpty()) {
                if (!writes.isPacked()) {
                    locks.keepViews();
                }
                failure = required.check(held);
            }
            if (failure == null && !writes.isPacked()) {
                install.takeScratch(writes);
            }
            if (failure == null && !PlantedFault.GUARD_TAKEN_LATE.isPlanted()) {
                failure = guards.take(writes);
            }
            if (failure == null && journal.isImageCommit() && locks.areClaimsUnderWay()) {
                queuePair.await();
            }
            return failure;
        } catch (MemoryFullException e) {
            return memoryFull(e);
        }
    }

    private @Nullable CommitOutcome lockAtOnce(WriteSet writes) {
        locks.post();
        entries.postAhead(writes, held.snapshot()); // behind the locks: a WRITE waits for READs
        CommitOutcome failure = locks.take(held);
        if (failure == null) {
            locks.prepare(held.lowWatermark());
            failure = link(writes);
        }
        if (failure == null) {
            entries.addAll(writes, held.snapshot());
        }
        return failure;
    }

    private @Nullable CommitOutcome lockPacked() {
        CommitOutcome failure = locks.takeInBatches(held);
        if (failure == null) {
            locks.prepareInBatches(held, entries);
        }
        return failure;
    }

    private static CommitOutcome memoryFull(MemoryFullException e) {
        return new CommitOutcome.MemoryFull(
                CommitOutcome.MemoryFull.Where.SERVER, String.valueOf(e.getMessage()));
    }

    /// Links the overflow areas of a large commit, if there is memory for what comes after.
    private @Nullable CommitOutcome link(WriteSet writes) {
        if (!locks.hasAreasToLink()) {
            return null;
        }
        entries.ensureCapacity(writes);
        return locks.link(held);
    }

    private void installAndPublish(WriteSet writes, long commitTimestamp) {
        if (!PlantedFault.APPENDED_LATE.isPlanted()) {
            journal.append(writes, commitTimestamp, held.snapshot().sequence());
        }
        if (PlantedFault.PUBLISH_EARLY.isPlanted()) {
            slot.publish(commitTimestamp);
            queuePair.await();
        }
        if (PlantedFault.GUARD_RELEASED_EARLY.isPlanted()) {
            guards.release();
        }
        if (writes.isPacked()) {
            locks.installInBatches(install, commitTimestamp);
        } else {
            install.post(writes, commitTimestamp);
        }
        if (!PlantedFault.PUBLISH_UNAWAITED.isPlanted()) {
            queuePair.await();
        }
        journal.installed();
        if (!PlantedFault.PUBLISH_EARLY.isPlanted()) {
            slot.publish(commitTimestamp);
        }
        held.postRelease();
        queuePair.await();
        if (PlantedFault.APPENDED_LATE.isPlanted()) {
            queuePair.await(); // where tests meet it
            journal.append(writes, commitTimestamp, held.snapshot().sequence());
        }
        journal.published();
        context.intents().end();
        if (PlantedFault.GUARD_TAKEN_LATE.isPlanted()) {
            CommitOutcome _ = guards.take(writes);
        }
    }

    /// Undoes what a commit that fails has done so far.
    private void rollBack() {
        journal.release();
        guards.release();
        locks.settleAll();
        entries.removeAdded(undo);
        locks.freeUnused();
        endAttempt();
        undo.await();
        locks.releaseAreas();
        fatalFailure = undo.fatalFailure();
    }

    /// Records that the attempt holds nothing any more, if that is so; else recovery needs to know
    /// what was locked.
    private void endAttempt() {
        if (undo.fatalFailure() == null) {
            try {
                context.intents().postEnd();
            } catch (Throwable e) {
                undo.add(e);
            }
        }
    }
}
