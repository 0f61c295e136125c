package org.namdb.workload.statistics;

import java.util.List;
import org.namdb.workload.Benchmark;
import org.namdb.workload.TransactionKind;

/// What happened between two samples of a running benchmark, about a second apart.
///
/// @param endSeconds when it ended, from the start of the run, warm-up included
/// @param lengthSeconds how long it was
/// @param warmup whether most of it was before the measured window
/// @param counts transactions that reached their result, one number for each kind
/// @param aborts aborted attempts
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

    public TimelinePoint {
        counts = List.copyOf(counts);
    }

    /// Transactions of a kind that reached their result.
    public long count(TransactionKind kind) {
        return counts.get(kind.index());
    }

    /// Transactions of all kinds in a second.
    public double tps() {
        return counts.stream().mapToLong(Long::longValue).sum() / lengthSeconds;
    }

    /// The benchmark's own measure.
    public double of(Benchmark.Measure measure) {
        return count(measure.kind()) / lengthSeconds * measure.seconds();
    }

    /// Aborted attempts, in a second.
    public double abortsPerSecond() {
        return aborts / lengthSeconds;
    }
}
