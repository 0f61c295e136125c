package org.namdb.sql.language.type;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType.Kind;

/// Reads values from text, as leniently as PostgreSQL does. Lengths and scales of the type are not
/// applied: a cast does that.
public final class TextParser {
    /// More digits before the point than PostgreSQL's `numeric` has can't be stored anyway, and
    /// would cost memory.
    private static final int MAX_EXPONENT = 131_071;

    private static final int MAX_SCALE = 16_383;

    private TextParser() {}

    /// The value that a text means in this type. A moment without an offset is one in UTC.
    ///
    /// @throws SqlException as below
    public static Object parse(String text, SqlType type) {
        return parse(text, type, ZoneOffset.UTC);
    }

    /// Whether what a text means in this type depends on the session's time zone.
    public static boolean isZoned(String text, SqlType type) {
        return type.kind() == Kind.TIMESTAMPTZ && !DatetimeParser.hasZone(text)
                || type.isArray() && type.element().kind() == Kind.TIMESTAMPTZ;
    }

    /// The value that a text means in this type.
    ///
    /// @param zone the session's, of moments that name none
    /// @throws SqlException 22P02 or 22007 if the text is none of the type, 22003 or 22008 if it is
    ///     out of range
    public static Object parse(String text, SqlType type, ZoneId zone) {
        return switch (type.kind()) {
            case SMALLINT, INTEGER, BIGINT -> integer(text, type.kind());
            case VARCHAR, TEXT, UNKNOWN -> text;
            case CHAR -> type.equals(SqlType.BPCHAR) ? text : withoutBlanksAtEnd(text);
            case DECIMAL -> decimal(text);
            case BOOLEAN -> bool(text);
            case REAL -> real(text);
            case DOUBLE -> doublePrecision(text);
            case DATE -> DatetimeParser.date(text);
            case TIME -> DatetimeParser.time(text);
            case TIMESTAMP -> DatetimeParser.timestamp(text);
            case TIMESTAMPTZ -> DatetimeParser.instant(text, zone);
            case INTERVAL -> IntervalParser.parse(text);
            case BYTEA -> ByteaParser.parse(text);
            case UUID -> uuid(text);
            case ARRAY -> array(text, type.element(), zone);
        };
    }

    private static SqlArray array(String text, SqlType element, ZoneId zone) {
        List<@Nullable Object> values = new ArrayList<>();
        for (String each : SqlArray.elements(text)) {
            values.add(each == null ? null : parse(each, element, zone));
        }
        return new SqlArray(element, values);
    }

    /// A text without the blanks at its end: a value of CHAR.
    public static String withoutBlanksAtEnd(String text) {
        int end = text.length();
        while (end > 0 && text.charAt(end - 1) == ' ') {
            end--;
        }
        return text.substring(0, end);
    }

