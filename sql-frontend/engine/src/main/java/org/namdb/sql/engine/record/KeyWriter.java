package org.namdb.sql.engine.record;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.Key;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.ByteString;

/// Makes keys of values, to look records up. A value that a column can't hold is no error: there is
/// no record of it.
public final class KeyWriter {
    private static final long MICROS = 1_000_000;

    /// As a value of [#add], what finds the records in which the column is NULL.
    public static final Object NULL = new Object();

    private KeyWriter() {}

    /// What became of a bound.
    public enum Bound {
        /// It is in the key, and no value inside of the bound lies outside of the key.
        ADDED,
        /// Every value of the column lies inside of it.
        OPEN,
        /// No value of the column lies inside of it.
        EMPTY
    }

    /// Fills the next column of a key.
    ///
    /// @return false if no record has this value, as it is NULL, or nothing that the column
    ///     can hold
    public static boolean add(Key key, @Nullable Object value) {
        if (value == null) {
            return false;
        }
        if (value.equals(NULL)) {
            return addNull(key);
        }
        ColumnType type = key.layout().type(key.columns());
        return switch (value) {
            case Long number -> addLong(key, type, number);
            case BigDecimal number -> addDecimal(key, type, number);
            case Float number -> addFloat(key, type, number.doubleValue());
            case Double number -> addFloat(key, type, number);
            case Boolean truth -> addIntegral(key, type, truth ? 1 : 0);
            case String text -> addText(key, type, text);
            case LocalDate date -> addIntegral(key, type, date.toEpochDay());
            case LocalTime time -> addIntegral(key, type, time.toNanoOfDay() / 1000);
            case LocalDateTime time -> addIntegral(key, type, micros(time));
            case Instant moment -> addIntegral(key, type, micros(moment));
            case ByteString bytes -> addBytes(key, type, bytes.toByteArray());
            case LongValue _ -> false;
            case UUID uuid -> {
                key.addUuid(uuid.getMostSignificantBits(), uuid.getLeastSignificantBits());
                yield true;
            }
            default -> throw new IllegalArgumentException("no key holds a " + value.getClass());
        };
    }

    private static boolean addNull(Key key) {
        boolean isPossible = key.layout().nullable(key.columns());
        if (isPossible) {
            key.addNull();
        }
        return isPossible;
    }

    /// Fills the next column of two keys with the least and the greatest text that begins with this
    /// one. Of CHAR, blanks at its end are left out: they may be filling.
    ///
    /// @param text null for NULL
    public static Bound addStart(Key low, Key high, @Nullable Object text) {
        if (text == null) {
            return Bound.EMPTY;
        }
        ColumnType type = low.layout().type(low.columns());
        byte[] bytes = ((String) text).getBytes(StandardCharsets.UTF_8);
        int length = trimmed(type, bytes);
        if (length == 0) {
            return Bound.OPEN;
        }
        // No value in the index is longer than what fits into a key.
        if (length > type.length()) {
            return Bound.EMPTY;
        }
        low.add(bytes, 0, length);
        byte[] greatest = Arrays.copyOf(bytes, type.length());
        Arrays.fill(greatest, length, greatest.length, (byte) 0xff);
        high.add(greatest, 0, greatest.length);
        return Bound.ADDED;
    }

    /// Fills the next column of a key with a bound; what lies between the bound and the nearest
    /// value that the column can hold doesn't matter.
    ///
    /// @param isLow whether it bounds from below
    public static Bound addBound(Key key, @Nullable Object value, boolean isLow) {
        if (value == null) {
            return Bound.EMPTY;
        }
        ColumnType type = key.layout().type(key.columns());
        // Of a longer bound, its beginning: what is as short as the column's values can't lie
        // between the two.
        if (type.isSized() && value instanceof String text) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            key.add(bytes, 0, Math.min(trimmed(type, bytes), type.length()));
            return Bound.ADDED;
        }
        if (type.isSized() && value instanceof ByteString text) {
            byte[] bytes = text.toByteArray();
            key.add(bytes, 0, Math.min(bytes.length, type.length()));
            return Bound.ADDED;
        }
        BigDecimal number = number(value);
        if (number == null || !type.isIntegral()) {
            return add(key, value) ? Bound.ADDED : Bound.OPEN;
        }
        BigInteger whole =
                number.movePointRight(scale(type))
                        .setScale(0, isLow ? RoundingMode.FLOOR : RoundingMode.CEILING)
                        .toBigInteger();
        if (whole.compareTo(BigInteger.valueOf(type.least())) < 0) {
            return isLow ? Bound.OPEN : Bound.EMPTY;
        }
        if (whole.compareTo(BigInteger.valueOf(type.greatest())) > 0) {
            return isLow ? Bound.EMPTY : Bound.OPEN;
        }
        key.add(whole.longValue());
        return Bound.ADDED;
    }

    private static @Nullable BigDecimal number(Object value) {
        return switch (value) {
            case Long number -> BigDecimal.valueOf(number);
            case BigDecimal number -> number;
            default -> null;
        };
    }

    private static boolean addLong(Key key, ColumnType type, long value) {
        if (type.isFloating()) {
            return (long) (double) value == value && addFloat(key, type, (double) value);
        }
        return type.kind() == ColumnType.Kind.DECIMAL
                ? addDecimal(key, type, BigDecimal.valueOf(value))
                : addIntegral(key, type, value);
    }

    private static boolean addDecimal(Key key, ColumnType type, BigDecimal value) {
        if (type.isFloating()) {
            return addFloat(key, type, value.doubleValue());
        }
        BigDecimal unscaled = value.movePointRight(scale(type)).stripTrailingZeros();
        if (unscaled.scale() > 0 || unscaled.precision() - unscaled.scale() > 18) {
            return false;
        }
        return addIntegral(key, type, unscaled.longValueExact());
    }

    private static boolean addIntegral(Key key, ColumnType type, long value) {
        if (!type.holds(value)) {
            return false;
        }
        key.add(value);
        return true;
    }

    private static boolean addFloat(Key key, ColumnType type, double value) {
        if (type.kind() == ColumnType.Kind.FLOAT32
                && (float) value != value
                && !Double.isNaN(value)) {
            return false;
        }
        key.add(value);
        return true;
    }

    private static boolean addText(Key key, ColumnType type, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        return addBytes(key, type, bytes, trimmed(type, bytes));
    }

    /// Blanks at the end of CHAR are filling.
    private static int trimmed(ColumnType type, byte[] bytes) {
        int length = bytes.length;
        while (type.kind() == ColumnType.Kind.CHAR && length > 0 && bytes[length - 1] == ' ') {
            length--;
        }
        return length;
    }

    private static boolean addBytes(Key key, ColumnType type, byte[] bytes) {
        return addBytes(key, type, bytes, bytes.length);
    }

    private static boolean addBytes(Key key, ColumnType type, byte[] bytes, int length) {
        if (length > type.length()) {
            return false;
        }
        key.add(bytes, 0, length);
        return true;
    }

    private static int scale(ColumnType type) {
        return type.kind() == ColumnType.Kind.DECIMAL ? type.scale() : 0;
    }

    static long micros(LocalDateTime time) {
        return micros(time.toInstant(ZoneOffset.UTC));
    }

    /// Microseconds since 1970.
    ///
    /// @throws SqlException 22008 if they are too many
    static long micros(Instant moment) {
        try {
            return Math.addExact(
                    Math.multiplyExact(moment.getEpochSecond(), MICROS), moment.getNano() / 1000);
        } catch (ArithmeticException _) {
            throw new SqlException(SqlState.DATETIME_OVERFLOW, "timestamp out of range");
        }
    }
}
