package org.namdb.compute.commit;

import org.jspecify.annotations.Nullable;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.ViewScope;
import org.namdb.mvcc.LocalAllocator;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.hash.InsertClaims;
import org.namdb.mvcc.hash.RecordWrite;
import org.namdb.mvcc.owner.Intents;
import org.namdb.timestamp.snapshot.Snapshot;

/// The locks of one commit: on the headers of the records that it writes over, and claimed entries
/// for those that it inserts.
final class RecordLocks {
    /// As much of a commit's overflow areas is linked at once, and stays in its tables if the
    /// commit fails.
    private static final long LINKED_AT_ONCE_BYTES = 64 << 10;

    /// After so many records a large commit checks whether it is cancelled.
    private static final int PREPARED_AT_ONCE = 1024;

    private final QueuePair queuePair;
    private final CommitContext context;
    private final LocalAllocator memory;
    private final Intents intents;
    private final InsertClaims claims;
    private final LockRetry lostLocks;
    private final Undo undo;
    private WriteSet writes;
    private boolean isSettled;
    private int unsettledFrom;
    private final ViewScope views;

    /// Of a packed write set, the changes that are worked on.
    private int batchFrom;

    private int batchTo;

    /// Of a packed write set: no change from this number on was locked or claimed.
    private int reached;

    /// Whether any of its inserts is into a table with indexes.
    private boolean areInsertsIndexed;

    /// Whether a deleted record is in the place of any of its inserts.
    private boolean areInsertsUnclaimed;

    /// The most that a change lands, or needs for its install; and the memory for the installs of a
    /// batch.
    private int largestBytes;

    private long scratch;

    /// How many round trips there had been when the last claim, or link to an overflow area, was
    /// posted.
    private long claimedAfter;

    RecordLocks(CommitContext context, Undo undo) {
        this.context = context;
        this.queuePair = context.queuePair();
        this.views = new ViewScope(queuePair);
        this.memory = context.local();
        this.writes = new WriteSet(memory);
        this.intents = context.intents();
        this.undo = undo;
        this.lostLocks = new LockRetry(queuePair, context.owner());
        this.claims =
                new InsertClaims(
                        queuePair,
                        context.data(),
                        context.owner(),
                        intents,
                        context.splits(),
                        memory,
                        LINKED_AT_ONCE_BYTES);
    }

    /// Starts over with a write set of which nothing is locked.
    void start(WriteSet newWrites) {
        writes = newWrites;
        isSettled = true;
        claims.clear();
        batchFrom = 0;
        batchTo = 0;
        reached = 0;
        areInsertsIndexed = false;
        areInsertsUnclaimed = false;
        largestBytes = 0;
        if (newWrites.isPacked()) {
            return;
        }
        for (int i = 0; i < newWrites.inserts(); i++) {
            RecordChange insert = newWrites.insert(i);
            claims.add(insert.record(), insert.write);
        }
    }

    /// Whether many of the inserts go to one bucket.
    boolean isCrowded() {
        return claims.isCrowded();
    }

    /// Frees the buffers of a large commit.
    void shrink() {
        claims.shrink();
        writes = new WriteSet(memory);
    }

    /// Records what is going to be locked, and posts the locks of what is written over. What is
    /// posted next, and lands little, shares the await.
    void post() {
        postIntents();
        postLocks();
    }

    /// Takes all locks, some of which are [posted][#post].
    ///
    /// @return why one can't be had; null if all are taken
    @Nullable CommitOutcome take(ReadSnapshot held) {
        boolean claimed = claims.claimAll(held.snapshot());
        claimedAfter = queuePair.counters().roundTrips();
        if (!isSettled) {
            if (claims.count() == 0) {
                queuePair.await(); // else the locks were awaited with the latches
            }
            settle();
        }
        lostLocks.tryAgain(writes, 0, writes.overwrites(), held.snapshot(), intents, memory);
        for (int i = 0; i < writes.overwrites(); i++) {
            if (!writes.overwrite(i).write.isLocked()) {
                return writes.overwrite(i).conflict();
            }
        }
        return claimsOutcome(claimed, held);
    }

