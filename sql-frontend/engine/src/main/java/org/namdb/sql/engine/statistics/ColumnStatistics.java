package org.namdb.sql.engine.statistics;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.ValueOrder;

/// What is known of a column's values. Immutable.
///
/// @param type the column's type when it was looked at
/// @param nullPart which part of the rows has NULL
/// @param averageBytes about how long a value is
/// @param distinct how many different values there are; if it is negative, which part of the rows
///     has a value of its own, as in PostgreSQL
/// @param common the values that are more frequent than others, the most frequent one first
/// @param frequencies which part of the rows has each of them
/// @param bounds values, in order, between which lie equal parts of all that are not NULL; empty if
///     they have no order or are too long
public record ColumnStatistics(
        SqlType type,
        double nullPart,
        double averageBytes,
        double distinct,
        List<Object> common,
        List<Double> frequencies,
        List<Object> bounds) {
    /// The place of the number of common values in a tuple.
    private static final int COUNT = 5;

    public ColumnStatistics {
        common = List.copyOf(common);
        frequencies = List.copyOf(frequencies);
        bounds = List.copyOf(bounds);
    }

    /// How many different values there are.
    ///
    /// @param rows how many rows the table has
    public double distinct(double rows) {
        return Math.max(1, distinct < 0 ? -distinct * rows : Math.min(distinct, rows));
    }

    /// Which part of the rows has some value that is not known yet.
    public double equal(double rows) {
        return (1 - nullPart) / distinct(rows);
    }

    /// Which part of the rows has a value.
    ///
    /// @param rows how many rows the table has
    public double equal(Object value, double rows) {
        double known = 0;
        for (int i = 0; i < common.size(); i++) {
            if (isSame(common.get(i), value)) {
                return frequencies.get(i);
            }
            known += frequencies.get(i);
        }
        double others = distinct(rows) - common.size();
        double rest = Math.max(0, 1 - nullPart - known);
        return others < 1 ? Math.min(rest, 1 / Math.max(1, rows)) : rest / others;
    }

    private boolean isSame(Object a, Object b) {
        return a.getClass() == b.getClass() && ValueOrder.of(type).compare(a, b) == 0;
    }

    /// Which part of the values that are not NULL is less than a value; -1 if that is not known.
    public double below(Object value) {
        if (bounds.size() < 2 || bounds.getFirst().getClass() != value.getClass()) {
            return -1;
        }
        ValueOrder order = ValueOrder.of(type);
        int steps = bounds.size() - 1;
        if (order.compare(value, bounds.getFirst()) <= 0) {
            return 0;
        }
        if (order.compare(value, bounds.getLast()) > 0) {
            return 1;
        }
        int low = 0;
        int high = steps;
        while (high - low > 1) {
            int middle = (low + high) >>> 1;
            if (order.compare(bounds.get(middle), value) < 0) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return (low + between(bounds.get(low), bounds.get(high), value)) / steps;
    }

    /// Where a value lies between two others, from 0 to 1.
    private static double between(Object low, Object high, Object value) {
        double from = number(low);
        double part = (number(value) - from) / (number(high) - from);
        return Double.isNaN(part) ? 0.5 : Math.clamp(part, 0.0, 1.0);
    }

    private static double number(Object value) {
        return switch (value) {
            case Long number -> number;
            case BigDecimal number -> number.doubleValue();
            case Float number -> number;
            case Double number -> number;
            case LocalDate date -> date.toEpochDay();
            case LocalTime time -> time.toNanoOfDay();
            case LocalDateTime time -> time.toEpochSecond(ZoneOffset.UTC);
            case Instant moment -> moment.getEpochSecond();
            default -> Double.NaN;
        };
    }

    /// Whether there are no values but the common ones.
    public boolean isAllCommon() {
        double known = frequencies.stream().mapToDouble(part -> part).sum();
        return !common.isEmpty() && known > (1 - nullPart) * (1 - 1e-6);
    }

    /// As a tuple; [#decode] reads it.
    @Nullable Object[] encode(String column) {
        List<Object> values = new ArrayList<>();
        values.add(column);
        values.add(type.toString());
        values.add(nullPart);
        values.add(averageBytes);
        values.add(distinct);
        values.add((long) common.size());
        values.addAll(common);
        values.addAll(frequencies);
        values.addAll(bounds);
        return values.toArray();
    }

    /// The column that a tuple of [#encode] is about.
    static String column(@Nullable Object[] tuple) {
        return (String) Objects.requireNonNull(tuple[0]);
    }

    /// Reads a tuple.
    ///
    /// @param type the column's
    /// @return null if the column had another type
    static @Nullable ColumnStatistics decode(@Nullable Object[] tuple, SqlType type) {
        if (!type.toString().equals(tuple[1])) {
            return null;
        }
        List<Object> values = new ArrayList<>();
        for (Object value : tuple) {
            values.add(Objects.requireNonNull(value));
        }
        int count = ((Long) values.get(COUNT)).intValue();
        int frequencies = COUNT + 1 + count;
        List<Double> parts = new ArrayList<>();
        values.subList(frequencies, frequencies + count).forEach(part -> parts.add((Double) part));
        return new ColumnStatistics(
                type,
                (Double) values.get(COUNT - 3),
                (Double) values.get(COUNT - 2),
                (Double) values.get(COUNT - 1),
                values.subList(COUNT + 1, frequencies),
                parts,
                values.subList(frequencies + count, values.size()));
    }
}
