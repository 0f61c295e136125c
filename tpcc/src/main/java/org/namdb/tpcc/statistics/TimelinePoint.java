package org.namdb.tpcc.statistics;

import java.util.List;
import org.namdb.tpcc.TransactionType;

/// What happened between two looks at a running benchmark, about a second apart.
///
/// @param endSeconds when it ended, from the start of the run, warm-up included
/// @param lengthSeconds how long it was
/// @param warmup whether most of it was before the measured window
/// @param counts transactions that reached their result, one number for each type
/// @param aborts attempts that came to nothing
/// @param p99Micros the latency that 99 of 100 of them did not exceed
/// @param oldVersionBytes the old versions that were kept at its end, by all threads together
public record TimelinePoint(
        double endSeconds,
        double lengthSeconds,
        boolean warmup,
        List<Long> counts,
        long aborts,
        double p99Micros,
        long oldVersionBytes) {

    private static final int SECONDS_PER_MINUTE = 60;

    public TimelinePoint {
        counts = List.copyOf(counts);
    }

    /// Transactions of a type that reached their result.
    public long count(TransactionType type) {
        return counts.get(type.index());
    }

    /// Transactions of all types in a second.
    public double tps() {
        return counts.stream().mapToLong(Long::longValue).sum() / lengthSeconds;
    }

    /// New orders in a minute.
    public double tpmC() {
        return count(TransactionType.NEW_ORDER) / lengthSeconds * SECONDS_PER_MINUTE;
    }

    /// Attempts that came to nothing, in a second.
    public double abortsPerSecond() {
        return aborts / lengthSeconds;
    }
}
