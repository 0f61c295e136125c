package org.namdb.sql.engine.expression.function;

import static org.namdb.sql.engine.expression.function.DatetimeFunctions.lower;
import static org.namdb.sql.engine.expression.function.StringFunctions.number;
import static org.namdb.sql.engine.expression.function.StringFunctions.text;
import static org.namdb.sql.language.type.SqlType.DECIMAL;
import static org.namdb.sql.language.type.SqlType.DOUBLE;
import static org.namdb.sql.language.type.SqlType.INTEGER;
import static org.namdb.sql.language.type.SqlType.INTERVAL;
import static org.namdb.sql.language.type.SqlType.TEXT;
import static org.namdb.sql.language.type.SqlType.TIMESTAMP;
import static org.namdb.sql.language.type.SqlType.TIMESTAMPTZ;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.engine.expression.operator.DatetimeArithmetic;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.Interval;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.TimeZones;

/// Functions of moments, which are timestamps with time zone. Most depend on the zone of
/// the session.
final class MomentFunctions {
    private static final double MICROS_PER_SECOND = 1e6;

    private MomentFunctions() {}

    /// A function of a moment, by the clocks of a zone.
    private interface Zoned {
        Object apply(Object[] arguments, ZoneId zone);
    }

    static void addTo(FunctionTable table) {
        add(table, "extract", DECIMAL, (a, zone) -> field(a, zone), TEXT, TIMESTAMPTZ);
        add(
                table,
                "date_part",
                DOUBLE,
                (a, zone) -> field(a, zone).doubleValue(),
                TEXT,
                TIMESTAMPTZ);
        add(
                table,
                "date_trunc",
                TIMESTAMPTZ,
                (a, zone) -> DatetimeFields.truncated(lower(a), (Instant) a[1], zone),
                TEXT,
                TIMESTAMPTZ);
        table.add(
                "date_trunc",
                TIMESTAMPTZ,
                a ->
                        DatetimeFields.truncated(
                                lower(a), (Instant) a[1], TimeZones.named(text(a, 2))),
                TEXT,
                TIMESTAMPTZ,
                TEXT);
        add(
                table,
                "age",
                INTERVAL,
                (a, zone) ->
                        DatetimeFunctions.age(
                                TimeZones.local((Instant) a[0], zone),
                                TimeZones.local((Instant) a[1], zone)),
                TIMESTAMPTZ,
                TIMESTAMPTZ);
        table.add(
                "age",
                INTERVAL,
                Volatility.STABLE,
                (frame, a) ->
                        DatetimeFunctions.age(
                                frame.environment().localTime().truncatedTo(ChronoUnit.DAYS),
                                TimeZones.local((Instant) a[0], zone(frame))),
                TIMESTAMPTZ);
        add(
                table,
                "to_char",
                TEXT,
                (a, zone) -> DatetimePicture.format(text(a, 1), (Instant) a[0], zone),
                TIMESTAMPTZ,
                TEXT);
        table.add(
                "date_bin",
                TIMESTAMPTZ,
                a ->
                        DatetimeArithmetic.binned(
                                        (Interval) a[0],
                                        TimeZones.local((Instant) a[1], ZoneOffset.UTC),
                                        TimeZones.local((Instant) a[2], ZoneOffset.UTC))
                                .toInstant(ZoneOffset.UTC),
                INTERVAL,
                TIMESTAMPTZ,
                TIMESTAMPTZ);
        table.add("to_timestamp", TIMESTAMPTZ, a -> ofSeconds((Double) a[0]), DOUBLE);
        add(
                table,
                "to_timestamp",
                TIMESTAMPTZ,
                (a, zone) ->
                        DatetimeArithmetic.inRange(
                                DatetimeTemplate.instant(text(a, 0), text(a, 1), zone)),
                TEXT,
                TEXT);
        SqlType[] parts = {INTEGER, INTEGER, INTEGER, INTEGER, INTEGER, DOUBLE};
        add(table, "make_timestamptz", TIMESTAMPTZ, MomentFunctions::ofParts, parts);
        SqlType[] zonedParts = Arrays.copyOf(parts, parts.length + 1);
        zonedParts[parts.length] = TEXT;
        table.add(
                "make_timestamptz",
                TIMESTAMPTZ,
                a -> ofParts(a, TimeZones.named(text(a, parts.length))),
                zonedParts);
        addTimeZone(table);
    }

    /// What AT TIME ZONE calls.
    private static void addTimeZone(FunctionTable table) {
        table.add(
                "timezone",
                TIMESTAMP,
                a -> TimeZones.local((Instant) a[1], TimeZones.named(text(a, 0))),
                TEXT,
                TIMESTAMPTZ);
        table.add(
                "timezone",
                TIMESTAMPTZ,
                a -> TimeZones.instant((LocalDateTime) a[1], TimeZones.named(text(a, 0))),
                TEXT,
                TIMESTAMP);
        table.add(
                "timezone",
                TIMESTAMP,
                a -> TimeZones.local((Instant) a[1], offset((Interval) a[0])),
                INTERVAL,
                TIMESTAMPTZ);
        table.add(
                "timezone",
                TIMESTAMPTZ,
                a -> TimeZones.instant((LocalDateTime) a[1], offset((Interval) a[0])),
                INTERVAL,
                TIMESTAMP);
    }

    private static void add(
            FunctionTable table, String name, SqlType result, Zoned body, SqlType... parameters) {
        table.add(
                name,
                result,
                Volatility.STABLE,
                (frame, a) -> body.apply(a, zone(frame)),
                parameters);
    }

    private static ZoneId zone(EvaluationFrame frame) {
        return frame.environment().zone();
    }

    private static BigDecimal field(Object[] a, ZoneId zone) {
        return DatetimeFields.of(lower(a), (Instant) a[1], zone);
    }

    private static Instant ofSeconds(double seconds) {
        double micros = Math.rint(seconds * MICROS_PER_SECOND);
        if (Double.isNaN(micros) || Math.abs(micros) >= Long.MAX_VALUE) {
            throw outOfRange(seconds);
        }
        try {
            return DatetimeArithmetic.inRange(Instant.EPOCH.plus((long) micros, ChronoUnit.MICROS));
        } catch (DateTimeException | SqlException _) {
            throw outOfRange(seconds);
        }
    }

    private static SqlException outOfRange(double seconds) {
        return new SqlException(
                SqlState.DATETIME_OVERFLOW, "timestamp out of range: \"" + seconds + "\"");
    }

    private static Instant ofParts(Object[] a, ZoneId zone) {
        LocalDateTime local =
                DatetimeFunctions.date(number(a, 0), number(a, 1), number(a, 2))
                        .atTime(DatetimeFunctions.time(number(a, 3), number(a, 4), (Double) a[5]));
        return TimeZones.instant(local, zone);
    }

    private static ZoneOffset offset(Interval interval) {
        if (interval.months() != 0 || interval.days() != 0) {
            throw new SqlException(
                    SqlState.INVALID_PARAMETER_VALUE,
                    "interval time zone \"" + interval + "\" must not include months or days");
        }
        try {
            return ZoneOffset.ofTotalSeconds(
                    Math.toIntExact(interval.micros() / (long) MICROS_PER_SECOND));
        } catch (DateTimeException | ArithmeticException _) {
            throw new SqlException(
                    SqlState.INVALID_PARAMETER_VALUE,
                    "interval time zone \"" + interval + "\" is out of range");
        }
    }
}
