package org.namdb.compute;

import org.jspecify.annotations.Nullable;
import org.namdb.compute.schema.Index;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.gc.GarbageCollector;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.hash.InsertClaims;
import org.namdb.mvcc.hash.RecordWrite;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.schema.ChangedRuns;
import org.namdb.mvcc.schema.KeyLayout;
import org.namdb.timestamp.Snapshot;
import org.namdb.timestamp.TimestampSlot;

/// Commits a session's transactions.
/// ```
/// lock       CAS every record to be changed, claim an entry for every insert     1 round trip, a loss ends it
/// prepare    get memory for old versions; add index entries                      the last steps that can fail,
/// require    READ again what must be as it was, if there is such                 unless something is required
/// install    old versions, payloads, headers, in one batch                       1 round trip
/// publish    WRITE the timestamp slot: visible                                   1 round trip
/// ```
/// A failure before the install takes everything back. Locks never deadlock: nobody waits for one.
///
/// Source: NAM-DB, sections 3.1 and 4.1.
final class Commit {
    private static final int LANDING_SHARE = 4;

    private final Session session;
    private final QueuePair queuePair;
    private final TimestampSlot slot;
    private final RemoteAllocator data;
    private final RemoteAllocator oldVersions;
    private final GarbageCollector garbage;
    private final Intents intents;
    private final InsertClaims claims;
    private final Runnable keepViewsInTime = this::keepViewsInTime;
    private AddedEntries added = new AddedEntries();
    private final ChangedRuns runs = new ChangedRuns();
    private final long[] newEntry = new long[KeyLayout.MAX_WORDS];
    private final long[] oldEntry = new long[KeyLayout.MAX_WORDS];

    private Row[] locked = new Row[32];
    private int lockedCount;
    private Row[] inserted = new Row[32];
    private int insertedCount;
    private int preparedCount;
    private boolean isSettled;
    private int unsettledFrom;

    /// Views since then are needed until the install.
    private long viewsMark;

    /// For each record that is written over, local memory that its install needs.
    private long[] scratch = new long[32];

    private @Nullable Transaction committing;
    private long lastCommitTimestamp;
    private final FirstFailure failures = new FirstFailure();
    private @Nullable Throwable breakage;

    Commit(
            Session session,
            TimestampSlot slot,
            RemoteAllocator data,
            RemoteAllocator oldVersions,
            Intents intents,
            GarbageCollector garbage) {
        this.session = session;
        this.queuePair = session.queuePair();
        this.slot = slot;
        this.data = data;
        this.oldVersions = oldVersions;
        this.garbage = garbage;
        this.intents = intents;
        this.claims =
                new InsertClaims(queuePair, data, session.latchOwner(), intents, keepViewsInTime);
    }

    /// A transaction begins: none of its own has a commit timestamp.
    void begin() {
        lastCommitTimestamp = 0;
        breakage = null;
    }

    /// Commits what the transaction wants to change.
    CommitOutcome commit(Transaction transaction) {
        if (transaction.writes.count() == 0) {
            return CommitOutcome.Committed.INSTANCE;
        }
        committing = transaction;
        collectWrites(transaction);
        if (lockedCount + insertedCount == 0) {
            return CommitOutcome.Committed.INSTANCE;
        }
        CommitOutcome failure = reachInstall(transaction);
        if (failure != null) {
            return failure;
        }
        try {
            installAndPublish(lastCommitTimestamp);
        } catch (Throwable e) {
            breakage = e;
            throw e;
        }
        try {
            leaveGarbage(lastCommitTimestamp);
        } catch (Throwable e) {
            breakage = e; // the transaction is committed whatever becomes of its garbage
        }
        return CommitOutcome.Committed.INSTANCE;
    }

