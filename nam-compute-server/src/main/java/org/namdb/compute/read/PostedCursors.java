package org.namdb.compute.read;

import java.util.ArrayList;

/// The cursors whose first records a transaction reads at a time: their entries by one await, their
/// rows by the next, and so on until each has a record that is there for the transaction.
final class PostedCursors implements PostedReads {
    private final ArrayList<RowCursor> posted = new ArrayList<>();

    /// Whether their rows are being posted, for which others may be awaited.
    private boolean isPosting;

    /// Drops those that were posted. Those of this transaction start again when their first records
    /// are needed.
    @Override
    public void clear() {
        for (int i = 0; i < posted.size(); i++) {
            posted.get(i).startAgain();
        }
        posted.clear();
        isPosting = false;
    }

    /// Adds one that is posted. One that was closed since it was posted, and opened for another
    /// range, may be here already.
    void add(RowCursor cursor) {
        if (!posted.contains(cursor)) {
            posted.add(cursor);
        }
    }

    /// Whether entries are in flight.
    @Override
    public boolean areInFlight() {
        for (int i = 0; i < posted.size(); i++) {
            if (posted.get(i).isInFlight()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void postAgain() {
        for (int i = 0; i < posted.size(); i++) {
            posted.get(i).postAgain();
        }
    }

    @Override
    public long advance(long bytes) {
        long sum = bytes;
        for (int i = 0; i < posted.size(); i++) {
            RowCursor cursor = posted.get(i);
            cursor.advance();
            sum += cursor.isInFlight() ? cursor.landedBytes() : 0;
        }
        return sum;
    }

    /// All that was posted has been read: cursors that have found nothing go on, and the rows of
    /// entries that are here are posted.
    ///
    /// @return whether more is to be posted or awaited
    boolean postNext() {
        if (isPosting || posted.isEmpty()) {
            return false; // what is awaited to free space posts nothing
        }
        for (int i = 0; i < posted.size(); i++) {
            posted.get(i).resume();
        }
        posted.removeIf(cursor -> !cursor.isLanded() && !cursor.isInFlight());
        isPosting = true;
        try {
            for (int i = 0; i < posted.size(); i++) {
                posted.get(i).postRows();
            }
        } finally {
            isPosting = false;
        }
        return !posted.isEmpty();
    }
}
