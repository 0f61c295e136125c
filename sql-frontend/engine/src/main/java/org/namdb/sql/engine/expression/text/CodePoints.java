package org.namdb.sql.engine.expression.text;

import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Strings by characters, of which Java keeps some as two.
public final class CodePoints {
    /// The longest string that a function makes, in chars.
    private static final long MAX_LENGTH = 64L << 20;

    private CodePoints() {}

    /// How many there are.
    public static int length(String text) {
        return text.codePointCount(0, text.length());
    }

    /// The characters from one index to before another, each at least 0; as many as there are.
    public static String slice(String text, long from, long to) {
        int length = text.length();
        long characters = length(text);
        int first = (int) Math.clamp(from, 0L, characters);
        int last = (int) Math.clamp(to, first, characters);
        if (characters == length) {
            return text.substring(first, last);
        }
        int start = text.offsetByCodePoints(0, first);
        return text.substring(start, text.offsetByCodePoints(start, last - first));
    }

    /// The place of a part in a text, from 1; 0 if it is not there.
    public static long position(String text, String part) {
        int index = text.indexOf(part);
        return index < 0 ? 0 : text.codePointCount(0, index) + 1;
    }

    /// What remains of CHAR without its padding.
    public static String withoutTrailingBlanks(String text) {
        int end = text.length();
        while (end > 0 && text.charAt(end - 1) == ' ') {
            end--;
        }
        return text.substring(0, end);
    }

    /// Checks the length of a string before it is made.
    ///
    /// @throws SqlException 54000 if it is too long
    public static int requireLength(long length) {
        if (length > MAX_LENGTH) {
            throw new SqlException(SqlState.PROGRAM_LIMIT_EXCEEDED, "requested length too large");
        }
        return (int) length;
    }
}
