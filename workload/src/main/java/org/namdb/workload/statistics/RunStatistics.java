package org.namdb.workload.statistics;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.namdb.workload.Benchmark;
import org.namdb.workload.TransactionKind;

/// What a run measured, all threads together.
///
/// @param elapsedSeconds how long the measured window was in the end
/// @param types one for each kind of transaction, in its order
/// @param total all kinds together
/// @param lateStarts transactions that began late, see [ThreadStatistics#LATE_NANOS]
/// @param timeline its course, from the start of the warm-up
public record RunStatistics(
        double elapsedSeconds,
        List<TypeStatistics> types,
        TypeStatistics total,
        long lateStarts,
        List<TimelinePoint> timeline) {

    public RunStatistics {
        types = List.copyOf(types);
        timeline = List.copyOf(timeline);
    }

    /// Adds up what threads counted; none of them runs any more.
    public static RunStatistics merge(
            double elapsedSeconds,
            int kinds,
            List<ThreadStatistics> threads,
            List<TimelinePoint> timeline) {
        List<TypeStatistics> types = new ArrayList<>();
        TypeStatistics total = new TypeStatistics();
        for (int kind = 0; kind < kinds; kind++) {
            int index = kind;
            TypeStatistics merged = new TypeStatistics();
            threads.forEach(thread -> merged.add(thread.type(index)));
            types.add(merged);
            total.add(merged);
        }
        return new RunStatistics(
                elapsedSeconds,
                types,
                total,
                threads.stream().mapToLong(ThreadStatistics::lateStarts).sum(),
                timeline);
    }

    /// How many bytes of old versions were kept in the measured window, on average.
    public double meanOldVersionBytes() {
        return oldVersionBytes().average().orElse(0);
    }

    /// The most bytes of old versions that were kept in the measured window.
    public long mostOldVersionBytes() {
        return oldVersionBytes().max().orElse(0);
    }

    private LongStream oldVersionBytes() {
        return timeline.stream()
                .filter(point -> !point.warmup())
                .mapToLong(TimelinePoint::oldVersionBytes);
    }

    /// What the transactions of a kind did.
    public TypeStatistics type(TransactionKind kind) {
        return types.get(kind.index());
    }

    /// Transactions of all kinds in a second.
    public double tps() {
        return perSecond(total);
    }

    /// The benchmark's own measure.
    public double of(Benchmark.Measure measure) {
        return perSecond(type(measure.kind())) * measure.seconds();
    }

    /// Transactions of some kinds in a second.
    public double perSecond(TypeStatistics statistics) {
        return elapsedSeconds > 0 ? statistics.count() / elapsedSeconds : 0;
    }
}
