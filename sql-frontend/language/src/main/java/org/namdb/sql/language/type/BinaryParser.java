package org.namdb.sql.language.type;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Reads values in PostgreSQL's binary format, which each type's `recv` function defines. Lengths
/// and scales of the type are not applied: a cast does that.
public final class BinaryParser {
    /// Of NaN and the infinities.
    private static final int SPECIAL = 0xc000;

    private static final int MAX_SCALE = 0x3fff;
    private static final int MAX_DIMENSIONS = 6;

    private BinaryParser() {}

    /// Reads a value of a type that the sender has declared.
    ///
    /// @param oid the number of the sender's type
    /// @throws SqlException as of [#read(ByteBuffer, SqlType)]
    public static Object read(ByteBuffer in, int oid, SqlType type) {
        return oid == TypeOids.OID && in.remaining() == Integer.BYTES
                ? (Object) (in.getInt() & 0xffff_ffffL)
                : read(in, type);
    }

    /// Reads a value.
    ///
    /// @param in the value's bytes, up to the limit; what remains behind it is no part of the value
    /// @throws SqlException 22P03 if it is none, 08P01 if bytes are missing, 22008 if it is out of
    ///     range, 22021 if it is no text; 0A000 for values that there are none of
    public static Object read(ByteBuffer in, SqlType type) {
        int size = TypeOids.size(type);
        if (size > in.remaining()) {
            throw size == 1
                    ? new SqlException(SqlState.PROTOCOL_VIOLATION, "no data left in message")
                    : insufficient();
        }
        return switch (type.kind()) {
            case BOOLEAN -> in.get() != 0;
            case SMALLINT -> (long) in.getShort();
            case INTEGER -> (long) in.getInt();
            case BIGINT -> type.inBytes() ? in.getInt() & 0xffff_ffffL : in.getLong();
            case REAL -> Float.intBitsToFloat(in.getInt());
            case DOUBLE -> Double.longBitsToDouble(in.getLong());
            case DECIMAL -> numeric(in);
            case CHAR, VARCHAR, TEXT, UNKNOWN -> string(in, type);
            case DATE -> date(in.getInt());
            case TIME -> time(in.getLong());
            case TIMESTAMP -> timestamp(in.getLong());
            case TIMESTAMPTZ -> timestamp(in.getLong()).toInstant(ZoneOffset.UTC);
            case INTERVAL -> {
                long micros = in.getLong();
                int days = in.getInt();
                yield new Interval(in.getInt(), days, micros);
            }
            case BYTEA -> {
                byte[] bytes = new byte[in.remaining()];
                in.get(bytes);
                yield ByteString.of(bytes);
            }
            case UUID -> {
                long high = in.getLong();
                yield new UUID(high, in.getLong());
            }
            case ARRAY -> array(in, type);
        };
    }

    private static String string(ByteBuffer in, SqlType type) {
        byte[] bytes = in.array();
        String text = text(bytes, in.arrayOffset() + in.position(), in.remaining());
        in.position(in.limit());
        return type.kind() == SqlType.Kind.CHAR && !type.equals(SqlType.BPCHAR)
                ? TextParser.withoutBlanksAtEnd(text)
                : text;
    }