    /// Does all that can fail, up to the commit timestamp; from there on nothing is allocated. What
    /// fails before is taken back.
    private @Nullable CommitOutcome reachInstall(Transaction transaction) {
        failures.clear();
        CommitOutcome failure = null;
        try {
            failure = lockAndPrepare(transaction);
            if (failure == null) {
                lastCommitTimestamp = slot.next();
                return null;
            }
        } catch (Throwable e) {
            failures.add(e);
        }
        takeBack();
        failures.rethrow();
        return failure;
    }

    /// A transaction has ended, and none of its verbs is on its way. If it was large, its rows and
    /// the tables for so many are forgotten, and what it held is free.
    void forget(Transaction transaction) {
        if (!transaction.shrink()) {
            return;
        }
        locked = new Row[32];
        inserted = new Row[32];
        scratch = new long[32];
        lockedCount = 0;
        insertedCount = 0;
        committing = null;
        added = new AddedEntries();
        claims.shrink();
    }

    private void installAndPublish(long commitTimestamp) {
        if (PlantedFault.PUBLISH_EARLY.isPlanted()) {
            slot.publish(commitTimestamp);
            queuePair.await();
        }
        install(commitTimestamp);
        if (!PlantedFault.PUBLISH_UNAWAITED.isPlanted()) {
            queuePair.await();
        }
        if (!PlantedFault.PUBLISH_EARLY.isPlanted()) {
            slot.publish(commitTimestamp);
        }
        session.releaseSnapshot();
        queuePair.await();
        intents.end();
    }

    /// What has gone wrong with the last commit so that there must not be another one: it is half
    /// installed, or could not be taken back. Null if nothing has.
    @Nullable Throwable breakage() {
        return breakage;
    }

    /// The timestamp that the last commit took; 0 if it took none.
    long commitTimestamp() {
        return lastCommitTimestamp;
    }

    private void collectWrites(Transaction transaction) {
        lockedCount = 0;
        insertedCount = 0;
        preparedCount = 0;
        added.clear();
        claims.clear();
        int most = transaction.writes.count();
        if (locked.length < most) {
            locked = new Row[2 * most];
            inserted = new Row[2 * most];
            scratch = new long[2 * most];
        }
        for (int i = 0; i < most; i++) {
            Row row = transaction.writes.row(i);
            switch (row.role) {
                case UPDATE, DELETE -> {
                    row.write.prepareUpdate(row.read);
                    locked[lockedCount++] = row;
                }
                case INSERT -> {
                    row.write.prepareInsert(row.table().records());
                    claims.add(row.read, row.write);
                    inserted[insertedCount++] = row;
                }
                case READ, SCAN, NOTHING -> {}
            }
        }
    }

    private @Nullable CommitOutcome lockAndPrepare(Transaction transaction) {
        try {
            Requirements requirements = transaction.requirements();
            CommitOutcome early =
                    PlantedFault.REQUIRED_EARLY.isPlanted()
                            ? requirements.checkRows(session, transaction.snapshot, () -> {})
                            : null;
            CommitOutcome failure = lock(transaction);
            if (failure == null) {
                failure = early == null ? prepare(transaction) : early;
            }
            if (failure == null && !requirements.isEmpty()) {
                failure = requirements.check(session, transaction, keepViewsInTime);
            }
            if (failure == null) {
                takeScratch(transaction);
            }
            return failure;
        } catch (MemoryFullException e) {
            return new CommitOutcome.MemoryFull(
                    CommitOutcome.MemoryFull.Where.SERVER, String.valueOf(e.getMessage()));
        } catch (TransactionAborted e) {
            return java.util.Objects.requireNonNull(transaction.abortOutcome());
        }
    }

