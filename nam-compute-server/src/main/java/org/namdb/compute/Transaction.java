package org.namdb.compute;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.commit.RecordChange;
import org.namdb.compute.commit.RequiredReads;
import org.namdb.compute.commit.WriteSet;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.Projection;
import org.namdb.timestamp.snapshot.Snapshot;

/// A transaction: reads from one snapshot, and keeps its changes to itself until it commits. Handed
/// to a [TransactionBody], or opened by [Session#begin]; not valid after its end, nor in
/// another thread.
///
/// An abort (a conflict, a duplicate key, a snapshot too old) throws [TransactionAborted]: the
/// transaction has failed then, and its commit says how, unless it is rolled back to a savepoint
/// from before.
///
/// Reads are *posted, then awaited*: any number of [#post] and one [#await] cost one round trip
/// (more only where records are not the current version, not inlined, or in overflow areas).
///
/// Source: NAM-DB, sections 3.1 and 6.1.
public final class Transaction {
    private final Session session;
    private final QueuePair queuePair;
    final Snapshot snapshot;
    final LocalChunks memory;
    final ChangedRows writes;
    private RowCache cache = new RowCache();

    private Row[] rows = new Row[64];
    private int rowCount;
    private Row[] pending = new Row[64];
    private int pendingCount;
    private int pendingBytes;
    private final TransactionRoom room;
    private byte[] bytes = new byte[256];
    private Requirements requirements = new Requirements();
    private final Readers readers;

    /// Counts the transactions that this object has been: scans and batches of an earlier one are
    /// closed.
    private long number;

    private boolean rolledBack;
    private @Nullable CommitOutcome abort;

