package org.namdb.sql.engine.expression.function;

import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Month;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.JulianFields;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.function.TemplateReader.Field;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.TimeZones;

/// What the fields that [TemplateReader] has read of a text mean: a date, or a moment.
final class DatetimeTemplate {
    private static final int MICROS_PER_SECOND = 1_000_000;

    /// Its years are out of range, and fit an int.
    private static final int MAX_CENTURY = 1_000_000;

    private static final int LAST_OFFSET_HOURS = 15;

    private final String text;
    private final TemplateReader read;

    private DatetimeTemplate(String text, String template) {
        this.text = text;
        this.read = TemplateReader.read(text, template);
    }

    /// `to_date(text, template)`; a time in the text is read, and has no effect.
    static LocalDate date(String text, String template) {
        DatetimeTemplate fields = new DatetimeTemplate(text, template);
        LocalTime _ = fields.time();
        return fields.date();
    }

    /// `to_timestamp(text, template)`.
    ///
    /// @param zone of a text without an offset
    static Instant instant(String text, String template, ZoneId zone) {
        DatetimeTemplate fields = new DatetimeTemplate(text, template);
        LocalDateTime local = fields.date().atTime(fields.time());
        ZoneOffset offset = fields.offset();
        return TimeZones.instant(fields.rounded(local), offset == null ? zone : offset);
    }

    private LocalDateTime rounded(LocalDateTime time) {
        int unit = 1000;
        for (int digits = read.fractionDigits(); digits < 6; digits++) {
            unit *= 10;
        }
        LocalDateTime nearest = time.plusNanos(unit / 2);
        long nanos = nearest.toLocalTime().toNanoOfDay() / unit * unit;
        return nearest.toLocalDate().atTime(LocalTime.ofNanoOfDay(nanos));
    }

    private int get(Field field) {
        return read.get(field);
    }

    private boolean has(Field field) {
        return get(field) != 0;
    }

    private LocalTime time() {
        int seconds = get(Field.SECOND_OF_DAY);
        int hour = has(Field.HOUR) ? get(Field.HOUR) : seconds / 3600;
        int minute = has(Field.MINUTE) ? get(Field.MINUTE) : seconds / 60 % 60;
        int second = has(Field.SECOND) ? get(Field.SECOND) : seconds % 60;
        if (read.isTwelveHours()) {
            if (hour < 1 || hour > 12) {
                throw new SqlException(
                                SqlState.INVALID_DATETIME,
                                "hour \"" + hour + "\" is invalid for the 12-hour clock")
                        .withHint("Use the 24-hour clock, or give an hour between 1 and 12.");
            }
            hour = hour % 12 + (has(Field.AFTERNOON) ? 12 : 0);
        }
        long micros = get(Field.MILLISECOND) * 1000L + get(Field.MICROSECOND);
        if (micros < 0 || micros >= MICROS_PER_SECOND) {
            throw outOfRange();
        }
        try {
            return LocalTime.of(hour, minute, second, (int) micros * 1000);
        } catch (DateTimeException _) {
            throw outOfRange();
        }
    }

    private @Nullable ZoneOffset offset() {
        int sign = get(Field.ZONE_SIGN);
        if (sign == 0) {
            return null;
        }
        int hours = get(Field.ZONE_HOUR);
        int minutes = get(Field.ZONE_MINUTE);
        if (hours < 0 || hours > LAST_OFFSET_HOURS || minutes < 0 || minutes > 59) {
            throw new SqlException(
                    SqlState.INVALID_TIME_ZONE,
                    "time zone displacement out of range: \"" + text + "\"");
        }
        return ZoneOffset.ofTotalSeconds(sign * (hours * 3600 + minutes * 60));
    }

    private LocalDate date() {
        try {
            return inRange(resolved());
        } catch (DateTimeException _) {
            throw outOfRange();
        }
    }

