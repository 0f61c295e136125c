package org.namdb.compute;

import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.hash.RecordRead;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.schema.Key;
import org.namdb.timestamp.Snapshot;

/// What must hold when a transaction commits, beyond its own writes: records that nobody has changed, and columns that no record has. Checked when all locks and
/// index entries of the transaction are in place, and before anything is installed; see [Transaction#requireUnchanged] for why that is enough.
///
/// Source: validation of a read set as in Silo or FaRM, for chosen reads alone.
final class Requirements {
    private static final int LANDING_SHARE = 8;
    private static final int READS_AT_A_TIME = 32;

    private Row[] unchanged = new Row[8];
    private int unchangedCount;
    private long[] views = new long[64];

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

    void addUnchanged(Row row) {
        if (!row.isRequired) {
            if (unchangedCount == unchanged.length) {
                unchanged = Arrays.copyOf(unchanged, 2 * unchangedCount);
            }
            row.isRequired = true;
            unchanged[unchangedCount++] = row;
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
        return unchangedCount + noneCount == 0;
    }

    /// How many there are of both kinds, for [#truncate].
    long mark() {
        return (long) unchangedCount << 32 | noneCount;
    }

    /// Forgets those that were added since.
    void truncate(long mark) {
        int left = (int) (mark >>> 32);
        while (unchangedCount > left) {
            unchanged[--unchangedCount].isRequired = false;
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
        CommitOutcome failure = checkUnchanged(queuePair, beforeReads);
        for (int i = 0; i < noneCount && failure == null; i++) {
            failure = checkNone(session, transaction, i, beforeReads);
        }
        return failure;
    }

    private @Nullable CommitOutcome checkUnchanged(QueuePair queuePair, Runnable beforeReads) {
        int most = Math.min(views.length, queuePair.landingBytes() / LANDING_SHARE / Long.BYTES);
        for (int from = 0; from < unchangedCount; from += most) {
            beforeReads.run();
            int to = Math.min(unchangedCount, from + most);
            long mark = queuePair.landed();
            for (int i = from; i < to; i++) {
                views[i - from] = queuePair.read(unchanged[i].read.headerAddress(), Long.BYTES);
            }
            queuePair.await();
            for (int i = from; i < to; i++) {
                Row row = unchanged[i];
                // Of a row that is written as well, the lock has said so.
                if (row.role == Row.Role.READ
                        && LocalMemory.longAcquire(views[i - from])
                                != RecordHeader.unlocked(row.read.header())) {
                    return conflict(row.table(), row.read.key());
                }
            }
            queuePair.giveUpViews(mark);
        }
        return null;
    }

    private @Nullable CommitOutcome checkNone(
            Session session, Transaction transaction, int none, Runnable beforeReads) {
        Table table = tables[none];
        IndexAccess access = session.access(table, indexes[none]);
        entryWords = indexes[none].layout().words();
        if (entry.length < entryWords) {
            entry = new long[entryWords];
        }
        entryCount = 0;
        beforeReads.run();
        access.entriesNow(keys[none], this::addEntry);
        readCount = 0;
        imageCount = 0;
        for (int i = 0; i < entryCount; i++) {
            takeEntry(i);
            Row own = transaction.known(table, access.primaryKey(entry));
            if (own == null || !isWritten(own)) {
                post(session.queuePair(), transaction, table, access.primaryKey(entry), i);
            } else if (own != excepted[none] && isOwnMatch(access, own)) {
                return conflict(table, own.read.key());
            }
            if (readCount == READS_AT_A_TIME || i == entryCount - 1) {
                CommitOutcome failure = checkRecords(session, access, table, beforeReads);
                if (failure != null) {
                    return failure;
                }
            }
        }
        return null;
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
