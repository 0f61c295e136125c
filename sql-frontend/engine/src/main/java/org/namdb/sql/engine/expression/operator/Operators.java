package org.namdb.sql.engine.expression.operator;

import java.math.BigDecimal;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.BinaryOperation;
import org.namdb.sql.engine.expression.ConstantScalar;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.UnaryOperation;
import org.namdb.sql.engine.expression.array.ArrayFunctions;
import org.namdb.sql.engine.expression.cast.Casts;
import org.namdb.sql.engine.expression.condition.Comparison;
import org.namdb.sql.engine.expression.condition.ComparisonOperator;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.ByteString;
import org.namdb.sql.language.type.Interval;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.SqlType.Kind;
import org.namdb.sql.language.type.ValueOrder;

/// Finds what an operator does with operands of given types, as PostgreSQL would: a literal or
/// parameter without a type takes that of the other side, numbers go to the wider type.
public final class Operators {
    private static final String NO_MATCH =
            "No operator matches the given name and argument types. You might need to add explicit type casts.";
    private static final String NO_BEST =
            "Could not choose a best candidate operator. You might need to add explicit type casts.";

    /// CHAR of any length: what VARCHAR beside CHAR is compared as.
    private static final SqlType CHAR = new SqlType(Kind.CHAR, 0, 0, false);

    private Operators() {}

    /// An operator between two operands: `+ - * / % ^ || = <> < <= > >= and or`, and those of
    /// arrays and of bits.
    ///
    /// @throws SqlException 42883 if there is none for these types; 42725 if they leave a choice
    public static Scalar binary(String operator, Scalar left, Scalar right) {
        Scalar result =
                switch (operator) {
                    case "and" -> Logic.and(List.of(left, right));
                    case "or" -> Logic.or(List.of(left, right));
                    case "=" -> comparison(ComparisonOperator.EQUAL, left, right);
                    case "<>", "!=" -> comparison(ComparisonOperator.NOT_EQUAL, left, right);
                    case "<" -> comparison(ComparisonOperator.LESS, left, right);
                    case "<=" -> comparison(ComparisonOperator.LESS_OR_EQUAL, left, right);
                    case ">" -> comparison(ComparisonOperator.GREATER, left, right);
                    case ">=" -> comparison(ComparisonOperator.GREATER_OR_EQUAL, left, right);
                    case "||" -> concatenation(left, right);
                    case "@>", "<@", "&&" -> ArrayFunctions.operator(operator, left, right);
                    case "&", "|", "#", "<<", ">>" -> BitOperators.of(operator, left, right);
                    default -> arithmetic(operator, left, right);
                };
        if (result == null) {
            throw undefined(left.type().name() + " " + operator + " " + right.type().name());
        }
        return result;
    }

    /// An operator before its operand: `- + not ~`.
    ///
    /// @throws SqlException 42883 if there is none for this type
    public static Scalar unary(String operator, Scalar operand) {
        if (operator.equals("not")) {
            return Logic.not(operand);
        }
        SqlType type = operand.type();
        if (type.isUnknown() && operator.equals("+")) {
            return Casts.implicit(operand, SqlType.DOUBLE);
        }
        if (type.isUnknown()) {
            throw ambiguous(operator + " unknown");
        }
        if (operator.equals("+") && type.isNumeric()) {
            return operand;
        }
        if (operator.equals("-") && type.isNumeric()) {
            return Arithmetic.negated(operand);
        }
        if (operator.equals("~") && type.isInteger()) {
            return new UnaryOperation("~", operand, type, v -> ~(Long) v);
        }
        if (operator.equals("-") && type.kind() == Kind.INTERVAL) {
            return new UnaryOperation("-", operand, type, v -> ((Interval) v).negated());
        }
        throw undefined(operator + " " + type.name());
    }

    /// A comparison of two operands.
    ///
    /// @throws SqlException 42883 if the types can't be compared
    public static Comparison comparison(ComparisonOperator operator, Scalar left, Scalar right) {
        SqlType type = comparedAs(left.type(), right.type());
        if (type == null) {
            throw undefined(
                    left.type().name() + " " + operator.symbol() + " " + right.type().name());
        }
        Scalar a = left;
        Scalar b = right;
        if (type.kind() == Kind.DECIMAL) {
            a = wholeIfOther(left, right);
            b = wholeIfOther(right, left);
            type = a.type().isInteger() && b.type().isInteger() ? SqlType.BIGINT : type;
        }
        return Comparison.of(
                operator, Casts.implicit(a, type), Casts.implicit(b, type), orderOf(type));
    }

    /// Values of CHAR are without blanks at their end where they are compared.
    private static ValueOrder orderOf(SqlType type) {
        return type.isString() ? ValueOrder.STRING : ValueOrder.of(type);
    }

    /// The type in which two operands are equal or not.
    ///
    /// @throws SqlException 42883 if the types can't be compared
    public static SqlType equalAs(Scalar left, Scalar right) {
        SqlType type = comparedAs(left.type(), right.type());
        if (type == null) {
            throw undefined(left.type().name() + " = " + right.type().name());
        }
        return left.type().equals(right.type()) ? left.type() : type;
    }

