package org.namdb.sql.language.type;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.UUID;

/// Writes values in PostgreSQL's binary format, which each type's `send` function defines. Numbers
/// are big-endian; dates count from 2000-01-01.
public final class BinaryFormat {
    static final LocalDate EPOCH_DATE = LocalDate.of(2000, 1, 1);
    static final long MICROS_PER_DAY = 86_400_000_000L;
    static final int NANOS_PER_MICRO = 1000;

    /// The digits of a numeric are in groups of four.
    static final int GROUP_DIGITS = 4;

    static final BigInteger GROUP = BigInteger.valueOf(10_000);

    /// The sign of a negative numeric.
    static final int NEGATIVE = 0x4000;

    private BinaryFormat() {}

    /// Writes a value without its length.
    public static void write(BinaryBuffer<?> out, Object value, SqlType type) {
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
            case DECIMAL -> numeric(out, (BigDecimal) value);
            case CHAR, VARCHAR, TEXT, UNKNOWN -> out.text(TextFormat.format(value, type));
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
            case ARRAY -> array(out, (SqlArray) value, type.element());
        }
    }

    /// ```
    /// | dimensions: int32 | has NULLs: int32 | type: int32 | length: int32 | first: int32 | elements.. |
    /// element: | length, -1 of NULL: int32 | bytes.. |
    /// ```
    /// An array without elements has no dimension.
    private static void array(BinaryBuffer<?> out, SqlArray array, SqlType element) {
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
                write(out, value, element);
                out.endValue(start);
            }
        }
    }

    private static long micros(LocalDateTime time) {
        return ChronoUnit.DAYS.between(EPOCH_DATE, time.toLocalDate()) * MICROS_PER_DAY
                + time.toLocalTime().toNanoOfDay() / NANOS_PER_MICRO;
    }

    /// ```
    /// | groups: int16 | weight of the first: int16 | sign: int16 | scale: int16 | groups.. |
    /// ```
    private static void numeric(BinaryBuffer<?> out, BigDecimal value) {
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
}
