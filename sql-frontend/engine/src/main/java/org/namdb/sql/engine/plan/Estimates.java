package org.namdb.sql.engine.plan;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.Relation;
import org.namdb.sql.engine.catalog.SqlColumn;
import org.namdb.sql.engine.catalog.SqlTable;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.engine.expression.ConstantScalar;
import org.namdb.sql.engine.expression.Constants;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.condition.Comparison;
import org.namdb.sql.engine.expression.condition.ComparisonOperator;
import org.namdb.sql.engine.statistics.ColumnStatistics;
import org.namdb.sql.engine.statistics.TableStatistics;

/// Estimates numbers of rows: by the statistics of tables that were analyzed, by guesses else.
/// Conditions on several columns are taken to be independent.
final class Estimates {
    /// What a text begins with, and nothing that does is greater.
    private static final String LAST = "\uffff";

    private final Function<SqlTable, @Nullable TableStatistics> statistics;
    private final Map<Integer, Known> known = new HashMap<>();

    /// A column of a query with statistics.
    ///
    /// @param rows how many rows its table has
    private record Known(ColumnStatistics column, double rows) {
        double distinct() {
            return column.distinct(rows);
        }

        /// Which part of the rows has the value of an expression.
        double equal(Scalar value) {
            if (value instanceof NullKey) {
                return column.nullPart();
            }
            return Constants.fold(value) instanceof ConstantScalar constant
                    ? constant.value() == null ? 0 : column.equal(constant.value(), rows)
                    : column.equal(rows);
        }
    }

    /// Bounds of a column, as far as they are constants.
    private static final class Interval {
        private @Nullable Object low;
        private @Nullable Object high;
    }

    /// @param statistics of a table; null if it was not analyzed
    Estimates(Function<SqlTable, @Nullable TableStatistics> statistics) {
        this.statistics = statistics;
    }

    /// A table of the query is about to be planned.
    void add(Relation.Base base) {
        TableStatistics learned = statistics.apply(base.table());
        if (learned == null) {
            return;
        }
        for (int i = 0; i < base.fields().size(); i++) {
            ColumnStatistics column = column(base.table(), learned, i);
            if (column != null) {
                known.put(base.fields().get(i).id(), new Known(column, rows(base.table())));
            }
        }
    }

    private static @Nullable ColumnStatistics column(
            SqlTable table, TableStatistics learned, int number) {
        SqlColumn column = table.columns().get(number);
        ColumnStatistics found = learned.column(column.name());
        return found == null || !found.type().equals(column.type()) ? null : found;
    }

    /// Whether a table was analyzed.
    boolean isAnalyzed(SqlTable table) {
        return statistics.apply(table) != null;
    }

    /// How many rows a table has.
    double rows(SqlTable table) {
        TableStatistics learned = statistics.apply(table);
        long expected = table.stored().estimatedRows();
        return learned == null ? (double) expected : learned.rows(expected);
    }

    /// How many rows have values in some columns.
    ///
    /// @param columns their numbers
    /// @param keys the values, each for as many of the first columns
    /// @return -1 if that is not known
    double found(SqlTable table, List<Integer> columns, List<List<Scalar>> keys) {
        TableStatistics learned = statistics.apply(table);
        if (learned == null) {
            return -1;
        }
        double rows = rows(table);
        double part = 0;
        for (List<Scalar> key : keys) {
            double product = 1;
            for (int i = 0; i < key.size(); i++) {
                ColumnStatistics column = column(table, learned, columns.get(i));
                if (column == null) {
                    return -1;
                }
                product *= new Known(column, rows).equal(key.get(i));
            }
            part += product;
        }
        return Math.clamp(part * rows, 0, rows);
    }

    /// Which part of a table's rows has a column between bounds.
    ///
    /// @return -1 if that is not known
    double between(SqlTable table, int number, AccessPath.Interval bounds) {
        TableStatistics learned = statistics.apply(table);
        ColumnStatistics column = learned == null ? null : column(table, learned, number);
        if (column == null) {
            return -1;
        }
        Interval interval = new Interval();
        if (bounds.start() != null) {
            if (!(constant(bounds.start()) instanceof String start)) {
                return -1;
            }
            interval.low = start;
            interval.high = start + LAST;
        } else {
            interval.low = constant(bounds.low());
            interval.high = constant(bounds.high());
            if (bounds.low() != null && interval.low == null
                    || bounds.high() != null && interval.high == null) {
                return -1;
            }
        }
        return part(new Known(column, rows(table)), interval);
    }