    /// A text in UTF-8.
    ///
    /// @throws SqlException 22021 if it is no UTF-8, or has a zero byte
    public static String text(byte[] bytes, int from, int length) {
        for (int i = from; i < from + length; i++) {
            if (bytes[i] == 0) {
                throw new SqlException(
                        SqlState.CHARACTER_NOT_IN_REPERTOIRE,
                        "invalid byte sequence for encoding \"UTF8\": 0x00");
            }
        }
        String value = new String(bytes, from, length, StandardCharsets.UTF_8);
        if (value.indexOf('\ufffd') >= 0) { // written so, or none
            try {
                return StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(bytes, from, length))
                        .toString();
            } catch (CharacterCodingException e) {
                throw invalidText().causedBy(e);
            }
        }
        return value;
    }

    /// The error of bytes that are no text.
    public static SqlException invalidText() {
        return new SqlException(
                SqlState.CHARACTER_NOT_IN_REPERTOIRE,
                "invalid byte sequence for encoding \"UTF8\"");
    }

    private static SqlArray array(ByteBuffer in, SqlType type) {
        require(in, 3 * Integer.BYTES);
        int dimensions = in.getInt();
        int flags = in.getInt();
        int oid = in.getInt();
        if (dimensions < 0) {
            throw malformed("invalid number of dimensions: " + dimensions);
        }
        if (dimensions > MAX_DIMENSIONS) {
            throw new SqlException(
                    SqlState.PROGRAM_LIMIT_EXCEEDED,
                    "number of array dimensions (%d) exceeds the maximum allowed (%d)"
                            .formatted(dimensions, MAX_DIMENSIONS));
        }
        if (flags != 0 && flags != 1) {
            throw malformed("invalid array flags");
        }
        SqlType element = type.element();
        requireElement(oid, element);
        if (dimensions > 1) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "arrays of several dimensions are not supported");
        }
        return new SqlArray(element, dimensions == 0 ? List.of() : elements(in, oid, element));
    }

    private static void requireElement(int oid, SqlType element) {
        SqlType sent = TypeOids.declared(List.of(oid)).getFirst();
        if (sent.kind() != element.kind() && !(sent.isString() && element.isString())) {
            throw new SqlException(
                    SqlState.DATATYPE_MISMATCH,
                    "binary data has array element type %d (%s) instead of expected %d (%s)"
                            .formatted(
                                    oid,
                                    sent.isUnknown() ? "???" : sent.name(),
                                    TypeOids.oid(element),
                                    element.unbounded().name()));
        }
    }

    private static List<@Nullable Object> elements(ByteBuffer in, int oid, SqlType element) {
        require(in, 2 * Integer.BYTES);
        int count = in.getInt();
        if (in.getInt() != 1) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "arrays whose elements are not numbered from 1 are not supported");
        }
        if (count < 0) {
            throw malformed("invalid array length: " + count);
        }
        List<@Nullable Object> values = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            require(in, Integer.BYTES);
            int length = in.getInt();
            if (length == -1) {
                values.add(null);
                continue;
            }
            if (length < 0 || length > in.remaining()) {
                throw malformed("insufficient data left in message");
            }
            ByteBuffer value = in.slice(in.position(), length);
            in.position(in.position() + length);
            values.add(read(value, oid, element));
            if (value.hasRemaining()) {
                throw malformed("improper binary format in array element " + (i + 1));
            }
        }
        return values;
    }

    private static LocalDate date(int days) {
        if (days == Integer.MAX_VALUE || days == Integer.MIN_VALUE) {
            throw infinite("date");
        }
        LocalDate date = BinaryFormat.EPOCH_DATE.plusDays(days);
        requireYear(date, DatetimeParser.LAST_DATE_YEAR, "date");
        return date;
    }

    private static LocalTime time(long micros) {
        if (micros < 0 || micros >= BinaryFormat.MICROS_PER_DAY) {
            throw outOfRange("time");
        }
        return LocalTime.ofNanoOfDay(micros * BinaryFormat.NANOS_PER_MICRO);
    }

    private static LocalDateTime timestamp(long micros) {
        if (micros == Long.MAX_VALUE || micros == Long.MIN_VALUE) {
            throw infinite("timestamp");
        }
        LocalDate date =
                BinaryFormat.EPOCH_DATE.plusDays(
                        Math.floorDiv(micros, BinaryFormat.MICROS_PER_DAY));
        requireYear(date, DatetimeParser.LAST_TIMESTAMP_YEAR, "timestamp");
        long inDay = Math.floorMod(micros, BinaryFormat.MICROS_PER_DAY);
        return date.atTime(LocalTime.ofNanoOfDay(inDay * BinaryFormat.NANOS_PER_MICRO));
    }

    private static void requireYear(LocalDate date, int last, String type) {
        if (date.isBefore(DatetimeParser.FIRST_DATE) || date.getYear() > last) {
            throw outOfRange(type);
        }
    }

    private static SqlException outOfRange(String type) {
        return new SqlException(SqlState.DATETIME_OVERFLOW, type + " out of range");
    }

    private static SqlException infinite(String type) {
        return new SqlException(
                SqlState.FEATURE_NOT_SUPPORTED,
                "infinite values of type " + type + " are not supported");
    }

    private static BigDecimal numeric(ByteBuffer in) {
        require(in, 4 * Short.BYTES);
        int count = in.getShort() & 0xffff;
        int weight = in.getShort();
        int sign = in.getShort() & 0xffff;
        int scale = in.getShort() & 0xffff;
        if ((sign & SPECIAL) == SPECIAL) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "NaN and infinity of type numeric are not supported");
        }
        if (sign != 0 && sign != BinaryFormat.NEGATIVE) {
            throw malformed("invalid sign in external \"numeric\" value");
        }
        if (scale > MAX_SCALE) {
            throw malformed("invalid scale in external \"numeric\" value");
        }
        require(in, Short.BYTES * count);
        BigInteger digits = BigInteger.ZERO;
        for (int i = 0; i < count; i++) {
            int group = in.getShort();
            if (group < 0 || group >= BinaryFormat.GROUP.intValue()) {
                throw malformed("invalid digit in external \"numeric\" value");
            }
            digits = digits.multiply(BinaryFormat.GROUP).add(BigInteger.valueOf(group));
        }
        BigDecimal value =
                new BigDecimal(
                        sign == BinaryFormat.NEGATIVE ? digits.negate() : digits,
                        (count - weight - 1) * BinaryFormat.GROUP_DIGITS);
        return value.setScale(scale, RoundingMode.DOWN);
    }

    private static void require(ByteBuffer in, int bytes) {
        if (bytes > in.remaining()) {
            throw insufficient();
        }
    }

    private static SqlException insufficient() {
        return new SqlException(SqlState.PROTOCOL_VIOLATION, "insufficient data left in message");
    }

    private static SqlException malformed(String message) {
        return new SqlException(SqlState.INVALID_BINARY, message);
    }
}
