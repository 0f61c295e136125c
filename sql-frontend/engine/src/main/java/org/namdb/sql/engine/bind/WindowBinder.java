package org.namdb.sql.engine.bind;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.ColumnScalar;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.aggregate.Aggregate;
import org.namdb.sql.engine.expression.aggregate.Aggregates;
import org.namdb.sql.engine.expression.cast.Casts;
import org.namdb.sql.engine.expression.function.Functions;
import org.namdb.sql.engine.expression.operator.Operators;
import org.namdb.sql.language.ast.Expression;
import org.namdb.sql.language.ast.Query;
import org.namdb.sql.language.ast.WindowFrame;
import org.namdb.sql.language.ast.WindowFrame.Kind;
import org.namdb.sql.language.ast.WindowFrame.Unit;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;

/// Gives calls of window functions their meaning.
final class WindowBinder {
    private static final Set<String> NAMES =
            Set.of(
                    "row_number",
                    "rank",
                    "dense_rank",
                    "percent_rank",
                    "cume_dist",
                    "ntile",
                    "lag",
                    "lead",
                    "first_value",
                    "last_value",
                    "nth_value");

    private final ExpressionBinder binder;
    private final Scope scope;

    WindowBinder(ExpressionBinder binder, Scope scope) {
        this.binder = binder;
        this.scope = scope;
    }

    /// Whether a function of this name is a window function, and no aggregate.
    static boolean isWindowFunction(String name) {
        return NAMES.contains(name);
    }

    static boolean hasWindow(Scalar scalar) {
        boolean[] found = new boolean[1];
        Rewrite.visit(scalar, part -> found[0] |= part instanceof WindowScalar);
        return found[0];
    }

    /// @param clause the clause that no window function may be in; null if they are allowed
    /// @throws SqlException 42P20, 42809, 42883
    WindowScalar bind(Expression.WindowCall window, @Nullable String clause) {
        if (clause != null) {
            throw error("window functions are not allowed in " + clause);
        }
        List<Scalar> partition =
                window.partition().stream().map(key -> binder.bind(key, scope)).toList();
        List<Relation.Ordering> order = new ArrayList<>();
        for (Query.SortKey key : window.orderBy()) {
            order.add(Ordinals.ordering(binder.bind(key.expression(), scope), key));
        }
        WindowFrame frame = window.frame();
        WindowScalar.Bounds bounds =
                frame == null ? WindowScalar.Bounds.DEFAULT : bounds(frame, order);
        WindowScalar bound = function(window, partition, order, bounds);
        SetScalar.refuseIn(bound.operands(), "window functions");
        for (Scalar operand : bound.operands()) {
            if (hasWindow(operand)) {
                throw error("window function calls cannot be nested");
            }
        }
        return bound;
    }

    private static SqlException error(String message) {
        return new SqlException(SqlState.WINDOWING_ERROR, message);
    }

    private WindowScalar function(
            Expression.WindowCall window,
            List<Scalar> partition,
            List<Relation.Ordering> order,
            WindowScalar.Bounds bounds) {
        Expression.Call call = window.call();
        String name = call.function().text();
        List<Scalar> arguments =
                call.arguments().stream().map(argument -> binder.bind(argument, scope)).toList();
        if (Aggregates.isAggregate(name)) {
            if (call.isDistinct()) {
                throw unsupported("DISTINCT is not implemented for window functions");
            }
            Aggregate aggregate = Aggregates.resolve(name, arguments, call.isStar(), false);
            if (window.filter() != null) {
                aggregate = aggregate.where(binder.condition(window.filter(), scope, "FILTER"));
            }
            return new WindowScalar(
                    name,
                    aggregate,
                    aggregate.type(),
                    List.of(aggregate.argument()),
                    partition,
                    order,
                    bounds);
        }
        if (!isWindowFunction(name)) {
            throw new SqlException(
                    SqlState.WRONG_OBJECT_TYPE,
                    "OVER specified, but "
                            + name
                            + " is not a window function nor an aggregate function");
        }
        if (window.filter() != null) {
            throw unsupported("FILTER is not implemented for non-aggregate window functions");
        }
        if (call.isDistinct() || call.isStar()) {
            throw unsupported("DISTINCT is not implemented for window functions");
        }
        List<Scalar> typed = typed(name, arguments);
        return new WindowScalar(name, null, type(name, typed), typed, partition, order, bounds);
    }

    private static SqlException unsupported(String message) {
        return new SqlException(SqlState.FEATURE_NOT_SUPPORTED, message);
    }

