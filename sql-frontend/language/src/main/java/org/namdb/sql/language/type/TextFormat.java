package org.namdb.sql.language.type;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoField;

/// Values as text, in PostgreSQL's output format. [TextParser] reads it again.
public final class TextFormat {
    /// Below this many digits before the point a number is written without an exponent.
    private static final int DOUBLE_DIGITS = 15;

    private static final int REAL_DIGITS = 6;

    private TextFormat() {}

    /// The text of a value of this type; CHAR(n) is filled up with blanks. Moments are in UTC.
    public static String format(Object value, SqlType type) {
        return format(value, type, ZoneOffset.UTC);
    }

    /// The text of a value of this type, as a session shows it.
    ///
    /// @param zone the session's, in which moments are shown
    public static String format(Object value, SqlType type, ZoneId zone) {
        return switch (type.kind()) {
            case SMALLINT, INTEGER, BIGINT -> Long.toString((Long) value);
            case VARCHAR, TEXT, UNKNOWN -> (String) value;
            case CHAR -> padded((String) value, type.length());
            case DECIMAL -> ((BigDecimal) value).toPlainString();
            case BOOLEAN -> (Boolean) value ? "t" : "f";
            case REAL -> real((Float) value);
            case DOUBLE -> doublePrecision((Double) value);
            case DATE -> date((LocalDate) value);
            case TIME -> time((LocalTime) value);
            case TIMESTAMP -> timestamp((LocalDateTime) value);
            case TIMESTAMPTZ -> instant((Instant) value, zone);
            case INTERVAL, BYTEA, UUID -> value.toString();
            case ARRAY -> array((SqlArray) value, type.element(), zone);
        };
    }

    private static String array(SqlArray array, SqlType element, ZoneId zone) {
        StringBuilder out = new StringBuilder("{");
        for (Object value : array.values()) {
            out.append(out.length() == 1 ? "" : ",");
            if (value == null) {
                out.append("NULL");
            } else {
                SqlArray.appendElement(out, format(value, element, zone));
            }
        }
        return out.append('}').toString();
    }

    private static String padded(String text, int length) {
        int missing = length - text.codePointCount(0, text.length());
        return missing > 0 ? text + " ".repeat(missing) : text;
    }

    private static String doublePrecision(double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            return special(value);
        }
        String shortest = Double.toString(value);
        return FloatText.of(shortest, s -> Double.parseDouble(s) == value).text(DOUBLE_DIGITS);
    }

    private static String real(float value) {
        if (Float.isNaN(value) || Float.isInfinite(value)) {
            return special(value);
        }
        String shortest = Float.toString(value);
        return FloatText.of(shortest, s -> Float.parseFloat(s) == value).text(REAL_DIGITS);
    }

    private static String special(double value) {
        return Double.isNaN(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
    }

    static String date(LocalDate date) {
        StringBuilder out = new StringBuilder(16);
        appendDate(out, date);
        return withEra(out, date);
    }

    static String time(LocalTime time) {
        StringBuilder out = new StringBuilder(16);
        appendTime(out, time);
        return out.toString();
    }

    static String timestamp(LocalDateTime timestamp) {
        StringBuilder out = new StringBuilder(32);
        appendDate(out, timestamp.toLocalDate());
        out.append(' ');
        appendTime(out, timestamp.toLocalTime());
        return withEra(out, timestamp.toLocalDate());
    }

    private static String instant(Instant moment, ZoneId zone) {
        int offset = zone.getRules().getOffset(moment).getTotalSeconds();
        LocalDateTime local = TimeZones.local(moment, zone);
        StringBuilder out = new StringBuilder(32);
        appendDate(out, local.toLocalDate());
        out.append(' ');
        appendTime(out, local.toLocalTime());
        TimeZones.appendOffset(out, offset);
        return withEra(out, local.toLocalDate());
    }

    private static void appendDate(StringBuilder out, LocalDate date) {
        int year = date.get(ChronoField.YEAR_OF_ERA);
        if (year < 1000) {
            out.append(year < 10 ? "000" : year < 100 ? "00" : "0");
        }
        out.append(year).append('-');
        twoDigits(out, date.getMonthValue());
        out.append('-');
        twoDigits(out, date.getDayOfMonth());
    }

    private static String withEra(StringBuilder out, LocalDate date) {
        return date.getYear() <= 0 ? out.append(" BC").toString() : out.toString();
    }

    private static void appendTime(StringBuilder out, LocalTime time) {
        twoDigits(out, time.getHour());
        out.append(':');
        twoDigits(out, time.getMinute());
        out.append(':');
        twoDigits(out, time.getSecond());
        fraction(out, time.getNano() / 1000);
    }

    static void twoDigits(StringBuilder out, long value) {
        if (value < 10) {
            out.append('0');
        }
        out.append(value);
    }

    /// A point and the digits of microseconds, without zeros at the end; nothing for 0.
    static void fraction(StringBuilder out, long micros) {
        if (micros == 0) {
            return;
        }
        out.append('.');
        long rest = micros;
        for (long unit = 100_000; rest != 0; unit /= 10) {
            out.append((char) ('0' + rest / unit));
            rest %= unit;
        }
    }
}
