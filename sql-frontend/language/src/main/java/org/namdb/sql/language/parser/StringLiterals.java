package org.namdb.sql.language.parser;

import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Values of string literals as written: `'..'`, `E'..'`, `U&'..'`, `$tag$..$tag$`.
final class StringLiterals {
    private StringLiterals() {}

    /// The characters that a literal stands for.
    static String value(SqlToken token) {
        String text = token.getText();
        String value =
                switch (text.charAt(0)) {
                    case '\'' -> plain(text);
                    case '$' -> dollar(text);
                    case 'u', 'U' -> unicode(text, token);
                    default -> escaped(text, token);
                };
        if (value.indexOf('\0') >= 0) {
            throw badCharacter(token);
        }
        return value;
    }

    private static SqlException badCharacter(SqlToken token) {
        return new SqlException(
                SqlState.CHARACTER_NOT_IN_REPERTOIRE,
                "a string can't hold the character that its escape stands for",
                token.position());
    }

    private static String dollar(String text) {
        int tag = text.indexOf('$', 1) + 1;
        return text.substring(tag, text.length() - tag);
    }

    private static String unicode(String text, SqlToken token) {
        try {
            return UnicodeEscapes.literal(plain(text.substring(2)));
        } catch (SqlException e) {
            throw e.at(token.position());
        }
    }

    private static String plain(String text) {
        // The usual one: one part, no quotes in it.
        if (text.indexOf('\'', 1) == text.length() - 1) {
            return text.substring(1, text.length() - 1);
        }
        StringBuilder value = new StringBuilder();
        int at = 1;
        while (at < text.length()) {
            int quote = text.indexOf('\'', at);
            value.append(text, at, quote);
            if (quote + 1 < text.length() && text.charAt(quote + 1) == '\'') {
                value.append('\'');
                at = quote + 2;
            } else {
                // The end, or blanks and the next part.
                int next = text.indexOf('\'', quote + 1);
                at = next < 0 ? text.length() : next + 1;
            }
        }
        return value.toString();
    }

    private static String escaped(String text, SqlToken token) {
        StringBuilder value = new StringBuilder();
        int end = text.length() - 1;
        int at = 2;
        while (at < end) {
            char c = text.charAt(at);
            if (c == '\\') {
                at = escape(text, at + 1, value, token);
            } else {
                value.append(c);
                at += c == '\'' ? 2 : 1;
            }
        }
        requirePairs(value, token);
        return value.toString();
    }

    /// @throws SqlException 42601 if a half of a character stands alone
    private static void requirePairs(StringBuilder value, SqlToken token) {
        for (int i = 0; i < value.length(); i += Character.charCount(value.codePointAt(i))) {
            if (Character.getType(value.codePointAt(i)) == Character.SURROGATE) {
                throw new SqlException(
                        SqlState.SYNTAX_ERROR, "invalid Unicode surrogate pair", token.position());
            }
        }
    }

    /// Adds what the escape stands for, and gives the index behind it.
    private static int escape(String text, int at, StringBuilder value, SqlToken token) {
        char c = text.charAt(at);
        return switch (c) {
            case 'b' -> add(value, '\b', at);
            case 'f' -> add(value, '\f', at);
            case 'n' -> add(value, '\n', at);
            case 'r' -> add(value, '\r', at);
            case 't' -> add(value, '\t', at);
            case 'u' -> unicode(text, at, 4, value, token);
            case 'U' -> unicode(text, at, 8, value, token);
            case 'x' -> hex(text, at, value, token);
            case '0', '1', '2', '3', '4', '5', '6', '7' ->
                    code(text, at, digits(text, at, 3, 8), 8, value, token);
            default -> add(value, c, at);
        };
    }

    private static int add(StringBuilder value, char c, int at) {
        value.append(c);
        return at + 1;
    }

    private static int hex(String text, int at, StringBuilder value, SqlToken token) {
        int end = digits(text, at + 1, 2, 16);
        return end == at + 1 ? add(value, 'x', at) : code(text, at + 1, end, 16, value, token);
    }

    private static int digits(String text, int from, int most, int radix) {
        int at = from;
        while (at < from + most && Character.digit(text.charAt(at), radix) >= 0) {
            at++;
        }
        return at;
    }

    /// A byte: beyond ASCII it would be a part of a character.
    private static int code(
            String text, int from, int end, int radix, StringBuilder value, SqlToken token) {
        int code = Integer.parseInt(text, from, end, radix);
        if (code == 0 || code >= 0x80) {
            throw badCharacter(token);
        }
        value.append((char) code);
        return end;
    }

    private static int unicode(
            String text, int at, int length, StringBuilder value, SqlToken token) {
        int end = at + 1 + length;
        if (end > text.length() - 1 || digits(text, at + 1, length, 16) != end) {
            throw new SqlException(
                            SqlState.INVALID_ESCAPE_SEQUENCE,
                            "invalid Unicode escape",
                            token.position())
                    .withHint("Unicode escapes must be \\uXXXX or \\UXXXXXXXX.");
        }
        long code = Long.parseLong(text, at + 1, end, 16);
        if (code == 0 || code > Character.MAX_CODE_POINT) {
            throw new SqlException(
                    SqlState.SYNTAX_ERROR, "invalid Unicode escape value", token.position());
        }
        value.appendCodePoint((int) code);
        return end;
    }
}
