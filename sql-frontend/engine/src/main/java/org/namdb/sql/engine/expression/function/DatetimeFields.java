package org.namdb.sql.engine.expression.function;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoField;
import java.time.temporal.IsoFields;
import java.time.temporal.JulianFields;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.number.DecimalMath;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.Interval;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.TimeZones;

/// The fields of dates, times and intervals: what `extract` gives.
final class DatetimeFields {
    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final long MICROS_PER_DAY = 86_400_000_000L;
    private static final String KNOWN =
            " century day decade dow doy epoch hour isodow isoyear julian microseconds millennium milliseconds minute month quarter second week year timezone timezone_hour timezone_minute ";

    private DatetimeFields() {}

    static BigDecimal of(String field, LocalDate date) {
        String unit = unit(field);
        if (unit.equals("epoch")) {
            return BigDecimal.valueOf(date.toEpochDay() * 86_400);
        }
        Long value = unit.equals("julian") ? Long.valueOf(julian(date)) : ofDate(unit, date);
        return BigDecimal.valueOf(required(value, field, unit, SqlType.DATE));
    }

    static BigDecimal of(String field, LocalTime time) {
        String unit = unit(field);
        long micros = time.toNanoOfDay() / 1000;
        if (unit.equals("epoch")) {
            return BigDecimal.valueOf(micros, 6);
        }
        BigDecimal value = ofTime(unit, micros);
        if (value == null) {
            throw unknown(field, unit, SqlType.TIME);
        }
        return value;
    }

    static BigDecimal of(String field, LocalDateTime moment) {
        return of(field, moment, SqlType.TIMESTAMP);
    }

    private static BigDecimal of(String field, LocalDateTime moment, SqlType type) {
        String unit = unit(field);
        long micros = moment.toLocalTime().toNanoOfDay() / 1000;
        if (unit.equals("epoch")) {
            return BigDecimal.valueOf(
                    moment.toEpochSecond(ZoneOffset.UTC) * MICROS_PER_SECOND
                            + micros % MICROS_PER_SECOND,
                    6);
        }
        if (unit.equals("julian")) {
            BigDecimal part =
                    DecimalMath.divide(
                            BigDecimal.valueOf(micros), BigDecimal.valueOf(MICROS_PER_DAY));
            return part.add(BigDecimal.valueOf(julian(moment.toLocalDate())));
        }
        BigDecimal time = ofTime(unit, micros);
        if (time != null) {
            return time;
        }
        Long value = ofDate(unit, moment.toLocalDate());
        return BigDecimal.valueOf(required(value, field, unit, type));
    }

    /// The field of a moment as the clocks of a zone show it.
    static BigDecimal of(String field, Instant moment, ZoneId zone) {
        String unit = unit(field);
        int offset = zone.getRules().getOffset(moment).getTotalSeconds();
        return switch (unit) {
            case "epoch" -> of(field, TimeZones.local(moment, ZoneOffset.UTC));
            case "timezone" -> BigDecimal.valueOf(offset);
            case "timezone_hour" -> BigDecimal.valueOf(offset / 3600);
            case "timezone_minute" -> BigDecimal.valueOf(offset / 60 % 60);
            default -> of(field, TimeZones.local(moment, zone), SqlType.TIMESTAMPTZ);
        };
    }

    static BigDecimal of(String field, Interval interval) {
        String unit = unit(field);
        if (unit.equals("epoch")) {
            // A year has 365.25 days here, a month 30.
            long months = interval.months();
            BigDecimal seconds =
                    BigDecimal.valueOf(months / 12)
                            .multiply(BigDecimal.valueOf(31_557_600))
                            .add(BigDecimal.valueOf(months % 12 * 30 * 86_400))
                            .add(BigDecimal.valueOf(interval.days() * 86_400L));
            return seconds.add(BigDecimal.valueOf(interval.micros(), 6));
        }
        BigDecimal time =
                unit.equals("hour")
                        ? BigDecimal.valueOf(interval.micros() / 3_600_000_000L)
                        : ofTime(unit, interval.micros());
        if (time != null) {
            return time;
        }
        Long value = ofSpan(unit, interval);
        return BigDecimal.valueOf(required(value, field, unit, SqlType.INTERVAL));
    }

    private static @Nullable Long ofSpan(String unit, Interval interval) {
        long months = interval.months();
        return switch (unit) {
            case "day" -> (long) interval.days();
            case "month" -> months % 12;
            case "quarter" -> months % 12 / 3 + 1;
            case "year" -> months / 12;
            case "decade" -> months / 120;
            case "century" -> months / 1200;
            case "millennium" -> months / 12_000;
            default -> null;
        };
    }

    private static @Nullable Long ofDate(String unit, LocalDate date) {
        long year = date.getYear();
        // There is no year 0, no century 0 and no millennium 0.
        return switch (unit) {
            case "day" -> (long) date.getDayOfMonth();
            case "month" -> (long) date.getMonthValue();
            case "quarter" -> (date.getMonthValue() - 1L) / 3 + 1;
            case "year" -> withoutZero(year);
            case "decade" -> Math.floorDiv(year, 10L);
            case "century" -> year > 0 ? (year + 99) / 100 : -((100 - year) / 100);
            case "millennium" -> year > 0 ? (year + 999) / 1000 : -((1000 - year) / 1000);
            case "dow" -> (long) date.getDayOfWeek().getValue() % 7;
            case "isodow" -> (long) date.getDayOfWeek().getValue();
            case "doy" -> (long) date.getDayOfYear();
            case "week" -> date.getLong(IsoFields.WEEK_OF_WEEK_BASED_YEAR);
            case "isoyear" -> withoutZero(date.getLong(IsoFields.WEEK_BASED_YEAR));
            default -> null;
        };
    }

