package org.namdb.compute.read;

import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// The cursors whose first records a transaction reads at a time: their entries by one await, their
/// rows by the next, and so on until each has a record that is there for the transaction.
final class PostedCursors {
    private @Nullable RowCursor[] posted = new @Nullable RowCursor[16];
    private int count;

    /// Whether their rows are being posted, for which others may be awaited.
    private boolean isPosting;

    /// Drops those that were posted.
    void clear() {
        Arrays.fill(posted, 0, count, null);
        count = 0;
        isPosting = false;
    }

    /// Posted reads are not to be used: the cursors start again when their first records are
    /// needed.
    void startAgain() {
        forEach(RowCursor::startAgain);
        clear();
    }

    /// Adds one that is posted. One that was closed since it was posted, and opened for another
    /// range, may be here already.
    void add(RowCursor cursor) {
        for (int i = 0; i < count; i++) {
            if (posted[i] == cursor) {
                return;
            }
        }
        if (count == posted.length) {
            posted = Arrays.copyOf(posted, 2 * count);
        }
        posted[count++] = cursor;
    }

    /// Whether entries are in flight.
    boolean areUnderWay() {
        return isAny(RowCursor::isUnderWay);
    }

    /// How many bytes the entries in flight land.
    long bytesUnderWay() {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            RowCursor cursor = posted[i];
            sum += cursor != null && cursor.isUnderWay() ? cursor.landedBytes() : 0;
        }
        return sum;
    }

    private boolean isAny(Predicate<RowCursor> condition) {
        for (int i = 0; i < count; i++) {
            RowCursor cursor = posted[i];
            if (cursor != null && condition.test(cursor)) {
                return true;
            }
        }
        return false;
    }

    /// Entries in flight are read once more.
    void postAgain() {
        forEach(RowCursor::postAgain);
    }

    private void forEach(Consumer<RowCursor> action) {
        for (int i = 0; i < count; i++) {
            RowCursor cursor = posted[i];
            if (cursor != null) {
                action.accept(cursor);
            }
        }
    }

    /// Takes the entries that the last await has brought.
    void land() {
        forEach(RowCursor::land);
    }

    /// All that was posted has been read: cursors that have found nothing go on.
    ///
    /// @return whether more is to be posted or awaited
    boolean resume() {
        if (isPosting) {
            return false;
        }
        forEach(RowCursor::resume);
        int kept = 0;
        for (int i = 0; i < count; i++) {
            RowCursor cursor = posted[i];
            if (cursor != null && (cursor.isLanded() || cursor.isUnderWay())) {
                posted[kept++] = cursor;
            }
        }
        Arrays.fill(posted, kept, count, null);
        count = kept;
        return count > 0;
    }

    /// Posts the rows of entries that are here.
    void postRows() {
        if (isPosting) {
            return; // what is awaited to free space posts nothing
        }
        isPosting = true;
        try {
            forEach(RowCursor::postRows);
        } finally {
            isPosting = false;
        }
    }
}