    /// Takes all locks of a packed write set, a batch at a time, each with its intents.
    ///
    /// @return why one can't be had; null if all are taken
    @Nullable CommitOutcome takeInBatches(ReadSnapshot held) {
        intents.start();
        writes.sortInserts();
        CommitOutcome failure = null;
        for (batchTo = 0; batchTo < writes.overwrites() && failure == null; ) {
            context.owner().checkCancelled();
            nextBatch(writes.overwrites());
            reached = batchTo;
            failure = lockBatch(held);
        }
        while (batchTo < writes.size() && failure == null) {
            context.owner().checkCancelled();
            nextBatch(writes.size());
            reached = batchTo;
            failure = claimBatch(held);
        }
        return failure;
    }

    /// Moves to the changes behind those of the last batch, as many as their views may land at
    /// once, and none from `end` on.
    private void nextBatch(int end) {
        batchFrom = batchTo;
        int bytes = 0;
        int prefetched = batchFrom;
        int mostTo = Math.min(end, batchFrom + WriteSet.WINDOW);
        do {
            if (batchTo == prefetched) {
                prefetched = writes.prefetch(prefetched);
            }
            HashTable table = writes.change(batchTo).table().records();
            int most = Math.max(RecordWrite.viewBytes(table), RecordWrite.scratchBytes(table) + 7);
            largestBytes = Math.max(largestBytes, most);
            bytes += most;
            batchTo++;
        } while (batchTo < mostTo && bytes < queuePair.batchBytes() / 2);
    }

    private @Nullable CommitOutcome lockBatch(ReadSnapshot held) {
        for (int i = batchFrom; i < batchTo; i++) {
            writes.change(i).write.addIntent(intents);
        }
        intents.post();
        try (ViewScope _ = queuePair.openViews()) {
            for (int i = batchFrom; i < batchTo; i++) {
                writes.change(i).write.postLockAlone(queuePair);
            }
            queuePair.await();
            for (int i = batchFrom; i < batchTo; i++) {
                writes.change(i).write.settle();
            }
        }
        lostLocks.tryAgain(writes, batchFrom, batchTo, held.snapshot(), intents, memory);
        for (int i = batchFrom; i < batchTo; i++) {
            writes.change(i).write.forgetViews();
            if (!writes.change(i).write.isLocked()) {
                return writes.change(i).conflict();
            }
        }
        return null;
    }

    private @Nullable CommitOutcome claimBatch(ReadSnapshot held) {
        claims.clear();
        for (int i = batchFrom; i < batchTo; i++) {
            claims.add(writes.change(i).record(), writes.change(i).write);
        }
        claims.addIntents();
        intents.post();
        boolean areClaimed = claims.claimAll(held.snapshot());
        if (areClaimed && claims.hasAreasToLink()) {
            areClaimed = claims.linkAreas();
        }
        claimedAfter = queuePair.counters().roundTrips();
        CommitOutcome failure = claimsOutcome(areClaimed, held);
        for (int i = batchFrom; i < batchTo; i++) {
            RecordChange change = writes.change(i);
            areInsertsUnclaimed |= !change.write.isClaimed();
            areInsertsIndexed |= change.table().indexArray().length > 0;
        }
        return failure;
    }

    /// How many changes are to be prepared: inserts into tables without indexes are not, unless a
    /// deleted record is in their place.
    int countToPrepare() {
        return areInsertsIndexed ? writes.size() : countWithGarbage();
    }

    /// How many changes may leave garbage: inserts do not, unless a deleted record is in their
    /// place.
    int countWithGarbage() {
        return areInsertsUnclaimed ? writes.size() : writes.overwrites();
    }

    /// Does what is left before the commit timestamp for a packed write set whose records are all
    /// locked, a batch at a time: reads what is there, gets memory for old versions, and adds index
    /// entries.
    ///
    /// @throws org.namdb.mvcc.MemoryFullException if there is none
    void prepareInBatches(ReadSnapshot held, EntryChanges entries) {
        scratch = memory.allocate(queuePair.batchBytes() / 2 + largestBytes);
        int count = countToPrepare();
        boolean hasInserts = count > writes.overwrites();
        if (hasInserts) {
            writes.sortInsertsAsAdded();
        }
        for (batchTo = 0; batchTo < count; ) {
            context.owner().checkCancelled();
            nextBatch(count);
            readViews();
            for (int i = batchFrom; i < batchTo; i++) {
                RecordChange change = writes.change(i);
                if (!change.write.isClaimed()) {
                    change.write.prepare(queuePair, context.oldVersions(), held.lowWatermark());
                }
                change.isPrepared = true;
            }
            entries.addSome(writes, batchFrom, batchTo, held.snapshot());
            queuePair.await();
            forgetViews();
        }
        if (hasInserts) {
            writes.sortInsertsAgain();
        }
    }

