package org.namdb.sql.server;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.ByteString;
import org.namdb.sql.language.type.Interval;
import org.namdb.sql.language.type.SqlArray;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.TextFormat;
import org.namdb.sql.language.type.TimeZones;
import org.namdb.sql.language.type.TypeOids;

/// Values as bytes, in PostgreSQL's text format and in its binary one, which each type's `send` and
/// `recv` functions define. Numbers are big-endian; dates count from 2000-01-01.
final class ValueFormat {
    private static final LocalDate EPOCH_DATE = LocalDate.of(2000, 1, 1);
    private static final LocalDateTime EPOCH = EPOCH_DATE.atStartOfDay();
    private static final long MICROS_PER_DAY = 86_400_000_000L;
    private static final int NANOS_PER_MICRO = 1000;

    /// The digits of a numeric are in groups of four.
    private static final int GROUP_DIGITS = 4;

    private static final BigInteger GROUP = BigInteger.valueOf(10_000);
    private static final int NEGATIVE = 0x4000;

    /// Of NaN and the infinities.
    private static final int SPECIAL = 0x8000;

    private ValueFormat() {}

    static void writeText(MessageWriter out, Object value, SqlType type) {
        if (value instanceof Long number) {
            out.digits(number);
        } else if (value instanceof String text && type.kind() != SqlType.Kind.CHAR) {
            out.text(text);
        } else {
            out.text(TextFormat.format(value, type));
        }
    }

    static void writeBinary(MessageWriter out, Object value, SqlType type) {
        switch (type.kind()) {
            case BOOLEAN -> out.int8((Boolean) value ? 1 : 0);
            case SMALLINT -> out.int16((int) (long) (Long) value);
            case INTEGER -> out.int32((int) (long) (Long) value);
            case BIGINT -> {
                if (type.inBytes()) {
                    out.int32((int) (long) (Long) value);
                } else {
                    out.int64((Long) value);
                }
            }
            case REAL -> out.int32(Float.floatToIntBits((Float) value));
            case DOUBLE -> out.int64(Double.doubleToLongBits((Double) value));
            case DECIMAL -> writeNumeric(out, (BigDecimal) value);
            case CHAR, VARCHAR, TEXT, UNKNOWN -> writeText(out, value, type);
            case DATE -> out.int32((int) ChronoUnit.DAYS.between(EPOCH_DATE, (LocalDate) value));
            case TIME -> out.int64(((LocalTime) value).toNanoOfDay() / NANOS_PER_MICRO);
            case TIMESTAMP -> out.int64(micros((LocalDateTime) value));
            case TIMESTAMPTZ -> out.int64(micros(TimeZones.local((Instant) value, ZoneOffset.UTC)));
            case INTERVAL -> {
                Interval interval = (Interval) value;
                out.int64(interval.micros()).int32(interval.days()).int32(interval.months());
            }
            case BYTEA -> out.bytes(((ByteString) value).toByteArray());
            case UUID -> {
                UUID id = (UUID) value;
                out.int64(id.getMostSignificantBits()).int64(id.getLeastSignificantBits());
            }
            case ARRAY -> writeArray(out, (SqlArray) value, type.element());
        }
    }

    /// ```
    /// | dimensions: int32 | has NULLs: int32 | type: int32 | length: int32 | first: int32 | elements.. |
    /// element: | length, -1 of NULL: int32 | bytes.. |
    /// ```
    /// An array without elements has no dimension.
    private static void writeArray(MessageWriter out, SqlArray array, SqlType element) {
        int length = array.values().size();
        out.int32(length == 0 ? 0 : 1);
        out.int32(array.values().contains(null) ? 1 : 0);
        out.int32(TypeOids.oid(element));
        if (length > 0) {
            out.int32(length).int32(1);
        }
        for (Object value : array.values()) {
            if (value == null) {
                out.int32(-1);
            } else {
                int start = out.beginValue();
                writeBinary(out, value, element);
                out.endValue(start);
            }
        }
    }

