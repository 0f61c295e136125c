package org.namdb.sql.engine.expression.function;

import static org.namdb.sql.engine.expression.function.StringFunctions.number;
import static org.namdb.sql.engine.expression.function.StringFunctions.text;
import static org.namdb.sql.language.type.SqlType.BYTEA;
import static org.namdb.sql.language.type.SqlType.INTEGER;
import static org.namdb.sql.language.type.SqlType.TEXT;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
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

    private static String md5(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has MD5", e);
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