    /// The arguments with the types that the function takes.
    private static List<Scalar> typed(String name, List<Scalar> arguments) {
        int count = arguments.size();
        boolean isRight =
                switch (name) {
                    case "ntile", "first_value", "last_value" -> count == 1;
                    case "nth_value" -> count == 2;
                    case "lag", "lead" -> count >= 1 && count <= 3;
                    default -> count == 0;
                };
        if (!isRight) {
            throw Functions.undefined(name, arguments);
        }
        if (count == 0) {
            return arguments;
        }
        if (name.equals("ntile")) {
            return List.of(whole(name, arguments, 0));
        }
        List<Scalar> typed = new ArrayList<>();
        Scalar value = arguments.getFirst();
        typed.add(value.type().isUnknown() ? Casts.implicit(value, SqlType.TEXT) : value);
        if (count > 1) {
            typed.add(whole(name, arguments, 1));
        }
        if (count > 2) {
            Scalar otherwise = arguments.get(2);
            SqlType type = typed.getFirst().type().unbounded();
            if (otherwise.type().isUnknown() || Casts.isImplicit(otherwise.type(), type)) {
                typed.set(0, Casts.implicit(typed.getFirst(), type));
                typed.add(Casts.implicit(otherwise, type));
            } else if (Casts.isImplicit(type, otherwise.type())) {
                typed.set(0, Casts.implicit(typed.getFirst(), otherwise.type()));
                typed.add(otherwise);
            } else {
                throw Functions.undefined(name, arguments);
            }
        }
        return typed;
    }

    private static Scalar whole(String name, List<Scalar> arguments, int place) {
        Scalar argument = arguments.get(place);
        if (!argument.type().isUnknown() && !Casts.isImplicit(argument.type(), SqlType.INTEGER)) {
            throw Functions.undefined(name, arguments);
        }
        return Casts.implicit(argument, SqlType.INTEGER);
    }

    private static SqlType type(String name, List<Scalar> arguments) {
        return switch (name) {
            case "row_number", "rank", "dense_rank" -> SqlType.BIGINT;
            case "percent_rank", "cume_dist" -> SqlType.DOUBLE;
            case "ntile" -> SqlType.INTEGER;
            default -> arguments.getFirst().type();
        };
    }

    private WindowScalar.Bounds bounds(WindowFrame frame, List<Relation.Ordering> order) {
        Kind start = frame.start().kind();
        Kind end = frame.end().kind();
        String refusal = null;
        if (start == Kind.UNBOUNDED_FOLLOWING) {
            refusal = "frame start cannot be UNBOUNDED FOLLOWING";
        } else if (end == Kind.UNBOUNDED_PRECEDING) {
            refusal = "frame end cannot be UNBOUNDED PRECEDING";
        } else if (start == Kind.CURRENT_ROW && end == Kind.PRECEDING) {
            refusal = "frame starting from current row cannot have preceding rows";
        } else if (start == Kind.FOLLOWING && end.compareTo(Kind.FOLLOWING) < 0) {
            refusal = "frame starting from following row cannot have preceding rows";
        } else if (frame.unit() == Unit.GROUPS && order.isEmpty()) {
            refusal = "GROUPS mode requires an ORDER BY clause";
        }
        Expression startOffset = frame.start().offset();
        Expression endOffset = frame.end().offset();
        boolean isByValue =
                frame.unit() == Unit.RANGE && (startOffset != null || endOffset != null);
        if (isByValue && order.size() != 1) {
            refusal = "RANGE with offset PRECEDING/FOLLOWING requires exactly one ORDER BY column";
        }
        if (refusal != null) {
            throw new SqlException(SqlState.WINDOWING_ERROR, refusal, frame.position());
        }
        if (!isByValue) {
            return new WindowScalar.Bounds(
                    frame.unit(),
                    start,
                    rows(frame, startOffset),
                    end,
                    rows(frame, endOffset),
                    null,
                    frame.exclusion());
        }
        Scalar first = startOffset == null ? null : limit(order.getFirst(), start, startOffset);
        Scalar last = endOffset == null ? null : limit(order.getFirst(), end, endOffset);
        Scalar either = first == null ? last : first;
        Scalar value = order.getFirst().value();
        return new WindowScalar.Bounds(
                frame.unit(),
                start,
                first,
                end,
                last,
                either == null || either.type().equals(value.type())
                        ? value
                        : Casts.implicit(value, either.type()),
                frame.exclusion());
    }

    /// How many rows, or groups.
    private @Nullable Scalar rows(WindowFrame frame, @Nullable Expression offset) {
        if (offset == null) {
            return null;
        }
        Scalar bound = Casts.implicit(binder.bind(offset, scope), SqlType.BIGINT);
        Rewrite.visit(
                bound,
                part -> {
                    if (part instanceof ColumnScalar) {
                        throw new SqlException(
                                SqlState.INVALID_COLUMN_REFERENCE,
                                "argument of " + frame.unit() + " must not contain variables",
                                offset.position());
                    }
                });
        return bound;
    }

    /// The value of the order that is an offset away from the current row's.
    private Scalar limit(Relation.Ordering order, Kind kind, Expression offset) {
        boolean isLess = (kind == Kind.PRECEDING) != order.isDescending();
        return Operators.binary(isLess ? "-" : "+", order.value(), binder.bind(offset, scope));
    }
}
