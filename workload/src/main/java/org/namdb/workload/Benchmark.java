package org.namdb.workload;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// A report's facts about a benchmark, whatever the run.
///
/// @param name as in `TPC-C`
/// @param kinds its kinds of transactions, each at its index
/// @param measure the benchmark's own measure; null if it is transactions per second
/// @param unit what its size is counted in, as in `warehouse`
/// @param growthUnit what the growth of memory is counted by, as in `NewOrder`
/// @param allConditions its consistency conditions together, as in `all twelve consistency
///     conditions`
public record Benchmark(
        String name,
        List<? extends TransactionKind> kinds,
        @Nullable Measure measure,
        String unit,
        String growthUnit,
        String allConditions) {

    /// Transactions of one kind in a unit of time.
    ///
    /// @param kind the only kind that counts
    /// @param name as in `tpmC`
    /// @param caption what it is, as in `new orders/min (tpmC)`
    /// @param thing one of what is counted, in the plural, as in `new orders`
    /// @param seconds the unit of time
    public record Measure(
            TransactionKind kind, String name, String caption, String thing, int seconds) {}

    public Benchmark {
        kinds = List.copyOf(kinds);
    }
}
