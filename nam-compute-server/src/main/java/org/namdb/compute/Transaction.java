package org.namdb.compute;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.hash.BucketRead;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.hash.RecordRead;
import org.namdb.mvcc.hash.RecordSink;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.Payload;
import org.namdb.mvcc.schema.Projection;
import org.namdb.timestamp.Snapshot;

/// A transaction: reads from one snapshot, and keeps its changes to itself until it commits. Handed to a [TransactionBody]; not
/// valid after that, nor in another thread.
///
/// Reads are *posted, then awaited*: any number of [#post] and one [#await] cost one round trip (more only where records are not the current
/// version, not inlined, or in overflow areas).
///
/// Source: NAM-DB, sections 3.1 and 6.1.
public final class Transaction {
    private static final int LANDING_SHARE = 4;

    private final Session session;
    private final QueuePair queuePair;
    final Snapshot snapshot;
    final LocalChunks memory;
    private final RowCache cache = new RowCache();
    private final NeighbourSink neighbourSink = new NeighbourSink();
    private @Nullable BucketRead[] bucketReads = new @Nullable BucketRead[16];

    private Row[] rows = new Row[64];
    private int rowCount;
    private Row[] pending = new Row[64];
    private int pendingCount;
    private int pendingBytes;
    private Row[] writes = new Row[32];
    private int writeCount;
    private byte[] bytes = new byte[256];
    private RowCursor[] cursors = new RowCursor[8];
    private int cursorCount;
    private boolean rolledBack;
    private @Nullable CommitOutcome abort;

    Transaction(Session session, QueuePair queuePair, Snapshot snapshot) {
        this.session = session;
        this.queuePair = queuePair;
        this.snapshot = snapshot;
        this.memory = new LocalChunks(queuePair);
    }

    /// Reads a record, all of its columns.
    ///
    /// @return null if the snapshot sees none
    public @Nullable Row read(Table table, Key key) {
        return read(table, key, table.schema().all());
    }

    /// Reads some columns of a record: one round trip.
    ///
    /// @return null if the snapshot sees none
    public @Nullable Row read(Table table, Key key, Projection projection) {
        Row row = post(table, key, projection);
        await();
        return row.exists() ? row : null;
    }

    /// Posts the read of some columns of a record. The row can be used after the next [#await]; look with [Row#exists] whether there is
    /// one.
    public Row post(Table table, Key key, Projection projection) {
        if (!key.isWhole()) {
            throw new IllegalArgumentException("the key of " + table + " is not whole: " + key);
        }
        return post(table, key.words(), projection);
    }

    /// Waits until every row that was posted can be used.
    public void await() {
        pendingBytes = 0;
        while (pendingCount > 0) {
            queuePair.await();
            int left = 0;
            for (int i = 0; i < pendingCount; i++) {
                Row row = pending[i];
                if (!row.read.advance(queuePair, snapshot)) {
                    pending[left++] = row;
                } else if (!row.read.isCurrent()) {
                    checkAge();
                }
            }
            pendingCount = left;
        }
    }

    /// Reads all records that agree with `key` in the columns that the table's buckets are chosen by: one round trip, as they are
    /// neighbours.
    ///
    /// @param key a key, or a prefix of at least those columns
    /// @param found gets the rows, in no particular order
    public void neighbours(Table table, Key key, Projection projection, Rows found) {
        if (key.columns() < table.definition().neighbourColumns()) {
            throw new IllegalArgumentException(
                    "neighbours of "
                            + table
                            + " agree in "
                            + table.definition().neighbourColumns()
                            + " key columns; the key has only "
                            + key.columns());
        }
        await();
        neighbourSink.start(table, projection, found);
        bucketRead(table).readNeighbours(queuePair, snapshot, key.words(), neighbourSink);
        await();
        checkAge(); // of a record that was deleted and collected, no row is left to ask
        for (int i = 0; i < writeCount; i++) {
            Row row = writes[i];
            if (row.role == Row.Role.INSERT
                    && row.table() == table
                    && table.records().neighbours(row.read.key(), key.words())) {
                found.addOnce(row);
            }
        }
        found.keepExisting();
    }

    /// Finds records by equality of a hashed index's columns: a round trip for the index, and one for all records.
    ///
    /// @param key the index's columns
    /// @param projection what is read; holds the indexed columns
    /// @param found gets the rows, in no particular order
    public void lookup(Index index, Table table, Key key, Projection projection, Rows found) {
        IndexAccess access = session.access(table, index);
        access.lookup(this, key, projection, found);
    }

    /// The records whose indexed columns start with those of `from` and `to`, or lie between them, in order.
    ///
    /// @param from the first columns of the least entry
    /// @param to the first columns of the greatest entry
    public RowCursor ascending(Index index, Table table, Key from, Key to, Projection projection) {
        return session.access(table, index).range(this, from, to, projection, true);
    }

