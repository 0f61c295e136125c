package org.namdb.sql.engine.bind;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.namdb.sql.engine.expression.ConstantScalar;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.cast.Casts;
import org.namdb.sql.engine.expression.function.Functions;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.type.SqlType;

/// The values of `generate_series(start, stop [, step])`: integers, or timestamps with an interval
/// as the step; and those of `generate_subscripts(array, 1)`.
///
/// @param start the first value
/// @param stop none is beyond it
/// @param step what each value is more than the one before; not zero
/// @param type of the values: INTEGER, BIGINT, TIMESTAMP or TIMESTAMPTZ
public record Series(Scalar start, Scalar stop, Scalar step, SqlType type) implements RowFunction {
    private static final String NAME = "generate_series";

    private static final String SUBSCRIPTS = "generate_subscripts";

    /// Whether a function of this name gives a series.
    static boolean isSeries(String name) {
        return name.equals(NAME) || name.equals(SUBSCRIPTS);
    }

    /// A call in FROM.
    ///
    /// @param name in lower case
    /// @throws SqlException 42883 if there is none for these arguments
    static Series of(String name, List<Scalar> arguments) {
        if (name.equals(SUBSCRIPTS)) {
            return subscripts(arguments);
        }
        int count = arguments.size();
        boolean isTime =
                count == 3
                        && arguments.stream().limit(2).anyMatch(a -> isTime(a.type()))
                        && arguments.stream()
                                .limit(2)
                                .allMatch(a -> a.type().isUnknown() || isTime(a.type()));
        if (isTime) {
            boolean hasLocal = arguments.stream().anyMatch(a -> a.type().equals(SqlType.TIMESTAMP));
            boolean hasZoned =
                    arguments.stream().anyMatch(a -> a.type().equals(SqlType.TIMESTAMPTZ));
            SqlType time = hasLocal && !hasZoned ? SqlType.TIMESTAMP : SqlType.TIMESTAMPTZ;
            return new Series(
                    Casts.implicit(arguments.get(0), time),
                    Casts.implicit(arguments.get(1), time),
                    Casts.implicit(arguments.get(2), SqlType.INTERVAL),
                    time);
        }
        if (count < 2 || count > 3 || !arguments.stream().allMatch(Series::mayBeInteger)) {
            throw Functions.undefined(name, arguments);
        }
        boolean isLong = arguments.stream().anyMatch(a -> a.type().equals(SqlType.BIGINT));
        SqlType type = isLong ? SqlType.BIGINT : SqlType.INTEGER;
        List<Scalar> values = new ArrayList<>();
        arguments.forEach(argument -> values.add(Casts.implicit(argument, type)));
        Scalar step = count == 3 ? values.get(2) : new ConstantScalar(1L, type);
        return new Series(values.get(0), values.get(1), step, type);
    }

    /// The places of an array's elements.
    private static Series subscripts(List<Scalar> arguments) {
        SqlType given = arguments.isEmpty() ? SqlType.UNKNOWN : arguments.getFirst().type();
        if (arguments.size() != 2 || !given.isArray() && !given.isVector()) {
            throw Functions.undefined(SUBSCRIPTS, arguments);
        }
        return of(
                NAME,
                List.of(
                        Functions.call("array_lower", arguments),
                        Functions.call("array_upper", arguments)));
    }

    static boolean isTime(SqlType type) {
        return type.equals(SqlType.TIMESTAMP)
                || type.equals(SqlType.TIMESTAMPTZ)
                || type.equals(SqlType.DATE);
    }

    private static boolean mayBeInteger(Scalar scalar) {
        return scalar.type().isUnknown() || Casts.isImplicit(scalar.type(), SqlType.BIGINT);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public int columns() {
        return 1;
    }

    @Override
    public List<Scalar> scalars() {
        return List.of(start, stop, step);
    }

    @Override
    public Series map(UnaryOperator<Scalar> change) {
        return new Series(change.apply(start), change.apply(stop), change.apply(step), type);
    }
}
