package org.namdb.sql.engine.expression.number;

import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Arithmetic of `double precision` and `real`: what leaves their range is an error, and no
/// infinity.
public final class FloatMath {
    /// Beyond it, 1 is nothing beside a number's square.
    private static final double LARGE = 1e9;

    private FloatMath() {}

    /// The sum; 22003 if it is out of range, as for all that follow.
    public static double add(double a, double b) {
        return checked(a + b, a, b);
    }

    /// The difference.
    public static double subtract(double a, double b) {
        return checked(a - b, a, b);
    }

    /// The product.
    public static double multiply(double a, double b) {
        double result = checked(a * b, a, b);
        if (result == 0 && a != 0 && b != 0) {
            throw underflow();
        }
        return result;
    }

    /// The quotient; 22012 for a division by zero.
    public static double divide(double a, double b) {
        if (b == 0 && !Double.isNaN(a)) {
            throw IntegerArithmetic.divisionByZero();
        }
        double result = checked(a / b, a, b);
        if (result == 0 && a != 0 && !Double.isInfinite(b)) {
            throw underflow();
        }
        return result;
    }

    /// The power; 2201F where it is not defined.
    public static double power(double base, double exponent) {
        if (base == 0 && exponent < 0) {
            throw new SqlException(
                    SqlState.INVALID_ARGUMENT_FOR_POWER,
                    "zero raised to a negative power is undefined");
        }
        if (base < 0 && !Double.isInfinite(exponent) && exponent != Math.rint(exponent)) {
            throw new SqlException(
                    SqlState.INVALID_ARGUMENT_FOR_POWER,
                    "a negative number raised to a non-integer power yields a complex result");
        }
        // One to any power is one, and anything to the zeroth, NaN too.
        boolean isOne = base == 1 || base == -1 && Double.isInfinite(exponent);
        double result = isOne ? 1 : Math.pow(base, exponent);
        checked(result, base, exponent);
        if (result == 0 && base != 0 && !Double.isInfinite(base) && !Double.isInfinite(exponent)) {
            throw underflow();
        }
        return result;
    }

    /// A result of two REALs as a REAL; 22003 if it is out of range.
    public static float real(double result, float a, float b) {
        float rounded = (float) result;
        if (Float.isInfinite(rounded) && !Float.isInfinite(a) && !Float.isInfinite(b)) {
            throw overflow();
        }
        if (rounded == 0 && result != 0) {
            throw underflow();
        }
        return rounded;
    }

    /// The result of a function, unless the argument was finite and it is not.
    public static double finite(double result, double argument) {
        return checked(result, argument, 0);
    }

    private static double checked(double result, double a, double b) {
        if (Double.isInfinite(result) && !Double.isInfinite(a) && !Double.isInfinite(b)) {
            throw overflow();
        }
        return result;
    }

    private static SqlException overflow() {
        return new SqlException(SqlState.NUMERIC_OUT_OF_RANGE, "value out of range: overflow");
    }

    private static SqlException underflow() {
        return new SqlException(SqlState.NUMERIC_OUT_OF_RANGE, "value out of range: underflow");
    }

    /// The inverse of the hyperbolic sine.
    public static double asinh(double x) {
        double a = Math.abs(x);
        double value =
                a > LARGE
                        ? Math.log(a) + Math.log(2)
                        : Math.log1p(a + a * a / (1 + Math.sqrt(a * a + 1)));
        return Math.copySign(value, x);
    }

    /// The inverse of the hyperbolic cosine, of a number of 1 or more.
    public static double acosh(double x) {
        double above = x - 1;
        return x > LARGE
                ? Math.log(x) + Math.log(2)
                : Math.log1p(above + Math.sqrt(2 * above + above * above));
    }

    /// The inverse of the hyperbolic tangent, of a number from -1 to 1.
    public static double atanh(double x) {
        double a = Math.abs(x);
        return Math.copySign(Math.log1p(2 * a / (1 - a)) / 2, x);
    }
}
