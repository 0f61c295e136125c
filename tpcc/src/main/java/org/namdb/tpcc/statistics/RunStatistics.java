package org.namdb.tpcc.statistics;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.namdb.tpcc.TransactionType;

/// What a run measured, all threads together.
///
/// @param elapsedSeconds how long the measured window was in the end
/// @param types one for each [TransactionType], in its order
/// @param total all types together
/// @param lateStarts transactions that began late, see [ThreadStatistics#LATE_NANOS]
/// @param ordersDelivered orders that Delivery transactions delivered
/// @param districtsSkipped districts where a Delivery transaction found no order to deliver (clause
///     2.7.4.2)
/// @param timeline how it went, from the start of the warm-up
public record RunStatistics(
        double elapsedSeconds,
        List<TypeStatistics> types,
        TypeStatistics total,
        long lateStarts,
        long ordersDelivered,
        long districtsSkipped,
        List<TimelinePoint> timeline) {

    private static final int SECONDS_PER_MINUTE = 60;

    public RunStatistics {
        types = List.copyOf(types);
        timeline = List.copyOf(timeline);
    }

    /// Adds up what threads counted; none of them runs any more.
    public static RunStatistics merge(
            double elapsedSeconds, List<ThreadStatistics> threads, List<TimelinePoint> timeline) {
        List<TypeStatistics> types = new ArrayList<>();
        TypeStatistics total = new TypeStatistics();
        for (TransactionType type : TransactionType.all()) {
            TypeStatistics merged = new TypeStatistics();
            threads.forEach(thread -> merged.add(thread.type(type)));
            types.add(merged);
            total.add(merged);
        }
        return new RunStatistics(
                elapsedSeconds,
                types,
                total,
                threads.stream().mapToLong(ThreadStatistics::lateStarts).sum(),
                threads.stream().mapToLong(ThreadStatistics::ordersDelivered).sum(),
                threads.stream().mapToLong(ThreadStatistics::districtsSkipped).sum(),
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

    public TypeStatistics type(TransactionType type) {
        return types.get(type.index());
    }

    /// Transactions of all types in a second.
    public double tps() {
        return perSecond(total);
    }

    /// Transactions of a type in a second.
    public double tps(TransactionType type) {
        return perSecond(type(type));
    }

    /// New orders in a minute (clause 5.4).
    public double tpmC() {
        return tps(TransactionType.NEW_ORDER) * SECONDS_PER_MINUTE;
    }

    /// Transactions of some types in a second.
    public double perSecond(TypeStatistics statistics) {
        return elapsedSeconds > 0 ? statistics.count() / elapsedSeconds : 0;
    }
}
