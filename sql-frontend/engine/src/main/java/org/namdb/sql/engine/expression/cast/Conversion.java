package org.namdb.sql.engine.expression.cast;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.Unary;
import org.namdb.sql.engine.expression.number.Integers;
import org.namdb.sql.engine.expression.text.CodePoints;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.Interval;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.SqlType.Kind;
import org.namdb.sql.language.type.TextFormat;
import org.namdb.sql.language.type.TextParser;
import org.namdb.sql.language.type.TimeZones;

/// How values of one kind become values of another, and how freely: the table of casts.
///
/// @param level where it is done implicitly
/// @param function null if the values are the same
/// @param zoned in place of `function` where the session's time zone matters
record Conversion(Level level, @Nullable Unary function, @Nullable ZonedUnary zoned) {
    private Conversion(Level level, @Nullable Unary function) {
        this(level, function, null);
    }

    private static Conversion zoned(Level level, ZonedUnary zoned) {
        return new Conversion(level, null, zoned);
    }

    /// Where a conversion is done.
    enum Level {
        /// In any expression.
        IMPLICIT,
        /// When a column is assigned.
        ASSIGNMENT,
        /// Only by CAST.
        EXPLICIT
    }

    private static final MathContext DOUBLE_DIGITS = new MathContext(15, RoundingMode.HALF_EVEN);
    private static final MathContext REAL_DIGITS = new MathContext(6, RoundingMode.HALF_EVEN);
    private static final long MICROS_PER_DAY = 86_400_000_000L;

    /// The conversion between two types of different kinds; null if there is none. Lengths
    /// don't matter.
    static @Nullable Conversion find(SqlType from, SqlType to) {
        if (to.isString()) {
            return toText(from, to);
        }
        if (from.isVector() && to.isArray()) {
            return new Conversion(Level.EXPLICIT, v -> ofVector((String) v, to));
        }
        return switch (from.kind()) {
            case CHAR, VARCHAR, TEXT, UNKNOWN ->
                    isMoment(to)
                            ? zoned(
                                    Level.EXPLICIT,
                                    (v, zone) -> TextParser.parse((String) v, to, zone))
                            : new Conversion(Level.EXPLICIT, v -> TextParser.parse((String) v, to));
            case BOOLEAN ->
                    to.kind() == Kind.INTEGER
                            ? new Conversion(Level.EXPLICIT, v -> (Boolean) v ? 1L : 0L)
                            : null;
            case SMALLINT, INTEGER, BIGINT -> fromInteger(from.kind(), to.kind());
            case DECIMAL, REAL, DOUBLE -> fromFraction(from.kind(), to.kind());
            case DATE -> fromDate(to.kind());
            case TIMESTAMP -> fromTimestamp(to.kind());
            case TIMESTAMPTZ -> fromMoment(to.kind());
            case TIME ->
                    to.kind() == Kind.INTERVAL
                            ? new Conversion(
                                    Level.IMPLICIT,
                                    v -> new Interval(0, 0, ((LocalTime) v).toNanoOfDay() / 1000))
                            : null;
            case INTERVAL ->
                    to.kind() == Kind.TIME
                            ? new Conversion(Level.ASSIGNMENT, v -> timeOfDay((Interval) v))
                            : null;
            case BYTEA, UUID, ARRAY -> null;
        };
    }

    private static @Nullable Object ofVector(String numbers, SqlType array) {
        return TextParser.parse("{" + numbers.replace(' ', ',') + "}", array);
    }

    /// Whether texts of values depend on the session's time zone.
    private static boolean isMoment(SqlType type) {
        return type.kind() == Kind.TIMESTAMPTZ
                || type.isArray() && type.element().kind() == Kind.TIMESTAMPTZ;
    }

    /// Values of CHAR are kept without the blanks at their end, but where they have several
    /// lengths.
    private static Conversion toText(SqlType from, SqlType to) {
        if (from.isString()) {
            boolean losesBlanks =
                    from.equals(SqlType.BPCHAR)
                            || to.kind() == Kind.CHAR && !to.equals(SqlType.BPCHAR);
            return new Conversion(
                    Level.IMPLICIT,
                    losesBlanks ? v -> CodePoints.withoutTrailingBlanks((String) v) : null);
        }
        if (from.kind() == Kind.BOOLEAN) {
            return new Conversion(Level.ASSIGNMENT, Object::toString);
        }
        if (isMoment(from)) {
            return zoned(Level.ASSIGNMENT, (v, zone) -> TextFormat.format(v, from, zone));
        }
        return new Conversion(Level.ASSIGNMENT, v -> TextFormat.format(v, from));
    }

    private static @Nullable Conversion fromInteger(Kind from, Kind to) {
        return switch (to) {
            case SMALLINT, INTEGER, BIGINT ->
                    to.compareTo(from) > 0
                            ? new Conversion(Level.IMPLICIT, null)
                            : new Conversion(Level.ASSIGNMENT, v -> Integers.inRange((Long) v, to));
            case DECIMAL -> new Conversion(Level.IMPLICIT, v -> BigDecimal.valueOf((Long) v));
            case REAL -> new Conversion(Level.IMPLICIT, v -> (float) (long) (Long) v);
            case DOUBLE -> new Conversion(Level.IMPLICIT, v -> (double) (long) (Long) v);
            case BOOLEAN ->
                    from == Kind.INTEGER
                            ? new Conversion(Level.EXPLICIT, v -> (Long) v != 0)
                            : null;
            case CHAR,
                    VARCHAR,
                    TEXT,
                    DATE,
                    TIME,
                    TIMESTAMP,
                    TIMESTAMPTZ,
                    INTERVAL,
                    BYTEA,
                    UUID,
                    ARRAY,
                    UNKNOWN ->
                    null;
        };
    }

