package org.namdb.sql.engine.statistics;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.type.ByteString;
import org.namdb.sql.language.type.SqlArray;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.ValueOrder;

/// Looks at all values of a column, and keeps a random sample of them.
final class ColumnSample {
    /// How many common values, and how many parts between bounds, are kept at most: as many as
    /// PostgreSQL's default_statistics_target.
    private static final int MAX_VALUES = 100;

    /// Longer values are not kept.
    private static final int MAX_BYTES = 128;

    /// What is more frequent than the average by this factor is common.
    private static final double COMMON = 1.25;

    /// From this part of the rows on, the number of different values is taken to grow with the
    /// table.
    private static final double GROWING = 0.1;

    /// What HyperLogLog's estimate is hardly ever wrong by: three standard deviations.
    private static final double ERROR = 0.05;

    private final SqlType type;
    private final ValueOrder order;
    private final @Nullable Object[] sample;
    private final HyperLogLog different = new HyperLogLog();
    private long rows;
    private long present;
    private long bytes;

    /// @param size how many values are kept
    ColumnSample(SqlType type, int size) {
        this.type = type;
        this.order = ValueOrder.of(type);
        this.sample = new @Nullable Object[size];
    }

    /// Looks at the next row's value.
    ///
    /// @param place where in the sample it is kept; negative if it is not
    void add(@Nullable Object value, int place) {
        rows++;
        if (value != null) {
            present++;
            bytes += bytes(value);
            different.add(value instanceof Long number ? number : order.hash(value));
        }
        if (place >= 0) {
            sample[place] = value;
        }
    }

    private static int bytes(Object value) {
        return switch (value) {
            case String text -> text.length();
            case ByteString bytes -> bytes.length();
            case SqlArray array -> Long.BYTES * (1 + array.values().size());
            case BigDecimal _ -> 2 * Long.BYTES;
            default -> Long.BYTES;
        };
    }

    /// What was learned.
    ColumnStatistics statistics() {
        List<Object> values = new ArrayList<>();
        for (int i = 0; i < Math.min(rows, sample.length); i++) {
            if (sample[i] != null) {
                values.add(sample[i]);
            }
        }
        List<Run> runs = runs(values);
        double distinct = distinct(runs);
        List<Run> common = common(runs, values.size(), distinct);
        double present = rows == 0 ? 0 : (double) this.present / rows;
        return new ColumnStatistics(
                type,
                rows == 0 ? 0 : 1 - present,
                this.present == 0 ? 0 : (double) bytes / this.present,
                distinct > GROWING * rows ? -distinct / rows : distinct,
                common.stream().map(Run::value).toList(),
                common.stream().map(run -> present * run.count / values.size()).toList(),
                bounds(values));
    }

    private double distinct(List<Run> runs) {
        double estimate = Math.min(different.estimate(), (double) present);
        boolean isWhole =
                rows <= sample.length
                        || runs.stream().allMatch(run -> run.count > 1)
                                && estimate < runs.size() * (1 + ERROR);
        if (isWhole) {
            return runs.size();
        }
        return estimate > (1 - ERROR) * present ? (double) present : estimate;
    }

    /// A value, and how often the sample has it.
    private record Run(Object value, int count) {}

    /// @param values which are sorted
    private List<Run> runs(List<Object> values) {
        values.sort(order);
        List<Run> runs = new ArrayList<>();
        for (int from = 0, to; from < values.size(); from = to) {
            to = from + 1;
            while (to < values.size() && order.compare(values.get(from), values.get(to)) == 0) {
                to++;
            }
            runs.add(new Run(values.get(from), to - from));
        }
        return runs;
    }

    private static List<Run> common(List<Run> runs, int sampled, double distinct) {
        double average = sampled / Math.max(1, distinct);
        boolean isAll = runs.size() <= MAX_VALUES && runs.size() >= distinct;
        return runs.stream()
                .filter(run -> run.count > 1 && (isAll || run.count > COMMON * average))
                .filter(run -> bytes(run.value) <= MAX_BYTES)
                .sorted(Comparator.comparingInt(Run::count).reversed())
                .limit(MAX_VALUES)
                .toList();
    }

    private static List<Object> bounds(List<Object> sorted) {
        List<Object> kept = sorted.stream().filter(value -> bytes(value) <= MAX_BYTES).toList();
        if (kept.size() < sorted.size() / 2 || kept.size() < 2) {
            return List.of();
        }
        int steps = Math.min(MAX_VALUES, kept.size() - 1);
        List<Object> bounds = new ArrayList<>();
        for (int i = 0; i <= steps; i++) {
            bounds.add(kept.get((int) ((long) i * (kept.size() - 1) / steps)));
        }
        return bounds;
    }
}
