package org.namdb.compute;

import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.hash.DeletionSearch;
import org.namdb.mvcc.hash.RecordRead;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.schema.Key;
import org.namdb.timestamp.Snapshot;

/// What must hold when a transaction commits, beyond its own writes: records that nobody has changed, or has deleted, and columns that no record has. Checked when all
/// locks and index entries of the transaction are in place, and before anything is installed; see [Transaction#requirePresent] for why that is enough.
///
/// Source: validation of a read set as in Silo or FaRM, for chosen reads alone.
final class Requirements {
    private static final int LANDING_SHARE = 8;
    private static final int READS_AT_A_TIME = 32;

    /// What is required of a record that was read, by strength.
    enum Of {
        NOTHING,
        PRESENT,
        UNCHANGED
    }

    private Row[] rows = new Row[8];
    private Of[] required = new Of[8];

    /// What was required of the row before.
    private Of[] former = new Of[8];

    private int rowCount;
    private long[] views = new long[64];

    /// Of those that were read at a time, the rows that have changed, and must only be there.
    private final Row[] changed = new Row[64];

    private int changedCount;

    private Index[] indexes = new Index[4];
    private Table[] tables = new Table[4];
    private Key[] keys = new Key[4];
    private @Nullable Row[] excepted = new @Nullable Row[4];
    private int noneCount;

    /// The entries of the index that is asked, one behind the other.
    private long[] entries = new long[64];

    private int entryWords;
    private int entryCount;
    private long[] entry = new long[0];
    private final RecordRead[] reads = new RecordRead[READS_AT_A_TIME];
    private final int[] readEntries = new int[READS_AT_A_TIME];
    private final long[] images = new long[READS_AT_A_TIME];
    private int readCount;
    private int imageCount;

    void add(Row row, Of strength) {
        if (row.required.compareTo(strength) < 0) {
            if (rowCount == rows.length) {
                rows = Arrays.copyOf(rows, 2 * rowCount);
                required = Arrays.copyOf(required, 2 * rowCount);
                former = Arrays.copyOf(former, 2 * rowCount);
            }
            rows[rowCount] = row;
            required[rowCount] = strength;
            former[rowCount++] = row.required;
            row.required = strength;
        }
    }

    void addNone(Index index, Table table, Key prefix, @Nullable Row except) {
        if (prefix.columns() == 0
                || index.hash() != null && prefix.columns() < index.columns()
                || prefix.layout() != index.layout()) {
            throw new IllegalArgumentException("not a key for index " + index + ": " + prefix);
        }
        if (noneCount == indexes.length) {
            indexes = Arrays.copyOf(indexes, 2 * noneCount);
            tables = Arrays.copyOf(tables, 2 * noneCount);
            keys = Arrays.copyOf(keys, 2 * noneCount);
            excepted = Arrays.copyOf(excepted, 2 * noneCount);
        }
        indexes[noneCount] = index;
        tables[noneCount] = table;
        if (keys[noneCount] == null || keys[noneCount].layout() != prefix.layout()) {
            keys[noneCount] = new Key(prefix.layout());
        }
        keys[noneCount].set(prefix);
        excepted[noneCount] = except;
        noneCount++;
    }

    boolean isEmpty() {
        return rowCount + noneCount == 0;
    }

    /// How many there are of both kinds, for [#truncate].
    long mark() {
        return (long) rowCount << 32 | noneCount;
    }

    /// Forgets those that were added since.
    void truncate(long mark) {
        int left = (int) (mark >>> 32);
        while (rowCount > left) {
            rowCount--;
            rows[rowCount].required = former[rowCount];
        }
        noneCount = (int) mark;
    }