    private static @Nullable Conversion fromFraction(Kind from, Kind to) {
        return switch (to) {
            case SMALLINT, INTEGER, BIGINT ->
                    from == Kind.DECIMAL
                            ? new Conversion(Level.ASSIGNMENT, v -> rounded((BigDecimal) v, to))
                            : new Conversion(
                                    Level.ASSIGNMENT, v -> rounded(((Number) v).doubleValue(), to));
            case DECIMAL ->
                    new Conversion(
                            Level.ASSIGNMENT,
                            from == Kind.REAL
                                    ? v -> decimal((Float) v, REAL_DIGITS)
                                    : v -> decimal((Double) v, DOUBLE_DIGITS));
            case REAL ->
                    new Conversion(
                            from == Kind.DECIMAL ? Level.IMPLICIT : Level.ASSIGNMENT,
                            v -> real((Number) v));
            case DOUBLE -> new Conversion(Level.IMPLICIT, v -> doublePrecision((Number) v));
            case BOOLEAN,
                    CHAR,
                    VARCHAR,
                    TEXT,
                    DATE,
                    TIME,
                    TIMESTAMP,
                    TIMESTAMPTZ,
                    INTERVAL,
                    BYTEA,
                    UUID,
                    ARRAY,
                    UNKNOWN ->
                    null;
        };
    }

    private static @Nullable Conversion fromDate(Kind to) {
        return switch (to) {
            case TIMESTAMP -> new Conversion(Level.IMPLICIT, v -> ((LocalDate) v).atStartOfDay());
            case TIMESTAMPTZ ->
                    zoned(
                            Level.IMPLICIT,
                            (v, zone) -> TimeZones.instant(((LocalDate) v).atStartOfDay(), zone));
            default -> null;
        };
    }

    private static @Nullable Conversion fromMoment(Kind to) {
        return switch (to) {
            case TIMESTAMP ->
                    zoned(Level.ASSIGNMENT, (v, zone) -> TimeZones.local((Instant) v, zone));
            case DATE ->
                    zoned(
                            Level.ASSIGNMENT,
                            (v, zone) -> TimeZones.local((Instant) v, zone).toLocalDate());
            case TIME ->
                    zoned(
                            Level.ASSIGNMENT,
                            (v, zone) -> TimeZones.local((Instant) v, zone).toLocalTime());
            default -> null;
        };
    }

    private static @Nullable Conversion fromTimestamp(Kind to) {
        if (to == Kind.TIMESTAMPTZ) {
            return zoned(Level.IMPLICIT, (v, zone) -> TimeZones.instant((LocalDateTime) v, zone));
        }
        if (to == Kind.DATE) {
            return new Conversion(Level.ASSIGNMENT, v -> ((LocalDateTime) v).toLocalDate());
        }
        return to == Kind.TIME
                ? new Conversion(Level.ASSIGNMENT, v -> ((LocalDateTime) v).toLocalTime())
                : null;
    }

    private static LocalTime timeOfDay(Interval interval) {
        return LocalTime.ofNanoOfDay(Math.floorMod(interval.micros(), MICROS_PER_DAY) * 1000);
    }

    /// Half is rounded away from zero.
    static Long rounded(BigDecimal value, Kind to) {
        BigDecimal whole = value.setScale(0, RoundingMode.HALF_UP);
        if (whole.precision() > 19) {
            throw Integers.outOfRange(to);
        }
        try {
            return Integers.inRange(whole.longValueExact(), to);
        } catch (ArithmeticException _) {
            throw Integers.outOfRange(to);
        }
    }

    /// Half is rounded to the even neighbour, as floating-point numbers are.
    static Long rounded(double value, Kind to) {
        double whole = Math.rint(value);
        if (!(whole >= -0x1p63 && whole < 0x1p63)) {
            throw Integers.outOfRange(to);
        }
        return Integers.inRange((long) whole, to);
    }

    /// As many digits as a floating-point number is sure of.
    private static BigDecimal decimal(double value, MathContext digits) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            throw new SqlException(
                    SqlState.NUMERIC_OUT_OF_RANGE,
                    "cannot convert " + (Double.isNaN(value) ? "NaN" : "infinity") + " to numeric");
        }
        BigDecimal decimal = new BigDecimal(value, digits).stripTrailingZeros();
        return decimal.scale() < 0 ? decimal.setScale(0) : decimal;
    }

    private static Double doublePrecision(Number value) {
        double result = value.doubleValue();
        if (value instanceof BigDecimal exact
                && (Double.isInfinite(result) || result == 0 && exact.signum() != 0)) {
            throw new SqlException(
                    SqlState.NUMERIC_OUT_OF_RANGE,
                    "\"" + value + "\" is out of range for type double precision");
        }
        return result;
    }

    private static Float real(Number value) {
        float result = value.floatValue();
        double exact = value.doubleValue();
        if (Float.isInfinite(result) && value instanceof BigDecimal) {
            throw new SqlException(
                    SqlState.NUMERIC_OUT_OF_RANGE,
                    "\"" + value + "\" is out of range for type real");
        }
        if (Float.isInfinite(result) && !(value instanceof Double && Double.isInfinite(exact))) {
            throw new SqlException(SqlState.NUMERIC_OUT_OF_RANGE, "value out of range: overflow");
        }
        if (result == 0 && exact != 0) {
            throw new SqlException(SqlState.NUMERIC_OUT_OF_RANGE, "value out of range: underflow");
        }
        return result;
    }
}
