package org.namdb.sql.engine.expression.number;

import java.math.BigDecimal;
import java.math.RoundingMode;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;

/// The number of the histogram's bucket that a value belongs to: from 1; 0 before the range, and
/// one more than there are behind it. A range whose first bound is the greater one is counted
/// downwards.
public final class Buckets {
    private Buckets() {}

    /// The bucket of a floating-point number.
    ///
    /// @throws SqlException 2201G if there is no such histogram
    public static Long of(double value, double from, double to, long count) {
        if (Double.isNaN(value) || Double.isNaN(from) || Double.isNaN(to)) {
            throw invalid("operand, lower bound, and upper bound cannot be NaN");
        }
        if (Double.isInfinite(from) || Double.isInfinite(to)) {
            requireCount(count);
            throw invalid("lower and upper bounds must be finite");
        }
        if (!Double.isInfinite(value)) {
            return of(new BigDecimal(value), new BigDecimal(from), new BigDecimal(to), count);
        }
        BigDecimal a = new BigDecimal(from);
        BigDecimal b = new BigDecimal(to);
        BigDecimal beyond =
                value > 0 ? a.max(b).add(BigDecimal.ONE) : a.min(b).subtract(BigDecimal.ONE);
        return of(beyond, a, b, count);
    }

    /// The bucket of a decimal.
    ///
    /// @throws SqlException 2201G if there is no such histogram
    public static Long of(BigDecimal value, BigDecimal from, BigDecimal to, long count) {
        requireCount(count);
        int direction = to.compareTo(from);
        if (direction == 0) {
            throw invalid("lower bound cannot equal upper bound");
        }
        BigDecimal width = to.subtract(from).abs();
        BigDecimal distance = direction > 0 ? value.subtract(from) : from.subtract(value);
        if (distance.signum() < 0) {
            return 0L;
        }
        long bucket =
                distance.compareTo(width) >= 0
                        ? count + 1
                        : distance.multiply(BigDecimal.valueOf(count))
                                        .divide(width, 0, RoundingMode.DOWN)
                                        .longValue()
                                + 1;
        return Integers.inRange(bucket, SqlType.Kind.INTEGER);
    }

    private static void requireCount(long count) {
        if (count <= 0) {
            throw invalid("count must be greater than zero");
        }
    }

    private static SqlException invalid(String message) {
        return new SqlException(SqlState.INVALID_ARGUMENT_FOR_WIDTH_BUCKET, message);
    }
}
