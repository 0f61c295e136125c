package org.namdb.mvcc.tree;

import java.util.Arrays;
import org.namdb.mvcc.index.EntryRun;

/// What a run still has to insert at one level of the tree: ranges of its entries.
final class RunLevel {
    final EntryRun run;

    /// Pairs of where a range begins and where it ends. Where the begin is inverted, its first
    /// entry is inserted alone, as another session was in the way.
    private int[] ranges = new int[8];

    private int count;

    RunLevel(EntryRun run) {
        this.run = run;
    }

    /// Restarts with the entries from number `from` on.
    void start(int from) {
        count = 0;
        push(from, run.count());
    }

    /// Adds a range, if there is anything in it.
    void push(int from, int to) {
        if (from < to) {
            if (count == ranges.length) {
                ranges = Arrays.copyOf(ranges, 2 * count);
            }
            ranges[count++] = from;
            ranges[count++] = to;
        }
    }

    /// Adds a range whose first entry is inserted alone.
    void pushAlone(int from, int to) {
        push(~from, to);
    }

    boolean isEmpty() {
        return count == 0;
    }

    /// Whether the next entry is inserted alone.
    boolean isNextAlone() {
        return ranges[count - 2] < 0;
    }

    /// The next entry.
    int from() {
        int from = ranges[count - 2];
        return from < 0 ? ~from : from;
    }

    /// Where its range ends.
    int to() {
        return ranges[count - 1];
    }

    /// The entries up to number `end`, of the next one's range, are taken.
    void take(int end) {
        int to = to();
        count -= 2;
        push(end, to);
    }
}
