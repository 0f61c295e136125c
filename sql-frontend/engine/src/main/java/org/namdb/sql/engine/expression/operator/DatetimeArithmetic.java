package org.namdb.sql.engine.expression.operator;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.Binary;
import org.namdb.sql.engine.expression.BinaryOperation;
import org.namdb.sql.engine.expression.Scalar;
import org.namdb.sql.engine.expression.ZonedBinary;
import org.namdb.sql.engine.expression.cast.Casts;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.Interval;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.SqlType.Kind;
import org.namdb.sql.language.type.TimeZones;

/// `+ - * /` of dates, times, timestamps and intervals.
public final class DatetimeArithmetic {
    private static final long MICROS_PER_DAY = 86_400_000_000L;
    private static final LocalDate LAST_DATE = LocalDate.of(5_874_897, 12, 31);
    private static final LocalDate LAST_TIMESTAMP = LocalDate.of(294_276, 12, 31);
    private static final LocalDate FIRST = LocalDate.of(-4713, 11, 24);

    private DatetimeArithmetic() {}

    /// The operation; null if there is no such operator.
    static @Nullable Scalar of(String operator, Scalar left, Scalar right) {
        Kind a = left.type().kind();
        Kind b = right.type().kind();
        return switch (operator) {
            case "+" -> {
                Scalar sum = sum(a, b, left, right);
                yield sum != null ? sum : sum(b, a, left, right);
            }
            case "-" -> difference(a, b, left, right);
            case "*" -> product(a, b, left, right);
            case "/" -> quotient(a, b, left, right);
            default -> null;
        };
    }

    /// The sum where the kinds stand in this order; `a` may be the right operand's.
    private static @Nullable Scalar sum(Kind a, Kind b, Scalar left, Scalar right) {
        boolean hasCasSucceeded = left.type().kind() != a;
        return switch (a) {
            case DATE ->
                    switch (b) {
                        case SMALLINT, INTEGER ->
                                sum(
                                        left,
                                        right,
                                        SqlType.DATE,
                                        hasCasSucceeded,
                                        (x, y) -> plusDays((LocalDate) x, (Long) y));
                        case INTERVAL ->
                                sum(
                                        left,
                                        right,
                                        SqlType.TIMESTAMP,
                                        hasCasSucceeded,
                                        (x, y) ->
                                                plus(((LocalDate) x).atStartOfDay(), (Interval) y));
                        case TIME ->
                                sum(
                                        left,
                                        right,
                                        SqlType.TIMESTAMP,
                                        hasCasSucceeded,
                                        (x, y) -> ((LocalDate) x).atTime((LocalTime) y));
                        default -> null;
                    };
            case TIMESTAMP ->
                    switch (b) {
                        case INTERVAL ->
                                sum(
                                        left,
                                        right,
                                        SqlType.TIMESTAMP,
                                        hasCasSucceeded,
                                        (x, y) -> plus((LocalDateTime) x, (Interval) y));
                        case TIME ->
                                sum(
                                        left,
                                        right,
                                        SqlType.TIMESTAMP,
                                        hasCasSucceeded,
                                        (x, y) ->
                                                inRange(
                                                        ((LocalDateTime) x)
                                                                .plusNanos(
                                                                        ((LocalTime) y)
                                                                                .toNanoOfDay())));
                        default -> null;
                    };
            case TIMESTAMPTZ -> {
                if (b != Kind.INTERVAL) {
                    yield null;
                }
                ZonedBinary plus =
                        hasCasSucceeded
                                ? (x, y, zone) -> plus((Instant) y, (Interval) x, zone)
                                : (x, y, zone) -> plus((Instant) x, (Interval) y, zone);
                yield new BinaryOperation("+", left, right, SqlType.TIMESTAMPTZ, plus);
            }
            case TIME ->
                    b == Kind.INTERVAL
                            ? sum(
                                    left,
                                    right,
                                    SqlType.TIME,
                                    hasCasSucceeded,
                                    (x, y) -> plus((LocalTime) x, ((Interval) y).micros()))
                            : null;
            case INTERVAL ->
                    b == Kind.INTERVAL
                            ? sum(
                                    left,
                                    right,
                                    SqlType.INTERVAL,
                                    false,
                                    (x, y) -> ((Interval) x).plus((Interval) y))
                            : null;
            default -> null;
        };
    }

