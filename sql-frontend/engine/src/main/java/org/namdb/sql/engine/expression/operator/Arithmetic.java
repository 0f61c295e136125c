package org.namdb.sql.engine.expression.operator;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.Binary;
import org.namdb.sql.engine.expression.BinaryOperation;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Unary;
import org.namdb.sql.engine.expression.UnaryOperation;
import org.namdb.sql.engine.expression.cast.Casts;
import org.namdb.sql.engine.expression.number.DecimalMath;
import org.namdb.sql.engine.expression.number.FloatMath;
import org.namdb.sql.engine.expression.number.IntegerArithmetic;
import org.namdb.sql.engine.expression.number.Integers;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.SqlType.Kind;

/// `+ - * / % ^` of numbers: the type in which each is done, and how.
final class Arithmetic {
    private Arithmetic() {}

    /// The operation on two numbers; null if there is no such operator.
    static @Nullable Scalar of(String operator, Scalar left, Scalar right) {
        SqlType type = typeOf(operator, left.type(), right.type());
        Scalar a = Casts.implicit(left, type);
        Scalar b = Casts.implicit(right, type);
        if (type.isInteger()) {
            return new IntegerArithmetic(operator.charAt(0), a, b, type);
        }
        Binary function =
                switch (type.kind()) {
                    case DECIMAL -> decimal(operator);
                    case REAL -> real(operator);
                    default -> doublePrecision(operator);
                };
        return function == null ? null : new BinaryOperation(operator, a, b, type, function);
    }

    /// Two REALs give a REAL; REAL with anything else gives DOUBLE PRECISION, as all with one of
    /// those. Powers have no integers.
    static SqlType typeOf(String operator, SqlType left, SqlType right) {
        boolean isPower = operator.equals("^");
        if (left.isFloat() || right.isFloat()) {
            boolean isReal = left.kind() == Kind.REAL && right.kind() == Kind.REAL && !isPower;
            return isReal ? SqlType.REAL : SqlType.DOUBLE;
        }
        if (left.kind() == Kind.DECIMAL || right.kind() == Kind.DECIMAL) {
            return SqlType.DECIMAL;
        }
        if (isPower) {
            return SqlType.DOUBLE;
        }
        return left.kind().compareTo(right.kind()) >= 0 ? left : right;
    }

    private static @Nullable Binary decimal(String operator) {
        return switch (operator) {
            case "+" -> (a, b) -> DecimalMath.add((BigDecimal) a, (BigDecimal) b);
            case "-" -> (a, b) -> DecimalMath.subtract((BigDecimal) a, (BigDecimal) b);
            case "*" -> (a, b) -> DecimalMath.multiply((BigDecimal) a, (BigDecimal) b);
            case "/" -> (a, b) -> DecimalMath.divide((BigDecimal) a, (BigDecimal) b);
            case "%" -> (a, b) -> DecimalMath.remainder((BigDecimal) a, (BigDecimal) b);
            case "^" -> (a, b) -> DecimalMath.power((BigDecimal) a, (BigDecimal) b);
            default -> null;
        };
    }

    private static @Nullable Binary doublePrecision(String operator) {
        return switch (operator) {
            case "+" -> (a, b) -> FloatMath.add((Double) a, (Double) b);
            case "-" -> (a, b) -> FloatMath.subtract((Double) a, (Double) b);
            case "*" -> (a, b) -> FloatMath.multiply((Double) a, (Double) b);
            case "/" -> (a, b) -> FloatMath.divide((Double) a, (Double) b);
            case "^" -> (a, b) -> FloatMath.power((Double) a, (Double) b);
            default -> null;
        };
    }

    /// In double precision and then rounded, which gives the same as arithmetic of `float`.
    private static @Nullable Binary real(String operator) {
        return switch (operator) {
            case "+" ->
                    (a, b) -> FloatMath.real((double) (Float) a + (Float) b, (Float) a, (Float) b);
            case "-" ->
                    (a, b) -> FloatMath.real((double) (Float) a - (Float) b, (Float) a, (Float) b);
            case "*" ->
                    (a, b) -> FloatMath.real((double) (Float) a * (Float) b, (Float) a, (Float) b);
            case "/" ->
                    (a, b) ->
                            FloatMath.real(
                                    FloatMath.divide((Float) a, (Float) b), (Float) a, (Float) b);
            default -> null;
        };
    }

    /// `- a` of a number.
    static Scalar negated(Scalar operand) {
        SqlType type = operand.type().unbounded();
        Unary function =
                switch (type.kind()) {
                    case DECIMAL -> v -> ((BigDecimal) v).negate();
                    case REAL -> v -> -(Float) v;
                    case DOUBLE -> v -> -(Double) v;
                    default -> v -> Integers.negated((Long) v, type.kind());
                };
        return new UnaryOperation("-", operand, type, function);
    }
}
