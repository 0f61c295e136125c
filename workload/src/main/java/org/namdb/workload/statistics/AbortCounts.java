package org.namdb.workload.statistics;

import java.util.List;
import org.namdb.compute.commit.AbortCause;

/// Counts of aborted attempts, by cause. A rollback that the transaction itself requested isn't
/// among them.
public final class AbortCounts {
    /// The causes that are counted, in the order of reports.
    public static final List<AbortCause> CAUSES =
            List.of(
                    AbortCause.WRITE_CONFLICT,
                    AbortCause.DUPLICATE_KEY,
                    AbortCause.SNAPSHOT_TOO_OLD,
                    AbortCause.MEMORY_FULL);

    private final long[] counts = new long[CAUSES.size()];

    void set(int cause, long attempts) {
        counts[cause] = attempts;
    }

    void add(AbortCounts other) {
        for (int cause = 0; cause < counts.length; cause++) {
            counts[cause] += other.counts[cause];
        }
    }

    long at(int cause) {
        return counts[cause];
    }

    /// Attempts aborted for this cause.
    public long of(AbortCause cause) {
        return counts[CAUSES.indexOf(cause)];
    }

    /// Aborted attempts.
    public long sum() {
        long sum = 0;
        for (long count : counts) {
            sum += count;
        }
        return sum;
    }
}
