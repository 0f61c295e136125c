package org.namdb.sql.engine.expression.function;

import static org.namdb.sql.engine.expression.function.StringFunctions.number;
import static org.namdb.sql.engine.expression.function.StringFunctions.text;
import static org.namdb.sql.language.type.SqlType.BIGINT;
import static org.namdb.sql.language.type.SqlType.BYTEA;
import static org.namdb.sql.language.type.SqlType.INTEGER;
import static org.namdb.sql.language.type.SqlType.TEXT;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.BitSet;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.ByteString;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.TextParser;

/// Functions of bytes.
final class BinaryFunctions {
    private static final int BASE64_LINE = 76;

    private BinaryFunctions() {}

    static void addTo(FunctionTable table) {
        table.add("length", INTEGER, a -> (long) bytes(a, 0).length(), BYTEA);
        table.add("octet_length", INTEGER, a -> (long) bytes(a, 0).length(), BYTEA);
        table.add("bit_length", INTEGER, a -> 8L * bytes(a, 0).length(), BYTEA);
        for (String name : new String[] {"substring", "substr"}) {
            table.add(
                    name,
                    BYTEA,
                    a -> slice(bytes(a, 0), number(a, 1), Integer.MAX_VALUE),
                    BYTEA,
                    INTEGER);
            table.add(
                    name,
                    BYTEA,
                    a -> slice(bytes(a, 0), number(a, 1), number(a, 2)),
                    BYTEA,
                    INTEGER,
                    INTEGER);
        }
        table.add("position", INTEGER, a -> position(bytes(a, 0), bytes(a, 1)), BYTEA, BYTEA);
        table.add(
                "overlay",
                BYTEA,
                a -> overlay(bytes(a, 0), bytes(a, 1), number(a, 2), bytes(a, 1).length()),
                BYTEA,
                BYTEA,
                INTEGER);
        table.add(
                "overlay",
                BYTEA,
                a -> overlay(bytes(a, 0), bytes(a, 1), number(a, 2), number(a, 3)),
                BYTEA,
                BYTEA,
                INTEGER,
                INTEGER);
        addTrim(table, "btrim", true, true);
        addTrim(table, "ltrim", true, false);
        addTrim(table, "rtrim", false, true);
        addElements(table);
        for (String bits : new String[] {"224", "256", "384", "512"}) {
            table.add("sha" + bits, BYTEA, a -> digest("SHA-" + bits, bytes(a, 0)), BYTEA);
        }
        table.add("md5", TEXT, a -> md5(text(a, 0).getBytes(StandardCharsets.UTF_8)), TEXT);
        table.add("md5", TEXT, a -> md5(bytes(a, 0).toByteArray()), BYTEA);
        table.add("encode", TEXT, a -> encoded(bytes(a, 0), text(a, 1)), BYTEA, TEXT);
        table.add("decode", BYTEA, a -> decoded(text(a, 0), text(a, 1)), TEXT, TEXT);
    }

    private static ByteString bytes(Object[] arguments, int index) {
        return (ByteString) arguments[index];
    }

    private static ByteString slice(ByteString bytes, long start, long count) {
        if (count < 0) {
            throw new SqlException(
                    SqlState.SUBSTRING_ERROR, "negative substring length not allowed");
        }
        int from = Math.clamp(start - 1, 0, bytes.length());
        int to = Math.clamp(start - 1 + count, from, bytes.length());
        return bytes.slice(from, to);
    }

    private static void addTrim(FunctionTable table, String name, boolean atStart, boolean atEnd) {
        table.add(
                name, BYTEA, a -> trimmed(bytes(a, 0), bytes(a, 1), atStart, atEnd), BYTEA, BYTEA);
    }

    /// Bytes and bits by their numbers: the first byte is 0, and so is its lowest bit.
    private static void addElements(FunctionTable table) {
        table.add(
                "get_byte",
                INTEGER,
                a -> (long) byteAt(bytes(a, 0), number(a, 1), number(a, 1)),
                BYTEA,
                INTEGER);
        table.add(
                "set_byte",
                BYTEA,
                a -> withByte(bytes(a, 0), number(a, 1), number(a, 1), (int) number(a, 2)),
                BYTEA,
                INTEGER,
                INTEGER);
        table.add(
                "get_bit",
                INTEGER,
                a -> {
                    long bit = number(a, 1);
                    return (long) (byteAt(bytes(a, 0), Math.floorDiv(bit, 8), bit) >> bit % 8 & 1);
                },
                BYTEA,
                BIGINT);
        table.add(
                "set_bit",
                BYTEA,
                a -> withBit(bytes(a, 0), number(a, 1), number(a, 2)),
                BYTEA,
                BIGINT,
                INTEGER);
        table.add("bit_count", BIGINT, a -> bitCount(bytes(a, 0)), BYTEA);
    }

