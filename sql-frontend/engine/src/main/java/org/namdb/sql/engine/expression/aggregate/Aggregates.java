package org.namdb.sql.engine.expression.aggregate;

import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.ConstantScalar;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.aggregate.Moments.Figure;
import org.namdb.sql.engine.expression.cast.Casts;
import org.namdb.sql.engine.expression.function.Functions;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.SqlType.Kind;
import org.namdb.sql.language.type.ValueOrder;

/// The aggregates by name.
public final class Aggregates {
    private static final Set<String> NAMES =
            Set.of(
                    "count",
                    "sum",
                    "avg",
                    "min",
                    "max",
                    "bool_and",
                    "bool_or",
                    "every",
                    "string_agg",
                    "array_agg",
                    "stddev",
                    "stddev_samp",
                    "stddev_pop",
                    "variance",
                    "var_samp",
                    "var_pop");

    private Aggregates() {}

    /// The names of all aggregates.
    public static Set<String> names() {
        return NAMES;
    }

    /// Whether a function of this name is an aggregate.
    public static boolean isAggregate(String name) {
        return NAMES.contains(name);
    }

    /// The aggregate that a call means.
    ///
    /// @param name in lower case
    /// @param isStar whether the argument is `*`; there are no others then
    /// @throws SqlException 42883 if there is none of this name for these arguments
    public static Aggregate resolve(
            String name, List<Scalar> arguments, boolean isStar, boolean isDistinct) {
        if (isStar) {
            return star(name);
        }
        if (name.equals("string_agg") && arguments.size() == 2) {
            return joined(arguments, isDistinct);
        }
        if (name.equals("array_agg") && arguments.size() == 1) {
            return collected(arguments.getFirst(), isDistinct);
        }
        if (name.equals("count") && arguments.isEmpty()) {
            throw new SqlException(
                    SqlState.WRONG_OBJECT_TYPE,
                    "count(*) must be used to call a parameterless aggregate function");
        }
        if (arguments.size() != 1) {
            throw Functions.undefined(name, arguments);
        }
        Scalar argument = argument(name, arguments.getFirst());
        SqlType type = resultType(name, argument.type());
        Supplier<Accumulator> accumulators = accumulators(name, argument.type().kind());
        if (type == null || accumulators == null) {
            throw Functions.undefined(name, arguments);
        }
        return new Aggregate(name, argument, false, isDistinct, type, accumulators);
    }

    private static Aggregate star(String name) {
        if (!name.equals("count")) {
            throw new SqlException(
                            SqlState.UNDEFINED_FUNCTION, "function " + name + "() does not exist")
                    .withHint(
                            "No function matches the given name and argument types. You might need to add explicit type casts.");
        }
        return new Aggregate(
                name, ConstantScalar.TRUE, true, false, SqlType.BIGINT, Accumulators.Count::new);
    }

    private static Aggregate joined(List<Scalar> arguments, boolean isDistinct) {
        boolean areStrings =
                arguments.stream().allMatch(a -> Casts.isImplicit(a.type(), SqlType.TEXT));
        if (!areStrings) {
            throw Functions.undefined("string_agg", arguments);
        }
        PieceScalar piece =
                new PieceScalar(
                        Casts.implicit(arguments.get(0), SqlType.TEXT),
                        Casts.implicit(arguments.get(1), SqlType.TEXT));
        return new Aggregate(
                "string_agg", piece, false, isDistinct, SqlType.TEXT, Accumulators.Joined::new);
    }

