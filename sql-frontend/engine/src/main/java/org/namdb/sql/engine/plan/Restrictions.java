package org.namdb.sql.engine.plan;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.bind.Conditions;
import org.namdb.sql.engine.bind.Rewrite;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.engine.expression.ConstantScalar;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.array.AnyElement;
import org.namdb.sql.engine.expression.array.ArrayQuantifier;
import org.namdb.sql.engine.expression.cast.Casts;
import org.namdb.sql.engine.expression.condition.Comparison;
import org.namdb.sql.engine.expression.condition.ComparisonOperator;
import org.namdb.sql.engine.expression.condition.InList;
import org.namdb.sql.engine.expression.condition.NullTest;
import org.namdb.sql.engine.expression.function.StartsWith;
import org.namdb.sql.engine.expression.operator.Operators;
import org.namdb.sql.engine.expression.text.LikeScalar;
import org.namdb.sql.language.type.Interval;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.ValueOrder;

/// Reads conditions: which columns they restrict to which values, and which they make equal.
final class Restrictions {
    private Restrictions() {}

    /// More than clocks are changed by.
    private static final Interval CLOCK_CHANGE = new Interval(0, 2, 0);

    /// How many elements an array is expected to have.
    private static final int ELEMENTS = 10;

    /// The two sides of an equality.
    record Pair(Scalar left, Scalar right, ValueOrder order) {
        Pair swapped() {
            return new Pair(/* left= */ right, /* right= */ left, order);
        }
    }

    /// What a condition requires of single columns.
    ///
    /// @param isGiven whether an expression has its value before the column's row is read
    static List<Restriction> of(Scalar condition, Predicate<Scalar> isGiven) {
        List<Restriction> found = new ArrayList<>();
        if (condition instanceof Comparison comparison) {
            addSide(comparison, condition, isGiven, found);
            addSide(comparison.swapped(), condition, isGiven, found);
            addTime(comparison, isGiven, found);
            addTime(comparison.swapped(), isGiven, found);
        } else if (condition instanceof InList in && !in.isNegated()) {
            addValues(in, condition, isGiven, found);
        } else if (condition instanceof ArrayQuantifier test) {
            addElements(test, isGiven, found);
        } else if (condition instanceof NullTest test) {
            addNullTest(test, isGiven, found);
        } else if (condition instanceof LikeScalar like) {
            addPattern(like, isGiven, found);
        } else {
            StartsWith starts = StartsWith.of(condition);
            if (starts != null) {
                addStart(starts.column(), starts.text(), condition, isGiven, found);
            }
            addAlternatives(condition, isGiven, found);
        }
        return found;
    }

    private static void addSide(
            Comparison comparison,
            Scalar condition,
            Predicate<Scalar> isGiven,
            List<Restriction> found) {
        Scalar value = comparison.right();
        if (!(comparison.left() instanceof ColumnScalar column)
                || isGiven.test(column)
                || !isGiven.test(value)
                || !keepsOrder(column.type(), comparison.order())) {
            return;
        }
        int field = column.index();
        switch (comparison.operator()) {
            case EQUAL ->
                    found.add(
                            new Restriction.Equal(
                                    field,
                                    List.of(value),
                                    condition,
                                    comparison.order() == ValueOrder.of(column.type())));
            case GREATER, GREATER_OR_EQUAL ->
                    found.add(new Restriction.Low(field, value, condition));
            case LESS, LESS_OR_EQUAL -> found.add(new Restriction.High(field, value, condition));
            case NOT_EQUAL -> {}
        }
    }

    /// A DATE or TIMESTAMP that is compared as a TIMESTAMP or a moment is restricted to the values
    /// that may be meant; the condition is checked of each.
    private static void addTime(
            Comparison comparison, Predicate<Scalar> isGiven, List<Restriction> found) {
        ColumnScalar column = Casts.datetimeColumn(comparison.left());
        Scalar value = comparison.right();
        if (column == null || isGiven.test(column) || !isGiven.test(value)) {
            return;
        }
        ComparisonOperator operator = comparison.operator();
        boolean isEqual = operator == ComparisonOperator.EQUAL;
        if (isEqual
                || operator == ComparisonOperator.GREATER
                || operator == ComparisonOperator.GREATER_OR_EQUAL) {
            Scalar bound = bound("-", value, column.type());
            found.add(new Restriction.Low(column.index(), bound, comparison));
        }
        if (isEqual
                || operator == ComparisonOperator.LESS
                || operator == ComparisonOperator.LESS_OR_EQUAL) {
            Scalar bound = bound("+", value, column.type());
            found.add(new Restriction.High(column.index(), bound, comparison));
        }
    }

    /// A bound for what clocks have shown. Where they are put back or forward, by a day at the
    /// most, their order is not that of the moments.
    private static Scalar bound(String direction, Scalar value, SqlType column) {
        Scalar bound = value;
        if (value.type().kind() == SqlType.Kind.TIMESTAMPTZ) {
            bound =
                    Operators.binary(
                            direction,
                            Casts.explicit(value, SqlType.TIMESTAMP),
                            new ConstantScalar(CLOCK_CHANGE, SqlType.INTERVAL));
        }
        return Casts.explicit(bound, column);
    }

    /// Whether values that are compared in an order lie in a key of the column in that order. Not
    /// so for a VARCHAR compared as CHAR, with blanks at the end that don't count.
    private static boolean keepsOrder(SqlType column, ValueOrder order) {
        return order == ValueOrder.of(column)
                || order == ValueOrder.STRING && column.kind() == SqlType.Kind.CHAR;
    }