    private static Scalar sum(
            Scalar left, Scalar right, SqlType type, boolean hasCasSucceeded, Binary function) {
        Binary inOrder = hasCasSucceeded ? (x, y) -> function.apply(y, x) : function;
        return new BinaryOperation("+", left, right, type, inOrder);
    }

    private static @Nullable Scalar difference(Kind a, Kind b, Scalar left, Scalar right) {
        if (a == Kind.DATE && b == Kind.DATE) {
            return difference(
                    left,
                    right,
                    SqlType.INTEGER,
                    (x, y) -> ((LocalDate) y).until((LocalDate) x, ChronoUnit.DAYS));
        }
        if (a == Kind.DATE && (b == Kind.INTEGER || b == Kind.SMALLINT)) {
            return difference(
                    left, right, SqlType.DATE, (x, y) -> plusDays((LocalDate) x, -(Long) y));
        }
        if (a == Kind.TIME && b == Kind.TIME) {
            return difference(
                    left,
                    right,
                    SqlType.INTERVAL,
                    (x, y) ->
                            new Interval(
                                    0,
                                    0,
                                    (((LocalTime) x).toNanoOfDay() - ((LocalTime) y).toNanoOfDay())
                                            / 1000));
        }
        if (a == Kind.TIME && b == Kind.INTERVAL) {
            return difference(
                    left,
                    right,
                    SqlType.TIME,
                    (x, y) -> plus((LocalTime) x, -((Interval) y).micros()));
        }
        if (a == Kind.INTERVAL && b == Kind.INTERVAL) {
            return difference(
                    left, right, SqlType.INTERVAL, (x, y) -> ((Interval) x).minus((Interval) y));
        }
        if (a == Kind.TIMESTAMPTZ && b == Kind.INTERVAL) {
            ZonedBinary minus = (x, y, zone) -> plus((Instant) x, ((Interval) y).negated(), zone);
            return new BinaryOperation("-", left, right, SqlType.TIMESTAMPTZ, minus);
        }
        boolean hasZone = a == Kind.TIMESTAMPTZ || b == Kind.TIMESTAMPTZ;
        if (hasZone
                && Casts.isImplicit(left.type(), SqlType.TIMESTAMPTZ)
                && Casts.isImplicit(right.type(), SqlType.TIMESTAMPTZ)) {
            return difference(
                    Casts.implicit(left, SqlType.TIMESTAMPTZ),
                    Casts.implicit(right, SqlType.TIMESTAMPTZ),
                    SqlType.INTERVAL,
                    (x, y) ->
                            between(
                                    TimeZones.local((Instant) y, ZoneOffset.UTC),
                                    TimeZones.local((Instant) x, ZoneOffset.UTC)));
        }
        boolean isMoment = a == Kind.DATE || a == Kind.TIMESTAMP;
        if (isMoment && b == Kind.INTERVAL) {
            return difference(
                    Casts.implicit(left, SqlType.TIMESTAMP),
                    right,
                    SqlType.TIMESTAMP,
                    (x, y) -> plus((LocalDateTime) x, ((Interval) y).negated()));
        }
        if (isMoment && (b == Kind.DATE || b == Kind.TIMESTAMP)) {
            return difference(
                    Casts.implicit(left, SqlType.TIMESTAMP),
                    Casts.implicit(right, SqlType.TIMESTAMP),
                    SqlType.INTERVAL,
                    (x, y) -> between((LocalDateTime) y, (LocalDateTime) x));
        }
        return null;
    }

    private static Scalar difference(Scalar left, Scalar right, SqlType type, Binary function) {
        return new BinaryOperation("-", left, right, type, function);
    }

    private static @Nullable Scalar product(Kind a, Kind b, Scalar left, Scalar right) {
        if (a == Kind.INTERVAL && right.type().isNumeric()) {
            Scalar factor = Casts.implicit(right, SqlType.DOUBLE);
            return new BinaryOperation(
                    "*",
                    left,
                    factor,
                    SqlType.INTERVAL,
                    (x, y) -> ((Interval) x).times((Double) y));
        }
        if (b == Kind.INTERVAL && left.type().isNumeric()) {
            Scalar factor = Casts.implicit(left, SqlType.DOUBLE);
            return new BinaryOperation(
                    "*",
                    factor,
                    right,
                    SqlType.INTERVAL,
                    (x, y) -> ((Interval) y).times((Double) x));
        }
        return null;
    }

