package org.namdb.sql.engine.expression.function;

import static org.namdb.sql.language.type.SqlType.BIGINT;
import static org.namdb.sql.language.type.SqlType.BOOLEAN;
import static org.namdb.sql.language.type.SqlType.INTEGER;
import static org.namdb.sql.language.type.SqlType.TEXT;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.namdb.sql.engine.expression.text.CodePoints;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.parser.UnicodeEscapes;

/// Functions of strings: case, length, parts.
final class StringFunctions {
    private StringFunctions() {}

    static void addTo(FunctionTable table) {
        table.add("upper", TEXT, a -> text(a, 0).toUpperCase(Locale.ROOT), TEXT);
        table.add("lower", TEXT, a -> text(a, 0).toLowerCase(Locale.ROOT), TEXT);
        table.add("initcap", TEXT, a -> capitalised(text(a, 0)), TEXT);
        for (String name : new String[] {"length", "char_length", "character_length"}) {
            table.add(name, INTEGER, a -> (long) CodePoints.length(text(a, 0)), TEXT);
        }
        table.add("octet_length", INTEGER, a -> bytes(text(a, 0)), TEXT);
        table.add("bit_length", INTEGER, a -> 8 * bytes(text(a, 0)), TEXT);
        for (String name : new String[] {"substring", "substr"}) {
            table.add(
                    name,
                    TEXT,
                    a -> CodePoints.slice(text(a, 0), number(a, 1) - 1, Integer.MAX_VALUE),
                    TEXT,
                    INTEGER);
            table.add(
                    name,
                    TEXT,
                    a -> substring(text(a, 0), number(a, 1), number(a, 2)),
                    TEXT,
                    INTEGER,
                    INTEGER);
        }
        table.add("left", TEXT, a -> left(text(a, 0), number(a, 1)), TEXT, INTEGER);
        table.add("right", TEXT, a -> right(text(a, 0), number(a, 1)), TEXT, INTEGER);
        table.add(
                "overlay",
                TEXT,
                a -> overlay(text(a, 0), text(a, 1), number(a, 2), CodePoints.length(text(a, 1))),
                TEXT,
                TEXT,
                INTEGER);
        table.add(
                "overlay",
                TEXT,
                a -> overlay(text(a, 0), text(a, 1), number(a, 2), number(a, 3)),
                TEXT,
                TEXT,
                INTEGER,
                INTEGER);
        table.add(
                "position", INTEGER, a -> CodePoints.position(text(a, 0), text(a, 1)), TEXT, TEXT);
        table.add("strpos", INTEGER, a -> CodePoints.position(text(a, 0), text(a, 1)), TEXT, TEXT);
        table.add("starts_with", BOOLEAN, a -> text(a, 0).startsWith(text(a, 1)), TEXT, TEXT);
        table.add(
                "replace",
                TEXT,
                a -> replace(text(a, 0), text(a, 1), text(a, 2)),
                TEXT,
                TEXT,
                TEXT);
        table.add(
                "translate",
                TEXT,
                a -> translate(text(a, 0), text(a, 1), text(a, 2)),
                TEXT,
                TEXT,
                TEXT);
        table.add("reverse", TEXT, a -> new StringBuilder(text(a, 0)).reverse().toString(), TEXT);
        table.add(
                "split_part",
                TEXT,
                a -> part(text(a, 0), text(a, 1), number(a, 2)),
                TEXT,
                TEXT,
                INTEGER);
        table.add(
                "ascii",
                INTEGER,
                a -> text(a, 0).isEmpty() ? 0L : (long) text(a, 0).codePointAt(0),
                TEXT);
        table.add("unistr", TEXT, a -> UnicodeEscapes.unistr(text(a, 0)), TEXT);
        table.add("chr", TEXT, a -> character(number(a, 0)), INTEGER);
        table.add("to_hex", TEXT, a -> Integer.toHexString((int) number(a, 0)), INTEGER);
        table.add("to_hex", TEXT, a -> Long.toHexString(number(a, 0)), BIGINT);
    }

    static String text(Object[] arguments, int index) {
        return (String) arguments[index];
    }

    static long number(Object[] arguments, int index) {
        return (Long) arguments[index];
    }

