package org.namdb.compute.read;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The cursors whose first records a transaction reads at a time: their entries by one await, their
/// rows by the next.
final class PostedCursors {
    private @Nullable RowCursor[] posted = new @Nullable RowCursor[16];
    private @Nullable RowCursor[] taken = new @Nullable RowCursor[16];
    private int count;

    /// How many of them wait for their rows to be posted.
    private int landed;

    /// Forgets those that were posted.
    void clear() {
        Arrays.fill(posted, 0, count, null);
        count = 0;
        landed = 0;
    }

    void add(RowCursor cursor) {
        if (count == posted.length) {
            posted = Arrays.copyOf(posted, 2 * count);
        }
        posted[count++] = cursor;
    }

    /// Whether entries are on their way.
    boolean areUnderWay() {
        return count > landed;
    }

    /// Entries that are on their way are read once more.
    void postAgain() {
        for (int i = landed; i < count; i++) {
            RowCursor cursor = posted[i];
            if (cursor != null) {
                cursor.postAgain();
            }
        }
    }

    /// Takes the entries that the last await has brought.
    void land() {
        for (; landed < count; landed++) {
            RowCursor cursor = posted[landed];
            if (cursor != null) {
                cursor.land();
            }
        }
    }

    /// Whether there are rows to be posted; no entries are on their way then.
    boolean areLanded() {
        return landed > 0;
    }

    /// Posts the rows of the first entries. If others are awaited for that, none of these is among
    /// them.
    void postRows() {
        @Nullable RowCursor[] cursors = posted;
        int some = landed;
        posted = taken;
        taken = cursors;
        count = 0;
        landed = 0;
        for (int i = 0; i < some; i++) {
            RowCursor cursor = cursors[i];
            cursors[i] = null;
            if (cursor != null) {
                cursor.postFirst();
            }
        }
    }
}