    private static @Nullable Object constant(@Nullable Scalar scalar) {
        return scalar != null && Constants.fold(scalar) instanceof ConstantScalar constant
                ? constant.value()
                : null;
    }

    /// How many different values a column of the query has; -1 if that is not known.
    double distinct(Scalar scalar) {
        Known column = scalar instanceof ColumnScalar named ? known.get(named.index()) : null;
        return column == null ? -1 : column.distinct();
    }

    /// How many groups rows make.
    ///
    /// @param keys what they are grouped by
    double groups(double rows, List<Scalar> keys) {
        double groups = 1;
        for (Scalar key : keys) {
            double distinct = distinct(key);
            if (distinct < 0) {
                return Math.max(1, rows * Costs.EQUAL);
            }
            groups *= distinct;
        }
        return Math.clamp(groups, 1, Math.max(1, rows));
    }

    /// Which part of the rows meets conditions, from 0 to 1.
    double part(List<Scalar> conditions) {
        double part = 1;
        Map<Integer, Interval> intervals = new HashMap<>();
        for (Scalar condition : conditions) {
            part *= part(condition, intervals);
        }
        for (Map.Entry<Integer, Interval> interval : intervals.entrySet()) {
            Known column = known.get(interval.getKey());
            if (column != null) {
                part *= part(column, interval.getValue());
            }
        }
        return part;
    }

    private double part(Scalar condition, Map<Integer, Interval> intervals) {
        if (condition instanceof Comparison comparison
                && comparison.operator() == ComparisonOperator.NOT_EQUAL
                && comparison.left() instanceof ColumnScalar named) {
            Known column = known.get(named.index());
            Object value = constant(comparison.right());
            if (column != null && value != null) {
                double equal = column.column.equal(value, column.rows);
                return Math.max(0, 1 - column.column.nullPart() - equal);
            }
        }
        double part = 1;
        Set<Integer> fields = new HashSet<>();
        for (Restriction restriction : Restrictions.of(condition, Estimates::isGiven)) {
            Known column = known.get(restriction.field());
            double own = column == null ? -1 : part(restriction, column, intervals);
            if (own < 0) {
                return guess(condition);
            }
            fields.add(restriction.field());
            part *= own;
        }
        return fields.isEmpty() ? guess(condition) : Math.min(1, part);
    }

    /// @return -1 if it is not known
    private static double part(
            Restriction restriction, Known column, Map<Integer, Interval> intervals) {
        return switch (restriction) {
            case Restriction.Equal equal ->
                    Math.min(1, equal.values().stream().mapToDouble(column::equal).sum());
            case Restriction.Present _ -> 1 - column.column.nullPart();
            case Restriction.Low low -> bound(low.value(), null, column, low.field(), intervals);
            case Restriction.High high ->
                    bound(null, high.value(), column, high.field(), intervals);
            case Restriction.Start start -> {
                Interval interval = new Interval();
                if (!(constant(start.text()) instanceof String text)) {
                    yield -1;
                }
                interval.low = text;
                interval.high = text + LAST;
                yield part(column, interval);
            }
        };
    }

    /// Bounds of the same column are put together before they are looked at.
    private static double bound(
            @Nullable Scalar low,
            @Nullable Scalar high,
            Known column,
            int field,
            Map<Integer, Interval> intervals) {
        Object value = constant(low == null ? high : low);
        if (value == null || column.column.below(value) < 0) {
            return -1;
        }
        Interval interval = intervals.computeIfAbsent(field, _ -> new Interval());
        if (low == null) {
            interval.high = value;
        } else {
            interval.low = value;
        }
        return 1;
    }

    private static double part(Known column, Interval interval) {
        double from = interval.low == null ? 0 : column.column.below(interval.low);
        double to = interval.high == null ? 1 : column.column.below(interval.high);
        if (from < 0 || to < 0) {
            return -1;
        }
        double least = column.column.equal(column.rows);
        return Math.clamp((1 - column.column.nullPart()) * (to - from), least, 1);
    }

    private static boolean isGiven(Scalar scalar) {
        return Uses.of(scalar).isEmpty() && !Constants.isVolatile(scalar);
    }

    private static double guess(Scalar condition) {
        if (!(condition instanceof Comparison comparison)) {
            return Costs.OTHER;
        }
        return switch (comparison.operator()) {
            case EQUAL -> Costs.EQUAL;
            case NOT_EQUAL -> 1 - Costs.EQUAL;
            case LESS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL -> Costs.RANGE;
        };
    }
}