    private static long bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static String substring(String text, long start, long count) {
        if (count < 0) {
            throw new SqlException(
                    SqlState.SUBSTRING_ERROR, "negative substring length not allowed");
        }
        // Characters before the first are counted, and not there.
        return CodePoints.slice(text, start - 1, Math.max(0, start - 1 + count));
    }

    /// With a negative count all but as many at the end.
    private static String left(String text, long count) {
        long end = count >= 0 ? count : CodePoints.length(text) + count;
        return CodePoints.slice(text, 0, Math.max(0, end));
    }

    /// With a negative count all but as many at the start.
    private static String right(String text, long count) {
        int length = CodePoints.length(text);
        return CodePoints.slice(text, count >= 0 ? length - count : -count, length);
    }

    private static String overlay(String text, String part, long start, long count) {
        if (start <= 0) {
            throw new SqlException(
                    SqlState.SUBSTRING_ERROR, "negative substring length not allowed");
        }
        return CodePoints.slice(text, 0, start - 1)
                + part
                + CodePoints.slice(text, Math.max(0, start - 1 + count), Integer.MAX_VALUE);
    }

    private static String replace(String text, String from, String to) {
        if (from.isEmpty() || !text.contains(from)) {
            return text;
        }
        CodePoints.requireLength(
                (long) text.length() / from.length() * to.length() + text.length());
        return text.replace(from, to);
    }

    private static String translate(String text, String from, String to) {
        int[] old = from.codePoints().toArray();
        int[] replacements = to.codePoints().toArray();
        StringBuilder out = new StringBuilder(text.length());
        text.codePoints()
                .forEach(c -> {
                    int i = 0;
                    while (i < old.length && old[i] != c) {
                        i++;
                    }
                    if (i == old.length) {
                        out.appendCodePoint(c);
                    } else if (i < replacements.length) {
                        out.appendCodePoint(replacements[i]);
                    }
                });
        return out.toString();
    }

    private static String capitalised(String text) {
        StringBuilder out = new StringBuilder(text.length());
        boolean isInWord = false;
        for (int i = 0; i < text.length(); ) {
            int c = text.codePointAt(i);
            i += Character.charCount(c);
            out.appendCodePoint(isInWord ? Character.toLowerCase(c) : Character.toUpperCase(c));
            isInWord = Character.isLetterOrDigit(c);
        }
        return out.toString();
    }

    /// The parts are counted from 1, or with a negative number from the end.
    private static String part(String text, String delimiter, long number) {
        if (number == 0) {
            throw new SqlException(
                    SqlState.INVALID_PARAMETER_VALUE, "field position must not be zero");
        }
        if (text.isEmpty() || delimiter.isEmpty()) {
            return number == 1 || (number == -1 && !text.isEmpty()) ? text : "";
        }
        long wanted = number > 0 ? number : parts(text, delimiter) + number + 1;
        if (wanted <= 0) {
            return "";
        }
        int start = 0;
        for (long i = 1; ; i++) {
            int end = text.indexOf(delimiter, start);
            if (i == wanted) {
                return text.substring(start, end < 0 ? text.length() : end);
            }
            if (end < 0) {
                return "";
            }
            start = end + delimiter.length();
        }
    }

    private static int parts(String text, String delimiter) {
        int count = 1;
        for (int at = text.indexOf(delimiter); at >= 0; count++) {
            at = text.indexOf(delimiter, at + delimiter.length());
        }
        return count;
    }

    private static String character(long code) {
        if (code == 0) {
            throw new SqlException(SqlState.PROGRAM_LIMIT_EXCEEDED, "null character not permitted");
        }
        if (code < 0) {
            throw new SqlException(
                    SqlState.PROGRAM_LIMIT_EXCEEDED, "character number must be positive");
        }
        boolean isSurrogate = code >= Character.MIN_SURROGATE && code <= Character.MAX_SURROGATE;
        if (code > Character.MAX_CODE_POINT || isSurrogate) {
            throw new SqlException(
                    SqlState.PROGRAM_LIMIT_EXCEEDED,
                    "requested character not valid for encoding: " + code);
        }
        return Character.toString((int) code);
    }
}
