package org.namdb.sql.engine.tuple;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.type.ByteString;
import org.namdb.sql.language.type.Interval;
import org.namdb.sql.language.type.SqlArray;
import org.namdb.sql.language.type.SqlType;

/// Tuples as bytes, one behind the other, in a buffer that grows. What is read equals what was
/// written, to the scale of a decimal and the bits of a NaN.
/// ```
/// tuple   columns varint | value ..
/// value   tag 1 | payload
/// varint  7 bits a byte, the lowest first; the top bit is set where more follow
/// ```
public final class TupleBytes {
    private static final byte NULL = 0;
    private static final byte TRUE = 1;
    private static final byte FALSE = 2;
    private static final byte LONG = 3;
    private static final byte FLOAT = 4;
    private static final byte DOUBLE = 5;
    private static final byte DECIMAL = 6;
    private static final byte LONG_DECIMAL = 7;

    /// A text whose characters are all below 256, a byte each.
    private static final byte LATIN_TEXT = 8;

    /// A text, two bytes a character: so lone surrogates outlast it, too.
    private static final byte TEXT = 9;

    private static final byte DATE = 10;
    private static final byte TIME = 11;
    private static final byte TIMESTAMP = 12;
    private static final byte INTERVAL = 13;
    private static final byte BYTES = 14;
    private static final byte UUID_BYTES = 15;
    private static final byte MOMENT = 16;

    /// An array: the kind of its elements, how many there are, and each as a value.
    private static final byte ARRAY = 17;

    private static final SqlType.Kind[] KINDS = SqlType.Kind.values();
    private static final int LONG_BITS = 63;
    private static final int MAX_LATIN = 0xff;
    private static final int MAX_VARINT_BYTES = 10;
    private static final VarHandle LONGS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle INTS =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

    private byte[] bytes;
    private int at;

    public TupleBytes(int capacity) {
        bytes = new byte[capacity];
    }

    /// The buffer: what is written is before [#position], what is read behind it.
    public byte[] array() {
        return bytes;
    }

    /// Up to where was written or read.
    public int position() {
        return at;
    }

    /// Starts at the beginning, with space for so many bytes; what the buffer holds is lost if it
    /// must grow.
    public void reset(int capacity) {
        at = 0;
        if (bytes.length < capacity) {
            bytes = new byte[capacity];
        }
    }

    /// Adds a tuple.
    public void write(@Nullable Object[] tuple) {
        writeVarint(tuple.length);
        for (Object value : tuple) {
            write(value);
        }
    }

    /// The next tuple.
    public @Nullable Object[] read() {
        @Nullable Object[] tuple = new @Nullable Object[(int) readVarint()];
        for (int i = 0; i < tuple.length; i++) {
            tuple[i] = readValue();
        }
        return tuple;
    }

    /// Adds bytes of tuples that were written to another buffer.
    public void append(byte... tuples) {
        reserve(tuples.length);
        System.arraycopy(tuples, 0, bytes, at, tuples.length);
        at += tuples.length;
    }

    private void write(@Nullable Object value) {
        switch (value) {
            case null -> tag(NULL);
            case Boolean truth -> tag(truth ? TRUE : FALSE);
            case Long number -> {
                tag(LONG);
                writeSigned(number);
            }
            case Float number -> {
                tag(FLOAT);
                reserve(Integer.BYTES);
                INTS.set(bytes, at, Float.floatToRawIntBits(number));
                at += Integer.BYTES;
            }
            case Double number -> {
                tag(DOUBLE);
                writeFixed(Double.doubleToRawLongBits(number));
            }
            case BigDecimal number -> writeDecimal(number);
            case String text -> writeText(text);
            case LocalDate date -> {
                tag(DATE);
                writeSigned(date.toEpochDay());
            }
            case LocalTime time -> {
                tag(TIME);
                writeVarint(time.toNanoOfDay());
            }
            case LocalDateTime time -> {
                tag(TIMESTAMP);
                writeSigned(time.toLocalDate().toEpochDay());
                writeVarint(time.toLocalTime().toNanoOfDay());
            }
            case Instant moment -> {
                tag(MOMENT);
                writeSigned(moment.getEpochSecond());
                writeVarint(moment.getNano());
            }
            case Interval interval -> {
                tag(INTERVAL);
                writeSigned(interval.months());
                writeSigned(interval.days());
                writeSigned(interval.micros());
            }
            case ByteString string -> {
                tag(BYTES);
                writeBytes(string.toByteArray());
            }
            case UUID uuid -> {
                tag(UUID_BYTES);
                writeFixed(uuid.getMostSignificantBits());
                writeFixed(uuid.getLeastSignificantBits());
            }
            case SqlArray array -> {
                tag(ARRAY);
                writeVarint(array.element().kind().ordinal());
                writeVarint(array.values().size());
                array.values().forEach(this::write);
            }
            default -> throw new IllegalArgumentException("no value of SQL: " + value.getClass());
        }
    }

