package org.namdb.compute;

import org.jspecify.annotations.Nullable;
import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.read.ChangedRows;
import org.namdb.compute.read.HashCursor;
import org.namdb.compute.read.ReadSet;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.RowBatch;
import org.namdb.compute.read.RowCursor;
import org.namdb.compute.read.Rows;
import org.namdb.compute.read.SessionIndexes;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.hash.TablePart;
import org.namdb.mvcc.index.EntrySink;
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
/// The snapshot shows all that was committed, and acknowledged, before the transaction began. It is
/// chosen with the first read, so that this takes no round trip of its own, and may show what was
/// committed until then; [#snapshot] chooses it at once.
///
/// Reads are *posted, then awaited*: any number of [#post] and one [#await] cost one round trip
/// (more only where records are not the current version, not inlined, or in overflow areas).
///
/// Source: NAM-DB, sections 3.1 and 6.1.
public final class Transaction {
    private final ReadSet readSet;
    private final ChangedRows changes;
    private final SessionIndexes indexes;
    private final TransactionState state;

    Transaction(ReadSet readSet, SessionIndexes indexes, TransactionState state) {
        this.readSet = readSet;
        this.changes = readSet.changes();
        this.indexes = indexes;
        this.state = state;
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
    /// [Row#exists] says whether there is one.
    public Row post(Table table, Key key, Projection projection) {
        return readSet.post(table, key, projection);
    }

    /// Waits until every row that was posted can be used.
    public void await() {
        readSet.await();
    }

    /// Reads all records that agree with `key` in the columns that the table's buckets are chosen
    /// by: one round trip, as they are neighbours; one more for each overflow area of their bucket
    /// that no session of this process has seen yet.
    ///
    /// @param key a key, or a prefix of at least those columns
    /// @param found gets the rows, in no particular order
    public void neighbours(Table table, Key key, Projection projection, Rows found) {
        postNeighbours(table, key, projection, found);
        await();
    }

    /// Posts the same read, so that many of them, and of records by [#post], share a round trip.
    /// The rows can be used after the next [#await], which joins them with those that the
    /// transaction has inserted until then.
    ///
    /// @param key a key, or a prefix of at least those columns
    /// @param found gets the rows, in no particular order; each read has its own
    public void postNeighbours(Table table, Key key, Projection projection, Rows found) {
        readSet.postNeighbours(table, key, projection, found);
    }

    /// Finds records by equality of a hashed index's columns: a round trip for the index, and one
    /// for all records.
    ///
    /// @param key the index's columns
    /// @param projection what is read; holds the indexed columns
    /// @param found gets the rows, in no particular order
    public void lookup(Index index, Table table, Key key, Projection projection, Rows found) {
        postLookup(index, table, key, projection, found);
        await();
    }

    /// Posts the same lookup, so that many of them, and other reads, share their round trips. The
    /// rows can be used after the next [#await]. What the transaction has changed or inserted
    /// before counts; what it changes between the two may show or not, as the post of further reads
    /// waits where they are many.
    ///
    /// @param key the index's columns
    /// @param projection what is read; holds the indexed columns
    /// @param found gets the rows, in no particular order; each lookup has its own
    public void postLookup(Index index, Table table, Key key, Projection projection, Rows found) {
        indexes.postLookup(index, table, key, projection, found);
    }

    /// The same for any number of records: rows are read some at a time, read-only, and valid until
    /// the cursor moves. Only the keys of the hits are kept.
    public HashCursor matching(Index index, Table table, Key key, Projection projection) {
        return indexes.matching(index, table, key, projection);
    }

    /// The records whose indexed columns start with those of `from` and `to`, or lie between them,
    /// in order.
    ///
    /// @param from the first columns of the least entry
    /// @param to the first columns of the greatest entry
    public RowCursor ascending(Index index, Table table, Key from, Key to, Projection projection) {
        return indexes.range(index, table, from, to, projection, RowCursor.Mode.ASCENDING);
    }

    /// The same as [#ascending], with its first record posted: it is read together with whatever
    /// else is posted, and the cursor hands it out after the next [#await]. So the first records of
    /// many ranges can be had at once: in two round trips for all, where the index has changed
    /// little since this process last read it, and their first entries are of records that are
    /// there. Those that begin with entries of records that are not, as they were deleted lately,
    /// go on together: the next four of each take one more, then eight, and so on.
    public RowCursor postAscending(
            Index index, Table table, Key from, Key to, Projection projection) {
        return indexes.postRange(index, table, from, to, projection, RowCursor.Mode.ASCENDING);
    }

    /// The same as [#ascending], in descending order; `from` is still the least.
    public RowCursor descending(Index index, Table table, Key from, Key to, Projection projection) {
        return indexes.range(index, table, from, to, projection, RowCursor.Mode.DESCENDING);
    }

    /// The same as [#postAscending], in descending order; `from` is still the least.
    public RowCursor postDescending(
            Index index, Table table, Key from, Key to, Projection projection) {
        return indexes.postRange(index, table, from, to, projection, RowCursor.Mode.DESCENDING);
    }

    /// The same as [#ascending] for any number of records, in constant memory: its rows are
    /// read-only, and valid until the cursor moves. A caller that knows how many it wants calls
    /// [RowCursor#expecting].
    public RowCursor streamAscending(
            Index index, Table table, Key from, Key to, Projection projection) {
        return indexes.range(index, table, from, to, projection, RowCursor.Mode.STREAM_ASCENDING);
    }

    /// Reads the entries of a range of an ordered index without their records, as the index is now:
    /// those of records that this transaction does not see are among them, and its own changes are
    /// not. For measurements of indexes.
    ///
    /// @param from the first columns of the least entry
    /// @param to the first columns of the greatest entry
    /// @param most how many are read at the most
    /// @param sink gets the words of each, in ascending order; they are overwritten afterwards
    /// @return how many there were
    public int entries(Index index, Table table, Key from, Key to, int most, EntrySink sink) {
        return indexes.entries(index, table, from, to, most, sink);
    }

    /// The approximate share of all records in a range of an ordered index, from 0 to 1, as far as
    /// this process has cached the index: posts nothing.
    ///
    /// @param from the first columns of the least entry
    /// @param to the first columns of the greatest entry
    /// @return NaN if unknown, as where there are few records
    public double share(Index index, Table table, Key from, Key to) {
        return indexes.share(index, table, from, to);
    }

    /// The same as [#descending] for any number of records, in constant memory: its rows are
    /// read-only, and valid until the cursor moves.
    public RowCursor streamDescending(
            Index index, Table table, Key from, Key to, Projection projection) {
        return indexes.range(index, table, from, to, projection, RowCursor.Mode.STREAM_DESCENDING);
    }

    /// All records of a table, in no particular order. The rows it hands out are read-only and
    /// valid until the cursor moves.
    public TableScan scan(Table table, Projection projection) {
        return readSet.scan(table, projection);
    }

    /// All records of a part of a table.
    TableScan scan(Table table, Projection projection, TablePart part) {
        return readSet.scan(table, projection, part);
    }

    /// A reader for any number of records by their keys, some at a time, in constant memory: its
    /// rows are read-only, and not kept.
    public RowBatch batch(Table table, Projection projection) {
        return readSet.batch(table, projection);
    }

    /// Inserts a record; fill its columns by the row's setters. Columns that are not set are NULL.
    /// Where one may not be, the commit throws IllegalStateException, and nothing is committed.
    ///
    /// Whether there is one of this key already shows at the commit, unless this transaction has
    /// read it.
    public Row insert(Table table, Key key) {
        return changes.insert(table, key);
    }

    /// Deletes a record that was read.
    public void delete(Row row) {
        changes.delete(row);
    }

    /// Locks a record that was read, without a change: the commit writes it as a new version with
    /// the same payload, so of two transactions that lock it one gets a conflict.
    public void lock(Row row) {
        changes.lock(row);
    }

    /// Requires that no other transaction has changed a record that was read when this one commits:
    /// else there is a conflict. Costs one READ, and for all such records one round trip. For a
    /// record that this transaction changes itself, its lock is enough. A transaction that changes
    /// nothing requires nothing.
    public void requireUnchanged(Row row) {
        changes.requireUnchanged(row);
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
    /// If 2 finds the parent so, it was before a. So 1 was before b, and b finds the entry, and
    /// behind it a record that is claimed, or installed. Whichever way they interleave, at least
    /// one of the two gets a conflict. The same holds for an update that makes a record a child:
    /// its lock and its new index entry are before 2 as well.
    ///
    /// @throws IllegalStateException if there is no such record, or the row is read-only
    public void requirePresent(Row row) {
        changes.requirePresent(row);
    }

    /// Requires that no record has these indexed columns when this transaction commits: at the
    /// commit, when all its locks and index entries are in place, the index is read again. An entry
    /// whose record is locked, or whose newest version has these columns, is a conflict. Records
    /// that this transaction changes itself count as it leaves them.
    ///
    /// @param prefix the index's columns; of an ordered index, the first of them are enough
    public void requireNone(Index index, Table table, Key prefix) {
        changes.requireNone(index, table, prefix, null);
    }

    /// Requires that no record but `except` has these indexed columns when this transaction
    /// commits.
    ///
    /// @param except a row that this transaction inserts or changes
    public void requireNone(Index index, Table table, Key prefix, Row except) {
        changes.requireNone(index, table, prefix, except);
    }

    /// Marks this moment, so that what is changed from now on can be undone alone. Savepoints nest.
    ///
    /// @return its number, for [#rollbackTo] and [#release]: how many savepoints were open before
    public int savepoint() {
        return changes.savepoint();
    }

    /// Undoes all changes and requirements since a savepoint, which stays open; those after it are
    /// dropped. What was read since can still be used. An abort since then is forgiven, but not
    /// that the snapshot is too old.
    ///
    /// @throws IllegalArgumentException if there is no such savepoint
    public void rollbackTo(int savepoint) {
        changes.rollbackTo(savepoint);
        state.forgive();
    }

    /// Drops a savepoint and those after it; the changes since stay.
    ///
    /// @throws IllegalArgumentException if there is no such savepoint
    public void release(int savepoint) {
        changes.release(savepoint);
    }

    /// Throws if another thread has called [Session#cancel] since the last time. Costs one load;
    /// scans, cursors and batches call it at every round trip.
    ///
    /// @throws StatementCancelledException if so; the transaction goes on
    public void checkCancelled() {
        state.checkCancelled();
    }

    /// Limits what this transaction may hold of the process's memory; until then, that is as much
    /// as [EmbeddedOptions#transactionMemoryBytes] leaves to all. A transaction that needs more is
    /// aborted.
    public void limitMemory(long bytes) {
        readSet.limitMemory(bytes);
    }

    /// Accounts for memory of the heap that the caller keeps in addition to this transaction's
    /// rows, in proportion to them.
    ///
    /// @param bytes how much more; less if negative. What is left at the end is accounted for no
    ///     longer
    public void keepHeap(long bytes) {
        readSet.keepHeap(bytes);
    }

    /// Packs the records that this transaction has changed into native memory, if they are many; so
    /// a transaction can change millions. No row that [#read], [#post] or [#insert] has returned
    /// may be used afterwards: it is read again by its key. Other rows stay as they are. To be
    /// called after every few hundred changed rows; does nothing while rows are posted and not
    /// awaited, or while an observer wants all reads.
    public void packIfMany() {
        readSet.packIfMany();
    }

    ReadSet readSet() {
        return readSet;
    }

    /// Makes the transaction end without a change; its body may still return a result.
    public void rollback() {
        state.rollBack();
    }

    /// The snapshot that the transaction reads. Chosen now if nothing was read before, which may
    /// take a round trip.
    public Snapshot snapshot() {
        return readSet.snapshot();
    }

    /// How many records are in the write set.
    public int writeCount() {
        return changes.count();
    }

    /// How the transaction was aborted; null if it was not.
    public @Nullable CommitOutcome abortOutcome() {
        return state.abort();
    }
}
