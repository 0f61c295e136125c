package org.namdb.sql.engine.expression.aggregate;

import java.math.BigDecimal;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.number.DecimalMath;
import org.namdb.sql.engine.expression.number.FloatMath;
import org.namdb.sql.language.type.Interval;

/// Accumulators that compute with the values: sums, averages, variances.
final class Moments {
    private Moments() {}

    /// Which figure of the values is computed.
    enum Figure {
        SUM,
        AVERAGE,
        VARIANCE_OF_SAMPLE,
        VARIANCE_OF_ALL,
        DEVIATION_OF_SAMPLE,
        DEVIATION_OF_ALL;

        boolean isOfAll() {
            return this == VARIANCE_OF_ALL || this == DEVIATION_OF_ALL;
        }

        boolean isDeviation() {
            return this == DEVIATION_OF_SAMPLE || this == DEVIATION_OF_ALL;
        }
    }

    /// The exact sum or average of integers, as DECIMAL.
    static final class OfIntegers extends Accumulator {
        private final Figure figure;
        private long count;
        private long sum;
        private BigInteger carried = BigInteger.ZERO;

        OfIntegers(Figure figure) {
            this.figure = figure;
        }

        @Override
        void accept(Object value) {
            long number = (Long) value;
            long next = sum + number;
            if (((sum ^ next) & (number ^ next)) < 0) {
                carried = carried.add(BigInteger.valueOf(sum));
                next = number;
            }
            sum = next;
            count++;
        }

        @Override
        public @Nullable Object result() {
            if (count == 0) {
                return null;
            }
            BigDecimal total = new BigDecimal(carried.add(BigInteger.valueOf(sum)));
            return figure == Figure.SUM
                    ? total
                    : DecimalMath.divide(total, BigDecimal.valueOf(count));
        }
    }

    /// Of decimals, and variances of integers too, as DECIMAL.
    static final class OfDecimals extends Accumulator {
        private final Figure figure;
        private final boolean needsSquares;
        private long count;
        private BigDecimal sum = BigDecimal.ZERO;
        private BigDecimal squares = BigDecimal.ZERO;

        OfDecimals(Figure figure) {
            this.figure = figure;
            needsSquares = figure != Figure.SUM && figure != Figure.AVERAGE;
        }

        @Override
        void accept(Object value) {
            BigDecimal number =
                    value instanceof Long integer
                            ? BigDecimal.valueOf(integer)
                            : (BigDecimal) value;
            count++;
            sum = sum.add(number);
            if (needsSquares) {
                squares = squares.add(number.multiply(number));
            }
        }

        @Override
        public @Nullable Object result() {
            if (count == 0) {
                return null;
            }
            return switch (figure) {
                case SUM -> sum;
                case AVERAGE -> DecimalMath.divide(sum, BigDecimal.valueOf(count));
                case VARIANCE_OF_SAMPLE, VARIANCE_OF_ALL, DEVIATION_OF_SAMPLE, DEVIATION_OF_ALL ->
                        variance();
            };
        }

        /// (n * sum of squares - square of sum) / (n * (n - 1)), or / n².
        private @Nullable BigDecimal variance() {
            if (count == 1 && !figure.isOfAll()) {
                return null;
            }
            BigDecimal n = BigDecimal.valueOf(count);
            BigDecimal numerator = n.multiply(squares).subtract(sum.multiply(sum));
            if (numerator.signum() <= 0) {
                return BigDecimal.ZERO;
            }
            BigDecimal divisor = n.multiply(figure.isOfAll() ? n : n.subtract(BigDecimal.ONE));
            BigDecimal variance = DecimalMath.divide(numerator, divisor);
            return figure.isDeviation() ? DecimalMath.sqrt(variance, variance.scale()) : variance;
        }
    }

    /// Of floating-point numbers, by Youngs' and Cramer's updates, which don't lose the small
    /// differences of great numbers.
    static final class OfDoubles extends Accumulator {
        private final Figure figure;
        private long count;
        private double sum;
        private double deviations;

        OfDoubles(Figure figure) {
            this.figure = figure;
        }

        @Override
        void accept(Object value) {
            double number = ((Number) value).doubleValue();
            count++;
            sum = FloatMath.add(sum, number);
            if (count > 1) {
                double difference = number * count - sum;
                deviations += difference * difference / ((double) count * (count - 1));
            }
            if (!Double.isFinite(number)) {
                deviations = Double.NaN;
            }
        }

        @Override
        public @Nullable Object result() {
            if (count == 0) {
                return null;
            }
            return switch (figure) {
                case SUM -> sum;
                case AVERAGE -> sum / count;
                case VARIANCE_OF_ALL -> deviations / count;
                case DEVIATION_OF_ALL -> Math.sqrt(deviations / count);
                case VARIANCE_OF_SAMPLE -> count == 1 ? null : deviations / (count - 1);
                case DEVIATION_OF_SAMPLE -> count == 1 ? null : Math.sqrt(deviations / (count - 1));
            };
        }
    }

    /// The sum of REALs, as REAL.
    static final class SumOfReals extends Accumulator {
        private float sum;
        private boolean hasValue;

        @Override
        void accept(Object value) {
            float number = (Float) value;
            sum = FloatMath.real((double) sum + number, sum, number);
            hasValue = true;
        }

        @Override
        public @Nullable Object result() {
            return hasValue ? sum : null;
        }
    }

    /// Of intervals.
    static final class OfIntervals extends Accumulator {
        private final Figure figure;
        private long count;
        private Interval sum = Interval.ZERO;

        OfIntervals(Figure figure) {
            this.figure = figure;
        }

        @Override
        void accept(Object value) {
            count++;
            sum = sum.plus((Interval) value);
        }

        @Override
        public @Nullable Object result() {
            return count == 0 ? null : figure == Figure.SUM ? sum : sum.dividedBy((double) count);
        }
    }
}
