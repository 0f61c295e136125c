package org.namdb.compute.read;

import org.namdb.compute.commit.CommitOutcome;
import org.namdb.compute.commit.ReadSnapshot;
import org.namdb.compute.guard.CopiedReads;
import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.LocalAllocator;
import org.namdb.mvcc.hash.TablePart;
import org.namdb.mvcc.record.RecordBody;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.Projection;
import org.namdb.timestamp.snapshot.Snapshot;

/// The records of a transaction, each a [Row] that is kept until it ends, since they were read from
/// its snapshot or inserted; and the readers of any number of records, whose rows are not kept. The
/// same object for all transactions of a session, one after the other.
///
/// Reads are *posted, then awaited*, as a transaction's are.
public final class ReadSet {
    /// So many rows are worth packing. At 1, all that can be packed is; tests do that.
    private static final int PACKED_FROM =
            Integer.getInteger("namdb.packed.from", TransactionBudget.OWN_ROWS);

    private final QueuePair queuePair;
    private final ReadGuard guard;

    /// Lookups by key, some of which are served by copies.
    final CopiedReads copies;

    private final ReadSnapshot held;

    /// What is read by, once that is [settled][#settle].
    final Snapshot snapshot;

    final LocalChunks memory;
    final ChangedRows changes;
    final KnownRows known;
    private final TransactionBudget transactionBudget;
    private final Readers readers;

    /// What was posted, and was not awaited yet.
    final ReadsInFlight reads;

    private boolean keepsAll;
    private byte[] bytes = new byte[256];

    /// Counts the beginnings and ends of transactions: rows, scans and batches of an earlier one
    /// are refused.
    private long number;

    /// @param held what transactions read by
    /// @param budget what transactions may hold beyond the session's own memory
    /// @param copies looks rows up by their keys
    public ReadSet(
            QueuePair queuePair,
            ReadSnapshot held,
            ReadGuard guard,
            MemoryBudget budget,
            CopiedReads copies) {
        this.queuePair = queuePair;
        this.copies = copies;
        this.held = held;
        this.snapshot = held.snapshot();
        this.guard = guard;
        this.transactionBudget = new TransactionBudget(budget, guard);
        this.memory = new LocalChunks(queuePair, transactionBudget);
        this.known = new KnownRows(this, memory, transactionBudget);
        this.changes = new ChangedRows(this, memory);
        this.readers = new Readers(this, queuePair);
        this.reads = new ReadsInFlight(this, queuePair, held, copies);
    }

    /// What the transaction changes.
    public ChangedRows changes() {
        return changes;
    }

    /// What the transaction reads by.
    public Snapshot snapshot() {
        settle();
        return snapshot;
    }

    /// Memory that lasts as long as the transaction.
    public LocalAllocator localMemory() {
        return memory;
    }

    /// How many records it has.
    public int size() {
        return known.size();
    }

    /// How much local memory its rows' images have taken: what was freed, and is not in use, counts
    /// as well.
    public long localBytes() {
        return memory.usedBytes();
    }

    /// A transaction begins.
    ///
    /// @param isChosenNow whether its snapshot is chosen when this returns, and not with its first
    ///     reads
    /// @param isObserved whether all that it reads is to be [visited][#visit] at its end
    public void start(boolean isChosenNow, boolean isObserved) {
        keepsAll = isObserved;
        number++;
        transactionBudget.start();
        known.start();
        changes.clear();
        copies.clear();
        reads.clear();
        memory.clear();
        if (isChosenNow) {
            settle();
        }
    }

    /// The transaction has ended, and its rows can't be used any more: what it has held beyond the
    /// session's own memory is freed.
    ///
    /// @return whether it held so much
    public boolean shrink() {
        number++;
        boolean isOutgrown = transactionBudget.isOutgrown();
        if (isOutgrown) {
            try {
                forgetRows();
            } finally {
                transactionBudget.clear(); // whatever fails: others want it
            }
        }
        return isOutgrown;
    }

    private void forgetRows() {
        known.shrink();
        reads.shrink();
        changes.shrink();
        memory.shrink();
    }

    /// Posts the read of some columns of a record. The row can be used after the next [#await].
    public Row post(Table table, Key key, Projection projection) {
        requireWhole(table, key);
        return post(table, key.words(), projection);
    }

    static void requireWhole(Table table, Key key) {
        if (!key.isWhole()) {
            throw new IllegalArgumentException("the key of " + table + " is not whole: " + key);
        }
    }

    Row post(Table table, long[] key, Projection projection) {
        Row row = known.find(table, key);
        if ((row == null || row.isUndone())
                && reads.awaitIfFull(table.records().layout().lookupBytes())) {
            row = known.find(table, key); // as what was awaited may be its neighbours
        }
        if (row == null) {
            row = known.add(table, key, projection);
            reads.post(row);
        } else if (row.isUndone()) {
            row.startRead(projection);
            reads.post(row);
        } else {
            require(row, projection);
        }
        return row;
    }

    /// Waits until every row that was posted can be used. If that fails, the lookups that were
    /// posted are dropped.
    public void await() {
        reads.await();
    }

    /// Waits until the snapshot is chosen, which the transaction's first await brings. To be called
    /// before anything but reads that are posted here uses the snapshot, or reads.
    public void settle() {
        if (!held.isChosen()) {
            await();
        }
    }

    /// Whether nothing is to be [settled][#settle].
    boolean isSnapshotChosen() {
        return held.isChosen();
    }

    /// After an await of what a reader has posted: goes on with the choice of the snapshot.
    ///
    /// @return whether that is chosen; else the reader is to post its reads again, and await them
    boolean isSettled() {
        return held.settle();
    }

