package org.namdb.sql.engine.expression.function;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.engine.expression.cast.Casts;
import org.namdb.sql.engine.expression.operator.Operators;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.ValueOrder;

/// `(a, b) OVERLAPS (c, d)`: whether two periods have a moment in common. A period has its start,
/// but not its end, unless both are the same; its bounds may come in any order.
final class OverlapsScalar extends Scalar {
    private static final int BOUNDS = 4;

    private final List<Scalar> bounds;

    private OverlapsScalar(List<Scalar> bounds) {
        super(SqlType.BOOLEAN);
        this.bounds = bounds;
    }

    /// A call; null for arguments that are no bounds of two periods.
    ///
    /// @param arguments the second and the fourth may be lengths
    static @Nullable OverlapsScalar of(List<Scalar> arguments) {
        if (arguments.size() != BOUNDS) {
            return null;
        }
        SqlType type = common(arguments);
        List<Scalar> bounds = new ArrayList<>();
        for (int i = 0; i < BOUNDS; i++) {
            Scalar argument = arguments.get(i);
            if (!isLength(arguments, i)) {
                bounds.add(Casts.implicit(argument, type));
            } else if (type.kind() == SqlType.Kind.TIME) {
                bounds.add(Operators.binary("+", bounds.getLast(), argument));
            } else {
                bounds.add(Casts.implicit(Operators.binary("+", bounds.getLast(), argument), type));
            }
        }
        return new OverlapsScalar(bounds);
    }

    private static boolean isLength(List<Scalar> arguments, int place) {
        return place % 2 == 1 && arguments.get(place).type().kind() == SqlType.Kind.INTERVAL;
    }

    /// The type that all moments are compared in.
    private static SqlType common(List<Scalar> arguments) {
        List<Scalar> moments = new ArrayList<>();
        Set<SqlType.Kind> known = new HashSet<>();
        for (int i = 0; i < BOUNDS; i++) {
            Scalar argument = arguments.get(i);
            if (!isLength(arguments, i) && !argument.type().isUnknown()) {
                moments.add(argument);
            }
            known.add(argument.type().kind());
        }
        if (moments.isEmpty() && isLength(arguments, 1) && isLength(arguments, 3)) {
            return SqlType.TIMESTAMPTZ;
        }
        // What has no type may be a moment or a length, unless all others have the same type.
        boolean hasUnknown = known.remove(SqlType.Kind.UNKNOWN);
        if (moments.isEmpty() || hasUnknown && known.size() > 1) {
            throw error(SqlState.AMBIGUOUS_FUNCTION, arguments, "is not unique");
        }
        boolean areTimes = isTime(moments.getFirst());
        for (Scalar moment : moments) {
            boolean isMoment =
                    switch (moment.type().kind()) {
                        case DATE, TIME, TIMESTAMP, TIMESTAMPTZ -> true;
                        default -> false;
                    };
            if (!isMoment || isTime(moment) != areTimes) {
                throw error(SqlState.UNDEFINED_FUNCTION, arguments, "does not exist");
            }
        }
        SqlType type = Casts.commonType("OVERLAPS", moments);
        return type.kind() == SqlType.Kind.DATE ? SqlType.TIMESTAMP : type;
    }

    private static boolean isTime(Scalar moment) {
        return moment.type().kind() == SqlType.Kind.TIME;
    }

    private static SqlException error(SqlState state, List<Scalar> arguments, String what) {
        String types =
                arguments.stream().map(a -> a.type().name()).collect(Collectors.joining(", "));
        return new SqlException(state, "function pg_catalog.overlaps(" + types + ") " + what)
                .withHint("OVERLAPS compares dates, times or timestamps.");
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        @Nullable Object[] first = period(0, frame);
        @Nullable Object[] second = period(2, frame);
        if (first[0] == null || second[0] == null) {
            return null;
        }
        int order = ValueOrder.NATURAL.compare(first[0], second[0]);
        if (order == 0) {
            return first[1] == null || second[1] == null ? null : Boolean.TRUE;
        }
        Object laterStart = order < 0 ? second[0] : first[0];
        Object earlierEnd = order < 0 ? first[1] : second[1];
        Object laterEnd = order < 0 ? second[1] : first[1];
        if (earlierEnd == null) {
            return null;
        }
        if (ValueOrder.NATURAL.compare(laterStart, earlierEnd) < 0) {
            return true;
        }
        return laterEnd == null ? null : false;
    }

    /// The bounds of a period, the earlier one first. If one of them is NULL, the other is first.
    private @Nullable Object[] period(int place, EvaluationFrame frame) {
        @Nullable Object start = bounds.get(place).evaluate(frame);
        @Nullable Object end = bounds.get(place + 1).evaluate(frame);
        boolean isSwapped =
                start == null || end != null && ValueOrder.NATURAL.compare(start, end) > 0;
        return isSwapped
                ? new @Nullable Object[] {end, start}
                : new @Nullable Object[] {start, end};
    }

    @Override
    public List<Scalar> operands() {
        return bounds;
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new OverlapsScalar(newOperands);
    }

    @Override
    public Volatility volatility() {
        return Volatility.IMMUTABLE;
    }

    @Override
    protected Object traits() {
        return "overlaps";
    }

    @Override
    public String toString() {
        return "(%s, %s) OVERLAPS (%s, %s)".formatted(bounds.toArray());
    }
}
