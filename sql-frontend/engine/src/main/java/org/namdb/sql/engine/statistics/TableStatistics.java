package org.namdb.sql.engine.statistics;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What ANALYZE has learned of a table. Immutable.
///
/// @param rows how many rows there were
/// @param expected the planner's estimate of its rows without statistics, at the time of ANALYZE:
///     from both, and from that estimate now, its rows are estimated
/// @param columns by name
public record TableStatistics(double rows, long expected, Map<String, ColumnStatistics> columns) {
    public TableStatistics {
        columns = Map.copyOf(columns);
    }

    /// About how many rows there are.
    ///
    /// @param expectedNow how many the table is taken for now
    public double rows(long expectedNow) {
        return Math.max(1, rows * expectedNow / Math.max(1, expected));
    }

    /// What is known of a column; null if that is nothing.
    public @Nullable ColumnStatistics column(String name) {
        return columns.get(name);
    }

    /// The same with what was learned later.
    public TableStatistics with(TableStatistics later) {
        Map<String, ColumnStatistics> all = new TreeMap<>(columns);
        all.putAll(later.columns);
        return new TableStatistics(later.rows, later.expected, all);
    }
}