    /// Has a row that is going to be changed or relied on be where it says, and current only if it
    /// still is.
    void locate(Row row) {
        if (row.read.isCopied()) {
            reads.awaitPosted();
            boolean isFound;
            try {
                isFound = row.read.locate(queuePair, snapshot);
            } catch (FabricException e) {
                throw lost(e);
            }
            if (!isFound) {
                checkAge();
                throw conflict(row);
            }
        }
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

    /// Reads the row's other columns too; what the transaction has set stays.
    private void readMore(Row row) {
        await();
        long image =
                memory.allocateZeroed(row.table().records().layout().bodyBytes())
                        + RecordBody.PAYLOAD_OFFSET;
        row.read.prepare(
                row.table().records(), row.read.key().clone(), row.table().schema().all(), image);
        reads.post(row);
        await();
        changes.reload(row, image); // if memory runs out, the row is as it was
        row.copyColumns(row.dirty, row.data, image);
        row.data = image;
        row.load(-1L);
        if (row.role != Row.Role.READ && !row.read.isCurrent()) {
            throw conflict(row);
        }
    }

    /// Posts the read of all records that agree with `key` in the columns that the table's buckets
    /// are chosen by. They can be used after the next [#await].
    ///
    /// @param key a key, or a prefix of at least those columns
    /// @param found gets the rows, in no particular order
    public void postNeighbours(Table table, Key key, Projection projection, Rows found) {
        if (key.columns() < table.definition().neighbourColumns()) {
            throw new IllegalArgumentException(
                    "neighbours of %s agree in %d key columns; the key has only %d"
                            .formatted(
                                    table, table.definition().neighbourColumns(), key.columns()));
        }
        requireUsable(table);
        reads.postNeighbours(table, key.words(), projection, found);
    }

    /// Refuses a dropped table.
    ///
    /// @throws IllegalStateException if it was dropped, or another one has taken its place
    void requireUsable(Table table) {
        if (table.isDropped()) {
            guard.checkHeld();
            table.requireUsable();
        }
    }

    /// Refuses a dropped index.
    ///
    /// @throws IllegalStateException if it was dropped
    void requireUsable(Index index) {
        if (index.isDropped()) {
            guard.checkHeld();
            index.requireUsable();
        }
    }

    /// A scan of all records of a table.
    public TableScan scan(Table table, Projection projection) {
        return scan(table, projection, TablePart.of(table.records()));
    }

    /// A scan of the records of a part of a table.
    public TableScan scan(Table table, Projection projection, TablePart part) {
        requireUsable(table);
        return readers.scan(table, projection, part);
    }

    /// A reader for any number of records by their keys.
    public RowBatch batch(Table table, Projection projection) {
        requireUsable(table);
        return readers.batch(table, projection);
    }

    /// Limits what the transaction may hold of the process's memory.
    public void limitMemory(long bytes) {
        transactionBudget.limit(bytes);
    }

    /// Accounts for what the transaction's caller keeps on the heap.
    public void keepHeap(long bytes) {
        transactionBudget.keep(bytes);
    }

    /// Packs the rows that the transaction has changed if they are many: see
    /// [org.namdb.compute.Transaction#packIfMany].
    public void packIfMany() {
        if (known.size() >= PACKED_FROM) {
            pack();
        }
    }

    /// Packs the rows, however few they are.
    public void pack() {
        if (!keepsAll && reads.isEmpty() && held.isChosen()) {
            known.pack();
        }
    }

    /// Hands all to `visitor` while the rows are still there: reads that have come to their end, in
    /// the order of the records' first reads, then changes, in the order of the first ones. Left
    /// out are blind inserts, which read nothing, and rows that were not kept.
    ///
    /// @param withReads whether those are wanted
    public void visit(OperationVisitor visitor, boolean withReads) {
        for (int i = 0; withReads && i < known.size(); i++) {
            Row row = known.row(i);
            if (!row.isBlind && row.read.isDone()) {
                long header = row.read.isPresent() ? row.read.header() : 0;
                visitor.read(row.table(), row.read.key(), RecordHeader.commitTimestamp(header));
            }
        }
        changes.visit(visitor);
    }

    /// Local memory for a column's bytes.
    byte[] bytes(int length) {
        if (bytes.length < length) {
            bytes = new byte[length];
        }
        return bytes;
    }

    /// Another number during each of the session's transactions, and between them.
    long number() {
        return number;
    }

    void checkCancelled() {
        guard.checkCancelled();
    }

    /// Ends the transaction if versions that it needs may be gone. To be called whenever it found
    /// nothing, or an old version.
    void checkAge() {
        if (held.isTooOld()) {
            throw guard.abort(CommitOutcome.SnapshotTooOld.INSTANCE);
        }
    }

    /// A read has failed: the connection to a memory server is lost. Or the transaction is too old,
    /// and has followed a pointer to freed memory.
    RuntimeException lost(FabricException cause) {
        if (cause.kind() == FabricException.Kind.BAD_ADDRESS && held.isTooOld()) {
            return guard.abort(CommitOutcome.SnapshotTooOld.INSTANCE);
        }
        return guard.lost(cause);
    }

    /// Ends the transaction's body, as a row that it relies on was changed since the snapshot.
    RuntimeException conflict(Row row) {
        return guard.abort(new CommitOutcome.WriteConflict(row.table().name(), row.describeKey()));
    }

    /// Ends the transaction's body, as a row that it wants to insert is there.
    RuntimeException duplicate(Row row) {
        return guard.abort(new CommitOutcome.DuplicateKey(row.table().name(), row.describeKey()));
    }

    /// Drops what is kept for a table from transaction to transaction.
    public void forget(Table table) {
        readers.forget(table);
    }
}
