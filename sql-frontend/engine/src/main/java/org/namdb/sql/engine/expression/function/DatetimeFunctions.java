package org.namdb.sql.engine.expression.function;

import static org.namdb.sql.engine.expression.function.StringFunctions.number;
import static org.namdb.sql.engine.expression.function.StringFunctions.text;
import static org.namdb.sql.language.type.SqlType.BOOLEAN;
import static org.namdb.sql.language.type.SqlType.DATE;
import static org.namdb.sql.language.type.SqlType.DECIMAL;
import static org.namdb.sql.language.type.SqlType.DOUBLE;
import static org.namdb.sql.language.type.SqlType.INTEGER;
import static org.namdb.sql.language.type.SqlType.INTERVAL;
import static org.namdb.sql.language.type.SqlType.TEXT;
import static org.namdb.sql.language.type.SqlType.TIME;
import static org.namdb.sql.language.type.SqlType.TIMESTAMP;
import static org.namdb.sql.language.type.SqlType.TIMESTAMPTZ;

import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.BiFunction;
import org.namdb.sql.engine.expression.EvaluationFrame;
import org.namdb.sql.engine.expression.Volatility;
import org.namdb.sql.engine.expression.operator.DatetimeArithmetic;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.Interval;
import org.namdb.sql.language.type.SqlType;

/// Functions of dates and times. The present is a moment, or what the clocks of the session's time
/// zone show.
final class DatetimeFunctions {
    private DatetimeFunctions() {}

    static void addTo(FunctionTable table) {
        for (String name : new String[] {"now", "current_timestamp", "transaction_timestamp"}) {
            table.add(
                    name,
                    TIMESTAMPTZ,
                    Volatility.STABLE,
                    (frame, _) -> frame.environment().transactionTime());
        }
        table.add(
                "statement_timestamp",
                TIMESTAMPTZ,
                Volatility.STABLE,
                (frame, _) -> frame.environment().statementTime());
        table.add("localtimestamp", TIMESTAMP, Volatility.STABLE, (frame, _) -> now(frame));
        table.add("current_date", DATE, Volatility.STABLE, (frame, _) -> now(frame).toLocalDate());
        for (String name : new String[] {"current_time", "localtime"}) {
            table.add(name, TIME, Volatility.STABLE, (frame, _) -> now(frame).toLocalTime());
        }
        table.add(
                "clock_timestamp",
                TIMESTAMPTZ,
                Volatility.VOLATILE,
                (frame, _) -> frame.environment().clockTime());
        addField(
                table,
                TIMESTAMP,
                (field, value) -> DatetimeFields.of(field, (LocalDateTime) value));
        addField(table, DATE, (field, value) -> DatetimeFields.of(field, (LocalDate) value));
        addField(table, TIME, (field, value) -> DatetimeFields.of(field, (LocalTime) value));
        addField(table, INTERVAL, (field, value) -> DatetimeFields.of(field, (Interval) value));
        MomentFunctions.addTo(table);
        table.add(
                "date_trunc",
                TIMESTAMP,
                a -> DatetimeFields.truncated(lower(a), (LocalDateTime) a[1]),
                TEXT,
                TIMESTAMP);
        table.add(
                "date_trunc",
                INTERVAL,
                a -> DatetimeFields.truncated(lower(a), (Interval) a[1]),
                TEXT,
                INTERVAL);
        table.add(
                "age",
                INTERVAL,
                a -> age((LocalDateTime) a[0], (LocalDateTime) a[1]),
                TIMESTAMP,
                TIMESTAMP);
        table.add(
                "age",
                INTERVAL,
                Volatility.STABLE,
                (frame, a) -> age(now(frame).toLocalDate().atStartOfDay(), (LocalDateTime) a[0]),
                TIMESTAMP);
        table.add(
                "make_date",
                DATE,
                a -> date(number(a, 0), number(a, 1), number(a, 2)),
                INTEGER,
                INTEGER,
                INTEGER);
        table.add(
                "make_time",
                TIME,
                a -> time(number(a, 0), number(a, 1), (Double) a[2]),
                INTEGER,
                INTEGER,
                DOUBLE);
        table.add(
                "make_timestamp",
                TIMESTAMP,
                a ->
                        date(number(a, 0), number(a, 1), number(a, 2))
                                .atTime(time(number(a, 3), number(a, 4), (Double) a[5])),
                INTEGER,
                INTEGER,
                INTEGER,
                INTEGER,
                INTEGER,
                DOUBLE);
        addMakeInterval(table);
        for (SqlType type : new SqlType[] {DATE, TIMESTAMP, TIMESTAMPTZ, INTERVAL}) {
            table.add("isfinite", BOOLEAN, _ -> true, type);
        }
        table.add(
                "date_bin",
                TIMESTAMP,
                a ->
                        DatetimeArithmetic.binned(
                                (Interval) a[0], (LocalDateTime) a[1], (LocalDateTime) a[2]),
                INTERVAL,
                TIMESTAMP,
                TIMESTAMP);
        table.add("justify_interval", INTERVAL, a -> justified((Interval) a[0]), INTERVAL);
        table.add("justify_hours", INTERVAL, a -> justifiedHours((Interval) a[0]), INTERVAL);
        table.add("justify_days", INTERVAL, a -> justifiedDays((Interval) a[0]), INTERVAL);
    }

