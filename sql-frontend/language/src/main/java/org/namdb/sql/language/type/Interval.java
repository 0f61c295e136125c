package org.namdb.sql.language.type;

import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// A span of time in the three units that can't be made one another: a month has no fixed number of
/// days, nor a day of hours. Two intervals may be equal by [ValueOrder], as `1 mon` and `30 days`,
/// and yet not by [#equals].
///
/// @param months whole months
/// @param days whole days
/// @param micros microseconds
public record Interval(int months, int days, long micros) {
    public static final Interval ZERO = new Interval(0, 0, 0);

    static final long MICROS_PER_DAY = 86_400_000_000L;
    private static final double SECONDS_PER_DAY = 86_400;
    private static final int DAYS_PER_MONTH = 30;

    /// An interval of microseconds, of which whole days become days.
    public static Interval ofMicros(long micros) {
        return new Interval(0, (int) (micros / MICROS_PER_DAY), micros % MICROS_PER_DAY);
    }

    /// An interval of parts that may be too great.
    ///
    /// @throws SqlException 22008 if one is
    public static Interval exact(long months, long days, long micros) {
        if (months != (int) months || days != (int) days) {
            throw outOfRange();
        }
        return new Interval((int) months, (int) days, micros);
    }

    /// The sum, unit by unit.
    public Interval plus(Interval other) {
        try {
            return exact(
                    (long) months + other.months,
                    (long) days + other.days,
                    Math.addExact(micros, other.micros));
        } catch (ArithmeticException _) {
            throw outOfRange();
        }
    }

    /// The difference, unit by unit.
    public Interval minus(Interval other) {
        return plus(other.negated());
    }

    /// The same span backwards.
    public Interval negated() {
        if (micros == Long.MIN_VALUE) {
            throw outOfRange();
        }
        return exact(-(long) months, -(long) days, -micros);
    }

    /// The product; fractions of months become days of 1/30 month, fractions of days become time.
    public Interval times(double factor) {
        return scaled(months * factor, days * factor, micros * factor);
    }

    /// The quotient, with fractions as in [#times].
    public Interval dividedBy(double divisor) {
        if (divisor == 0) {
            throw new SqlException(SqlState.DIVISION_BY_ZERO, "division by zero");
        }
        return scaled(months / divisor, days / divisor, micros / divisor);
    }

    private static Interval scaled(double months, double days, double micros) {
        if (!(Math.abs(months) < Integer.MAX_VALUE && Math.abs(days) < Integer.MAX_VALUE)) {
            throw outOfRange();
        }
        int wholeMonths = (int) months;
        long wholeDays = (long) days;
        double monthDays = toMicrosecond((months - wholeMonths) * DAYS_PER_MONTH);
        double seconds =
                toMicrosecond((days - wholeDays + monthDays - (long) monthDays) * SECONDS_PER_DAY);
        if (Math.abs(seconds) >= SECONDS_PER_DAY) {
            long carried = (long) (seconds / SECONDS_PER_DAY);
            wholeDays += carried;
            seconds -= carried * SECONDS_PER_DAY;
        }
        double time = Math.rint(micros + seconds * 1e6);
        if (!(Math.abs(time) < Long.MAX_VALUE)) {
            throw outOfRange();
        }
        return exact(wholeMonths, wholeDays + (long) monthDays, (long) time);
    }

    private static double toMicrosecond(double value) {
        return Math.rint(value * 1e6) / 1e6;
    }

    /// Days by which the order goes: months have 30.
    long orderDays() {
        return months * (long) DAYS_PER_MONTH + days + Math.floorDiv(micros, MICROS_PER_DAY);
    }

    /// Microseconds beyond [#orderDays].
    long orderMicros() {
        return Math.floorMod(micros, MICROS_PER_DAY);
    }

    /// The error of an interval that is too long.
    public static SqlException outOfRange() {
        return new SqlException(SqlState.DATETIME_OVERFLOW, "interval out of range");
    }

    @Override
    public String toString() {
        return IntervalText.format(this);
    }
}