    /// The same in descending order; `from` is still the least.
    public RowCursor descending(Index index, Table table, Key from, Key to, Projection projection) {
        return session.access(table, index).range(this, from, to, projection, false);
    }

    /// All records of a table, in no particular order. The rows it hands out are read-only and valid until the cursor moves.
    public TableScan scan(Table table, Projection projection) {
        table.requireUsable();
        return new TableScan(this, session, table, projection);
    }

    /// Inserts a record; fill its columns by the row's setters. Columns that are not set are NULL where they may be, else zero.
    ///
    /// Whether there is one of this key already shows at the commit, unless this transaction has read it.
    public Row insert(Table table, Key key) {
        if (!key.isWhole()) {
            throw new IllegalArgumentException("the key of " + table + " is not whole: " + key);
        }
        Row row = cache.find(table, key.words());
        if (row == null) {
            row = newRow(table, key.words(), table.schema().all());
            row.isBlind = true;
            cache.add(row);
        } else {
            await();
        }
        boolean reinserted = row.role == Row.Role.DELETE;
        if (row.exists()) {
            throw abort(new CommitOutcome.DuplicateKey(table.name(), describeKey(row)));
        }
        if (row.role == Row.Role.READ) {
            addWrite(row);
        }
        row.role = reinserted ? Row.Role.UPDATE : Row.Role.INSERT;
        row.data =
                memory.allocateZeroed(table.records().layout().bodyBytes())
                        + RecordBody.PAYLOAD_OFFSET;
        row.loaded = -1L;
        row.dirty = reinserted ? -1L : 0;
        for (Column column : table.schema().payloadColumns()) {
            if (column.nullBit() >= 0) {
                Payload.putNull(column, row.data, true);
            }
        }
        return row;
    }

    /// Deletes a record that was read.
    public void delete(Row row) {
        if (!row.exists()) {
            throw new IllegalStateException("there is no " + row + " to delete");
        }
        if (row.role == Row.Role.INSERT) {
            row.role = Row.Role.NOTHING;
            return;
        }
        if (row.role == Row.Role.READ) {
            update(row);
        }
        row.role = Row.Role.DELETE;
    }

    /// Makes the transaction end without a change; its body may still return a result.
    public void rollback() {
        rolledBack = true;
    }

    /// The timestamp slot of the session that runs the transaction: with a counter of its own, a key that no other session makes.
    public int slotNumber() {
        return session.slotNumber();
    }

    /// The snapshot that the transaction reads.
    public Snapshot snapshot() {
        return snapshot;
    }

    /// A row joins the write set.
    void update(Row row) {
        if (!row.exists()) {
            throw new IllegalStateException("there is no " + row + " to change");
        }
        if (!row.read.isCurrent()) {
            throw abort(new CommitOutcome.WriteConflict(row.table().name(), describeKey(row)));
        }
        row.role = Row.Role.UPDATE;
        addWrite(row);
    }

    Row post(Table table, long[] key, Projection projection) {
        Row row = cache.find(table, key);
        if (row == null) {
            row = newRow(table, key, projection);
            cache.add(row);
            postRead(row);
        } else if ((projection.columns() & ~row.loaded) != 0 && row.exists()) {
            readMore(row);
        }
        return row;
    }

    /// A row that is not yet read, for records that come with their bucket.
    Row newRow(Table table, long[] key, Projection projection) {
        table.requireUsable();
        if (rowCount == rows.length) {
            rows = Arrays.copyOf(rows, 2 * rowCount);
        }
        Row row = rows[rowCount];
        if (row == null) {
            row = new Row(this, table);
            rows[rowCount] = row;
        }
        rowCount++;
        row.start(table, key, projection, memory.allocate(table.records().layout().bodyBytes()));
        return row;
    }

    /// Local memory for a column's bytes.
    byte[] bytes(int length) {
        if (bytes.length < length) {
            bytes = new byte[length];
        }
        return bytes;
    }

    /// The records that were asked for, or inserted, in order; [#rowCount] of them.
    Row[] rows() {
        return rows;
    }

    int rowCount() {
        return rowCount;
    }

    Row[] writes() {
        return writes;
    }

    int writeCount() {
        return writeCount;
    }

    boolean isRolledBack() {
        return rolledBack;
    }

    @Nullable CommitOutcome abortOutcome() {
        return abort;
    }

    void start() {
        rowCount = 0;
        pendingCount = 0;
        writeCount = 0;
        rolledBack = false;
        abort = null;
        while (cursorCount > 0) {
            cursors[--cursorCount].close();
        }
        cache.clear();
        memory.clear();
    }

