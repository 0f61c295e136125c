package org.namdb.sql.engine.expression.number;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Arithmetic of `numeric`, with the scales that PostgreSQL gives the results. Values have scales
/// from 0 on.
public final class DecimalMath {
    /// A quotient has at least as many significant digits.
    private static final int MIN_SIGNIFICANT_DIGITS = 16;

    private static final int MAX_SCALE = 1000;

    /// PostgreSQL counts digits in groups of four.
    private static final int GROUP_DIGITS = 4;

    private static final int MAX_DIGITS = 131_072;

    private DecimalMath() {}

    /// The sum, with the larger scale.
    public static BigDecimal add(BigDecimal a, BigDecimal b) {
        return a.add(b);
    }

    /// The difference, with the larger scale.
    public static BigDecimal subtract(BigDecimal a, BigDecimal b) {
        return a.subtract(b);
    }

    /// The product, with the sum of the scales.
    public static BigDecimal multiply(BigDecimal a, BigDecimal b) {
        long digits = (long) a.precision() - a.scale() + b.precision() - b.scale();
        if (digits > MAX_DIGITS && a.signum() != 0 && b.signum() != 0) {
            throw overflow();
        }
        BigDecimal product = a.multiply(b);
        return product.scale() > 16_383 ? product.setScale(16_383, RoundingMode.HALF_UP) : product;
    }

    /// The quotient, with the scale that PostgreSQL chooses; 22012 for a division by zero.
    public static BigDecimal divide(BigDecimal a, BigDecimal b) {
        if (b.signum() == 0) {
            throw IntegerArithmetic.divisionByZero();
        }
        return a.divide(b, divisionScale(a, b), RoundingMode.HALF_UP);
    }

    /// The whole part of the quotient.
    public static BigDecimal wholeQuotient(BigDecimal a, BigDecimal b) {
        if (b.signum() == 0) {
            throw IntegerArithmetic.divisionByZero();
        }
        return a.divideToIntegralValue(b).setScale(0, RoundingMode.DOWN);
    }

    /// What is left of a division, with the dividend's sign.
    public static BigDecimal remainder(BigDecimal a, BigDecimal b) {
        if (b.signum() == 0) {
            throw IntegerArithmetic.divisionByZero();
        }
        return a.remainder(b).setScale(Math.max(a.scale(), b.scale()));
    }

    /// PostgreSQL's `select_div_scale`.
    static int divisionScale(BigDecimal a, BigDecimal b) {
        int weight = groupWeight(a) - groupWeight(b);
        if (firstGroup(a) <= firstGroup(b)) {
            weight--;
        }
        int scale = MIN_SIGNIFICANT_DIGITS - weight * GROUP_DIGITS;
        scale = Math.max(scale, Math.max(a.scale(), b.scale()));
        return Math.min(Math.max(scale, 0), MAX_SCALE);
    }

    /// The power of 10,000 of the first group of digits that is not 0.
    private static int groupWeight(BigDecimal value) {
        return value.signum() == 0
                ? 0
                : Math.floorDiv(value.precision() - value.scale() - 1, GROUP_DIGITS);
    }

    /// The first group of digits that is not 0, as a number from 1 to 9,999.
    private static int firstGroup(BigDecimal value) {
        if (value.signum() == 0) {
            return 0;
        }
        int exponent = value.precision() - value.scale() - 1;
        int digits = exponent - groupWeight(value) * GROUP_DIGITS + 1;
        return value.abs()
                .movePointLeft(exponent - digits + 1)
                .setScale(0, RoundingMode.DOWN)
                .intValue();
    }

    /// The square root, with the scale that PostgreSQL chooses.
    public static BigDecimal sqrt(BigDecimal value) {
        if (value.signum() < 0) {
            throw new SqlException(
                    SqlState.INVALID_ARGUMENT_FOR_POWER,
                    "cannot take square root of a negative number");
        }
        if (value.signum() == 0) {
            return value.setScale(Math.max(value.scale(), MIN_SIGNIFICANT_DIGITS - 1));
        }
        // The weight of the result's first group is half of the argument's.
        int resultDigits = (groupWeight(value) + 1) * GROUP_DIGITS / 2 - 1;
        int scale = clamp(Math.max(MIN_SIGNIFICANT_DIGITS - resultDigits, value.scale()));
        return sqrt(value, scale);
    }

    /// The root of a number that is not negative, with digits behind the point.
    public static BigDecimal sqrt(BigDecimal value, int scale) {
        int precision = (value.precision() - value.scale()) / 2 + scale + 4;
        return value.sqrt(new MathContext(Math.max(precision, 4), RoundingMode.DOWN))
                .setScale(scale, RoundingMode.HALF_UP);
    }

    /// The exponential, with the scale that PostgreSQL chooses.
    public static BigDecimal exp(BigDecimal value) {
        double exponent = value.doubleValue() * 0.434294481903252;
        if (exponent > MAX_DIGITS) {
            throw overflow();
        }
        if (exponent < -MAX_SCALE) {
            return BigDecimal.ZERO.setScale(MAX_SCALE);
        }
        int scale = clamp(Math.max(MIN_SIGNIFICANT_DIGITS - (int) exponent, value.scale()));
        int precision = Math.max(1, (int) exponent + scale) + 12;
        return Logarithms.exp(value, precision).setScale(scale, RoundingMode.HALF_UP);
    }