    /// Reads the bodies of the records that are written over, then the heads of their old-version
    /// buffers.
    private void readViews() {
        views.open();
        for (int i = batchFrom; i < batchTo; i++) {
            RecordChange change = writes.change(i);
            if (!change.write.isClaimed()) {
                change.write.postBodyView(queuePair);
            }
        }
        queuePair.await();
        for (int i = batchFrom; i < batchTo; i++) {
            RecordChange change = writes.change(i);
            if (!change.write.isClaimed()) {
                change.write.postHeadView(queuePair);
            }
        }
        queuePair.await();
    }

    private void forgetViews() {
        views.giveUp();
        for (int i = batchFrom; i < batchTo; i++) {
            writes.change(i).write.forgetViews();
        }
    }

    /// Installs a packed write set, all of which is prepared, a batch at a time.
    void installInBatches(Install install, long commitTimestamp) {
        for (batchTo = 0; batchTo < writes.size(); ) {
            nextBatch(writes.size());
            readViews();
            for (int i = batchFrom; i < batchTo; i++) {
                RecordChange change = writes.change(i);
                if (!change.write.isClaimed()) {
                    change.write.prepareAgain(queuePair);
                }
            }
            queuePair.await();
            install.postSome(writes, batchFrom, batchTo, commitTimestamp, scratch);
            queuePair.await();
            forgetViews();
        }
    }

    /// Publishes the claims in new overflow areas, when the memory for all records is allocated.
    /// Before any index entry: of two inserts of one key, one must have failed by then, or it would
    /// remove the other one's entries.
    ///
    /// @return why it can't be; null if all are seen
    @Nullable CommitOutcome link(ReadSnapshot held) {
        boolean areLinked = claims.linkAreas();
        claimedAfter = queuePair.counters().roundTrips();
        return claimsOutcome(areLinked, held);
    }

    /// Whether claims were posted, and not awaited.
    boolean areClaimsUnderWay() {
        return writes.inserts() > 0 && queuePair.counters().roundTrips() == claimedAfter;
    }

    /// Whether there are claims in new overflow areas that are not published yet.
    boolean hasAreasToLink() {
        return claims.hasAreasToLink();
    }

    private @Nullable CommitOutcome claimsOutcome(boolean claimed, ReadSnapshot held) {
        CommitOutcome failure = claimed ? null : lostClaim();
        if (failure != null) {
            return failure;
        }
        // The snapshot may show a record of an inserted key that was deleted since, and collected.
        return writes.inserts() > 0 && held.isTooOld()
                ? CommitOutcome.SnapshotTooOld.INSTANCE
                : null;
    }

    private @Nullable CommitOutcome lostClaim() {
        for (int i = 0; i < claims.count(); i++) {
            RecordChange insert =
                    writes.isPacked() ? writes.change(batchFrom + i) : writes.insert(i);
            switch (claims.outcome(i)) {
                case DUPLICATE_KEY -> {
                    return new CommitOutcome.DuplicateKey(
                            insert.table().name(), insert.describeKey());
                }
                case CONFLICT -> {
                    return insert.conflict();
                }
                case CLAIMED, OPEN -> {}
            }
        }
        return null;
    }

    private void postIntents() {
        intents.start();
        for (int i = 0; i < writes.overwrites(); i++) {
            writes.overwrite(i).write.addIntent(intents);
        }
        claims.addIntents();
        intents.post();
    }

    private void postLocks() {
        isSettled = writes.overwrites() == 0;
        views.open();
        int from = 0;
        int batchBytes = 0;
        for (int i = 0; i < writes.overwrites(); i++) {
            int bytes = RecordWrite.viewBytes(writes.overwrite(i).table().records());
            batchBytes += bytes;
            if (batchBytes > queuePair.batchBytes()) {
                queuePair.await();
                for (; from < i; from++) {
                    writes.overwrite(from).write.settle();
                    if (writes.overwrite(from).write.isLocked()) {
                        keepViews(writes.overwrite(from));
                    }
                }
                batchBytes = bytes;
                views.giveUp();
                context.owner().checkCancelled();
            }
            writes.overwrite(i).write.postLock(queuePair);
        }
        unsettledFrom = from;
    }