    private @Nullable CommitOutcome lock(Transaction transaction) {
        postIntents();
        postLocks(transaction);
        boolean claimed = claims.claimAll(transaction.snapshot);
        if (!isSettled) {
            queuePair.await(); // nothing was inserted; else the locks were awaited with the latches
            settleLocks();
        }
        for (int i = 0; i < lockedCount; i++) {
            if (!locked[i].write.isLocked()) {
                return conflict(locked[i]);
            }
        }
        if (!claimed) {
            for (int i = 0; i < insertedCount; i++) {
                switch (claims.outcome(i)) {
                    case DUPLICATE_KEY -> {
                        return new CommitOutcome.DuplicateKey(
                                inserted[i].table().name(), Transaction.describeKey(inserted[i]));
                    }
                    case CONFLICT -> {
                        return conflict(inserted[i]);
                    }
                    case CLAIMED, OPEN -> {}
                }
            }
        }
        // The snapshot may show a record of an inserted key that was deleted since, and collected.
        return insertedCount > 0 && session.isTooOld()
                ? CommitOutcome.SnapshotTooOld.INSTANCE
                : null;
    }

    private void postIntents() {
        intents.start();
        for (int i = 0; i < lockedCount; i++) {
            locked[i].write.addIntent(intents);
        }
        claims.addIntents();
        intents.post();
    }

    private void postLocks(Transaction transaction) {
        isSettled = lockedCount == 0;
        viewsMark = queuePair.landed();
        int from = 0;
        int batchBytes = 0;
        for (int i = 0; i < lockedCount; i++) {
            int bytes = RecordWrite.viewBytes(locked[i].table().records());
            batchBytes += bytes;
            if (batchBytes > queuePair.landingBytes() / LANDING_SHARE) {
                queuePair.await();
                for (; from < i; from++) {
                    locked[from].write.settle();
                    keepViews(transaction, locked[from]);
                }
                batchBytes = bytes;
                viewsMark = queuePair.landed();
            }
            locked[i].write.postLock(queuePair);
        }
        unsettledFrom = from;
    }

    /// What the swaps have brought, before anything else is read: a lock that was won and forgotten would stay for ever.
    private void settleLocks() {
        if (!isSettled) {
            isSettled = true;
            for (int i = unsettledFrom; i < lockedCount; i++) {
                locked[i].write.settle();
            }
        }
    }

    /// Copies the views that the install needs, if so much was read since that they would be overwritten soon. Between any two calls little
    /// is read; but there may be many.
    private void keepViewsInTime() {
        settleLocks();
        if (queuePair.landed() - viewsMark > queuePair.landingBytes() / 2) {
            Transaction transaction = java.util.Objects.requireNonNull(committing);
            for (int i = 0; i < lockedCount; i++) {
                keepViews(transaction, locked[i]);
            }
            for (int i = 0; i < insertedCount; i++) {
                if (inserted[i].write.isLocked()) {
                    keepViews(transaction, inserted[i]);
                }
            }
            viewsMark = queuePair.landed();
        }
    }

    private static void keepViews(Transaction transaction, Row row) {
        int bytes = RecordWrite.viewBytes(row.table().records());
        row.write.keepViews(row.write.isKept() ? 0 : transaction.memory.allocate(bytes));
    }

    private @Nullable CommitOutcome prepare(Transaction transaction) {
        for (int i = 0; i < lockedCount; i++) {
            locked[i].write.prepare(queuePair, oldVersions, session.lowWatermark());
            preparedCount++;
            keepViewsInTime();
        }
        for (int i = 0; i < insertedCount; i++) {
            if (!inserted[i].write.isClaimed()) {
                inserted[i].write.prepare(queuePair, oldVersions, session.lowWatermark());
            }
            preparedCount++;
            keepViewsInTime();
        }
        for (int i = 0; i < lockedCount; i++) {
            if (locked[i].role == Row.Role.UPDATE) {
                addEntries(locked[i], transaction.snapshot);
            }
        }
        for (int i = 0; i < insertedCount; i++) {
            addEntries(inserted[i], transaction.snapshot);
        }
        return null;
    }