    /// `make_interval(years, months, weeks, days, hours, mins, secs)`, of which the last may lack.
    private static void addMakeInterval(FunctionTable table) {
        SqlType[] parts = {INTEGER, INTEGER, INTEGER, INTEGER, INTEGER, INTEGER, DOUBLE};
        for (int count = 0; count <= parts.length; count++) {
            table.add(
                    "make_interval",
                    INTERVAL,
                    DatetimeFunctions::ofParts,
                    Arrays.copyOf(parts, count));
        }
    }

    private static Interval ofParts(Object[] given) {
        long[] parts = new long[6];
        for (int i = 0; i < Math.min(given.length, parts.length); i++) {
            parts[i] = number(given, i);
        }
        double seconds = given.length > parts.length ? (Double) given[parts.length] : 0;
        double micros = Math.rint(seconds * 1e6);
        long time = (parts[4] * 60 + parts[5]) * 60_000_000;
        if (!(Math.abs(micros + time) < Long.MAX_VALUE)) {
            throw Interval.outOfRange();
        }
        return Interval.exact(
                parts[0] * 12 + parts[1], parts[2] * 7 + parts[3], time + (long) micros);
    }

    private static Interval justified(Interval interval) {
        Interval whole = Interval.ofMicros(interval.micros());
        long days = (long) interval.days() + whole.days();
        long micros = whole.micros();
        long months = interval.months() + days / 30;
        days %= 30;
        if (months > 0 && (days < 0 || days == 0 && micros < 0)) {
            days += 30;
            months--;
        } else if (months < 0 && (days > 0 || days == 0 && micros > 0)) {
            days -= 30;
            months++;
        }
        return justifiedHours(Interval.exact(months, days, micros));
    }

    private static LocalDateTime now(EvaluationFrame frame) {
        return frame.environment().localTime();
    }

    private static void addField(
            FunctionTable table, SqlType type, BiFunction<String, Object, BigDecimal> field) {
        table.add("extract", DECIMAL, a -> field.apply(lower(a), a[1]), TEXT, type);
        if (type.equals(DATE)) {
            // date_part takes a date as its first moment.
            table.add(
                    "date_part",
                    DOUBLE,
                    a ->
                            DatetimeFields.of(lower(a), ((LocalDate) a[1]).atStartOfDay())
                                    .doubleValue(),
                    TEXT,
                    DATE);
            return;
        }
        table.add("date_part", DOUBLE, a -> field.apply(lower(a), a[1]).doubleValue(), TEXT, type);
    }

    static String lower(Object[] arguments) {
        return text(arguments, 0).toLowerCase(Locale.ROOT);
    }

    /// The difference in years, months and days, as a person would count it.
    static Interval age(LocalDateTime to, LocalDateTime from) {
        if (to.isBefore(from)) {
            return countedUp(to, from, to).negated();
        }
        return countedUp(from, to, from);
    }

    /// @param lender the month of this one determines how many days a missing month has
    private static Interval countedUp(LocalDateTime from, LocalDateTime to, LocalDateTime lender) {
        long micros = (to.toLocalTime().toNanoOfDay() - from.toLocalTime().toNanoOfDay()) / 1000;
        int days = to.getDayOfMonth() - from.getDayOfMonth();
        int months =
                (to.getYear() - from.getYear()) * 12 + to.getMonthValue() - from.getMonthValue();
        if (micros < 0) {
            micros += 86_400_000_000L;
            days--;
        }
        if (days < 0) {
            days += lender.toLocalDate().lengthOfMonth();
            months--;
        }
        return new Interval(months, days, micros);
    }

    static LocalDate date(long year, long month, long day) {
        try {
            if (year == 0) {
                throw new DateTimeException("there is no year 0");
            }
            // A negative year is one before Christ.
            return LocalDate.of((int) (year < 0 ? year + 1 : year), (int) month, (int) day);
        } catch (DateTimeException e) {
            throw new SqlException(
                            SqlState.DATETIME_OVERFLOW,
                            String.format(
                                    Locale.ROOT,
                                    "date field value out of range: %d-%02d-%02d",
                                    year,
                                    month,
                                    day))
                    .causedBy(e);
        }
    }

    static LocalTime time(long hour, long minute, double second) {
        double micros = Math.rint(second * 1e6);
        boolean isTime =
                hour >= 0
                        && hour < 24
                        && minute >= 0
                        && minute < 60
                        && micros >= 0
                        && micros <= 60e6;
        long total = isTime ? (hour * 60 + minute) * 60_000_000 + (long) micros : -1;
        if (total < 0 || total >= 86_400_000_000L) {
            throw new SqlException(
                    SqlState.DATETIME_OVERFLOW,
                    String.format(
                            Locale.ROOT,
                            "time field value out of range: %d:%02d:%s",
                            hour,
                            minute,
                            (second < 10 ? "0" : "") + (long) second));
        }
        return LocalTime.ofNanoOfDay(total * 1000);
    }

    private static Interval justifiedHours(Interval interval) {
        Interval time = Interval.ofMicros(interval.micros());
        long days = (long) interval.days() + time.days();
        long micros = time.micros();
        if (days > 0 && micros < 0) {
            days--;
            micros += 86_400_000_000L;
        } else if (days < 0 && micros > 0) {
            days++;
            micros -= 86_400_000_000L;
        }
        return Interval.exact(interval.months(), days, micros);
    }

    private static Interval justifiedDays(Interval interval) {
        long months = (long) interval.months() + interval.days() / 30;
        long days = interval.days() % 30;
        if (months > 0 && days < 0) {
            months--;
            days += 30;
        } else if (months < 0 && days > 0) {
            months++;
            days -= 30;
        }
        return Interval.exact(months, days, interval.micros());
    }
}
