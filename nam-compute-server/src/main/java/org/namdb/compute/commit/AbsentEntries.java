package org.namdb.compute.commit;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.LocalAllocator;
import org.namdb.mvcc.hash.RecordRead;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.schema.Key;
import org.namdb.timestamp.snapshot.Snapshot;

/// Of [RequiredReads], the indexed columns that no record may have when a transaction commits: the
/// index is read again, and each record that it leads to.
final class AbsentEntries {
    private static final int READS_AT_A_TIME = 32;

    private final QueuePair queuePair;
    private final LocalAllocator memory;
    private final IndexWriters writers;
    private final OwnChanges own;
    private Index[] indexes = new Index[4];
    private Table[] tables = new Table[4];
    private Key[] keys = new Key[4];
    private @Nullable RecordChange[] excepted = new @Nullable RecordChange[4];
    private int count;

    /// The entries of the index, one after the other.
    private long[] entries = new long[64];

    private int entryWords;
    private int entryCount;
    private long[] entry = new long[0];
    private final RecordRead[] reads = new RecordRead[READS_AT_A_TIME];
    private final int[] readEntries = new int[READS_AT_A_TIME];
    private final long[] images = new long[READS_AT_A_TIME];
    private int readCount;
    private int imageCount;

    AbsentEntries(
            QueuePair queuePair, LocalAllocator memory, IndexWriters writers, OwnChanges own) {
        this.queuePair = queuePair;
        this.memory = memory;
        this.writers = writers;
        this.own = own;
    }

    void clear() {
        count = 0;
    }

    /// @param prefix must stay as it is until the commit has ended
    void add(Index index, Table table, Key prefix, @Nullable RecordChange except) {
        if (count == indexes.length) {
            indexes = Arrays.copyOf(indexes, 2 * count);
            tables = Arrays.copyOf(tables, 2 * count);
            keys = Arrays.copyOf(keys, 2 * count);
            excepted = Arrays.copyOf(excepted, 2 * count);
        }
        indexes[count] = index;
        tables[count] = table;
        keys[count] = prefix;
        excepted[count] = except;
        count++;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /// Checks all.
    ///
    /// @return null if all hold
    @Nullable CommitOutcome check() {
        CommitOutcome failure = null;
        for (int i = 0; i < count && failure == null; i++) {
            failure = check(i);
        }
        return failure;
    }

    private @Nullable CommitOutcome check(int number) {
        Table table = tables[number];
        IndexWriter writer = writers.writer(table, indexes[number]);
        entryWords = indexes[number].layout().words();
        if (entry.length < entryWords) {
            entry = new long[entryWords];
        }
        entryCount = 0;
        writer.entriesNow(keys[number], this::addEntry);
        readCount = 0;
        imageCount = 0;
        int most = readsAtATime(table);
        for (int i = 0; i < entryCount; i++) {
            takeEntry(i);
            RecordChange change = own.of(table, writer.primaryKey(entry));
            if (change == null) {
                post(table, writer.primaryKey(entry), i);
            } else if (!isExcepted(number, change) && isOwnMatch(writer, change)) {
                return change.conflict();
            }
            if (readCount == most || i == entryCount - 1) {
                CommitOutcome failure = checkRecords(writer, table);
                if (failure != null) {
                    return failure;
                }
            }
        }
        return null;
    }

    /// As many as land no more than half a batch in a round trip.
    private int readsAtATime(Table table) {
        int bytes = table.records().layout().lookupBytes();
        int most = queuePair.batchBytes() / 2 / bytes;
        return Math.clamp(most, 1, READS_AT_A_TIME);
    }

    private boolean isExcepted(int number, RecordChange change) {
        RecordChange except = excepted[number];
        return except != null
                && (except == change
                        || except.table() == change.table()
                                && Arrays.equals(
                                        except.key(),
                                        0,
                                        change.keyWords(),
                                        change.key(),
                                        0,
                                        change.keyWords()));
    }

    /// Whether a record that this transaction has locked or claimed matches the entry, as it leaves
    /// it.
    private boolean isOwnMatch(IndexWriter writer, RecordChange change) {
        if (change.isWithoutViews()) {
            change.write.postBodyView(queuePair);
            queuePair.await();
        }
        return !change.isDelete()
                && writer.isEntryOf(
                        entry, change.key(), change.image(), change.payload(), change.columns());
    }

    private void post(Table table, long[] key, int of) {
        if (reads[readCount] == null) {
            reads[readCount] = new RecordRead(table.records(), table.schema().nothing());
        }
        if (readCount == imageCount) {
            images[imageCount++] =
                    memory.allocate(table.records().layout().bodyBytes())
                            + RecordBody.PAYLOAD_OFFSET;
        }
        readEntries[readCount] = of;
        RecordRead read = reads[readCount];
        read.prepare(table.records(), key, table.schema().all(), images[readCount]);
        read.post(queuePair);
        readCount++;
    }

    /// The current state of the posted records; the first conflict ends it.
    private @Nullable CommitOutcome checkRecords(IndexWriter writer, Table table) {
        boolean isWaiting = readCount > 0;
        while (isWaiting) {
            queuePair.await();
            isWaiting = false;
            for (int i = 0; i < readCount; i++) {
                isWaiting |=
                        !reads[i].isDone() && !reads[i].advance(queuePair, Snapshot.EVERYTHING);
            }
        }
        for (int i = 0; i < readCount; i++) {
            takeEntry(readEntries[i]);
            if (isInTheWay(writer, reads[i], images[i])) {
                return RequiredReads.conflict(table, reads[i].key());
            }
        }
        readCount = 0;
        return null;
    }

    private boolean isInTheWay(IndexWriter writer, RecordRead read, long image) {
        if (RemoteAddress.isNull(read.headerAddress())) {
            return false;
        }
        boolean isClaimed = read.header() == RecordHeader.FREE;
        if (isClaimed || RecordHeader.isLocked(read.header())) {
            return true;
        }
        return read.isPresent() && writer.isEntryOf(entry, read.key(), image, image, 0);
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
}