    Transaction(Session session, QueuePair queuePair, Snapshot snapshot, MemoryBudget budget) {
        this.session = session;
        this.queuePair = queuePair;
        this.snapshot = snapshot;
        this.room = new TransactionRoom(budget, this);
        this.memory = new LocalChunks(queuePair, room);
        this.writes = new ChangedRows(this, memory);
        this.readers = new Readers(this, session);
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

    /// Posts the read of some columns of a record. The row can be used after the next [#await];
    /// look with [Row#exists] whether there is one.
    public Row post(Table table, Key key, Projection projection) {
        if (!key.isWhole()) {
            throw new IllegalArgumentException("the key of " + table + " is not whole: " + key);
        }
        return post(table, key.words(), projection);
    }

    /// Waits until every row that was posted can be used.
    public void await() {
        pendingBytes = 0;
        try {
            while (pendingCount > 0) {
                awaitOnce();
            }
        } catch (FabricException e) {
            throw lost(e);
        }
    }

    private void awaitOnce() {
        queuePair.await();
        for (int i = 0; i < pendingCount; i++) {
            pending[i].read.prefetch();
        }
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

    /// Reads all records that agree with `key` in the columns that the table's buckets are chosen
    /// by: one round trip, as they are neighbours.
    ///
    /// @param key a key, or a prefix of at least those columns
    /// @param found gets the rows, in no particular order
    public void neighbours(Table table, Key key, Projection projection, Rows found) {
        if (key.columns() < table.definition().neighbourColumns()) {
            throw new IllegalArgumentException(
                    "neighbours of %s agree in %d key columns; the key has only %d"
                            .formatted(
                                    table, table.definition().neighbourColumns(), key.columns()));
        }
        await();
        try {
            readers.neighbourhood(table).read(queuePair, key.words(), projection, found);
        } catch (FabricException e) {
            throw lost(e);
        }
        await();
        checkAge(); // of a record that was deleted and collected, no row is left to ask
        for (int i = 0; i < writes.count(); i++) {
            Row row = writes.row(i);
            if (row.role == Row.Role.INSERT
                    && row.table() == table
                    && table.records().neighbours(row.read.key(), key.words())) {
                found.addOnce(row);
            }
        }
        found.keepExisting();
    }

    /// Finds records by equality of a hashed index's columns: a round trip for the index, and one
    /// for all records.
    ///
    /// @param key the index's columns
    /// @param projection what is read; holds the indexed columns
    /// @param found gets the rows, in no particular order
    public void lookup(Index index, Table table, Key key, Projection projection, Rows found) {
        try {
            session.indexes.access(table, index).lookup(this, key, projection, found);
        } catch (FabricException e) {
            throw lost(e);
        }
    }

    /// The same for any number of records: rows are read some at a time, read-only, and valid until
    /// the cursor moves. Only the keys of the hits are kept.
    public HashCursor matching(Index index, Table table, Key key, Projection projection) {
        try {
            return session.indexes.access(table, index).matching(this, key, projection);
        } catch (FabricException e) {
            throw lost(e);
        }
    }

    /// The records whose indexed columns start with those of `from` and `to`, or lie between them,
    /// in order.
    ///
    /// @param from the first columns of the least entry
    /// @param to the first columns of the greatest entry
    public RowCursor ascending(Index index, Table table, Key from, Key to, Projection projection) {
        return session.indexes
                .access(table, index)
                .range(this, from, to, projection, RowCursor.Mode.ASCENDING);
    }

    /// The same in descending order; `from` is still the least.
    public RowCursor descending(Index index, Table table, Key from, Key to, Projection projection) {
        return session.indexes
                .access(table, index)
                .range(this, from, to, projection, RowCursor.Mode.DESCENDING);
    }

    /// The same as [#ascending] for any number of records, in constant memory: its rows are
    /// read-only, and valid until the cursor moves.
    public RowCursor streamAscending(
            Index index, Table table, Key from, Key to, Projection projection) {
        return session.indexes
                .access(table, index)
                .range(this, from, to, projection, RowCursor.Mode.STREAM_ASCENDING);
    }

    /// The same as [#descending] for any number of records, in constant memory: its rows are
    /// read-only, and valid until the cursor moves.
    public RowCursor streamDescending(
            Index index, Table table, Key from, Key to, Projection projection) {
        return session.indexes
                .access(table, index)
                .range(this, from, to, projection, RowCursor.Mode.STREAM_DESCENDING);
    }

    /// All records of a table, in no particular order. The rows it hands out are read-only and
    /// valid until the cursor moves.
    public TableScan scan(Table table, Projection projection) {
        table.requireUsable();
        return readers.scan(table, projection);
    }

    /// A reader for any number of records by their keys, some at a time, in constant memory: its
    /// rows are read-only, and not kept.
    public RowBatch batch(Table table, Projection projection) {
        table.requireUsable();
        return readers.batch(table, projection);
    }

    /// Inserts a record; fill its columns by the row's setters. Columns that are not set are NULL
    /// where they may be, else zero.
    ///
    /// Whether there is one of this key already shows at the commit, unless this transaction has
    /// read it.
    public Row insert(Table table, Key key) {
        if (!key.isWhole()) {
            throw new IllegalArgumentException("the key of " + table + " is not whole: " + key);
        }
        table.requireFits(key.words());
        Row row = cache.find(table, key.words());
        if (row == null) {
            row = newKnownRow(table, key.words(), table.schema().all());
            row.isBlind = true;
        } else {
            await();
        }
        if (row.exists()) {
            throw abort(new CommitOutcome.DuplicateKey(table.name(), describeKey(row)));
        }
        writes.insert(row);
        return row;
    }

    /// Deletes a record that was read.
    public void delete(Row row) {
        requireWritable(row);
        if (!row.exists()) {
            throw new IllegalStateException("there is no " + row + " to delete");
        }
        writes.delete(row);
    }

    /// Locks a record that was read, without a change: the commit writes it as a new version with
    /// the same payload, so of two transactions that lock it one gets a conflict.
    public void lock(Row row) {
        requireWritable(row);
        if (row.role == Row.Role.READ || !row.exists()) {
            writes.update(row);
        }
    }

    /// Requires that nobody else has changed a record that was read when this transaction commits:
    /// else there is a conflict. Costs one READ, and for all such records one round trip. Of a
    /// record that this transaction changes itself, its lock says so. A transaction that changes
    /// nothing requires nothing.
    public void requireUnchanged(Row row) {
        if (isToBeRequired(row)) {
            if (!row.read.isCurrent()) {
                throw conflict(row);
            }
            requirements.add(row, Requirements.Of.UNCHANGED);
        }
    }

    /// Requires that a record that was read is there all the time until this transaction commits,
    /// in whatever version, and not locked by another one at that moment: else there is a conflict.
    /// Costs what [#requireUnchanged] does, and two round trips for each record that has changed.
    ///
    /// With [#requireNone], it keeps a reference whole. One transaction inserts a child that refers
    /// to a parent, and requires the parent; another deletes the parent, and requires that there is
    /// no child:
    /// ```
    /// inserter   1 claim the child, add its index entry   2 read the parent's header: unlocked
    /// deleter    a lock the parent                        b look for children in the index
    /// ```
    /// If 2 finds the parent so, it came before a. So 1 came before b, and b finds the entry, and
    /// behind it a record that is claimed, or installed. Whichever way they interleave, at least
    /// one of the two gets a conflict. The same holds for an update that makes a record a child:
    /// its lock and its new index entry come before 2 as well.
    ///
    /// @throws IllegalStateException if there is no such record, or the row is read-only
    public void requirePresent(Row row) {
        if (isToBeRequired(row)) {
            requirements.add(row, Requirements.Of.PRESENT);
        }
    }

    private static boolean isToBeRequired(Row row) {
        requireWritable(row);
        if (!row.exists()) {
            throw new IllegalStateException("there is no " + row + " to rely on");
        }
        return row.role == Row.Role.READ;
    }

    /// Requires that no record has these indexed columns when this transaction commits: at the
    /// commit, when all its locks and index entries are in place, the index is asked afresh. An
    /// entry whose record is locked, or whose newest version has these columns, is a conflict.
    /// Records that this transaction changes itself count as it leaves them.
    ///
    /// @param prefix the index's columns; of an ordered index, the first of them are enough
    public void requireNone(Index index, Table table, Key prefix) {
        requirements.addNone(index, table, prefix, null);
    }

    /// Requires that no record but `except` has these indexed columns when this transaction
    /// commits.
    ///
    /// @param except a row that this transaction inserts or changes
    public void requireNone(Index index, Table table, Key prefix, Row except) {
        requirements.addNone(index, table, prefix, except);
    }

    /// Marks this moment, so that what is changed from now on can be undone alone. Savepoints nest.
    ///
    /// @return its number, for [#rollbackTo] and [#release]: how many savepoints were open before
    public int savepoint() {
        return writes.savepoint(requirements.mark());
    }

    /// Undoes all changes and requirements since a savepoint, which stays open; those after it are
    /// gone. What was read since can still be used. An abort since then is forgiven, but not that
    /// the snapshot is too old.
    ///
    /// @throws IllegalArgumentException if there is no such savepoint
    public void rollbackTo(int savepoint) {
        requirements.truncate(writes.rollbackTo(savepoint));
        if (!(abort instanceof CommitOutcome.SnapshotTooOld)) {
            abort = null;
        }
    }

    /// Forgets a savepoint and those after it; the changes since stay.
    ///
    /// @throws IllegalArgumentException if there is no such savepoint
    public void release(int savepoint) {
        writes.release(savepoint);
    }

    /// Throws if another thread has called [Session#cancel] since the last time. Costs one load;
    /// scans, cursors and batches call it at every round trip.
    ///
    /// @throws StatementCancelledException if so; the transaction goes on
    public void checkCancelled() {
        session.checkCancelled();
    }

    /// Makes the transaction end without a change; its body may still return a result.
    public void rollback() {
        rolledBack = true;
    }

    /// The timestamp slot of the session that runs the transaction: with a counter of its own, a
    /// key that no other session makes.
    public int slotNumber() {
        return session.slotNumber();
    }

    /// The snapshot that the transaction reads.
    public Snapshot snapshot() {
        return snapshot;
    }

    private static void requireWritable(Row row) {
        if (row.role == Row.Role.SCAN) {
            throw new IllegalStateException("a row of a scan is read-only: read it by its key");
        }
    }

    Row post(Table table, long[] key, Projection projection) {
        Row row = cache.find(table, key);
        if (row == null) {
            row = newKnownRow(table, key, projection);
            postRead(row);
        } else if (row.isUndone()) {
            row.startRead(projection);
            postRead(row);
        } else {
            require(row, projection);
        }
        return row;
    }

    /// Reads the row's other columns, if it has not all of these.
    void require(Row row, Projection projection) {
        if ((projection.columns() & ~row.loaded) != 0) {
            if (!row.read.isDone()) {
                await();
            }
            if (row.exists()) {
                readMore(row);
            }
        }
    }

    /// The row that the transaction knows by this key, if any.
    @Nullable Row known(Table table, long[] key) {
        return cache.find(table, key);
    }

    /// A row that is not yet read, from now on known by its key.
    Row newKnownRow(Table table, long[] key, Projection projection) {
        table.requireUsable();
        room.takeRow(rowCount);
        long image = memory.allocate(table.records().layout().bodyBytes());
        if (rowCount == rows.length) {
            rows = Arrays.copyOf(rows, 2 * rowCount);
        }
        Row row = rows[rowCount];
        if (row == null) {
            row = new Row(this, table);
            rows[rowCount] = row;
        }
        rowCount++;
        row.start(table, key, projection, image);
        cache.add(row);
        return row;
    }

    /// A row's read is under way, until the next [#await].
    void pend(Row row) {
        if (pendingCount == pending.length) {
            pending = Arrays.copyOf(pending, 2 * pendingCount);
        }
        pending[pendingCount++] = row;
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

    /// How many records are in the write set.
    public int writeCount() {
        return writes.count();
    }

    /// A read has failed: the connection to a memory server is lost. Or the transaction is too old,
    /// and has followed a pointer that was given back, and is something else by now.
    RuntimeException lost(FabricException cause) {
        if (cause.kind() == FabricException.Kind.BAD_ADDRESS && session.isTooOld()) {
            return abort(CommitOutcome.SnapshotTooOld.INSTANCE);
        }
        return session.lost(cause);
    }

    /// Which of the session's transactions this is.
    long number() {
        return number;
    }

    /// What it is going to change, and what must hold then, as the commit takes them. Made when the
    /// body has ended.
    void collect(WriteSet writeSet, RequiredReads required) {
        writes.collect(writeSet);
        requirements.collect(required);
    }

    /// What the commit makes of a record; null if the transaction does not change it.
    @Nullable RecordChange change(Table table, long[] key) {
        Row row = cache.find(table, key);
        return row == null ? null : row.change;
    }

    boolean isRolledBack() {
        return rolledBack;
    }

    /// How the transaction was aborted; null if it was not.
    public @Nullable CommitOutcome abortOutcome() {
        return abort;
    }

    void start() {
        number++;
        writes.clear();
        requirements.truncate(0);
        rowCount = 0;
        pendingCount = 0;
        rolledBack = false;
        abort = null;
        cache.clear();
        memory.clear();
    }

    /// The transaction has ended, and its rows can't be used any more: what it has held beyond the
    /// session's own room is given back.
    ///
    /// @return whether it held so much
    boolean shrink() {
        boolean isOutgrown = room.isOutgrown();
        if (isOutgrown) {
            number++;
            for (int i = 0; i < rowCount; i++) {
                rows[i].close();
            }
            readers.closeRows();
            rows = new Row[64];
            rowCount = 0;
            pending = new Row[64];
            pendingCount = 0;
            cache = new RowCache();
            requirements = new Requirements();
            writes.shrink();
            memory.shrink();
            room.clear();
        }
        return isOutgrown;
    }

    /// Ends the transaction's body with this outcome.
    TransactionAborted abort(CommitOutcome outcome) {
        abort = outcome;
        return TransactionAborted.INSTANCE;
    }

    /// Ends the transaction if versions that it needs may be gone. To be asked whenever it found
    /// nothing, or an old version.
    void checkAge() {
        if (session.isTooOld()) {
            throw abort(CommitOutcome.SnapshotTooOld.INSTANCE);
        }
    }

    static String describeKey(Row row) {
        return row.table().schema().key().describe(row.read.key());
    }

    private void postRead(Row row) {
        pendingBytes += row.table().records().layout().lookupBytes();
        if (pendingBytes > queuePair.batchBytes()) {
            await();
        }
        try {
            row.read.post(queuePair);
        } catch (FabricException e) {
            throw lost(e);
        }
        pend(row);
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
        writes.reload(row);
        row.copyColumns(row.dirty, changed, row.data);
        if (role != Row.Role.READ && !row.read.isCurrent()) {
            throw conflict(row);
        }
    }

    /// Ends the transaction's body, as a row that it relies on was changed since the snapshot.
    TransactionAborted conflict(Row row) {
        return abort(new CommitOutcome.WriteConflict(row.table().name(), describeKey(row)));
    }

    /// Forgets what is kept for a table from transaction to transaction.
    void forget(Table table) {
        readers.forget(table);
    }
}