    private LocalDate inRange(LocalDate date) {
        if (date.isBefore(LocalDate.of(-4713, 11, 24)) || date.getYear() > 5_874_897) {
            throw new SqlException(
                    SqlState.DATETIME_OVERFLOW, "date out of range: \"" + text + "\"");
        }
        return date;
    }

    private LocalDate resolved() {
        int year = year();
        LocalDate start = null;
        if (has(Field.JULIAN)) {
            start = LocalDate.EPOCH.with(JulianFields.JULIAN_DAY, get(Field.JULIAN));
        }
        int dayOfYear = get(Field.DAY_OF_YEAR);
        int week = get(Field.WEEK);
        if (week != 0 && read.isIso()) {
            // A week without a day is its Monday.
            int day = has(Field.DAY_OF_WEEK) ? (get(Field.DAY_OF_WEEK) + 5) % 7 : 0;
            start = firstMonday(year).plusWeeks(week - 1L).plusDays(day);
        } else if (week != 0) {
            dayOfYear = (week - 1) * 7 + 1;
        }
        int day = has(Field.WEEK_OF_MONTH) ? (get(Field.WEEK_OF_MONTH) - 1) * 7 + 1 : 0;
        day = day == 0 ? get(Field.DAY) : day;
        int month = get(Field.MONTH);
        boolean lacksPart =
                (month != 0 ? month : start == null ? 1 : start.getMonthValue()) <= 1
                        || (day != 0 ? day : start == null ? 1 : start.getDayOfMonth()) <= 1;
        if (dayOfYear != 0 && lacksPart) {
            if (year == 0 && !has(Field.BEFORE_CHRIST)) {
                throw new SqlException(
                        SqlState.INVALID_DATETIME,
                        "cannot calculate day of year without year information");
            }
            if (read.isIso()) {
                start = firstMonday(year).plusDays(dayOfYear - 1L);
            } else {
                LocalDate found = LocalDate.ofYearDay(year, dayOfYear);
                month = month <= 1 ? found.getMonthValue() : month;
                day = day <= 1 ? found.getDayOfMonth() : day;
            }
        }
        return composed(start, year, month, day);
    }

    /// Month and day also stand without a year: there February has the days that are asked for.
    private LocalDate composed(@Nullable LocalDate start, int year, int month, int day) {
        int y = start == null ? year : start.getYear();
        int m = month != 0 ? month : start == null ? 1 : start.getMonthValue();
        int d = day != 0 ? day : start == null ? 1 : start.getDayOfMonth();
        boolean isWhole = start != null || year() != 0 && month != 0 && day != 0;
        if (isWhole) {
            return LocalDate.of(y, m, d);
        }
        if (d < 1 || d > 31) {
            throw outOfRange();
        }
        return LocalDate.of(y, m, 1).plusDays(d - 1L);
    }

    private static LocalDate firstMonday(int year) {
        LocalDate inFirstWeek = LocalDate.of(year, Month.JANUARY, 4);
        return inFirstWeek.with(DayOfWeek.MONDAY);
    }

    /// The year 0 is that before 1: without a year it is this one.
    private int year() {
        boolean isBefore = has(Field.BEFORE_CHRIST);
        int found = Math.clamp(get(Field.CENTURY), -MAX_CENTURY, MAX_CENTURY);
        int century = isBefore ? -found : found;
        int year = get(Field.YEAR);
        if (year == 0) {
            return century == 0 ? 0 : century > 0 ? (century - 1) * 100 + 1 : century * 100 + 1;
        }
        if (century == 0 || read.yearDigits() > 2) {
            int signed = isBefore ? -year : year;
            return signed < 0 ? signed + 1 : signed;
        }
        int ofCentury = year % 100;
        if (ofCentury == 0) {
            return century * 100 + (century >= 0 ? 0 : 1);
        }
        return century >= 0 ? (century - 1) * 100 + ofCentury : (century + 1) * 100 - ofCentury + 1;
    }

    private SqlException outOfRange() {
        return new SqlException(
                SqlState.DATETIME_OVERFLOW, "date/time field value out of range: \"" + text + "\"");
    }
}
