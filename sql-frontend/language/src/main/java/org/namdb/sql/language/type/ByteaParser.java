package org.namdb.sql.language.type;

import java.nio.charset.StandardCharsets;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Reads bytes from PostgreSQL's two formats: `\x` with hexadecimal digits, or characters with
/// `\ooo` escapes.
final class ByteaParser {
    private ByteaParser() {}

    static ByteString parse(String text) {
        return text.startsWith("\\x") ? hexadecimal(text.substring(2)) : escaped(text);
    }

    /// Pairs of digits; blanks between the pairs don't count.
    static ByteString hexadecimal(String digits) {
        byte[] bytes = new byte[digits.length() / 2];
        int count = 0;
        int i = 0;
        while (i < digits.length()) {
            char c = digits.charAt(i);
            if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
                i++;
                continue;
            }
            int high = digit(c);
            if (i + 1 >= digits.length()) {
                throw new SqlException(
                        SqlState.INVALID_PARAMETER_VALUE,
                        "invalid hexadecimal data: odd number of digits");
            }
            bytes[count++] = (byte) (high << 4 | digit(digits.charAt(i + 1)));
            i += 2;
        }
        return ByteString.of(bytes, 0, count);
    }

    private static int digit(char c) {
        int digit = c < 128 ? Character.digit(c, 16) : -1;
        if (digit < 0) {
            throw new SqlException(
                    SqlState.INVALID_PARAMETER_VALUE, "invalid hexadecimal digit: \"" + c + "\"");
        }
        return digit;
    }

    static ByteString escaped(String text) {
        byte[] in = text.getBytes(StandardCharsets.UTF_8);
        byte[] out = new byte[in.length];
        int count = 0;
        int i = 0;
        while (i < in.length) {
            if (in[i] != '\\') {
                out[count++] = in[i++];
            } else if (i + 1 < in.length && in[i + 1] == '\\') {
                out[count++] = '\\';
                i += 2;
            } else if (isOctal(in, i + 1)) {
                out[count++] =
                        (byte)
                                ((in[i + 1] - '0') << 6
                                        | (in[i + 2] - '0') << 3
                                        | (in[i + 3] - '0'));
                i += 4;
            } else {
                throw new SqlException(
                        SqlState.INVALID_TEXT, "invalid input syntax for type bytea");
            }
        }
        return ByteString.of(out, 0, count);
    }

    private static boolean isOctal(byte[] in, int at) {
        return at + 2 < in.length
                && in[at] >= '0'
                && in[at] <= '3'
                && in[at + 1] >= '0'
                && in[at + 1] <= '7'
                && in[at + 2] >= '0'
                && in[at + 2] <= '7';
    }
}
