package org.namdb.compute.read;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.hash.BucketLayout;
import org.namdb.mvcc.hash.BucketRead;
import org.namdb.mvcc.hash.RecordRead;
import org.namdb.mvcc.hash.TablePart;
import org.namdb.mvcc.schema.Projection;
import org.namdb.timestamp.snapshot.Snapshot;

/// A scan over all records of a table, as the transaction sees it. It reads many buckets by one
/// READ, and reuses its rows: a row is valid until the next [#next], and read-only.
///
/// The transaction's own changes are in it: a record that it has changed is returned with its new
/// values, those of the moment at which the scan gets there; one that it has deleted is not; and
/// those that it has inserted are last. What it inserts after the scan was opened is not returned,
/// so that a statement that inserts into the table that it scans ends. Every record is returned
/// once at most.
///
/// Ends with the transaction, or by [#close], which frees its memory for the next scan of
/// the table.
public final class TableScan {
    private static final int READ_BYTES = 256 << 10;

    private final ReadSet readSet;
    private final QueuePair queuePair;
    private final Table table;
    private final BucketRead buckets;
    private final int bucketsPerRead;
    private final RowBuffer rows;
    private TablePart part = TablePart.ALL;
    private int at;

    /// How many rows the transaction had inserted when the scan was opened, and how many rows it
    /// had changed.
    private long insertedBefore;

    private int writesBefore;
    private final ChangeWalk writes;

    TableScan(ReadSet readSet, QueuePair queuePair, Table table) {
        this.readSet = readSet;
        this.queuePair = queuePair;
        this.table = table;
        this.rows = new RowBuffer(readSet, table);
        this.writes = new ChangeWalk(readSet.changes);
        this.buckets = new BucketRead(table.records());
        this.bucketsPerRead = bucketsPerRead(queuePair, table.records().layout());
    }

    /// How many buckets are read at a time.
    public static int bucketsPerRead(QueuePair queuePair, BucketLayout layout) {
        int most = Math.min(READ_BYTES, queuePair.batchBytes() / 4);
        return Math.max(1, most / bytesPerBucket(layout));
    }

    /// What a bucket brings with it, bodies that are not inlined included.
    private static int bytesPerBucket(BucketLayout layout) {
        return layout.bucketBytes()
                + (layout.inlined() ? 0 : layout.records() * layout.bodyBytes());
    }

    TableScan open(Projection projection, TablePart ofTable) {
        rows.open(projection);
        part = ofTable;
        buckets.start(ofTable);
        at = 0;
        insertedBefore = readSet.changes.insertSerial();
        writesBefore = readSet.changes.count();
        ChangeWalk _ = writes.start();
        return this;
    }

    boolean isOpen() {
        return rows.isOpen();
    }

    Table table() {
        return table;
    }

    /// Moves to the next record. If its read fails, the scan is closed, even if the transaction is
    /// rolled back to a savepoint and goes on.
    ///
    /// @return its row, or null if there is no more
    /// @throws org.namdb.compute.StatementCancelledException if another thread wants that
    public @Nullable Row next() {
        if (!isOpen()) {
            throw new IllegalStateException(
                    "the scan is closed: its transaction has ended, or it was closed, or a next()"
                            + " has failed; open another one");
        }
        while (true) {
            while (at < rows.count()) {
                Row row = rows.row(at++);
                if (row.read.isPresent()
                        && isInPart(row)
                        && (readSet.changes.count() == 0 || takeOwn(row))) {
                    return row;
                }
            }
            if (buckets.isDone()) {
                return nextInserted();
            }
            readMore();
        }
    }

    private boolean isInPart(Row row) {
        return part.isAll() || part.has(table.records().hash(row.read.key()));
    }

    /// Scans all, and counts the records.
    ///
    /// @return how many there are; -1 if one has a version that another snapshot does not show
    public long countWithin(Snapshot other) {
        long count = 0;
        for (Row row = next(); row != null; row = next()) {
            if (!other.sees(row.read.header())) {
                close();
                return -1;
            }
            count++;
        }
        return count;
    }

    /// How much of the table was scanned, from 0 to 1.
    public double progress() {
        return buckets.progress();
    }

    /// Frees the scan for another one in this transaction.
    public void close() {
        rows.close();
    }

    /// Whether a record that the snapshot shows is there for the transaction; if so, its row gets
    /// the transaction's own changes.
    private boolean takeOwn(Row row) {
        Row own = readSet.known.peek(table, row.read.key());
        if (own == null || own.role == Row.Role.READ) {
            return true;
        }
        if (own.role != Row.Role.UPDATE || own.insertSerial > insertedBefore) {
            return false;
        }
        row.copyColumns(own.dirty & row.loaded, own.data, row.data);
        return true;
    }

    private @Nullable Row nextInserted() {
        if (writes.passed() == 0) {
            readSet.checkAge();
        }
        // Rows that a rollback to a savepoint has taken out of the writes had a later place.
        int most = Math.min(writesBefore, readSet.changes.count());
        while (writes.passed() < most) {
            Row own = Objects.requireNonNull(writes.next());
            if (own.role == Row.Role.INSERT
                    && own.table() == table
                    && isInPart(own)
                    && own.insertSerial <= insertedBefore) {
                rows.clear();
                Row image = rows.add(own.read.key());
                image.show(own);
                rows.clear();
                at = 0;
                return image;
            }
        }
        return null;
    }

    private void readMore() {
        readSet.checkCancelled();
        readSet.await();
        rows.clear();
        at = 0;
        boolean isWhole = false;
        try {
            buckets.readMore(queuePair, readSet.snapshot, bucketsPerRead, rows);
            finish();
            readSet.checkAge(); // a record that was deleted and collected is not among these
            isWhole = true;
        } catch (FabricException e) {
            throw readSet.lost(e);
        } finally {
            if (!isWhole) {
                close(); // some of the buckets' rows are there, and would come once more
            }
        }
    }

    private void finish() {
        boolean waiting = true;
        while (waiting) {
            queuePair.await();
            waiting = false;
            for (int i = 0; i < rows.count(); i++) {
                RecordRead read = rows.row(i).read;
                waiting |= !read.isDone() && !read.advance(queuePair, readSet.snapshot);
            }
        }
    }
}