    private static Long integer(String text, Kind kind) {
        int start = 0;
        int end = text.length();
        while (start < end && isSpace(text.charAt(start))) {
            start++;
        }
        while (end > start && isSpace(text.charAt(end - 1))) {
            end--;
        }
        boolean isNegative = start < end && text.charAt(start) == '-';
        int i = isNegative || (start < end && text.charAt(start) == '+') ? start + 1 : start;
        if (i == end) {
            throw invalid(text, nameOf(kind));
        }
        // The sum is kept negative, because there is one more negative number.
        long value = 0;
        boolean isTooGreat = false;
        for (; i < end; i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                throw invalid(text, nameOf(kind));
            }
            isTooGreat |= value < (Long.MIN_VALUE + digit) / 10;
            value = value * 10 - digit;
        }
        long least =
                kind == Kind.SMALLINT
                        ? Short.MIN_VALUE
                        : kind == Kind.INTEGER ? Integer.MIN_VALUE : Long.MIN_VALUE;
        if (isTooGreat || value < least || (!isNegative && value == least)) {
            throw new SqlException(
                    SqlState.NUMERIC_OUT_OF_RANGE,
                    "value \"" + text + "\" is out of range for type " + nameOf(kind));
        }
        return isNegative ? value : -value;
    }

    private static BigDecimal decimal(String text) {
        String trimmed = text.strip();
        if (!isNumber(trimmed)) {
            throw invalid(text, "numeric");
        }
        BigDecimal value;
        try {
            value = new BigDecimal(trimmed);
        } catch (NumberFormatException _) {
            // The exponent has more digits than an int.
            throw overflow();
        }
        if (value.precision() - (long) value.scale() - 1 > MAX_EXPONENT) {
            throw overflow();
        }
        return value.scale() < 0
                ? value.setScale(0)
                : value.scale() > MAX_SCALE
                        ? value.setScale(MAX_SCALE, RoundingMode.HALF_UP)
                        : value;
    }

    private static SqlException overflow() {
        return new SqlException(SqlState.NUMERIC_OUT_OF_RANGE, "value overflows numeric format");
    }

    private static boolean isNumber(String text) {
        int i = skipSign(text, 0);
        int before = i;
        i = skipDigits(text, i);
        int digits = i - before;
        if (i < text.length() && text.charAt(i) == '.') {
            int end = skipDigits(text, i + 1);
            digits += end - i - 1;
            i = end;
        }
        if (digits == 0) {
            return false;
        }
        if (i < text.length() && (text.charAt(i) == 'e' || text.charAt(i) == 'E')) {
            int start = skipSign(text, i + 1);
            i = skipDigits(text, start);
            if (i == start) {
                return false;
            }
        }
        return i == text.length();
    }

    private static int skipSign(String text, int from) {
        return from < text.length() && (text.charAt(from) == '-' || text.charAt(from) == '+')
                ? from + 1
                : from;
    }

    private static int skipDigits(String text, int from) {
        int i = from;
        while (i < text.length() && text.charAt(i) >= '0' && text.charAt(i) <= '9') {
            i++;
        }
        return i;
    }

    private static Boolean bool(String text) {
        String word = text.strip().toLowerCase(Locale.ROOT);
        if (!word.isEmpty()) {
            if ("true".startsWith(word)
                    || "yes".startsWith(word)
                    || word.equals("on")
                    || word.equals("1")) {
                return true;
            }
            if ("false".startsWith(word)
                    || "no".startsWith(word)
                    || word.equals("off")
                    || word.equals("of")
                    || word.equals("0")) {
                return false;
            }
        }
        throw invalid(text, "boolean");
    }

    private static Double doublePrecision(String text) {
        String trimmed = text.strip();
        Double special = special(trimmed);
        if (special != null) {
            return special;
        }
        if (!isNumber(trimmed)) {
            throw invalid(text, "double precision");
        }
        double value = Double.parseDouble(trimmed);
        if (Double.isInfinite(value) || (value == 0 && hasNonZeroDigit(trimmed))) {
            throw floatOutOfRange(text, "double precision");
        }
        return value;
    }

    private static Float real(String text) {
        String trimmed = text.strip();
        Double special = special(trimmed);
        if (special != null) {
            return special.floatValue();
        }
        if (!isNumber(trimmed)) {
            throw invalid(text, "real");
        }
        float value = Float.parseFloat(trimmed);
        if (Float.isInfinite(value) || (value == 0 && hasNonZeroDigit(trimmed))) {
            throw floatOutOfRange(text, "real");
        }
        return value;
    }

    private static @Nullable Double special(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "nan" -> Double.NaN;
            case "infinity", "+infinity", "inf", "+inf" -> Double.POSITIVE_INFINITY;
            case "-infinity", "-inf" -> Double.NEGATIVE_INFINITY;
            default -> null;
        };
    }

    private static boolean hasNonZeroDigit(String number) {
        for (int i = 0; i < number.length(); i++) {
            char c = number.charAt(i);
            if (c == 'e' || c == 'E') {
                return false;
            }
            if (c >= '1' && c <= '9') {
                return true;
            }
        }
        return false;
    }

    private static SqlException floatOutOfRange(String text, String type) {
        return new SqlException(
                SqlState.NUMERIC_OUT_OF_RANGE, "\"" + text + "\" is out of range for type " + type);
    }

    /// 32 hexadecimal digits, with a hyphen behind any group of four, perhaps in braces.
    private static UUID uuid(String text) {
        String digits = text;
        if (digits.startsWith("{") && digits.endsWith("}")) {
            digits = digits.substring(1, digits.length() - 1);
        }
        long high = 0;
        long low = 0;
        int count = 0;
        for (int i = 0; i < digits.length(); i++) {
            char c = digits.charAt(i);
            boolean mayBreak = count > 0 && count < 32 && count % 4 == 0;
            if (c == '-' && mayBreak && digits.charAt(i - 1) != '-') {
                continue;
            }
            int digit = c < 128 ? Character.digit(c, 16) : -1;
            if (digit < 0 || count == 32) {
                throw invalid(text, "uuid");
            }
            if (count < 16) {
                high = high << 4 | digit;
            } else {
                low = low << 4 | digit;
            }
            count++;
        }
        if (count != 32 || digits.endsWith("-")) {
            throw invalid(text, "uuid");
        }
        return new UUID(high, low);
    }

    private static boolean isSpace(char c) {
        return c == ' ' || (c >= '\t' && c <= '\r');
    }

    private static String nameOf(Kind kind) {
        return kind == Kind.SMALLINT ? "smallint" : kind == Kind.INTEGER ? "integer" : "bigint";
    }

    static SqlException invalid(String text, String type) {
        return new SqlException(
                SqlState.INVALID_TEXT,
                "invalid input syntax for type " + type + ": \"" + text + "\"");
    }
}
