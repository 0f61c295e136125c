package org.namdb.sql.engine.statistics;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.type.SqlType;

/// Looks at all rows of a table, and keeps a random sample of them.
///
/// Source: Vitter, "Random sampling with a reservoir", TOMS 11(1), 1985, algorithm R.
public final class TableSample {
    /// As many as PostgreSQL samples with its default_statistics_target of 100.
    private static final int SIZE = 30_000;

    private final List<String> names;
    private final List<ColumnSample> columns = new ArrayList<>();
    private final SplittableRandom random;
    private long rows;

    /// @param names of the columns
    /// @param types of the columns
    public TableSample(List<String> names, List<SqlType> types, SplittableRandom random) {
        this.names = List.copyOf(names);
        this.random = random;
        types.forEach(type -> columns.add(new ColumnSample(type, SIZE)));
    }

    /// Looks at the next row.
    public void add(@Nullable Object[] tuple) {
        long place = rows < SIZE ? rows : random.nextLong(rows + 1);
        rows++;
        for (int i = 0; i < tuple.length; i++) {
            columns.get(i).add(tuple[i], place < SIZE ? (int) place : -1);
        }
    }

    /// How many rows there were.
    public long rows() {
        return rows;
    }

    /// What was learned.
    ///
    /// @param expected how many rows the table is taken for without being read
    public TableStatistics statistics(long expected) {
        Map<String, ColumnStatistics> learned = new TreeMap<>();
        for (int i = 0; i < columns.size(); i++) {
            learned.put(names.get(i), columns.get(i).statistics());
        }
        return new TableStatistics((double) rows, expected, learned);
    }
}
