package org.namdb.compute.commit;

import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.ViewScope;
import org.namdb.mvcc.hash.DeletionSearch;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.hash.Latch;
import org.namdb.mvcc.hash.RecordRead;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.schema.Key;

/// What must hold when a transaction commits, beyond its own writes, as a value: records that no
/// other transaction has changed, or deleted, and columns that no record has. Checked when all
/// locks and index entries of the transaction are in place, and before anything is installed.
///
/// Source: validation of a read set as in Silo or FaRM, for chosen reads alone.
public final class RequiredReads {
    private final QueuePair queuePair;
    private final LatchOwner owner;
    private final AbsentEntries absent;
    private Table[] tables = new Table[8];
    private RecordRead[] records = new RecordRead[8];
    private boolean[] areUnchanged = new boolean[8];
    private int count;
    private long[] views = new long[64];

    /// Of those that were read at a time, the records that have changed, and must only be there.
    private final int[] changed = new int[64];

    private int changedCount;

    /// @param context the transaction's commit context
    /// @param indexes the thread's
    /// @param own finds what the transaction itself changes
    public RequiredReads(CommitContext context, IndexWriters indexes, OwnChanges own) {
        this.queuePair = context.queuePair();
        this.owner = context.owner();
        this.absent = new AbsentEntries(queuePair, context.local(), indexes, own);
    }

    /// Removes all.
    public void clear() {
        Arrays.fill(records, 0, count, null);
        Arrays.fill(tables, 0, count, null);
        count = 0;
        absent.clear();
    }

    /// Requires a record that was read, and that the write set does not change: that is covered by
    /// its lock.
    ///
    /// @param isUnchanged whether it must be in the version that was read; else it may have
    ///     changed, but must have been there all the time
    public void addRecord(Table table, RecordRead record, boolean isUnchanged) {
        if (count == records.length) {
            tables = Arrays.copyOf(tables, 2 * count);
            records = Arrays.copyOf(records, 2 * count);
            areUnchanged = Arrays.copyOf(areUnchanged, 2 * count);
        }
        tables[count] = table;
        records[count] = record;
        areUnchanged[count] = isUnchanged;
        count++;
    }

    /// Requires that no record has these indexed columns.
    ///
    /// @param except a record that the write set changes, and that may have them; null for none
    public void addNone(Index index, Table table, Key prefix, @Nullable RecordChange except) {
        absent.add(index, table, prefix, except);
    }

    boolean isEmpty() {
        return count == 0 && absent.isEmpty();
    }

    /// Checks all. The transaction's locks and index entries are posted.
    ///
    /// @return null if all hold
    @Nullable CommitOutcome check(ReadSnapshot held) {
        // The locks and entries are visible before anything is read: verbs to different servers are
        // not ordered, nor are a processor's own stores before its loads.
        queuePair.await();
        VarHandle.fullFence();
        CommitOutcome failure = PlantedFault.REQUIRED_EARLY.isPlanted() ? null : checkRecords(held);
        return failure == null ? absent.check() : failure;
    }

    /// Checks the records that were read.
    @Nullable CommitOutcome checkRecords(ReadSnapshot held) {
        int most = Math.min(views.length, queuePair.batchBytes() / 2 / Long.BYTES);
        for (int from = 0; from < count; from += most) {
            CommitOutcome failure = checkHeaders(from, Math.min(count, from + most), held);
            if (failure == null && changedCount > 0) {
                failure = checkChanged(held);
            }
            if (failure != null) {
                return failure;
            }
        }
        return null;
    }

    private @Nullable CommitOutcome checkHeaders(int from, int to, ReadSnapshot held) {
        changedCount = 0;
        try (ViewScope _ = queuePair.openViews()) {
            for (int i = from; i < to; i++) {
                views[i - from] = queuePair.read(records[i].headerAddress(), Long.BYTES);
            }
            queuePair.await();
            for (int i = from; i < to; i++) {
                if (LocalMemory.longAcquire(views[i - from]) != required(i)) {
                    changed[changedCount++] = i;
                }
            }
        }
        return changedCount == 0 ? null : checkEntries(held);
    }