    /// Adds the index entries that a record's new version wants. Nobody can follow them to it before it is installed.
    private void addEntries(Row row, Snapshot snapshot) {
        keepViewsInTime();
        boolean isNew = row.write.isClaimed();
        long changed = row.role == Row.Role.INSERT ? -1L : row.dirty;
        for (Index index : row.table().indexArray()) {
            if ((changed & index.columnMask()) == 0
                    || PlantedFault.INDEX_ENTRY_FORGOTTEN.isPlanted() && changed != -1L) {
                continue;
            }
            long image = isNew ? row.data : row.write.currentPayload();
            byte[] scratch = session.scratch();
            boolean isEntry =
                    index.encode(newEntry, row.read.key(), image, row.data, changed, scratch);
            IndexAccess access = session.indexes.access(row.table(), index);
            if (!isNew && index.encode(oldEntry, row.read.key(), image, image, 0, scratch)) {
                if (isEntry && access.areEqual(oldEntry, newEntry)) {
                    if (RecordHeader.isDeleted(row.write.header())) {
                        access.insert(newEntry, snapshot);
                    }
                    continue;
                }
                added.addFormer(row, index, oldEntry);
            }
            if (isEntry && access.insert(newEntry, snapshot)) {
                added.addNew(row, index, newEntry);
            }
        }
    }

    private void takeScratch(Transaction transaction) {
        for (int i = 0; i < lockedCount; i++) {
            scratch[i] = scratch(transaction, locked[i]);
        }
        for (int i = 0; i < insertedCount; i++) {
            boolean isClaimed = inserted[i].write.isClaimed();
            scratch[lockedCount + i] = isClaimed ? 0 : scratch(transaction, inserted[i]);
        }
    }

    private static long scratch(Transaction transaction, Row row) {
        return transaction.memory.allocate(RecordWrite.scratchBytes(row.table().records()));
    }

    private void install(long commitTimestamp) {
        long installed = RecordHeader.installed(commitTimestamp);
        for (int i = 0; i < lockedCount; i++) {
            Row row = locked[i];
            boolean deletes = row.role == Row.Role.DELETE;
            long header = deletes ? RecordHeader.deleted(commitTimestamp) : installed;
            row.write.postKeepOldVersion(queuePair, header, scratch[i]);
            if (PlantedFault.UNLOCK_EARLY.isPlanted()) {
                row.write.postHeader(queuePair, row.write.header());
            }
            if (!deletes) {
                postChanges(row);
            }
            row.write.postHeader(queuePair, header);
        }
        for (int i = 0; i < insertedCount; i++) {
            Row row = inserted[i];
            if (row.write.isClaimed()) {
                row.write.postBody(queuePair, row.data - RecordBody.PAYLOAD_OFFSET);
            } else {
                row.write.postKeepOldVersion(queuePair, installed, scratch[lockedCount + i]);
                row.write.postPayload(queuePair, 0, row.data, row.table().schema().payloadBytes());
            }
            row.write.postHeader(queuePair, installed);
        }
    }

    /// Posts the words of the payload that hold changed columns, in as few WRITEs as they have runs.
    private void postChanges(Row row) {
        runs.start(row.table().schema(), row.dirty);
        while (runs.next()) {
            row.write.postPayload(
                    queuePair, runs.from(), row.data + runs.from(), runs.to() - runs.from());
        }
    }

    private void leaveGarbage(long commitTimestamp) {
        for (int i = 0; i < lockedCount; i++) {
            leaveGarbage(locked[i], commitTimestamp);
        }
        for (int i = 0; i < insertedCount; i++) {
            if (!inserted[i].write.isClaimed()) {
                leaveGarbage(inserted[i], commitTimestamp);
            }
        }
        for (int i = 0; i < added.formerCount(); i++) {
            RecordWrite write = added.formerRow(i).write;
            garbage.addFormerEntry(
                    added.formerRow(i).table().records(),
                    added.formerIndex(i).number(),
                    added.formerEntry(i),
                    added.formerIndex(i).layout().words(),
                    commitTimestamp,
                    write.headerAddress(),
                    write.bodyAddress());
        }
    }