    /// With DISTINCT, PostgreSQL sorts the elements.
    private static Aggregate collected(Scalar argument, boolean isDistinct) {
        if (argument.type().isUnknown() && argument instanceof ConstantScalar) {
            return collected(Casts.implicit(argument, SqlType.TEXT), isDistinct);
        }
        if (argument.type().isArray()) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "arrays of several dimensions are not supported");
        }
        SqlType element = argument.type();
        Aggregate aggregate =
                new Aggregate(
                        "array_agg",
                        new ElementScalar(argument),
                        false,
                        isDistinct,
                        SqlType.arrayOf(element.unbounded()),
                        () -> new Accumulators.Collected(element));
        return isDistinct
                ? aggregate.ordered(List.of(new SortedPieceScalar.Key(argument, false, false)))
                : aggregate;
    }

    /// An argument without a type is a condition to those that want one, and else text.
    private static Scalar argument(String name, Scalar argument) {
        if (!argument.type().isUnknown()) {
            return argument;
        }
        return switch (name) {
            case "bool_and", "bool_or", "every" -> Casts.implicit(argument, SqlType.BOOLEAN);
            case "count", "min", "max" -> Casts.implicit(argument, SqlType.TEXT);
            default ->
                    throw new SqlException(
                                    SqlState.AMBIGUOUS_FUNCTION,
                                    "function " + name + "(unknown) is not unique")
                            .withHint(
                                    "Could not choose a best candidate function. You might need to add explicit type casts.");
        };
    }

    private static @Nullable SqlType resultType(String name, SqlType argument) {
        Kind kind = argument.kind();
        return switch (name) {
            case "count" -> SqlType.BIGINT;
            case "min", "max" ->
                    switch (kind) {
                        case BOOLEAN, BYTEA, UUID -> null;
                        case ARRAY -> argument;
                        case VARCHAR -> SqlType.TEXT;
                        case CHAR -> argument;
                        default -> argument.unbounded();
                    };
            case "bool_and", "bool_or", "every" -> kind == Kind.BOOLEAN ? SqlType.BOOLEAN : null;
            case "sum" ->
                    switch (kind) {
                        case SMALLINT, INTEGER -> SqlType.BIGINT;
                        case BIGINT, DECIMAL -> SqlType.DECIMAL;
                        case REAL, DOUBLE, INTERVAL -> argument;
                        default -> null;
                    };
            default ->
                    argument.isFloat()
                            ? SqlType.DOUBLE
                            : argument.isNumeric()
                                    ? SqlType.DECIMAL
                                    : kind == Kind.INTERVAL && name.equals("avg") ? argument : null;
        };
    }

    private static @Nullable Supplier<Accumulator> accumulators(String name, Kind kind) {
        return switch (name) {
            case "count" -> Accumulators.Count::new;
            case "min" -> extreme(kind, false);
            case "max" -> extreme(kind, true);
            case "bool_and", "every" -> () -> new Accumulators.Truth(true);
            case "bool_or" -> () -> new Accumulators.Truth(false);
            case "sum" -> sum(kind);
            case "avg" -> figure(Figure.AVERAGE, kind);
            case "variance", "var_samp" -> figure(Figure.VARIANCE_OF_SAMPLE, kind);
            case "var_pop" -> figure(Figure.VARIANCE_OF_ALL, kind);
            case "stddev", "stddev_samp" -> figure(Figure.DEVIATION_OF_SAMPLE, kind);
            case "stddev_pop" -> figure(Figure.DEVIATION_OF_ALL, kind);
            default -> null;
        };
    }

    private static Supplier<Accumulator> extreme(Kind kind, boolean isGreatest) {
        if (kind == Kind.SMALLINT || kind == Kind.INTEGER || kind == Kind.BIGINT) {
            return () -> new Accumulators.ExtremeInteger(isGreatest);
        }
        ValueOrder order = ValueOrder.of(new SqlType(kind, 0, 0, false));
        return () -> new Accumulators.Extreme(order, isGreatest);
    }

    private static @Nullable Supplier<Accumulator> sum(Kind kind) {
        return switch (kind) {
            case SMALLINT, INTEGER -> Accumulators.SumOfIntegers::new;
            case BIGINT -> () -> new Moments.OfIntegers(Figure.SUM);
            case REAL -> Moments.SumOfReals::new;
            default -> figure(Figure.SUM, kind);
        };
    }

    private static @Nullable Supplier<Accumulator> figure(Figure figure, Kind kind) {
        return switch (kind) {
            case SMALLINT, INTEGER, BIGINT ->
                    figure == Figure.AVERAGE
                            ? () -> new Moments.OfIntegers(figure)
                            : () -> new Moments.OfDecimals(figure);
            case DECIMAL -> () -> new Moments.OfDecimals(figure);
            case REAL, DOUBLE -> () -> new Moments.OfDoubles(figure);
            case INTERVAL -> () -> new Moments.OfIntervals(figure);
            default -> null;
        };
    }
}
