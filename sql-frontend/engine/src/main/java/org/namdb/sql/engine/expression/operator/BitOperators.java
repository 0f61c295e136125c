package org.namdb.sql.engine.expression.operator;

import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.Binary;
import org.namdb.sql.engine.expression.BinaryOperation;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.cast.Casts;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.SqlType.Kind;

/// The operators on the bits of integers: `& | #` of two, and shifts by an INTEGER.
final class BitOperators {
    private BitOperators() {}

    /// Null if the types have no such operator.
    ///
    /// @throws org.namdb.sql.language.error.SqlException 42725 if neither operand has a type, or
    ///     what is shifted has none and the other is a SMALLINT, by which nothing is shifted
    static @Nullable Scalar of(String operator, Scalar left, Scalar right) {
        if (left.type().isUnknown() && right.type().isUnknown()) {
            throw Operators.ambiguous("unknown " + operator + " unknown");
        }
        boolean isShift = operator.equals("<<") || operator.equals(">>");
        if (isShift && left.type().isUnknown() && right.type().kind() == Kind.SMALLINT) {
            throw Operators.ambiguous("unknown " + operator + " smallint");
        }
        SqlType type = isShift ? known(left, SqlType.INTEGER) : wider(left, right);
        SqlType second = isShift ? known(right, SqlType.INTEGER) : type;
        boolean isTooWide = isShift && second.kind() == Kind.BIGINT;
        if (!type.isInteger() || !second.isInteger() || isTooWide) {
            return null;
        }
        return new BinaryOperation(
                operator,
                Casts.implicit(left, type),
                Casts.implicit(right, isShift ? SqlType.INTEGER : type),
                type,
                function(operator, type.kind()));
    }

    private static SqlType known(Scalar operand, SqlType otherwise) {
        return operand.type().isUnknown() ? otherwise : operand.type();
    }

    private static SqlType wider(Scalar left, Scalar right) {
        SqlType a = known(left, right.type());
        SqlType b = known(right, a);
        boolean isFirst = !a.isInteger() || b.isInteger() && a.kind().compareTo(b.kind()) >= 0;
        return isFirst ? a : b;
    }

    private static Binary function(String operator, Kind kind) {
        return switch (operator) {
            case "&" -> (a, b) -> (Long) a & (Long) b;
            case "|" -> (a, b) -> (Long) a | (Long) b;
            case "#" -> (a, b) -> (Long) a ^ (Long) b;
            case "<<" ->
                    switch (kind) {
                        case BIGINT -> (a, b) -> (Long) a << (Long) b;
                        case SMALLINT -> (a, b) -> (long) (short) (int32(a) << int32(b));
                        default -> (a, b) -> (long) (int32(a) << int32(b));
                    };
            case ">>" ->
                    kind == Kind.BIGINT
                            ? (a, b) -> (Long) a >> (Long) b
                            : (a, b) -> (long) (int32(a) >> int32(b));
            default -> throw new IllegalArgumentException(operator);
        };
    }

    private static int int32(Object value) {
        return (int) (long) (Long) value;
    }
}