    private static long withoutZero(long year) {
        return year > 0 ? year : year - 1;
    }

    private static @Nullable BigDecimal ofTime(String unit, long micros) {
        long ofMinute = micros % (60 * MICROS_PER_SECOND);
        return switch (unit) {
            case "hour" -> BigDecimal.valueOf(micros / (3600 * MICROS_PER_SECOND) % 24);
            case "minute" -> BigDecimal.valueOf(micros / (60 * MICROS_PER_SECOND) % 60);
            case "second" -> BigDecimal.valueOf(ofMinute, 6);
            case "milliseconds" -> BigDecimal.valueOf(ofMinute, 3);
            case "microseconds" -> BigDecimal.valueOf(ofMinute);
            default -> null;
        };
    }

    static long julian(LocalDate date) {
        return date.getLong(JulianFields.JULIAN_DAY);
    }

    /// The unit's own name of its synonyms.
    private static String unit(String field) {
        return switch (field) {
            case "years", "yr", "yrs", "y" -> "year";
            case "months", "mon", "mons" -> "month";
            case "days", "d" -> "day";
            case "hours", "hr", "hrs", "h" -> "hour";
            case "minutes", "min", "mins", "m" -> "minute";
            case "seconds", "sec", "secs", "s" -> "second";
            case "millisecond", "msec", "msecs", "ms" -> "milliseconds";
            case "microsecond", "usec", "usecs", "us" -> "microseconds";
            case "weeks", "w" -> "week";
            case "qtr" -> "quarter";
            case "decades", "dec", "decs" -> "decade";
            case "centuries", "cent", "c" -> "century";
            case "millennia", "mil", "mils" -> "millennium";
            default -> field;
        };
    }

    private static long required(@Nullable Long value, String field, String unit, SqlType type) {
        if (value == null) {
            throw unknown(field, unit, type);
        }
        return value;
    }

    private static SqlException unknown(String field, String unit, SqlType type) {
        boolean isKnown = KNOWN.contains(" " + unit + " ");
        return new SqlException(
                isKnown ? SqlState.FEATURE_NOT_SUPPORTED : SqlState.INVALID_PARAMETER_VALUE,
                "unit \""
                        + field
                        + "\" not "
                        + (isKnown ? "supported" : "recognized")
                        + " for type "
                        + type.name());
    }

    /// The start of the unit that a moment is in.
    static LocalDateTime truncated(String field, LocalDateTime moment) {
        LocalDate date = moment.toLocalDate();
        LocalDate start = truncatedDate(unit(field), date);
        if (start != null) {
            return start.atStartOfDay();
        }
        long unitMicros = micros(unit(field));
        if (unitMicros == 0) {
            throw unknown(field, unit(field), SqlType.TIMESTAMP);
        }
        long micros = moment.toLocalTime().toNanoOfDay() / 1000;
        return date.atTime(LocalTime.ofNanoOfDay((micros - micros % unitMicros) * 1000));
    }

    /// The start of the unit that a moment is in, by the clocks of a zone.
    static Instant truncated(String field, Instant moment, ZoneId zone) {
        LocalDateTime start = truncated(field, TimeZones.local(moment, zone));
        // An hour that a clock shows twice stays the one that it is.
        return micros(unit(field)) == 0
                ? TimeZones.instant(start, zone)
                : start.toInstant(zone.getRules().getOffset(moment));
    }

    private static @Nullable LocalDate truncatedDate(String unit, LocalDate date) {
        int year = date.getYear();
        return switch (unit) {
            case "day" -> date;
            case "week" -> date.with(ChronoField.DAY_OF_WEEK, 1);
            case "month" -> date.withDayOfMonth(1);
            case "quarter" -> LocalDate.of(year, (date.getMonthValue() - 1) / 3 * 3 + 1, 1);
            case "year" -> LocalDate.of(year, 1, 1);
            case "decade" -> LocalDate.of(Math.floorDiv(year, 10) * 10, 1, 1);
            case "century" -> LocalDate.of(Math.floorDiv(year - 1, 100) * 100 + 1, 1, 1);
            case "millennium" -> LocalDate.of(Math.floorDiv(year - 1, 1000) * 1000 + 1, 1, 1);
            default -> null;
        };
    }

    /// The microseconds of a unit of time; 0 of another.
    private static long micros(String unit) {
        return switch (unit) {
            case "hour" -> 3600 * MICROS_PER_SECOND;
            case "minute" -> 60 * MICROS_PER_SECOND;
            case "second" -> MICROS_PER_SECOND;
            case "milliseconds" -> 1000;
            case "microseconds" -> 1;
            default -> 0;
        };
    }

    /// The whole units of an interval.
    static Interval truncated(String field, Interval interval) {
        int months = interval.months();
        int unitMonths =
                switch (unit(field)) {
                    case "month" -> 1;
                    case "quarter" -> 3;
                    case "year" -> 12;
                    case "decade" -> 120;
                    case "century" -> 1200;
                    case "millennium" -> 12_000;
                    default -> 0;
                };
        if (unitMonths > 0) {
            return new Interval(months - months % unitMonths, 0, 0);
        }
        if (unit(field).equals("day")) {
            return new Interval(months, interval.days(), 0);
        }
        long unitMicros = micros(unit(field));
        if (unitMicros == 0) {
            throw unknown(field, unit(field), SqlType.INTERVAL);
        }
        long micros = interval.micros();
        return new Interval(months, interval.days(), micros - micros % unitMicros);
    }
}
