package org.namdb.compute.read;

import java.util.Arrays;
import org.namdb.compute.read.PostedLookup.Stage;

/// The look-ups by hashed indexes that a transaction has in flight at a time.
final class PostedLookups {
    private PostedLookup[] posted = new PostedLookup[8];
    private int count;

    /// Drops those that were posted.
    void clear() {
        for (int i = 0; i < count; i++) {
            posted[i].close();
        }
        count = 0;
    }

    /// Adds one that is posted. If an abort was forgiven, one that it has cut short may have been
    /// for the same rows.
    void add(PostedLookup lookup) {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (posted[i] != lookup && !posted[i].isFor(lookup)) {
                posted[kept++] = posted[i];
            } else if (posted[i] != lookup) {
                posted[i].close();
            }
        }
        count = kept;
        if (count == posted.length) {
            posted = Arrays.copyOf(posted, 2 * count);
        }
        posted[count++] = lookup;
    }

    /// Whether entries are awaited.
    boolean areUnderWay() {
        return isAny(Stage.ENTRIES);
    }

    /// Whether records of entries are to be posted.
    boolean areLanded() {
        return isAny(Stage.LANDED);
    }

    private boolean isAny(Stage stage) {
        for (int i = 0; i < count; i++) {
            if (posted[i].stage() == stage) {
                return true;
            }
        }
        return false;
    }

    /// How many bytes they may land with the next await.
    long bytesUnderWay() {
        long sum = 0;
        for (int i = 0; i < count; i++) {
            sum += posted[i].stage() == Stage.ENTRIES ? posted[i].landedBytes() : 0;
        }
        return sum;
    }

    /// All that is in flight is read from the beginning.
    void postAgain() {
        for (int i = 0; i < count; i++) {
            if (posted[i].stage() == Stage.ENTRIES) {
                posted[i].post();
            }
        }
    }

    /// Goes on with what the last await has brought.
    void advance() {
        for (int i = 0; i < count; i++) {
            if (posted[i].stage() == Stage.ENTRIES) {
                posted[i].advance();
            }
        }
    }

    void postRows() {
        for (int i = 0; i < count; i++) {
            if (posted[i].stage() == Stage.LANDED) {
                posted[i].postRows();
            }
        }
    }

    /// Whether there are some of which all records were posted.
    boolean areToBeCompleted() {
        return isAny(Stage.ROWS);
    }

    /// All that was posted has been read.
    void complete() {
        for (int i = 0; i < count; i++) {
            if (posted[i].stage() == Stage.ROWS) {
                posted[i].complete();
            }
        }
    }
}