    /// The type in which values of two types are compared; null if they can't be.
    static @Nullable SqlType comparedAs(SqlType left, SqlType right) {
        if (left.isUnknown() || right.isUnknown()) {
            SqlType known = left.isUnknown() ? right : left;
            return known.isUnknown() ? SqlType.TEXT : known.unbounded();
        }
        if (left.isString() && right.isString()) {
            boolean isText = left.kind() == Kind.TEXT || right.kind() == Kind.TEXT;
            return isText ? SqlType.TEXT : left.kind() == right.kind() ? left.unbounded() : CHAR;
        }
        if (left.isNumeric() && right.isNumeric()) {
            return Arithmetic.typeOf("=", left, right).unbounded();
        }
        if (left.isArray() && right.isArray()) {
            boolean isSame = left.element().kind() == right.element().kind();
            return isSame ? left.unbounded() : null;
        }
        if (left.kind() == right.kind()) {
            return left.unbounded();
        }
        boolean isRelated =
                left.category() == SqlType.Category.DATETIME
                        || left.category() == SqlType.Category.INTERVAL;
        if (isRelated && Casts.isImplicit(left, right)) {
            return right;
        }
        boolean isRelatedBack =
                right.category() == SqlType.Category.DATETIME
                        || right.category() == SqlType.Category.INTERVAL;
        return isRelatedBack && Casts.isImplicit(right, left) ? left : null;
    }

    /// `id = 5.0` is compared as integers, so that an index serves it.
    private static Scalar wholeIfOther(Scalar operand, Scalar other) {
        boolean mayBeWhole =
                other.type().isInteger()
                        && operand instanceof ConstantScalar
                        && operand.type().kind() == Kind.DECIMAL;
        if (mayBeWhole && ((ConstantScalar) operand).value() instanceof BigDecimal value) {
            BigDecimal whole = value.stripTrailingZeros();
            if (whole.scale() <= 0 && whole.precision() - whole.scale() <= 18) {
                return new ConstantScalar(whole.longValue(), SqlType.BIGINT);
            }
        }
        return operand;
    }

    private static @Nullable Scalar concatenation(Scalar left, Scalar right) {
        SqlType a = left.type();
        SqlType b = right.type();
        if (a.kind() == Kind.BYTEA || b.kind() == Kind.BYTEA) {
            boolean areBytes =
                    (a.kind() == Kind.BYTEA || a.isUnknown())
                            && (b.kind() == Kind.BYTEA || b.isUnknown());
            if (areBytes) {
                return new BinaryOperation(
                        "||",
                        Casts.implicit(left, SqlType.BYTEA),
                        Casts.implicit(right, SqlType.BYTEA),
                        SqlType.BYTEA,
                        (x, y) -> ((ByteString) x).concat((ByteString) y));
            }
        }
        if (a.isArray() || b.isArray()) {
            return ArrayFunctions.concatenation(left, right);
        }
        boolean hasText = a.isString() || a.isUnknown() || b.isString() || b.isUnknown();
        if (!hasText) {
            return null;
        }
        return new BinaryOperation(
                "||",
                Casts.explicit(left, textOf(a)),
                Casts.explicit(right, textOf(b)),
                SqlType.TEXT,
                (x, y) -> ((String) x).concat((String) y));
    }

    /// A string stays what it is, unless it has blanks at its end that don't count.
    private static SqlType textOf(SqlType type) {
        return type.isString() && !type.equals(SqlType.BPCHAR) ? type : SqlType.TEXT;
    }

    private static @Nullable Scalar arithmetic(String operator, Scalar left, Scalar right) {
        SqlType a = left.type();
        SqlType b = right.type();
        if (a.isUnknown() && b.isUnknown()) {
            throw ambiguous("unknown " + operator + " unknown");
        }
        if (a.isUnknown()) {
            return arithmetic(operator, Casts.implicit(left, besides(operator, b, false)), right);
        }
        if (b.isUnknown()) {
            return arithmetic(operator, left, Casts.implicit(right, besides(operator, a, true)));
        }
        if (a.isNumeric() && b.isNumeric()) {
            return Arithmetic.of(operator, left, right);
        }
        return DatetimeArithmetic.of(operator, left, right);
    }

    /// The type that an operand without one takes beside another of this type.
    private static SqlType besides(String operator, SqlType known, boolean isRight) {
        String types =
                isRight
                        ? known.name() + " " + operator + " unknown"
                        : "unknown " + operator + " " + known.name();
        return switch (known.kind()) {
            case SMALLINT, INTEGER, BIGINT, DECIMAL, REAL, DOUBLE -> known.unbounded();
            case TIMESTAMP, TIMESTAMPTZ, TIME ->
                    switch (operator) {
                        case "+" -> SqlType.INTERVAL;
                        case "-" -> known;
                        default -> throw undefined(types);
                    };
            case DATE ->
                    switch (operator) {
                        case "-" -> known;
                        case "+" -> throw ambiguous(types);
                        default -> throw undefined(types);
                    };
            case INTERVAL -> operator.equals("+") || operator.equals("-") ? known : SqlType.DOUBLE;
            case BOOLEAN, CHAR, VARCHAR, TEXT, BYTEA, UUID, ARRAY, UNKNOWN ->
                    throw undefined(types);
        };
    }

    private static SqlException undefined(String call) {
        return new SqlException(SqlState.UNDEFINED_FUNCTION, "operator does not exist: " + call)
                .withHint(NO_MATCH);
    }

    static SqlException ambiguous(String call) {
        return new SqlException(SqlState.AMBIGUOUS_FUNCTION, "operator is not unique: " + call)
                .withHint(NO_BEST);
    }
}