    private @Nullable Object readValue() {
        byte tag = bytes[at++];
        return switch (tag) {
            case NULL -> null;
            case TRUE -> true;
            case FALSE -> false;
            case LONG -> readSigned();
            case FLOAT -> {
                int bits = (int) INTS.get(bytes, at);
                at += Integer.BYTES;
                yield Float.intBitsToFloat(bits);
            }
            case DOUBLE -> Double.longBitsToDouble(readFixed());
            case DECIMAL -> {
                int scale = (int) readSigned();
                yield BigDecimal.valueOf(readSigned(), scale);
            }
            case LONG_DECIMAL -> {
                int scale = (int) readSigned();
                yield new BigDecimal(new BigInteger(readBytes()), scale);
            }
            case LATIN_TEXT -> {
                int length = (int) readVarint();
                at += length;
                yield new String(bytes, at - length, length, StandardCharsets.ISO_8859_1);
            }
            case TEXT -> readText();
            case DATE -> LocalDate.ofEpochDay(readSigned());
            case TIME -> LocalTime.ofNanoOfDay(readVarint());
            case TIMESTAMP -> {
                LocalDate date = LocalDate.ofEpochDay(readSigned());
                yield LocalDateTime.of(date, LocalTime.ofNanoOfDay(readVarint()));
            }
            case MOMENT -> {
                long seconds = readSigned();
                yield Instant.ofEpochSecond(seconds, readVarint());
            }
            case INTERVAL -> {
                int months = (int) readSigned();
                int days = (int) readSigned();
                yield new Interval(months, days, readSigned());
            }
            case BYTES -> ByteString.of(readBytes());
            case UUID_BYTES -> {
                long high = readFixed();
                yield new UUID(high, readFixed());
            }
            case ARRAY -> {
                SqlType element = new SqlType(KINDS[(int) readVarint()], 0, 0, false);
                int count = (int) readVarint();
                List<@Nullable Object> values = new ArrayList<>(count);
                for (int i = 0; i < count; i++) {
                    values.add(readValue());
                }
                yield new SqlArray(element, values);
            }
            default -> throw new AssertionError("no tag: " + tag);
        };
    }

    private void writeDecimal(BigDecimal number) {
        BigInteger unscaled = number.unscaledValue();
        boolean isShort = unscaled.bitLength() <= LONG_BITS;
        tag(isShort ? DECIMAL : LONG_DECIMAL);
        writeSigned(number.scale());
        if (isShort) {
            writeSigned(unscaled.longValue());
        } else {
            writeBytes(unscaled.toByteArray());
        }
    }

    private void writeText(String text) {
        int length = text.length();
        boolean isLatin = isLatin(text);
        tag(isLatin ? LATIN_TEXT : TEXT);
        writeVarint(length);
        reserve(2 * length);
        if (isLatin) {
            for (int i = 0; i < length; i++) {
                bytes[at++] = (byte) text.charAt(i);
            }
        } else {
            for (int i = 0; i < length; i++) {
                char c = text.charAt(i);
                bytes[at++] = (byte) c;
                bytes[at++] = (byte) (c >> Byte.SIZE);
            }
        }
    }

    private String readText() {
        char[] chars = new char[(int) readVarint()];
        for (int i = 0; i < chars.length; i++) {
            int low = bytes[at++] & 0xff;
            chars[i] = (char) (low | bytes[at++] << Byte.SIZE);
        }
        return new String(chars);
    }

    private static boolean isLatin(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) > MAX_LATIN) {
                return false;
            }
        }
        return true;
    }

    private void writeBytes(byte[] value) {
        writeVarint(value.length);
        reserve(value.length);
        System.arraycopy(value, 0, bytes, at, value.length);
        at += value.length;
    }

    private byte[] readBytes() {
        int length = (int) readVarint();
        at += length;
        return Arrays.copyOfRange(bytes, at - length, at);
    }

    private void writeFixed(long value) {
        reserve(Long.BYTES);
        LONGS.set(bytes, at, value);
        at += Long.BYTES;
    }

    private long readFixed() {
        long value = (long) LONGS.get(bytes, at);
        at += Long.BYTES;
        return value;
    }

    /// Small numbers of either sign become short.
    private void writeSigned(long value) {
        writeVarint(value << 1 ^ value >> LONG_BITS);
    }

    private long readSigned() {
        long folded = readVarint();
        return folded >>> 1 ^ -(folded & 1);
    }

    private void writeVarint(long value) {
        reserve(MAX_VARINT_BYTES);
        long rest = value;
        while ((rest & ~0x7fL) != 0) {
            bytes[at++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[at++] = (byte) rest;
    }

    private long readVarint() {
        long value = 0;
        for (int shift = 0; ; shift += 7) {
            byte next = bytes[at++];
            value |= (next & 0x7fL) << shift;
            if (next >= 0) {
                return value;
            }
        }
    }

    private void tag(byte tag) {
        reserve(1);
        bytes[at++] = tag;
    }

    private void reserve(int count) {
        if (count > bytes.length - at) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, at + count));
        }
    }
}
