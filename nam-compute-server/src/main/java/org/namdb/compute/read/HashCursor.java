package org.namdb.compute.read;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.Projection;

/// The records that a hashed index has for a key, in no particular order, the transaction's own
/// changes included: those that it has made before the cursor was opened, and what it has made
/// since of records that are not reached yet. Rows are read some at a time; they are read-only, and
/// valid until the cursor moves. Ends with the transaction, or by [#close].
public final class HashCursor {
    private final ReadSet readSet;
    private final Table table;
    private final IndexAccess access;
    private final ChangeWalk walk;
    private final int keyWords;
    private final long[] primaryKey;
    private @Nullable RowBatch batch;
    private long[] wanted = new long[0];

    /// The primary keys of all hits, one behind the other.
    private long[] keys = new long[256];

    private int keyCount;
    private int keyAt;
    private int at;
    private long insertedBefore;
    private long openIn;

    HashCursor(ReadSet readSet, Table table, IndexAccess access) {
        this.readSet = readSet;
        this.table = table;
        this.access = access;
        this.walk = new ChangeWalk(readSet.changes);
        this.keyWords = table.schema().key().words();
        this.primaryKey = new long[keyWords];
    }

    HashCursor open(Key key, Projection projection) {
        openIn = readSet.number();
        insertedBefore = readSet.changes.insertSerial();
        wanted = key.words().clone();
        keyCount = 0;
        keyAt = 0;
        at = 0;
        access.entriesNow(key, this::addKey);
        for (Row row = walk.start(table).next(); row != null; row = walk.next()) {
            if (access.mayBeMovedTo(row, wanted)) {
                Row own = row;
                if (!access.hasColumns(row)) {
                    own = readSet.known.kept(row);
                    readSet.require(own, projection);
                }
                if (access.isHit(own, wanted)) {
                    addKeyWords(own.read.key());
                }
            }
        }
        batch = readSet.batch(table, projection);
        return this;
    }

    boolean isOpen() {
        return openIn == readSet.number();
    }

    /// Moves to the next record. If its read fails, the cursor is closed, even if the transaction
    /// is rolled back to a savepoint and goes on.
    ///
    /// @return its row, or null if there is no more
    /// @throws org.namdb.compute.StatementCancelledException if another thread wants that
    public @Nullable Row next() {
        RowBatch reader = batch;
        if (!isOpen() || reader == null) {
            throw RowCursor.closed();
        }
        while (true) {
            while (at < reader.size()) {
                Row row = reader.row(at++);
                if (row.exists() && isSeen(row) && access.isHit(row, wanted)) {
                    return row;
                }
            }
            if (keyAt == keyCount) {
                readSet.checkAge();
                return null;
            }
            fill(reader);
        }
    }

    /// Frees the cursor for another lookup. Ends with the transaction by itself.
    public void close() {
        openIn = 0;
        if (batch != null) {
            batch.close();
            batch = null;
        }
    }

    private void fill(RowBatch reader) {
        int most = Math.min(keyCount, keyAt + RowBatch.CAPACITY);
        boolean isWhole = false;
        try {
            while (keyAt < most) {
                System.arraycopy(keys, keyAt++ * keyWords, primaryKey, 0, keyWords);
                int _ = reader.add(primaryKey);
            }
            reader.read();
            isWhole = true;
        } finally {
            if (!isWhole) {
                close(); // these keys are taken, and their rows are not read
            }
        }
        at = 0;
    }

    private boolean isSeen(Row row) {
        Row own = readSet.known.peek(table, row.read.key());
        return own == null || own.insertSerial <= insertedBefore;
    }

    /// Adds the record of an entry, unless it is among the transaction's own changes that are added
    /// afterwards.
    private void addKey(long[] entry) {
        long[] key = access.primaryKey(entry);
        Row own = readSet.changes.count() == 0 ? null : readSet.known.peek(table, key);
        if (own == null || !access.mayBeMovedTo(own, wanted)) {
            addKeyWords(key);
        }
    }

    private void addKeyWords(long[] key) {
        if ((keyCount + 1) * keyWords > keys.length) {
            keys = Arrays.copyOf(keys, 2 * keys.length);
        }
        System.arraycopy(key, 0, keys, keyCount++ * keyWords, keyWords);
    }
}
