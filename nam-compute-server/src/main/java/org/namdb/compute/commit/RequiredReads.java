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
import org.namdb.mvcc.hash.RecordRead;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.schema.Key;

/// What must hold when a transaction commits, beyond its own writes, as a value: records that
/// nobody has changed, or has deleted, and columns that no record has. Checked when all locks and
/// index entries of the transaction are in place, and before anything is installed.
///
/// Source: validation of a read set as in Silo or FaRM, for chosen reads alone.
public final class RequiredReads {
    private final QueuePair queuePair;
    private final AbsentEntries absent;
    private Table[] tables = new Table[8];
    private RecordRead[] records = new RecordRead[8];
    private boolean[] areUnchanged = new boolean[8];
    private int count;
    private long[] views = new long[64];

    /// Of those that were read at a time, the records that have changed, and must only be there.
    private final int[] changed = new int[64];

    private int changedCount;

    /// @param means what the transaction commits with
    /// @param indexes the thread's
    /// @param own finds what the transaction itself changes
    public RequiredReads(CommitMeans means, IndexWriters indexes, OwnChanges own) {
        this.queuePair = means.queuePair();
        this.absent = new AbsentEntries(queuePair, means.local(), indexes, own);
    }

    /// Forgets all.
    public void clear() {
        Arrays.fill(records, 0, count, null);
        Arrays.fill(tables, 0, count, null);
        count = 0;
        absent.clear();
    }

    /// Requires a record that was read, and that the write set does not change: its lock says so.
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
    @Nullable CommitOutcome check(HeldSnapshot held) {
        // The locks and entries are there for everybody before anything is looked at: verbs to
        // different servers are not ordered, nor are a processor's own stores before its loads.
        queuePair.await();
        VarHandle.fullFence();
        CommitOutcome failure = PlantedFault.REQUIRED_EARLY.isPlanted() ? null : checkRecords(held);
        return failure == null ? absent.check() : failure;
    }

    /// Checks the records that were read.
    @Nullable CommitOutcome checkRecords(HeldSnapshot held) {
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

    private @Nullable CommitOutcome checkHeaders(int from, int to, HeldSnapshot held) {
        try (ViewScope _ = queuePair.openViews()) {
            for (int i = from; i < to; i++) {
                views[i - from] = queuePair.read(records[i].headerAddress(), Long.BYTES);
            }
            queuePair.await();
            changedCount = 0;
            for (int i = from; i < to; i++) {
                long header = LocalMemory.longAcquire(views[i - from]);
                if (isElsewhere(i, header, held)) {
                    header = records[i].header();
                }
                if (!holds(i, header)) {
                    return conflict(tables[i], records[i].key());
                }
            }
        }
        return null;
    }

    /// Whether a record is in the version that was read, but in another place: its bucket was
    /// split.
    private boolean isElsewhere(int number, long header, HeldSnapshot held) {
        long required = RecordHeader.unlocked(records[number].header());
        HashTable table = tables[number].records();
        if (header == required
                || RecordHeader.unlocked(header) == required
                || !table.mayHaveMoved(header)) {
            return false;
        }
        RecordRead again = records[number].again(queuePair, held.snapshot());
        if (!again.isCurrent() || again.header() != required) {
            return false;
        }
        records[number] = again;
        return true;
    }

    /// Whether a record's header leaves it possible that what is required holds; puts those that
    /// need a closer look aside.
    private boolean holds(int number, long header) {
        if (header == RecordHeader.unlocked(records[number].header())) {
            return true;
        }
        boolean isThere =
                header != RecordHeader.FREE
                        && !RecordHeader.isLocked(header)
                        && !RecordHeader.isDeleted(header);
        if (areUnchanged[number] || !isThere) {
            return false;
        }
        changed[changedCount++] = number;
        return true;
    }

    /// Checks records that are there, but not in the version that was read: they may have gone, and
    /// come again. While this transaction's snapshot is kept, their entries serve no other key; so
    /// its age is asked for before their versions are followed, and again when all is said.
    private @Nullable CommitOutcome checkChanged(HeldSnapshot held) {
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
