package org.namdb.sql.language.type;

import org.jspecify.annotations.Nullable;

/// The fields behind an interval's text, as `DAY TO SECOND(3)`: a number without a unit is of the
/// last one, and what is below it is cut off.
///
/// @param first the first, or the only one; null for any
/// @param last the last one
/// @param precision how many digits seconds keep, rounded
public record IntervalFields(@Nullable Unit first, Unit last, int precision) {
    private static final int MAX_PRECISION = 6;

    /// From the longest.
    public enum Unit {
        YEAR,
        MONTH,
        DAY,
        HOUR,
        MINUTE,
        SECOND
    }

    /// Of an interval with a precision alone.
    ///
    /// @param precision how many digits seconds keep
    public static IntervalFields ofPrecision(int precision) {
        return new IntervalFields(null, Unit.SECOND, precision);
    }

    public IntervalFields {
        precision = Math.min(precision, MAX_PRECISION);
    }

    /// Whether PostgreSQL's grammar has such fields.
    public boolean isValid() {
        return switch (first) {
            case null -> true;
            case YEAR -> last == Unit.YEAR || last == Unit.MONTH;
            case MONTH -> last == Unit.MONTH;
            case DAY, HOUR, MINUTE, SECOND -> last.compareTo(first) >= 0;
        };
    }

    /// Reads a text.
    ///
    /// @throws org.namdb.sql.language.error.SqlException 22007 if it is no interval
    public Interval read(String text) {
        Interval interval = IntervalParser.parse(text, this);
        return switch (last) {
            case YEAR -> new Interval(interval.months() / 12 * 12, 0, 0);
            case MONTH -> new Interval(interval.months(), 0, 0);
            case DAY -> new Interval(interval.months(), interval.days(), 0);
            case HOUR -> cut(interval, 3_600_000_000L);
            case MINUTE -> cut(interval, 60_000_000L);
            case SECOND -> rounded(interval);
        };
    }

    /// Whether `1:02` has minutes and seconds.
    boolean isMinutesAndSeconds() {
        return first == Unit.MINUTE && last == Unit.SECOND;
    }

    private static Interval cut(Interval interval, long unit) {
        return new Interval(interval.months(), interval.days(), interval.micros() / unit * unit);
    }

    private Interval rounded(Interval interval) {
        long unit = 1;
        for (int digits = precision; digits < MAX_PRECISION; digits++) {
            unit *= 10;
        }
        long micros = interval.micros();
        long half = micros >= 0 ? unit / 2 : -(unit / 2);
        return new Interval(interval.months(), interval.days(), (micros + half) / unit * unit);
    }
}
