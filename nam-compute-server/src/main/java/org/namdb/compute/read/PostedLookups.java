package org.namdb.compute.read;

import java.util.ArrayList;
import org.namdb.compute.read.PostedLookup.Stage;

/// The lookups by hashed indexes that a transaction has in flight at a time.
final class PostedLookups implements PostedReads {
    private final ReadSet readSet;
    private final ArrayList<PostedLookup> posted = new ArrayList<>();

    PostedLookups(ReadSet readSet) {
        this.readSet = readSet;
    }

    @Override
    public void clear() {
        for (int i = 0; i < posted.size(); i++) {
            posted.get(i).close();
        }
        posted.clear();
    }

    /// Adds one that is posted. If an abort was forgiven, one that it has cut short may have been
    /// for the same rows.
    void add(PostedLookup lookup) {
        for (int i = posted.size() - 1; i >= 0; i--) {
            PostedLookup other = posted.get(i);
            if (other == lookup || other.isFor(lookup)) {
                PostedLookup _ = posted.remove(i);
                if (other != lookup) {
                    other.close();
                }
            }
        }
        posted.add(lookup);
    }

    /// Whether entries are awaited.
    @Override
    public boolean areInFlight() {
        return isAny(Stage.ENTRIES);
    }

    private boolean isAny(Stage stage) {
        for (int i = 0; i < posted.size(); i++) {
            if (posted.get(i).stage() == stage) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void postAgain() {
        for (int i = 0; i < posted.size(); i++) {
            if (posted.get(i).stage() == Stage.ENTRIES) {
                posted.get(i).post();
            }
        }
    }

    @Override
    public long advance(long bytes) {
        long sum = bytes;
        for (int i = 0; i < posted.size(); i++) {
            PostedLookup lookup = posted.get(i);
            if (lookup.stage() == Stage.ENTRIES && !lookup.advance()) {
                sum += lookup.landedBytes();
            }
        }
        return sum;
    }

    /// All that was posted has been read: posts the records of the entries that are here.
    ///
    /// @return whether there were any
    boolean postNext() {
        boolean isAny = false;
        for (int i = 0; i < posted.size(); i++) {
            if (posted.get(i).stage() == Stage.LANDED) {
                isAny = true;
                posted.get(i).postRows();
            }
        }
        return isAny;
    }

    /// All records have been read: those that are hits are found.
    void complete() {
        if (!isAny(Stage.ROWS)) {
            return;
        }
        readSet.checkAge(); // an entry may have been collected
        for (int i = 0; i < posted.size(); i++) {
            if (posted.get(i).stage() == Stage.ROWS) {
                posted.get(i).complete();
            }
        }
    }
}
