package org.namdb.sql.engine.expression.cast;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.expression.Unary;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.ByteString;
import org.namdb.sql.language.type.SqlArray;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.SqlType.Kind;
import org.namdb.sql.language.type.TextFormat;
import org.namdb.sql.language.type.TextParser;

/// Fits values into the length and scale of a type.
final class Bounds {
    private static final String DECLARE =
            "Declare the column as NUMERIC(p, s): p digits, at most "
                    + SqlType.MAX_COLUMN_DIGITS
                    + ", of which s are behind the point, where values are rounded.";

    private Bounds() {}

    /// What fits a value of the type's kind into the type; null if all fit.
    ///
    /// @param from the type of the values
    /// @param truncates whether a string that is too long is cut, and no error
    static @Nullable Unary fit(SqlType from, SqlType to, boolean truncates) {
        if (to.isArray()) {
            Unary each =
                    fit(
                            from.isArray() ? from.element() : to.element().unbounded(),
                            to.element(),
                            truncates);
            return each == null ? null : v -> Casts.mapped((SqlArray) v, to.element(), each);
        }
        if (to.kind() == Kind.CHAR) {
            return fitCharacter(from, to, truncates);
        }
        if (to.length() == 0 || isWithin(from, to)) {
            return null;
        }
        return switch (to.kind()) {
            case VARCHAR ->
                    to.inBytes()
                            ? v -> utf8((String) v, to, truncates)
                            : v -> varying((String) v, to, truncates);
            case DECIMAL -> v -> decimal((BigDecimal) v, to);
            case BYTEA -> v -> bytes((ByteString) v, to);
            case BOOLEAN, SMALLINT, INTEGER, BIGINT, REAL, DOUBLE, CHAR, TEXT, ARRAY -> null;
            case DATE, TIME, TIMESTAMP, TIMESTAMPTZ, INTERVAL, UUID, UNKNOWN -> null;
        };
    }

    private static @Nullable Unary fitCharacter(SqlType from, SqlType to, boolean truncates) {
        if (to.equals(SqlType.BPCHAR)) {
            boolean isFilledUp = from.kind() == Kind.CHAR && from.length() > 0;
            return isFilledUp ? v -> TextFormat.format(v, from) : null;
        }
        boolean fits =
                from.kind() == Kind.CHAR
                        && !from.equals(SqlType.BPCHAR)
                        && (to.length() == 0 || isWithin(from, to));
        return fits ? null : v -> character((String) v, to, truncates);
    }

    private static boolean isWithin(SqlType from, SqlType to) {
        if (from.length() == 0 || from.inBytes() != to.inBytes()) {
            return false;
        }
        if (to.kind() == Kind.DECIMAL) {
            return from.kind() == Kind.DECIMAL
                    && from.scale() == to.scale()
                    && from.length() <= to.length();
        }
        boolean isSameCategory = from.category() == to.category();
        return isSameCategory && from.length() <= to.length();
    }

    private static String character(String text, SqlType to, boolean truncates) {
        String value = TextParser.withoutBlanksAtEnd(text);
        int limit = to.length();
        if (limit == 0 || value.length() <= limit) {
            return value;
        }
        return TextParser.withoutBlanksAtEnd(varying(value, to, truncates));
    }

    private static String varying(String text, SqlType to, boolean truncates) {
        int limit = to.length();
        if (text.length() <= limit || text.codePointCount(0, text.length()) <= limit) {
            return text;
        }
        return cut(text, text.offsetByCodePoints(0, limit), to, truncates);
    }

    private static String utf8(String text, SqlType to, boolean truncates) {
        int limit = to.length();
        // A char has at most three bytes.
        if (text.length() <= limit / 3 || text.getBytes(StandardCharsets.UTF_8).length <= limit) {
            return text;
        }
        int bytes = 0;
        int end = 0;
        while (end < text.length()) {
            int c = text.codePointAt(end);
            bytes += c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
            if (bytes > limit) {
                break;
            }
            end += Character.charCount(c);
        }
        return cut(text, end, to, truncates);
    }

    private static String cut(String text, int end, SqlType to, boolean truncates) {
        if (!truncates && !isBlank(text, end)) {
            throw new SqlException(SqlState.STRING_TOO_LONG, "value too long for type " + to);
        }
        return text.substring(0, end);
    }

    private static boolean isBlank(String text, int from) {
        for (int i = from; i < text.length(); i++) {
            if (text.charAt(i) != ' ') {
                return false;
            }
        }
        return true;
    }

    /// Nothing is lost where the digits that go are zeros.
    private static void refuseRounding(BigDecimal value, SqlType to) {
        int digits = value.stripTrailingZeros().scale();
        if (digits > to.scale()) {
            throw new SqlException(
                            SqlState.NUMERIC_OUT_OF_RANGE,
                            "a numeric column without a declared scale keeps "
                                    + to.scale()
                                    + " digits after the decimal point, not "
                                    + digits)
                    .withHint(DECLARE + " Or round the value.");
        }
    }

    private static BigDecimal decimal(BigDecimal value, SqlType to) {
        int scale = to.scale();
        if (to.refusesRounding() && value.scale() > scale) {
            refuseRounding(value, to);
        }
        int wholeDigits = to.length() - scale;
        // Before rounding: 10^100000 is not to be written out.
        boolean fits = value.precision() - (long) value.scale() <= wholeDigits;
        BigDecimal rounded =
                fits && value.scale() == scale
                        ? value
                        : fits ? value.setScale(scale, RoundingMode.HALF_UP) : value;
        if (rounded.signum() != 0 && rounded.precision() - (long) rounded.scale() > wholeDigits) {
            SqlException error =
                    new SqlException(SqlState.NUMERIC_OUT_OF_RANGE, "numeric field overflow");
            throw (to.refusesRounding() ? error.withHint(DECLARE) : error)
                    .withDetail(
                            "A field with precision "
                                    + to.length()
                                    + ", scale "
                                    + scale
                                    + " must round to an absolute value less than "
                                    + (wholeDigits == 0 ? "1" : "10^" + wholeDigits)
                                    + ".");
        }
        return rounded.scale() == scale ? rounded : rounded.setScale(scale, RoundingMode.HALF_UP);
    }

    private static ByteString bytes(ByteString value, SqlType to) {
        if (value.length() > to.length()) {
            throw new SqlException(SqlState.STRING_TOO_LONG, "value too long for type " + to);
        }
        return value;
    }
}
