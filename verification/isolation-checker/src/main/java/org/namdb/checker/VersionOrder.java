package org.namdb.checker;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.namdb.checker.history.History;
import org.namdb.checker.history.Write;

/// The versions of each key, in the order of their writers' snapshots. It is the order in which
/// they were committed, if each writer's snapshot shows the one before: [VersionRule] checks that.
final class VersionOrder {
    private final Map<Long, Write> oldest = new HashMap<>();
    private final @Nullable Write[] next;

    VersionOrder(History history, Outcomes outcomes, SnapshotOrder snapshots, Steps steps) {
        next = new @Nullable Write[history.writes().count()];
        Map<Long, Write> newest = new HashMap<>();
        for (long place : places(history, outcomes, snapshots)) {
            steps.add(1);
            Write write = history.writes().write((int) place);
            Write before = newest.put(write.key(), write);
            if (before == null) {
                oldest.put(write.key(), write);
            } else {
                next[before.number()] = write;
            }
        }
    }

    /// The numbers of the versions in the order of their writers' snapshots, in the lower half of
    /// each word.
    private static long[] places(History history, Outcomes outcomes, SnapshotOrder snapshots) {
        long[] places = new long[history.writes().count()];
        int count = 0;
        for (int number = 0; number < places.length; number++) {
            Write write = history.writes().write(number);
            if (write.isFinal() && outcomes.isCommitted(write.writer())) {
                long rank = snapshots.rank(write.writer().snapshot());
                places[count++] = rank << 32 | number;
            }
        }
        long[] sorted = Arrays.copyOf(places, count);
        Arrays.sort(sorted);
        return sorted;
    }

    /// The oldest version of a key, or null.
    @Nullable Write oldest(long key) {
        return oldest.get(key);
    }

    /// The version that replaced this one, or null if it is the newest, or no version.
    @Nullable Write next(Write version) {
        return next[version.number()];
    }
}