    /// Records the results of the CASes, before anything else is read: a lock that was acquired and
    /// forgotten would stay forever.
    private void settle() {
        if (!isSettled) {
            isSettled = true;
            for (int i = unsettledFrom; i < writes.overwrites(); i++) {
                writes.overwrite(i).write.settle();
            }
        }
    }

    /// Copies the views that the install needs, so that anything can be read before it.
    void keepViews() {
        for (int i = 0; i < writes.size(); i++) {
            if (writes.change(i).write.isLocked()) {
                keepViews(writes.change(i));
            }
        }
    }

    private void keepViews(RecordChange change) {
        int bytes = RecordWrite.viewBytes(change.table().records());
        change.write.keepViews(change.write.isKept() ? 0 : memory.allocate(bytes));
    }

    /// Gets the memory that the install needs for old versions. What is read for it lasts until the
    /// install, as the views of the locks do: both together are a batch or two, since a larger
    /// commit has its views copied. Reads in between release their own views.
    ///
    /// @throws org.namdb.mvcc.MemoryFullException if there is none
    void prepare(Snapshot lowWatermark) {
        for (int i = 0; i < writes.size(); i++) {
            if (i % PREPARED_AT_ONCE == PREPARED_AT_ONCE - 1) {
                context.owner().checkCancelled();
            }
            RecordChange change = writes.change(i);
            if (!change.write.isClaimed()) {
                prepare(change, lowWatermark);
            }
            change.isPrepared = true;
        }
    }

    private void prepare(RecordChange change, Snapshot lowWatermark) {
        views.open();
        change.write.prepare(queuePair, context.oldVersions(), lowWatermark);
        if (change.write.isKept()) {
            keepViews(change);
            views.giveUp();
        }
    }

    /// A failure may have come between a CAS and the check of its result.
    void settleAll() {
        try {
            boolean isAwaited = false;
            int from = writes.isPacked() ? batchFrom : 0;
            int to = writes.isPacked() ? batchTo : writes.size();
            for (int i = from; i < to; i++) {
                RecordWrite write = writes.change(i).write;
                if (write.isUnsettled()) {
                    if (!isAwaited) {
                        queuePair.await();
                        isAwaited = true;
                    }
                    write.settle();
                }
            }
            isSettled = true;
        } catch (Throwable e) {
            undo.cannot(e);
        }
    }

    /// Releases locks, claims and memory.
    void freeUnused() {
        int end = writes.isPacked() ? reached : writes.size();
        int prefetched = 0;
        for (int i = 0; i < end; i++) {
            if (i % PREPARED_AT_ONCE == PREPARED_AT_ONCE - 1) {
                undo.await();
            }
            if (i == prefetched && writes.isPacked()) {
                prefetched = writes.prefetch(i);
            }
            RecordChange change = writes.change(i);
            boolean isClaimed = change.write.isClaimed();
            if (isClaimed || change.write.isLocked()) {
                if (isClaimed || change.isPrepared) {
                    releaseMemory(change.write);
                }
                unlock(change.write);
            }
        }
    }

    /// Frees the overflow areas that were not published, when all claims in them were undone.
    void releaseAreas() {
        if (!undo.hasFailed()) {
            try {
                claims.releaseAreas();
            } catch (Throwable e) {
                undo.add(e);
            }
        }
    }

    private void releaseMemory(RecordWrite write) {
        try {
            write.freeUnused(context.data(), context.oldVersions());
        } catch (Throwable e) {
            undo.add(e);
        }
    }

    private void unlock(RecordWrite write) {
        try {
            write.postUnlock(queuePair);
        } catch (Throwable e) {
            undo.add(e);
            try {
                write.postUnlock(queuePair); // a verb that throws has done nothing
            } catch (Throwable again) {
                undo.cannot(again);
            }
        }
        if (undo.hasFailed()) {
            undo.await(); // alone, since others may fail
        }
    }
}
