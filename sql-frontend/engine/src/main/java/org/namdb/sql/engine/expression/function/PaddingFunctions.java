package org.namdb.sql.engine.expression.function;

import static org.namdb.sql.engine.expression.function.StringFunctions.number;
import static org.namdb.sql.engine.expression.function.StringFunctions.text;
import static org.namdb.sql.language.type.SqlType.INTEGER;
import static org.namdb.sql.language.type.SqlType.TEXT;

import org.namdb.sql.engine.expression.text.CodePoints;

/// Functions that add characters to the ends of strings, and take them away.
final class PaddingFunctions {
    private PaddingFunctions() {}

    static void addTo(FunctionTable table) {
        table.add("lpad", TEXT, a -> padded(text(a, 0), number(a, 1), " ", true), TEXT, INTEGER);
        table.add("rpad", TEXT, a -> padded(text(a, 0), number(a, 1), " ", false), TEXT, INTEGER);
        table.add(
                "lpad",
                TEXT,
                a -> padded(text(a, 0), number(a, 1), text(a, 2), true),
                TEXT,
                INTEGER,
                TEXT);
        table.add(
                "rpad",
                TEXT,
                a -> padded(text(a, 0), number(a, 1), text(a, 2), false),
                TEXT,
                INTEGER,
                TEXT);
        addTrim(table, "btrim", true, true);
        addTrim(table, "trim", true, true);
        addTrim(table, "ltrim", true, false);
        addTrim(table, "rtrim", false, true);
        table.add("repeat", TEXT, a -> repeated(text(a, 0), number(a, 1)), TEXT, INTEGER);
    }

    private static void addTrim(FunctionTable table, String name, boolean atStart, boolean atEnd) {
        table.add(name, TEXT, a -> trimmed(text(a, 0), " ", atStart, atEnd), TEXT);
        table.add(name, TEXT, a -> trimmed(text(a, 0), text(a, 1), atStart, atEnd), TEXT, TEXT);
    }

    /// Cut if it is longer.
    private static String padded(String text, long length, String fill, boolean isLeft) {
        int characters = CodePoints.length(text);
        int wanted = CodePoints.requireLength(Math.max(0, length));
        if (wanted <= characters || fill.isEmpty()) {
            return CodePoints.slice(text, 0, wanted);
        }
        int missing = wanted - characters;
        int fillLength = CodePoints.length(fill);
        String whole = fill.repeat(missing / fillLength);
        String padding = whole + CodePoints.slice(fill, 0, missing % fillLength);
        return isLeft ? padding + text : text + padding;
    }

    private static String trimmed(String text, String characters, boolean atStart, boolean atEnd) {
        int start = 0;
        int end = text.length();
        while (atStart && start < end && characters.indexOf(text.codePointAt(start)) >= 0) {
            start += Character.charCount(text.codePointAt(start));
        }
        while (atEnd && end > start && characters.indexOf(text.codePointBefore(end)) >= 0) {
            end -= Character.charCount(text.codePointBefore(end));
        }
        return text.substring(start, end);
    }

    private static String repeated(String text, long count) {
        if (count <= 0 || text.isEmpty()) {
            return "";
        }
        CodePoints.requireLength(text.length() * count);
        return text.repeat((int) count);
    }
}