    /// The natural logarithm; 2201E where there is none.
    public static BigDecimal ln(BigDecimal value) {
        requirePositive(value);
        double estimate = lnEstimate(value);
        int scale = clamp(Math.max(MIN_SIGNIFICANT_DIGITS - resultWeight(estimate), value.scale()));
        return Logarithms.ln(value, scale + 12).setScale(scale, RoundingMode.HALF_UP);
    }

    /// The logarithm of a value to a base.
    public static BigDecimal log(BigDecimal base, BigDecimal value) {
        requirePositive(base);
        requirePositive(value);
        double lnBase = lnEstimate(base);
        if (base.compareTo(BigDecimal.ONE) == 0) {
            throw IntegerArithmetic.divisionByZero();
        }
        int weight = resultWeight(lnEstimate(value) / lnBase);
        int scale =
                Math.max(MIN_SIGNIFICANT_DIGITS - weight, Math.max(base.scale(), value.scale()));
        scale = clamp(scale);
        int precision = scale + 20 + Math.abs(resultWeight(lnBase));
        return Logarithms.ln(value, precision)
                .divide(Logarithms.ln(base, precision), scale, RoundingMode.HALF_UP);
    }

    private static void requirePositive(BigDecimal value) {
        if (value.signum() <= 0) {
            String what = value.signum() == 0 ? "zero" : "a negative number";
            throw new SqlException(
                    SqlState.INVALID_ARGUMENT_FOR_LOGARITHM, "cannot take logarithm of " + what);
        }
    }

    private static double lnEstimate(BigDecimal value) {
        int exponent = value.precision() - value.scale();
        double near = value.movePointLeft(exponent).doubleValue();
        // Near 1 the logarithm is the distance, which a double of the value has lost.
        BigDecimal distance = value.subtract(BigDecimal.ONE);
        if (distance.abs().compareTo(BigDecimal.valueOf(1, 6)) < 0) {
            return distance.doubleValue();
        }
        return Math.log(near) + exponent * Math.log(10);
    }

    private static int resultWeight(double value) {
        return value == 0 ? 0 : (int) Math.log10(Math.abs(value));
    }

    /// The power; 2201F where it is not defined.
    public static BigDecimal power(BigDecimal base, BigDecimal exponent) {
        boolean isWhole = exponent.signum() == 0 || exponent.stripTrailingZeros().scale() <= 0;
        if (base.signum() == 0 && exponent.signum() < 0) {
            throw new SqlException(
                    SqlState.INVALID_ARGUMENT_FOR_POWER,
                    "zero raised to a negative power is undefined");
        }
        if (base.signum() < 0 && !isWhole) {
            throw new SqlException(
                    SqlState.INVALID_ARGUMENT_FOR_POWER,
                    "a negative number raised to a non-integer power yields a complex result");
        }
        if (base.signum() == 0) {
            boolean isZeroth = exponent.signum() == 0;
            return (isZeroth ? BigDecimal.ONE : BigDecimal.ZERO).setScale(MIN_SIGNIFICANT_DIGITS);
        }
        double digits = lnEstimate(base.abs()) * exponent.doubleValue() / Math.log(10);
        if (digits > MAX_DIGITS) {
            throw overflow();
        }
        boolean isShort = isWhole && exponent.abs().compareTo(BigDecimal.valueOf(999_999)) <= 0;
        int weight = isShort ? 0 : (int) Math.max(digits, -MAX_SCALE);
        int wanted = MIN_SIGNIFICANT_DIGITS - weight;
        int scale = clamp(Math.max(wanted, Math.max(base.scale(), exponent.scale())));
        if (digits < -MAX_SCALE) {
            return BigDecimal.ZERO.setScale(scale);
        }
        int precision = Math.max(1, (int) digits + scale) + 20;
        BigDecimal result =
                isShort
                        ? wholePower(base, exponent.intValue(), precision)
                        : fractionPower(base, exponent, precision);
        return result.setScale(scale, RoundingMode.HALF_UP);
    }

    private static BigDecimal wholePower(BigDecimal base, int exponent, int precision) {
        MathContext context = new MathContext(precision + 10, RoundingMode.HALF_EVEN);
        BigDecimal power = base.pow(Math.abs(exponent), context);
        return exponent < 0 ? BigDecimal.ONE.divide(power, context) : power;
    }

    private static BigDecimal fractionPower(BigDecimal base, BigDecimal exponent, int precision) {
        int digits = precision + exponent.precision() + 10;
        BigDecimal logarithm = Logarithms.ln(base.abs(), digits).multiply(exponent);
        BigDecimal power = Logarithms.exp(logarithm, precision);
        boolean isOdd = exponent.toBigInteger().testBit(0);
        return base.signum() < 0 && isOdd ? power.negate() : power;
    }

    /// Rounded to digits behind the point, or before it if negative; half is rounded away from
    /// zero.
    public static BigDecimal round(BigDecimal value, long digits, RoundingMode mode) {
        int scale = Math.clamp(digits, -MAX_DIGITS, 16_383);
        if (scale >= 0) {
            return value.setScale(scale, mode);
        }
        return value.setScale(scale, mode).setScale(0, RoundingMode.UNNECESSARY);
    }

    /// The greatest common divisor.
    public static BigInteger gcd(long a, long b) {
        return BigInteger.valueOf(a).gcd(BigInteger.valueOf(b));
    }

    private static int clamp(int scale) {
        return Math.min(Math.max(scale, 0), MAX_SCALE);
    }

    static SqlException overflow() {
        return new SqlException(SqlState.NUMERIC_OUT_OF_RANGE, "value overflows numeric format");
    }
}