    /// Checks all.
    ///
    /// @param session whose locks and index entries are posted
    /// @param beforeReads is run whenever more is read, so that the commit can keep its views
    /// @return null if all hold
    @Nullable CommitOutcome check(Session session, Transaction transaction, Runnable beforeReads) {
        QueuePair queuePair = session.queuePair();
        // The locks and entries are there for everybody before anything is looked at: verbs to
        // different servers are not ordered, nor are a processor's own stores before its loads.
        queuePair.await();
        VarHandle.fullFence();
        CommitOutcome failure =
                PlantedFault.REQUIRED_EARLY.isPlanted()
                        ? null
                        : checkRows(session, transaction.snapshot, beforeReads);
        for (int i = 0; i < noneCount && failure == null; i++) {
            failure = checkNone(session, transaction, i, beforeReads);
        }
        return failure;
    }

    /// Checks the records that were read.
    @Nullable CommitOutcome checkRows(Session session, Snapshot snapshot, Runnable beforeReads) {
        QueuePair queuePair = session.queuePair();
        int most = Math.min(views.length, queuePair.landingBytes() / LANDING_SHARE / Long.BYTES);
        for (int from = 0; from < rowCount; from += most) {
            beforeReads.run();
            int to = Math.min(rowCount, from + most);
            long mark = queuePair.landed();
            for (int i = from; i < to; i++) {
                views[i - from] = queuePair.read(rows[i].read.headerAddress(), Long.BYTES);
            }
            queuePair.await();
            changedCount = 0;
            for (int i = from; i < to; i++) {
                // Of a row that is written as well, the lock has said so.
                if (rows[i].role == Row.Role.READ
                        && !holds(rows[i], required[i], LocalMemory.longAcquire(views[i - from]))) {
                    return conflict(rows[i].table(), rows[i].read.key());
                }
            }
            queuePair.giveUpViews(mark);
            CommitOutcome failure =
                    changedCount == 0 ? null : checkChanged(session, snapshot, beforeReads);
            if (failure != null) {
                return failure;
            }
        }
        return null;
    }

    /// Whether a record's header leaves it possible that what is required holds; puts those that need a closer look aside.
    private boolean holds(Row row, Of strength, long header) {
        if (header == RecordHeader.unlocked(row.read.header())) {
            return true;
        }
        boolean isThere =
                header != RecordHeader.FREE
                        && !RecordHeader.isLocked(header)
                        && !RecordHeader.isDeleted(header);
        if (strength == Of.UNCHANGED || !isThere) {
            return false;
        }
        changed[changedCount++] = row;
        return true;
    }

    /// Checks records that are there, but not in the version that was read: they may have gone, and come again. While this transaction's snapshot is kept, their
    /// entries serve no other key; so its age is asked for before their versions are followed, and again when all is said.
    private @Nullable CommitOutcome checkChanged(
            Session session, Snapshot snapshot, Runnable beforeReads) {
        boolean isTooOld = session.isTooOld();
        for (int i = 0; i < changedCount && !isTooOld; i++) {
            beforeReads.run();
            Row row = changed[i];
            if (DeletionSearch.isDeletedSince(
                    session.queuePair(), row.table().records(), row.read.bodyAddress(), snapshot)) {
                return conflict(row.table(), row.read.key());
            }
        }
        return isTooOld || session.isTooOld() ? CommitOutcome.SnapshotTooOld.INSTANCE : null;
    }

    private @Nullable CommitOutcome checkNone(
            Session session, Transaction transaction, int none, Runnable beforeReads) {
        Table table = tables[none];
        IndexAccess access = session.indexes.access(table, indexes[none]);
        entryWords = indexes[none].layout().words();
        if (entry.length < entryWords) {
            entry = new long[entryWords];
        }
        entryCount = 0;
        beforeReads.run();
        access.entriesNow(keys[none], this::addEntry);
        readCount = 0;
        imageCount = 0;
        int most = readsAtATime(session.queuePair(), table);
        for (int i = 0; i < entryCount; i++) {
            takeEntry(i);
            Row own = transaction.known(table, access.primaryKey(entry));
            if (own == null || !isWritten(own)) {
                post(session.queuePair(), transaction, table, access.primaryKey(entry), i);
            } else if (own != excepted[none] && isOwnMatch(access, own)) {
                return conflict(table, own.read.key());
            }
            if (readCount == most || i == entryCount - 1) {
                CommitOutcome failure = checkRecords(session, access, table, beforeReads);
                if (failure != null) {
                    return failure;
                }
            }
        }
        return null;
    }