    /// A cursor is in use, at most until the transaction ends.
    void opened(RowCursor cursor) {
        if (cursorCount == cursors.length) {
            cursors = Arrays.copyOf(cursors, 2 * cursorCount);
        }
        cursors[cursorCount++] = cursor;
    }

    /// Ends the transaction's body with this outcome.
    TransactionAborted abort(CommitOutcome outcome) {
        abort = outcome;
        return TransactionAborted.INSTANCE;
    }

    /// Ends the transaction if versions that it needs may be gone. To be asked whenever it found nothing, or an old version.
    void checkAge() {
        if (session.isTooOld()) {
            throw abort(CommitOutcome.SnapshotTooOld.INSTANCE);
        }
    }

    static String describeKey(Row row) {
        return row.table().schema().key().describe(row.read.key());
    }

    private void postRead(Row row) {
        if (pendingCount == pending.length) {
            pending = Arrays.copyOf(pending, 2 * pendingCount);
        }
        pendingBytes += row.table().records().layout().bucketBytes();
        if (pendingBytes > queuePair.landingBytes() / LANDING_SHARE) {
            await();
        }
        row.read.post(queuePair);
        pending[pendingCount++] = row;
    }

    /// Reads the row's other columns too; what the transaction has set stays.
    private void readMore(Row row) {
        await();
        long changed = row.data;
        Row.Role role = row.role;
        row.data =
                memory.allocateZeroed(row.table().records().layout().bodyBytes())
                        + RecordBody.PAYLOAD_OFFSET;
        row.read.prepare(
                row.table().records(),
                row.read.key().clone(),
                row.table().schema().all(),
                row.data);
        row.loaded = -1L;
        postRead(row);
        await();
        if (role != Row.Role.READ && !row.read.isCurrent()) {
            throw abort(new CommitOutcome.WriteConflict(row.table().name(), describeKey(row)));
        }
        byte[] copy = bytes(row.table().schema().payloadBytes());
        for (Column column : row.table().schema().columns()) {
            if ((row.dirty & column.mask()) != 0 && !column.inKey()) {
                Payload.copyColumn(column, changed, row.data, copy);
            }
        }
    }

    private void addWrite(Row row) {
        if (writeCount == writes.length) {
            writes = Arrays.copyOf(writes, 2 * writeCount);
        }
        writes[writeCount++] = row;
    }

    /// Forgets what is kept for a table from transaction to transaction.
    void forget(Table table) {
        int id = table.records().id();
        if (id < bucketReads.length) {
            bucketReads[id] = null;
        }
    }

    private BucketRead bucketRead(Table table) {
        int id = table.records().id();
        if (id >= bucketReads.length) {
            bucketReads = Arrays.copyOf(bucketReads, Math.max(id + 1, 2 * bucketReads.length));
        }
        BucketRead read = bucketReads[id];
        if (read == null || read.table() != table.records()) {
            table.requireUsable();
            read = new BucketRead(table.records());
            bucketReads[id] = read;
        }
        return read;
    }

    /// Takes the records of a neighbourhood into the transaction's rows.
    private final class NeighbourSink implements RecordSink {
        private @Nullable Table table;
        private @Nullable Projection projection;
        private @Nullable Rows found;
        private @Nullable RecordRead unused;

        void start(Table newTable, Projection newProjection, Rows newFound) {
            table = newTable;
            projection = newProjection;
            found = newFound;
            newFound.clear();
        }

        @Override
        public RecordRead next(HashTable records, long[] key) {
            Table from = java.util.Objects.requireNonNull(table);
            Projection wanted = java.util.Objects.requireNonNull(projection);
            Rows to = java.util.Objects.requireNonNull(found);
            Row row = cache.find(from, key);
            if (row != null) {
                if ((wanted.columns() & ~row.loaded) != 0 && row.exists()) {
                    readMore(row);
                }
                to.addOnce(row);
                return ignored(records, from, key);
            }
            row = newRow(from, key, wanted);
            cache.add(row);
            to.add(row);
            if (pendingCount == pending.length) {
                pending = Arrays.copyOf(pending, 2 * pendingCount);
            }
            pending[pendingCount++] = row;
            return row.read;
        }

        @Override
        public int provided() {
            return java.util.Objects.requireNonNull(found).size();
        }

        @Override
        public void takeBack(int count) {
            // The rows stay known by their keys, and are found again when the bucket is.
        }

        private RecordRead ignored(HashTable records, Table from, long[] key) {
            if (unused == null) {
                unused = new RecordRead(records, from.schema().nothing());
            }
            unused.prepare(
                    records,
                    key,
                    from.schema().nothing(),
                    memory.allocate(records.layout().bodyBytes()));
            return unused;
        }
    }
}