    /// @throws SqlException 0A000 if it has several dimensions, 22P03 if it is none of the type
    private static SqlArray readArray(MessageReader in, int length, SqlType type)
            throws ProtocolException {
        int left = length - 3 * Integer.BYTES;
        if (left < 0) {
            throw malformed(type);
        }
        int dimensions = in.int32();
        in.int32();
        SqlType element = type.element();
        int oid = in.int32();
        SqlType sent = TypeOids.declared(List.of(oid)).getFirst();
        if (sent.kind() != element.kind() && !(sent.isString() && element.isString())) {
            throw malformed(type);
        }
        if (dimensions > 1) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "arrays of several dimensions are not supported");
        }
        List<@Nullable Object> values = new ArrayList<>();
        if (dimensions == 1) {
            left -= 2 * Integer.BYTES;
            int count = left < 0 ? -1 : in.int32();
            if (count < 0 || in.int32() != 1) {
                throw malformed(type);
            }
            for (int i = 0; i < count; i++) {
                left -= Integer.BYTES;
                int bytes = left < 0 ? 0 : in.int32();
                left -= Math.max(bytes, 0);
                if (left < 0) {
                    throw malformed(type);
                }
                values.add(bytes < 0 ? null : readBinary(in, bytes, oid, element));
            }
        }
        if (left != 0) {
            throw malformed(type);
        }
        return new SqlArray(element, values);
    }

    private static long micros(LocalDateTime time) {
        return ChronoUnit.DAYS.between(EPOCH_DATE, time.toLocalDate()) * MICROS_PER_DAY
                + time.toLocalTime().toNanoOfDay() / NANOS_PER_MICRO;
    }

    /// ```
    /// | groups: int16 | weight of the first: int16 | sign: int16 | scale: int16 | groups.. |
    /// ```
    private static void writeNumeric(MessageWriter out, BigDecimal value) {
        int scale = Math.max(0, value.scale());
        int groupScale = Math.ceilDiv(scale, GROUP_DIGITS) * GROUP_DIGITS;
        BigInteger rest = value.setScale(groupScale).unscaledValue().abs();
        int fractionGroups = groupScale / GROUP_DIGITS;
        byte[] groups = new byte[2 * (rest.bitLength() / 13 + 1)];
        int first = groups.length;
        int count = 0;
        int zeros = 0; // at the end, which are not sent
        while (rest.signum() != 0) {
            BigInteger[] parts = rest.divideAndRemainder(GROUP);
            int group = parts[1].intValue();
            rest = parts[0];
            if (count == 0 && group == 0) {
                zeros++;
                continue;
            }
            count++;
            groups[--first] = (byte) group;
            groups[--first] = (byte) (group >> 8);
        }
        int weight = count == 0 ? 0 : count + zeros - fractionGroups - 1;
        out.int16(count).int16(weight).int16(value.signum() < 0 ? NEGATIVE : 0).int16(scale);
        out.bytes(groups, first, groups.length - first);
    }

    /// A value of a type that a client has declared, in the binary format.
    ///
    /// @param oid the number of the client's type
    /// @throws SqlException 22P03 if it is none
    static Object readBinary(MessageReader in, int length, int oid, SqlType type)
            throws ProtocolException {
        return oid == TypeOids.OID && length == Integer.BYTES
                ? (Object) (in.int32() & 0xffff_ffffL)
                : readBinary(in, length, type);
    }

    /// A value that a client has sent in the binary format.
    ///
    /// @param length of the value in bytes
    /// @throws SqlException 22P03 if it is none
    static Object readBinary(MessageReader in, int length, SqlType type) throws ProtocolException {
        int size = TypeOids.size(type);
        if (size >= 0 && size != length) {
            throw malformed(type);
        }
        return switch (type.kind()) {
            case BOOLEAN -> in.int8() != 0;
            case SMALLINT -> (long) in.int16();
            case INTEGER -> (long) in.int32();
            case BIGINT -> type.inBytes() ? in.int32() & 0xffff_ffffL : in.int64();
            case REAL -> Float.intBitsToFloat(in.int32());
            case DOUBLE -> Double.longBitsToDouble(in.int64());
            case DECIMAL -> readNumeric(in.bytes(length));
            case CHAR, VARCHAR, TEXT, UNKNOWN -> in.text(length);
            case DATE -> EPOCH_DATE.plusDays(finite(in.int32()));
            case TIME -> time(in.int64());
            case TIMESTAMP -> timestamp(in.int64());
            case TIMESTAMPTZ -> timestamp(in.int64()).toInstant(ZoneOffset.UTC);
            case INTERVAL -> {
                long micros = in.int64();
                int days = in.int32();
                yield new Interval(in.int32(), days, micros);
            }
            case BYTEA -> ByteString.of(in.bytes(length));
            case UUID -> {
                long high = in.int64();
                yield new UUID(high, in.int64());
            }
            case ARRAY -> readArray(in, length, type);
        };
    }

    private static int finite(int days) {
        if (days == Integer.MAX_VALUE || days == Integer.MIN_VALUE) {
            throw infinite("date");
        }
        return days;
    }

    private static LocalTime time(long micros) {
        if (micros < 0 || micros >= MICROS_PER_DAY) {
            throw new SqlException(SqlState.DATETIME_OVERFLOW, "time out of range");
        }
        return LocalTime.ofNanoOfDay(micros * NANOS_PER_MICRO);
    }

    private static LocalDateTime timestamp(long micros) {
        if (micros == Long.MAX_VALUE || micros == Long.MIN_VALUE) {
            throw infinite("timestamp");
        }
        return EPOCH.plusDays(Math.floorDiv(micros, MICROS_PER_DAY))
                .plusNanos(Math.floorMod(micros, MICROS_PER_DAY) * NANOS_PER_MICRO);
    }

    private static SqlException infinite(String type) {
        return new SqlException(
                SqlState.FEATURE_NOT_SUPPORTED,
                "infinite values of type " + type + " are not supported");
    }

    private static BigDecimal readNumeric(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        if (bytes.length < 8) {
            throw malformed(SqlType.DECIMAL);
        }
        int count = in.getShort();
        int weight = in.getShort();
        int sign = in.getShort() & 0xffff;
        int scale = in.getShort();
        if ((sign & SPECIAL) != 0) {
            throw new SqlException(
                    SqlState.FEATURE_NOT_SUPPORTED,
                    "NaN and infinity of type numeric are not supported");
        }
        if (count < 0 || scale < 0 || in.remaining() != 2 * count) {
            throw malformed(SqlType.DECIMAL);
        }
        BigInteger digits = BigInteger.ZERO;
        for (int i = 0; i < count; i++) {
            int group = in.getShort();
            if (group < 0 || group >= 10_000) {
                throw malformed(SqlType.DECIMAL);
            }
            digits = digits.multiply(GROUP).add(BigInteger.valueOf(group));
        }
        BigDecimal value =
                new BigDecimal(
                        sign == NEGATIVE ? digits.negate() : digits,
                        (count - weight - 1) * GROUP_DIGITS);
        return value.setScale(scale, RoundingMode.DOWN);
    }

    private static SqlException malformed(SqlType type) {
        return new SqlException(
                SqlState.INVALID_BINARY,
                "incorrect binary data format for a value of type " + type.name());
    }
}