    private void leaveGarbage(Row row, long commitTimestamp) {
        RecordWrite write = row.write;
        HashTable table = row.table().records();
        if (row.role == Row.Role.DELETE) {
            garbage.addDeadRecord(
                    table,
                    RecordHeader.deleted(commitTimestamp),
                    write.headerAddress(),
                    write.bodyAddress());
        } else if (write.hasFreshBuffer()) {
            garbage.addVersions(table, commitTimestamp, write.headerAddress(), write.bodyAddress());
        }
        if (!RemoteAddress.isNull(write.deadOverflow())) {
            garbage.addCutOverflow(table, commitTimestamp, write.deadOverflow());
        }
    }

    /// Undoes what a commit that fails has done so far. Each step is tried whatever becomes of the
    /// others, so that a server that is gone keeps nothing locked on those that are there.
    private void takeBack() {
        settleAll();
        for (int i = 0; i < added.newCount(); i++) {
            removeEntry(i);
        }
        for (int i = 0; i < lockedCount; i++) {
            takeBack(locked[i].write, i < preparedCount, locked[i].write.isLocked());
        }
        for (int i = 0; i < insertedCount; i++) {
            RecordWrite write = inserted[i].write;
            boolean isHeld = write.isClaimed() || write.isLocked();
            boolean isPrepared = write.isClaimed() || lockedCount + i < preparedCount;
            takeBack(write, isHeld && isPrepared, isHeld);
        }
        endAttempt();
        awaitUndone();
    }

    /// Says that nothing of the attempt is held any more, if that is so; else a cleaner needs to know
    /// what was locked.
    private void endAttempt() {
        if (breakage == null) {
            try {
                intents.postEnd();
            } catch (Throwable e) {
                failures.add(e);
            }
        }
    }

    /// A failure may have come between a swap and the look at what it has brought.
    private void settleAll() {
        try {
            boolean isAwaited = false;
            for (int i = 0; i < lockedCount + insertedCount; i++) {
                Row row = i < lockedCount ? locked[i] : inserted[i - lockedCount];
                if (row.write.isUnsettled()) {
                    if (!isAwaited) {
                        queuePair.await();
                        isAwaited = true;
                    }
                    row.write.settle();
                }
            }
            isSettled = true;
        } catch (Throwable e) {
            cannotUndo(e);
        }
    }

    /// Removes an index entry that was added. One that stays does no harm: every hit is checked
    /// against its record.
    private void removeEntry(int i) {
        try {
            Row row = added.newRow(i);
            session.indexes.access(row.table(), added.newIndex(i)).remove(added.newEntry(i));
        } catch (Throwable e) {
            failures.add(e);
        }
    }

    private void takeBack(RecordWrite write, boolean isPrepared, boolean isHeld) {
        if (isPrepared) {
            try {
                write.giveBack(data, oldVersions);
            } catch (Throwable e) {
                failures.add(e);
            }
        }
        if (isHeld) {
            unlock(write);
        }
    }

    private void unlock(RecordWrite write) {
        try {
            write.postUnlock(queuePair);
        } catch (Throwable e) {
            failures.add(e);
            try {
                write.postUnlock(queuePair); // a verb that throws has done nothing
            } catch (Throwable again) {
                cannotUndo(again);
            }
        }
        if (failures.first() != null) {
            awaitUndone(); // alone, since others may fail
        }
    }

    private void awaitUndone() {
        try {
            queuePair.await();
        } catch (Throwable e) {
            cannotUndo(e);
        }
    }

    private void cannotUndo(Throwable failure) {
        failures.add(failure);
        breakage = failures.first();
    }

    private static CommitOutcome conflict(Row row) {
        return new CommitOutcome.WriteConflict(row.table().name(), Transaction.describeKey(row));
    }
}