    private static void addValues(
            InList in, Scalar condition, Predicate<Scalar> isGiven, List<Restriction> found) {
        if (in.operand() instanceof ColumnScalar column
                && !isGiven.test(column)
                && in.values().stream().allMatch(isGiven)
                && keepsOrder(column.type(), in.order())) {
            boolean isExact = in.order() == ValueOrder.of(column.type());
            found.add(new Restriction.Equal(column.index(), in.values(), condition, isExact));
        }
    }

    /// Of the array's length nothing is known. It is not taken for one, which would promise an
    /// order.
    private static void addElements(
            ArrayQuantifier test, Predicate<Scalar> isGiven, List<Restriction> found) {
        ValueOrder order = test.orderOfEqual();
        if (order != null
                && test.operand() instanceof ColumnScalar column
                && !isGiven.test(column)
                && isGiven.test(test.array())
                && keepsOrder(column.type(), order)) {
            List<Scalar> values = Collections.nCopies(ELEMENTS, new AnyElement(test.array()));
            boolean isExact = order == ValueOrder.of(column.type());
            found.add(new Restriction.Equal(column.index(), values, test, isExact));
        }
    }

    private static void addNullTest(
            NullTest test, Predicate<Scalar> isGiven, List<Restriction> found) {
        if (test.operand() instanceof ColumnScalar column && !isGiven.test(column)) {
            int field = column.index();
            found.add(
                    test.isNegated()
                            ? new Restriction.Present(field, test)
                            : new Restriction.Equal(
                                    field, List.of(new NullKey(column.type())), test, true));
        }
    }

    private static void addPattern(
            LikeScalar like, Predicate<Scalar> isGiven, List<Restriction> found) {
        ColumnScalar column = like.column();
        Scalar start = like.start();
        if (column == null || start == null) {
            return;
        }
        boolean isPadded = column.type().kind() == SqlType.Kind.CHAR;
        if (like.isEquality() && !isGiven.test(column)) {
            found.add(new Restriction.Equal(column.index(), List.of(start), like, !isPadded));
        } else {
            addStart(column, start, like, isGiven, found);
        }
    }

    private static void addStart(
            ColumnScalar column,
            Scalar text,
            Scalar condition,
            Predicate<Scalar> isGiven,
            List<Restriction> found) {
        // Of other tuples' texts any may be empty, and then the whole index would be read for each.
        if (isGiven.test(column)
                || !isGiven.test(text)
                || !Uses.of(text).isEmpty()
                || text instanceof ConstantScalar known && "".equals(known.value())) {
            return;
        }
        boolean isWhole =
                condition instanceof LikeScalar like
                        ? like.isWholeStart()
                        : text instanceof ConstantScalar;
        boolean isExact = isWhole && column.type().kind() != SqlType.Kind.CHAR;
        found.add(new Restriction.Start(column.index(), text, condition, isExact));
    }

    /// `a = 1 OR a = 2 OR a IS NULL`.
    private static void addAlternatives(
            Scalar condition, Predicate<Scalar> isGiven, List<Restriction> found) {
        List<Scalar> alternatives = Conditions.alternatives(condition);
        if (alternatives.size() < 2) {
            return;
        }
        int field = -1;
        boolean isExact = true;
        List<Scalar> values = new ArrayList<>();
        for (Scalar alternative : alternatives) {
            if (Conditions.alternatives(alternative).size() > 1) {
                return;
            }
            List<Restriction> restrictions = of(alternative, isGiven);
            if (restrictions.size() != 1
                    || !(restrictions.getFirst() instanceof Restriction.Equal equal)
                    || field >= 0 && equal.field() != field) {
                return;
            }
            field = equal.field();
            isExact &= equal.isExact();
            values.addAll(equal.values());
        }
        found.add(new Restriction.Equal(field, values, condition, isExact));
    }

    /// The sides of an equality; null if it is none.
    static @Nullable Pair equality(Scalar condition) {
        return condition instanceof Comparison comparison
                        && comparison.operator() == ComparisonOperator.EQUAL
                ? new Pair(comparison.left(), comparison.right(), comparison.order())
                : null;
    }

    /// Whether a condition can't be true if all of these columns are NULL.
    static boolean rejectsNulls(Scalar condition, Set<Integer> ids) {
        if (condition instanceof Comparison comparison) {
            return isColumn(comparison.left(), ids) || isColumn(comparison.right(), ids);
        }
        if (condition instanceof InList in) {
            return isColumn(in.operand(), ids);
        }
        if (condition instanceof ArrayQuantifier test) {
            return test.orderOfEqual() != null && isColumn(test.operand(), ids);
        }
        return isFalseWithNulls(condition, ids);
    }

    private static boolean isColumn(Scalar scalar, Set<Integer> ids) {
        return scalar instanceof ColumnScalar column && ids.contains(column.index());
    }

    private static boolean isFalseWithNulls(Scalar condition, Set<Integer> ids) {
        if (Uses.of(condition).isEmpty()
                || !Uses.only(condition, ids)
                || Uses.hasSubquery(condition)) {
            return false;
        }
        Scalar withNulls =
                Rewrite.replace(
                        condition,
                        part ->
                                part instanceof ColumnScalar column
                                        ? new ConstantScalar(null, column.type())
                                        : null);
        return org.namdb.sql.engine.expression.Constants.fold(withNulls)
                        instanceof ConstantScalar known
                && !Boolean.TRUE.equals(known.value());
    }
}
