package org.namdb.compute.read;

import org.namdb.compute.commit.ReadSnapshot;
import org.namdb.compute.guard.CopiedReads;
import org.namdb.compute.schema.Table;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.schema.Projection;

/// All reads that a transaction has in flight, which one await brings: rows by their keys,
/// neighbourhoods, lookups by hashed indexes, and first records of cursors. The same object for all
/// transactions of a session.
final class ReadsInFlight {
    private final ReadSet readSet;
    private final QueuePair queuePair;
    private final ReadSnapshot held;
    private final PostedRows rows;
    private final PostedNeighbourhoods neighbourhoods;
    private final PostedLookups lookups;
    private final PostedCursors cursors = new PostedCursors();

    /// How many bytes what was posted since the last await lands.
    private int postedBytes;

    ReadsInFlight(ReadSet readSet, QueuePair queuePair, ReadSnapshot held, CopiedReads copies) {
        this.readSet = readSet;
        this.queuePair = queuePair;
        this.held = held;
        this.rows = new PostedRows(readSet, queuePair, copies);
        this.neighbourhoods = new PostedNeighbourhoods(readSet, queuePair);
        this.lookups = new PostedLookups(readSet);
    }

    /// Drops all reads.
    void clear() {
        rows.clear();
        clearAllButRows();
    }

    private void clearAllButRows() {
        lookups.clear();
        neighbourhoods.clear();
        cursors.clear();
    }

    /// Drops all reads of rows, and starts over in a small table.
    void shrink() {
        rows.shrink();
    }

    boolean isEmpty() {
        return !rows.areInFlight()
                && !neighbourhoods.areInFlight()
                && !cursors.areInFlight()
                && !lookups.areInFlight();
    }

    /// Waits for what was posted if so many bytes more are too much for one await.
    ///
    /// @return whether it has waited
    boolean awaitIfFull(int bytes) {
        boolean isFull = postedBytes + bytes > queuePair.batchBytes();
        if (isFull) {
            await();
        }
        return isFull;
    }

    /// A row's lookup is posted with the next await.
    void post(Row row) {
        postedBytes += PostedRows.bytes(row);
        row.read.want();
        rows.add(row);
    }

    /// A row's lookup goes on with the next await: it was posted, or its record was found in a
    /// bucket that was read.
    void add(Row row) {
        rows.add(row);
    }

    /// Posts the READs of a neighbourhood, whose rows can be used after the next await.
    void postNeighbours(Table table, long[] key, Projection projection, Rows found) {
        boolean _ = awaitIfFull(table.records().layout().neighbourBytes());
        try {
            postedBytes += neighbourhoods.post(table, key, projection, found);
        } catch (FabricException e) {
            throw readSet.lost(e);
        }
    }

    /// Posts a cursor's first entries, whose first row can be used after the next await.
    ///
    /// @param bytes what the entries land
    void postCursor(RowCursor cursor, int bytes) {
        boolean _ = awaitIfFull(bytes);
        try {
            if (cursor.postEntries()) {
                postedBytes += bytes;
                cursors.add(cursor);
            }
        } catch (FabricException e) {
            throw readSet.lost(e);
        }
    }

    /// Posts a lookup's entries, whose records can be used after the next await.
    void postLookup(PostedLookup lookup) {
        boolean _ = awaitIfFull(lookup.landedBytes());
        postedBytes += lookup.landedBytes();
        try {
            lookup.post();
        } catch (FabricException e) {
            throw readSet.lost(e);
        }
        lookups.add(lookup);
    }

    /// A posted read was continued by another one.
    ///
    /// @param bytes what that lands
    void continued(int bytes) {
        postedBytes += bytes;
    }

    /// Waits, unless nothing is posted: so the choice of the snapshot may stay open.
    void awaitPosted() {
        if (!isEmpty()) {
            await();
        }
    }

    /// Waits until all that was posted can be used. If that fails, lookups of rows stay in flight,
    /// and the other reads are dropped.
    void await() {
        boolean isDone = false;
        try {
            awaitRows();
            isDone = true;
        } finally {
            if (!isDone) {
                clearAllButRows(); // after an abort that is forgiven, their rows may be reused
            }
        }
    }

    private void awaitRows() {
        try {
            do {
                awaitAll();
            } while (postNext());
        } catch (FabricException e) {
            throw readSet.lost(e);
        }
        neighbourhoods.complete();
        lookups.complete();
    }

    /// All that was posted has been read: posts what that leads to.
    ///
    /// @return whether there was any
    private boolean postNext() {
        boolean isAnyCursor = cursors.postNext();
        return lookups.postNext() || isAnyCursor;
    }

    private void awaitAll() {
        postedBytes = 0;
        while (!held.isChosen() || !isEmpty()) {
            awaitOnce();
        }
    }

    private void awaitOnce() {
        rows.postWanted();
        queuePair.await();
        while (!held.settle()) {
            postAgain();
            queuePair.await();
        }
        postedBytes = 0;
        long bytes = lookups.advance(cursors.advance(0));
        rows.prefetch();
        neighbourhoods.prefetch();
        long _ = neighbourhoods.advance(rows.advance(bytes));
    }

    /// All reads in flight used another snapshot than the one that is chosen.
    private void postAgain() {
        rows.postAgain();
        neighbourhoods.postAgain();
        cursors.postAgain();
        lookups.postAgain();
    }
}
