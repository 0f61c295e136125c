package org.namdb.compute.read;

import org.namdb.compute.schema.Table;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.hash.BucketLayout;
import org.namdb.mvcc.hash.RecordRead;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.Projection;

/// Reads records by their keys, some at a time, as the transaction sees them at that moment, its
/// own changes included. Unlike rows of [org.namdb.compute.Transaction#read], its rows are not
/// kept: so a query that reads a million records needs the memory of one batch. They are read-only,
/// and valid until the next use of the batch.
/// ```
/// batch.add(key) ... batch.add(key)   batch.read(): a round trip   batch.row(0) ... batch.add(key)
/// ```
/// Ends with the transaction, or by [#close].
public final class RowBatch {
    /// The most records that are added at a time by their keys.
    public static final int CAPACITY = 64;

    private final ReadSet readSet;
    private final QueuePair queuePair;
    private final Table table;
    private final RowBuffer rows;
    private final int landingRows;
    private boolean isRead;

    RowBatch(ReadSet readSet, QueuePair queuePair, Table table) {
        this.readSet = readSet;
        this.queuePair = queuePair;
        this.table = table;
        this.rows = new RowBuffer(readSet, table);
        this.landingRows = landingRows(queuePair, table.records().layout());
    }

    /// How many records may be read at a time, so that the landing buffer holds them.
    public static int landingRows(QueuePair queuePair, BucketLayout layout) {
        return Math.max(1, queuePair.batchBytes() / layout.lookupBytes());
    }

    RowBatch open(Projection projection) {
        rows.open(projection);
        isRead = false;
        return this;
    }

    boolean isOpen() {
        return rows.isOpen();
    }

    Table table() {
        return table;
    }

    /// Adds a record to those that are read next.
    ///
    /// @param key a whole one
    /// @return its number in the batch, for [#row]
    /// @throws IllegalStateException if the batch is full
    public int add(Key key) {
        if (!key.isWhole()) {
            throw new IllegalArgumentException("the key of " + table + " is not whole: " + key);
        }
        if (isFull()) {
            throw new IllegalStateException("the batch is full: read it first");
        }
        return add(key.words());
    }

    /// Whether no more can be added before the next [#read].
    public boolean isFull() {
        return !isRead && rows.count() == CAPACITY;
    }

    /// How many were added.
    public int size() {
        return rows.count();
    }

    /// Reads all that were added: one round trip (more only where records are not the current
    /// version, not inlined, or in overflow areas).
    ///
    /// @throws org.namdb.compute.StatementCancelledException if another thread wants that
    public void read() {
        requireOpen();
        readSet.checkCancelled();
        if (landingRows == 1) {
            readSet.await(); // a row may be all that a batch holds
        } else {
            readSet.reads.awaitPosted();
        }
        int count = rows.count();
        try {
            for (int from = 0; from < count; from += landingRows) {
                read(from, Math.min(count, from + landingRows));
            }
        } catch (FabricException e) {
            throw readSet.lost(e);
        }
        isRead = true;
        for (int i = 0; i < count; i++) {
            takeOwn(rows.row(i));
        }
    }

    /// Record `index` of those that were read; [Row#exists] says whether there is one.
    public Row row(int index) {
        if (!isRead || index < 0 || index >= rows.count()) {
            throw new IndexOutOfBoundsException(index);
        }
        return rows.row(index);
    }

    /// Frees the batch for another use in this transaction.
    public void close() {
        rows.close();
    }

    /// Adds a record, any number of them: the caller limits the number.
    int add(long[] key) {
        requireOpen();
        if (isRead) {
            isRead = false;
            rows.clear();
        }
        Row _ = rows.add(key);
        return rows.count() - 1;
    }

    /// Makes the last row that was added, and not read, the image of one that the transaction has
    /// changed.
    Row imageOf(Row own) {
        isRead = true;
        Row image = rows.row(rows.count() - 1);
        image.show(own);
        return image;
    }

    private void read(int from, int to) {
        post(from, to);
        boolean isOld = false;
        boolean isWaiting = true;
        while (isWaiting) {
            queuePair.await();
            while (!readSet.isSettled()) {
                post(from, to);
                queuePair.await();
            }
            for (int i = from; i < to; i++) {
                rows.row(i).read.prefetch();
            }
            isWaiting = false;
            for (int i = from; i < to; i++) {
                RecordRead read = rows.row(i).read;
                isWaiting |=
                        !read.isDone() && !readSet.copies.advance(read, table, readSet.snapshot);
                isOld |= read.isDone() && !read.isCurrent();
            }
        }
        if (isOld) {
            readSet.checkAge();
        }
    }

    private void post(int from, int to) {
        for (int i = from; i < to; i++) {
            readSet.copies.post(rows.row(i).read, table);
        }
    }

    /// Shows what the transaction has made of a row that was read.
    void takeOwn(Row row) {
        Row own = readSet.changes.count() == 0 ? null : readSet.known.peek(table, row.read.key());
        if (own != null) {
            switch (own.role) {
                case UPDATE -> row.copyColumns(own.dirty & row.loaded, own.data, row.data);
                case INSERT -> row.show(own);
                case DELETE, NOTHING -> row.hide();
                case READ, SCAN -> {}
            }
        }
    }

    private void requireOpen() {
        if (!isOpen()) {
            throw new IllegalStateException("the batch is closed");
        }
    }
}