    /// As many as leave the views of the commit alone until it is asked to keep them.
    private static int readsAtATime(QueuePair queuePair, Table table) {
        int bytes = table.records().layout().lookupBytes();
        int most = queuePair.landingBytes() / LANDING_SHARE / bytes;
        return Math.clamp(most, 1, READS_AT_A_TIME);
    }

    private static boolean isWritten(Row row) {
        return switch (row.role) {
            case UPDATE, INSERT, DELETE -> true;
            case READ, SCAN, NOTHING -> false;
        };
    }

    /// Whether a record that this transaction has locked or claimed is what the entry says, as it leaves it.
    private boolean isOwnMatch(IndexAccess access, Row own) {
        if (own.role == Row.Role.DELETE) {
            return false;
        }
        boolean isWhole = own.role == Row.Role.INSERT;
        long image = isWhole ? own.data : own.write.currentPayload();
        return access.isEntryOf(entry, own.read.key(), image, own.data, isWhole ? -1L : own.dirty);
    }

    private void post(
            QueuePair queuePair, Transaction transaction, Table table, long[] key, int of) {
        if (reads[readCount] == null) {
            reads[readCount] = new RecordRead(table.records(), table.schema().nothing());
        }
        if (readCount == imageCount) {
            images[imageCount++] =
                    transaction.memory.allocate(table.records().layout().bodyBytes())
                            + RecordBody.PAYLOAD_OFFSET;
        }
        readEntries[readCount] = of;
        RecordRead read = reads[readCount];
        read.prepare(table.records(), key, table.schema().all(), images[readCount]);
        read.post(queuePair);
        readCount++;
    }

    /// What the records are now that were posted; the first that is in the way ends it.
    private @Nullable CommitOutcome checkRecords(
            Session session, IndexAccess access, Table table, Runnable beforeReads) {
        QueuePair queuePair = session.queuePair();
        boolean isWaiting = readCount > 0;
        while (isWaiting) {
            queuePair.await();
            isWaiting = false;
            for (int i = 0; i < readCount; i++) {
                isWaiting |=
                        !reads[i].isDone() && !reads[i].advance(queuePair, Snapshot.EVERYTHING);
            }
            beforeReads.run();
        }
        for (int i = 0; i < readCount; i++) {
            takeEntry(readEntries[i]);
            if (isInTheWay(access, reads[i], images[i])) {
                return conflict(table, reads[i].key());
            }
        }
        readCount = 0;
        return null;
    }

    private boolean isInTheWay(IndexAccess access, RecordRead read, long image) {
        if (RemoteAddress.isNull(read.headerAddress())) {
            return false;
        }
        boolean isClaimed = read.header() == RecordHeader.FREE;
        if (isClaimed || RecordHeader.isLocked(read.header())) {
            return true;
        }
        return read.isPresent() && access.isEntryOf(entry, read.key(), image, image, 0);
    }

    private void addEntry(long[] words) {
        if ((entryCount + 1) * entryWords > entries.length) {
            entries = Arrays.copyOf(entries, Math.max(2 * entries.length, 4 * entryWords));
        }
        System.arraycopy(words, 0, entries, entryCount++ * entryWords, entryWords);
    }

    private void takeEntry(int number) {
        System.arraycopy(entries, number * entryWords, entry, 0, entryWords);
    }

    private static CommitOutcome conflict(Table table, long[] key) {
        return new CommitOutcome.WriteConflict(table.name(), table.schema().key().describe(key));
    }
}
