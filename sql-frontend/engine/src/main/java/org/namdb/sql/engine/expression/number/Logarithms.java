package org.namdb.sql.engine.expression.number;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/// Exponentials and logarithms to any number of digits, by their series.
final class Logarithms {
    private static final int GUARD_DIGITS = 10;

    private Logarithms() {}

    /// e to a power.
    ///
    /// @param precision significant digits of the result
    static BigDecimal exp(BigDecimal value, int precision) {
        // The argument is halved until its series is short; each squaring doubles the error.
        int halvings = Math.max(0, value.precision() - value.scale()) * 4 + 8;
        MathContext context =
                new MathContext(precision + halvings / 2 + GUARD_DIGITS, RoundingMode.HALF_EVEN);
        BigDecimal x = value.divide(BigDecimal.TWO.pow(halvings), context);
        BigDecimal sum = BigDecimal.ONE;
        BigDecimal term = BigDecimal.ONE;
        for (int i = 1; isNotable(term, sum, context); i++) {
            term = term.multiply(x, context).divide(BigDecimal.valueOf(i), context);
            sum = sum.add(term, context);
        }
        for (int i = 0; i < halvings; i++) {
            sum = sum.multiply(sum, context);
        }
        return sum;
    }

    /// The natural logarithm of a positive number.
    ///
    /// @param scale digits behind the point that are right
    static BigDecimal ln(BigDecimal value, int scale) {
        int exponent = value.precision() - value.scale();
        BigDecimal near = value.movePointLeft(exponent);
        MathContext context =
                new MathContext(scale + 2 * GUARD_DIGITS + 10, RoundingMode.HALF_EVEN);
        boolean isNearOne = exponent == 0 || exponent == 1;
        if (isNearOne) {
            return ofNear(value, context);
        }
        return ofNear(near, context)
                .add(ofNear(BigDecimal.TEN, context).multiply(BigDecimal.valueOf(exponent)));
    }

    /// Roots are drawn until the number is near 1, where ln x = 2 artanh((x - 1) / (x + 1)) has a
    /// fast series.
    private static BigDecimal ofNear(BigDecimal value, MathContext context) {
        BigDecimal x = value;
        BigDecimal factor = BigDecimal.TWO;
        while (x.subtract(BigDecimal.ONE).abs().compareTo(BigDecimal.valueOf(5, 2)) > 0) {
            x = x.sqrt(context);
            factor = factor.add(factor);
        }
        BigDecimal ratio = x.subtract(BigDecimal.ONE).divide(x.add(BigDecimal.ONE), context);
        BigDecimal square = ratio.multiply(ratio, context);
        BigDecimal sum = ratio;
        BigDecimal power = ratio;
        for (int i = 3; isNotable(power, sum, context); i += 2) {
            power = power.multiply(square, context);
            sum = sum.add(power.divide(BigDecimal.valueOf(i), context), context);
        }
        return sum.multiply(factor, context);
    }

    private static boolean isNotable(BigDecimal term, BigDecimal sum, MathContext context) {
        if (term.signum() == 0) {
            return false;
        }
        int termExponent = term.precision() - term.scale();
        int sumExponent = sum.precision() - sum.scale();
        return termExponent > sumExponent - context.getPrecision() - 2;
    }
}