    private static int byteAt(ByteString bytes, long index, long named) {
        if (index < 0 || index >= bytes.length()) {
            throw new SqlException(
                    SqlState.SUBSCRIPT_ERROR,
                    "index %d out of valid range, 0..%d"
                            .formatted(named, bytes.length() * (index == named ? 1L : 8L) - 1));
        }
        return bytes.byteAt((int) index) & 0xFF;
    }

    private static ByteString withByte(ByteString bytes, long index, long named, int value) {
        int _ = byteAt(bytes, index, named);
        byte[] changed = bytes.toByteArray();
        changed[(int) index] = (byte) value;
        return ByteString.of(changed);
    }

    private static ByteString withBit(ByteString bytes, long bit, long value) {
        int old = byteAt(bytes, Math.floorDiv(bit, 8), bit);
        if (value != 0 && value != 1) {
            throw new SqlException(SqlState.INVALID_PARAMETER_VALUE, "new bit must be 0 or 1");
        }
        int mask = 1 << bit % 8;
        return withByte(bytes, bit / 8, bit, value == 1 ? old | mask : old & ~mask);
    }

    private static long bitCount(ByteString bytes) {
        return BitSet.valueOf(bytes.toByteArray()).cardinality();
    }

    private static Long position(ByteString bytes, ByteString part) {
        // A character for each byte.
        return latin(bytes).indexOf(latin(part)) + 1L;
    }

    private static String latin(ByteString bytes) {
        return new String(bytes.toByteArray(), StandardCharsets.ISO_8859_1);
    }

    private static ByteString overlay(ByteString bytes, ByteString part, long start, long count) {
        if (start <= 0) {
            throw new SqlException(
                    SqlState.SUBSTRING_ERROR, "negative substring length not allowed");
        }
        return slice(bytes, 1, start - 1)
                .concat(part)
                .concat(slice(bytes, start + count, Integer.MAX_VALUE));
    }

    private static ByteString trimmed(
            ByteString bytes, ByteString trimmed, boolean atStart, boolean atEnd) {
        String set = latin(trimmed);
        int start = 0;
        int end = bytes.length();
        while (atStart && start < end && set.indexOf(bytes.byteAt(start) & 0xFF) >= 0) {
            start++;
        }
        while (atEnd && end > start && set.indexOf(bytes.byteAt(end - 1) & 0xFF) >= 0) {
            end--;
        }
        return bytes.slice(start, end);
    }

    private static String md5(byte[] bytes) {
        return digest("MD5", ByteString.of(bytes)).toHex();
    }

    private static ByteString digest(String algorithm, ByteString bytes) {
        try {
            return ByteString.of(MessageDigest.getInstance(algorithm).digest(bytes.toByteArray()));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has " + algorithm, e);
        }
    }

    private static String encoded(ByteString bytes, String format) {
        return switch (format) {
            case "hex" -> bytes.toHex();
            case "base64" ->
                    Base64.getMimeEncoder(BASE64_LINE, new byte[] {'\n'})
                            .encodeToString(bytes.toByteArray());
            case "escape" -> escaped(bytes);
            default -> throw unknownFormat(format);
        };
    }

    private static String escaped(ByteString bytes) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < bytes.length(); i++) {
            byte b = bytes.byteAt(i);
            if (b == '\\') {
                out.append("\\\\");
            } else if (b > 0) {
                out.append((char) b);
            } else {
                int octal = b & 0xFF;
                out.append('\\').append(octal >> 6).append(octal >> 3 & 7).append(octal & 7);
            }
        }
        return out.toString();
    }

    private static ByteString decoded(String text, String format) {
        return switch (format) {
            case "hex" -> (ByteString) TextParser.parse("\\x" + text, SqlType.BYTEA);
            case "base64" -> base64(text);
            case "escape" ->
                    text.startsWith("\\x")
                            ? ByteString.utf8(text)
                            : (ByteString) TextParser.parse(text, SqlType.BYTEA);
            default -> throw unknownFormat(format);
        };
    }

    private static ByteString base64(String text) {
        try {
            return ByteString.of(Base64.getDecoder().decode(text.replaceAll("\\s", "")));
        } catch (IllegalArgumentException e) {
            throw new SqlException(SqlState.INVALID_PARAMETER_VALUE, "invalid base64 end sequence")
                    .withHint(
                            "Input data is missing padding, is truncated, or is otherwise corrupted.")
                    .causedBy(e);
        }
    }

    private static SqlException unknownFormat(String format) {
        return new SqlException(
                SqlState.INVALID_PARAMETER_VALUE, "unrecognized encoding: \"" + format + "\"");
    }
}
