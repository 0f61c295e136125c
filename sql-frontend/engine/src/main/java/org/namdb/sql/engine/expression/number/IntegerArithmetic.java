package org.namdb.sql.engine.expression.number;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;

/// `+ - * / %` of integers, with the range of the result's type.
public final class IntegerArithmetic extends Scalar {
    private final char operator;
    private final Scalar left;
    private final Scalar right;
    private final long least;
    private final long greatest;

    public IntegerArithmetic(char operator, Scalar left, Scalar right, SqlType type) {
        super(type);
        this.operator = operator;
        this.left = left;
        this.right = right;
        least = Integers.least(type.kind());
        greatest = Integers.greatest(type.kind());
    }

    @Override
    public @Nullable Object evaluate(EvaluationFrame frame) {
        Object a = left.evaluate(frame);
        if (a == null) {
            return null;
        }
        Object b = right.evaluate(frame);
        return b == null ? null : (Object) compute((Long) a, (Long) b);
    }

    private long compute(long a, long b) {
        long result =
                switch (operator) {
                    case '+' -> sum(a, b);
                    case '-' -> difference(a, b);
                    case '*' -> product(a, b);
                    case '/' -> quotient(a, b);
                    default -> remainder(a, b);
                };
        if (result < least || result > greatest) {
            throw Integers.outOfRange(type().kind());
        }
        return result;
    }

    private long sum(long a, long b) {
        long sum = a + b;
        if (((a ^ sum) & (b ^ sum)) < 0) {
            throw Integers.outOfRange(type().kind());
        }
        return sum;
    }

    private long difference(long a, long b) {
        long difference = a - b;
        if (((a ^ b) & (a ^ difference)) < 0) {
            throw Integers.outOfRange(type().kind());
        }
        return difference;
    }

    private long product(long a, long b) {
        long low = a * b;
        if (Math.multiplyHigh(a, b) != low >> 63) {
            throw Integers.outOfRange(type().kind());
        }
        return low;
    }

    private long quotient(long a, long b) {
        if (b == 0) {
            throw divisionByZero();
        }
        if (a == Long.MIN_VALUE && b == -1) {
            throw Integers.outOfRange(type().kind());
        }
        return a / b;
    }

    private static long remainder(long a, long b) {
        if (b == 0) {
            throw divisionByZero();
        }
        return a % b;
    }

    /// The error of a division by zero.
    public static SqlException divisionByZero() {
        return new SqlException(SqlState.DIVISION_BY_ZERO, "division by zero");
    }

    @Override
    public List<Scalar> operands() {
        return List.of(left, right);
    }

    @Override
    public Scalar withOperands(List<Scalar> newOperands) {
        return new IntegerArithmetic(operator, newOperands.get(0), newOperands.get(1), type());
    }

    @Override
    public Volatility volatility() {
        return Volatility.IMMUTABLE;
    }

    @Override
    protected Object traits() {
        return operator;
    }

    @Override
    public String toString() {
        return "(" + left + " " + operator + " " + right + ")";
    }
}