    private long required(int number) {
        return RecordHeader.unlocked(records[number].header());
    }

    /// Checks the records whose entries don't have the header that was read, and keeps of them
    /// those that need their versions followed. The record may be in another bucket by now, and the
    /// entry another record's: the key, read behind the header, decides.
    private @Nullable CommitOutcome checkEntries(ReadSnapshot held) {
        int suspects = changedCount;
        changedCount = 0;
        int next = 0;
        while (next < suspects) {
            try (ViewScope _ = queuePair.openViews()) {
                int first = next;
                int landed = 0;
                for (; next < suspects && landed < queuePair.batchBytes(); next++) {
                    RecordRead record = records[changed[next]];
                    landed += record.postEntry(queuePair);
                }
                queuePair.await();
                for (int i = first; i < next; i++) {
                    CommitOutcome failure = checkEntry(changed[i], held);
                    if (failure != null) {
                        return failure;
                    }
                }
            }
        }
        return null;
    }

    private @Nullable CommitOutcome checkEntry(int number, ReadSnapshot held) {
        long header = records[number].entryHeader();
        if (header == RecordHeader.FREE) {
            header = headerNow(number, held);
        }
        if (RecordHeader.isLocked(header) && RecordHeader.unlocked(header) == required(number)) {
            header = headerAfterSplit(number, header, held);
        }
        if (header == required(number)) {
            return null;
        }
        boolean isThere =
                header != RecordHeader.FREE
                        && !RecordHeader.isLocked(header)
                        && !RecordHeader.isDeleted(header);
        if (areUnchanged[number] || !isThere) {
            return conflict(tables[number], records[number].key());
        }
        changed[changedCount++] = number;
        return null;
    }

    /// A record is locked, and not changed: waits for the split that holds it, if it is one, as
    /// [LockRetry] does.
    ///
    /// @return its header then; the same if it is another commit's
    private long headerAfterSplit(int number, long header, ReadSnapshot held) {
        HashTable table = tables[number].records();
        long hash = table.hash(records[number].key());
        long now = header;
        boolean wasHeld = true;
        while (wasHeld
                && RecordHeader.isLocked(now)
                && RecordHeader.unlocked(now) == required(number)) {
            // The split may have ended by the time of this read: so one more read always follows.
            wasHeld = Latch.awaitFree(queuePair, table.home(hash), owner);
            now = headerNow(number, held);
        }
        return now;
    }

    /// Looks a record up by its key.
    ///
    /// @return its header where it is now; that of a free entry if it was deleted
    private long headerNow(int number, ReadSnapshot held) {
        while (true) {
            RecordRead again = records[number].again(queuePair, held.snapshot());
            if (!again.isPresent()) {
                return RecordHeader.FREE;
            }
            records[number] = again;
            if (again.isCurrent()) {
                return again.header();
            }
            try (ViewScope _ = queuePair.openViews()) {
                int _ = again.postEntry(queuePair);
                queuePair.await();
                long header = again.entryHeader();
                if (header != RecordHeader.FREE) {
                    return header;
                }
            }
        }
    }

    /// Checks records that are there, but not in the version that was read: they may have been
    /// deleted and inserted again. While this transaction's snapshot is kept, their entries serve
    /// no other key; so its age is checked before their versions are followed, and again at the
    /// end.
    private @Nullable CommitOutcome checkChanged(ReadSnapshot held) {
        boolean isTooOld = held.isTooOld();
        for (int i = 0; i < changedCount && !isTooOld; i++) {
            Table table = tables[changed[i]];
            RecordRead record = records[changed[i]];
            if (DeletionSearch.isDeletedSince(
                    queuePair, table.records(), record.bodyAddress(), held.snapshot())) {
                return conflict(table, record.key());
            }
        }
        return isTooOld || held.isTooOld() ? CommitOutcome.SnapshotTooOld.INSTANCE : null;
    }

    static CommitOutcome conflict(Table table, long[] key) {
        return new CommitOutcome.WriteConflict(table.name(), table.schema().key().describe(key));
    }
}
