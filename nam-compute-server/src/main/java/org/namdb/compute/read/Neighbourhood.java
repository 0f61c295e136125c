package org.namdb.compute.read;

import java.util.Arrays;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.hash.BucketLayout;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.hash.NeighbourRead;
import org.namdb.mvcc.hash.RecordRead;
import org.namdb.mvcc.hash.RecordSink;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.schema.KeyLayout;
import org.namdb.mvcc.schema.Projection;

/// Takes the records of a neighbourhood into a transaction's rows.
final class Neighbourhood implements RecordSink {
    private final ReadSet readSet;
    private final NeighbourRead read;
    private final RecordRead unused;
    private Table table;
    private final long[] key = new long[KeyLayout.MAX_WORDS];
    private Projection projection;
    private Rows found = new Rows();

    /// The rows that the last bucket's records are read into.
    private Row[] provided = new Row[16];

    private int providedCount;

    /// How many of the last bucket's records the transaction had before.
    private int ignoredCount;

    /// Whether a bucket is being read.
    private boolean isPosted;

    private boolean isTaken;

    /// For any table; `table` is what it starts with.
    Neighbourhood(ReadSet readSet, Table table) {
        this.readSet = readSet;
        this.table = table;
        this.projection = table.schema().nothing();
        this.read = new NeighbourRead(table.records(), this);
        this.unused = new RecordRead(table.records(), projection);
    }

    /// Prepares to read all that agree with `newKey`.
    void prepare(Table newTable, long[] newKey, Projection newProjection, Rows newFound) {
        table = newTable;
        System.arraycopy(newKey, 0, key, 0, newTable.records().layout().keyWords());
        projection = newProjection;
        found = newFound;
        newFound.clear();
        providedCount = 0;
        ignoredCount = 0;
        isPosted = false;
        isTaken = false;
        read.prepare(newTable.records(), key, this);
    }

    /// How many bytes may land with the next await if it is [advanced][#advance].
    int maxBytes() {
        BucketLayout layout = table.records().layout();
        return layout.records() * layout.lookupBytes() + layout.neighbourBytes();
    }

    /// How many bytes may land with the next await as it was advanced.
    int leftBytes() {
        BucketLayout layout = table.records().layout();
        int rows = ignoredCount;
        for (int i = 0; i < providedCount; i++) {
            rows += provided[i].read.isDone() ? 0 : 1;
        }
        return rows * layout.lookupBytes() + (isPosted ? landedBytes() : 0);
    }

    /// How many bytes a bucket lands.
    int landedBytes() {
        return table.records().layout().neighbourBytes();
    }

    void post(QueuePair queuePair) {
        read.post(queuePair);
        isPosted = true;
    }

    /// Before the first [#advance].
    void postAgain(QueuePair queuePair) {
        assert isPosted : "it has been advanced";
        read.post(queuePair);
    }

    void prefetch() {
        if (isPosted) {
            read.prefetch();
        }
    }

    /// What was posted may be overwritten before it is taken: it is posted again.
    void holdBack() {
        isPosted = false;
    }

    /// Whether all buckets are taken; rows may still be in flight.
    boolean isTaken() {
        return isTaken;
    }

    /// Goes on with what the last await has brought.
    void advance(QueuePair queuePair) {
        ignoredCount = 0;
        if (isPosted) {
            isPosted = false;
            providedCount = 0;
            boolean isWhole = false;
            try {
                isTaken = read.take(queuePair, readSet.snapshot);
                for (int i = 0; i < providedCount; i++) {
                    took(provided[i]);
                }
                isWhole = true;
            } finally {
                if (!isWhole) {
                    forgetProvided();
                }
            }
        }
        // The rows of a bucket at a time, so that what they may land is bounded.
        if (!isTaken && !isAnyUnderWay()) {
            post(queuePair);
        }
    }

    private void took(Row row) {
        if (!row.read.isDone()) {
            readSet.reads.add(row);
        } else if (!row.read.isCurrent()) {
            readSet.checkAge();
        }
    }

    /// After an abort that may be forgiven: records that were not read to their end are read again
    /// when they are needed.
    private void forgetProvided() {
        for (int i = 0; i < providedCount; i++) {
            provided[i].forgetRead();
        }
    }

    private boolean isAnyUnderWay() {
        for (int i = 0; i < providedCount; i++) {
            if (!provided[i].read.isDone()) {
                return true;
            }
        }
        return false;
    }

    /// All its rows have been read: those that the transaction sees are found.
    void complete() {
        readSet.changes.addNeighbours(table, key, found);
        found.keepExisting();
    }

    /// Reads what is missing of rows that the transaction had before.
    void requireColumns() {
        for (int i = 0; i < found.size(); i++) {
            readSet.require(found.row(i), projection);
        }
    }

    @Override
    public RecordRead next(HashTable records, long[] words) {
        Row row = readSet.known.find(table, words);
        if (row == null) {
            row = readSet.known.add(table, words, projection);
        } else if (row.isUndone()) {
            row.startRead(projection);
        } else {
            found.addOnce(row);
            ignoredCount++;
            return ignored(records, words);
        }
        found.add(row);
        if (providedCount == provided.length) {
            provided = Arrays.copyOf(provided, 2 * providedCount);
        }
        provided[providedCount++] = row;
        return row.read;
    }

    @Override
    public int provided() {
        return found.size();
    }

    @Override
    public void rollBack(int count) {
        // The rows stay in the cache, and are found again when the bucket is.
    }

    private RecordRead ignored(HashTable records, long[] words) {
        long image = readSet.memory.allocate(records.layout().bodyBytes());
        unused.prepare(records, words, table.schema().nothing(), image + RecordBody.PAYLOAD_OFFSET);
        return unused;
    }
}