    private static @Nullable Scalar quotient(Kind a, Kind b, Scalar left, Scalar right) {
        if (a != Kind.INTERVAL || b == Kind.INTERVAL || !right.type().isNumeric()) {
            return null;
        }
        Scalar divisor = Casts.implicit(right, SqlType.DOUBLE);
        return new BinaryOperation(
                "/",
                left,
                divisor,
                SqlType.INTERVAL,
                (x, y) -> ((Interval) x).dividedBy((Double) y));
    }

    static LocalDate plusDays(LocalDate date, long days) {
        try {
            LocalDate result = date.plusDays(days);
            if (result.isBefore(FIRST) || result.isAfter(LAST_DATE)) {
                throw new SqlException(SqlState.DATETIME_OVERFLOW, "date out of range");
            }
            return result;
        } catch (DateTimeException _) {
            throw new SqlException(SqlState.DATETIME_OVERFLOW, "date out of range");
        }
    }

    /// First the months, which keep the day unless the month is shorter, then the days, then
    /// the time.
    ///
    /// @throws SqlException 22008 if there is no such time
    public static LocalDateTime plus(LocalDateTime moment, Interval interval) {
        try {
            return inRange(
                    moment.plusMonths(interval.months())
                            .plusDays(interval.days())
                            .plus(interval.micros(), ChronoUnit.MICROS));
        } catch (DateTimeException | ArithmeticException _) {
            throw timestampOutOfRange();
        }
    }

    /// The same of a moment: months and days are those of the zone's clocks.
    ///
    /// @throws SqlException 22008 if there is no such time
    public static Instant plus(Instant moment, Interval interval, ZoneId zone) {
        try {
            Instant day = moment;
            if (interval.months() != 0 || interval.days() != 0) {
                LocalDateTime local =
                        TimeZones.local(moment, zone)
                                .plusMonths(interval.months())
                                .plusDays(interval.days());
                day = TimeZones.instant(local, zone);
            }
            Instant result = day.plus(interval.micros(), ChronoUnit.MICROS);
            return inRange(result);
        } catch (DateTimeException | ArithmeticException _) {
            throw timestampOutOfRange();
        }
    }

    /// The moment itself.
    ///
    /// @throws SqlException 22008 if PostgreSQL has no such time
    public static Instant inRange(Instant moment) {
        LocalDateTime _ = inRange(TimeZones.local(moment, ZoneOffset.UTC));
        return moment;
    }

    static LocalDateTime inRange(LocalDateTime moment) {
        LocalDate date = moment.toLocalDate();
        if (date.isBefore(FIRST) || date.isAfter(LAST_TIMESTAMP)) {
            throw timestampOutOfRange();
        }
        return moment;
    }

    private static SqlException timestampOutOfRange() {
        return new SqlException(SqlState.DATETIME_OVERFLOW, "timestamp out of range");
    }

    private static LocalTime plus(LocalTime time, long micros) {
        return time.plusNanos(micros % MICROS_PER_DAY * 1000);
    }

    /// Days and time, without months.
    ///
    /// @throws SqlException 22008 if they are more than 292,471 years, whose microseconds a long
    ///     has
    static Interval between(LocalDateTime from, LocalDateTime to) {
        try {
            return Interval.ofMicros(from.until(to, ChronoUnit.MICROS));
        } catch (ArithmeticException _) {
            throw Interval.outOfRange();
        }
    }

    /// `date_bin`: the start of the part of time that a moment is in, where all parts have the
    /// length of a stride and one begins at an origin.
    ///
    /// @throws SqlException 0A000 if the stride has months, 22008 if it has no length
    public static LocalDateTime binned(
            Interval stride, LocalDateTime moment, LocalDateTime origin) {
        if (stride.months() != 0) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "timestamps cannot be binned into intervals containing months or years");
        }
        try {
            long length =
                    Math.addExact(
                            Math.multiplyExact(stride.days(), MICROS_PER_DAY), stride.micros());
            if (length <= 0) {
                throw new SqlException(
                        SqlState.DATETIME_OVERFLOW, "stride must be greater than zero");
            }
            long distance = origin.until(moment, ChronoUnit.MICROS);
            return inRange(moment.minus(Math.floorMod(distance, length), ChronoUnit.MICROS));
        } catch (ArithmeticException _) {
            throw Interval.outOfRange();
        }
    }
}
