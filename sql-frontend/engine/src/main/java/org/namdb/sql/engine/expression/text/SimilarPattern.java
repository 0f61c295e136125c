package org.namdb.sql.engine.expression.text;

import org.namdb.sql.language.error.SqlException;

/// Patterns of SIMILAR TO.
public final class SimilarPattern {
    private SimilarPattern() {}

    /// A pattern as a regular expression: PostgreSQL's `similar_to_escape`.
    ///
    /// @param escape one character, or none
    /// @throws SqlException 22025 if the escape is longer
    public static String regular(String pattern, String escape) {
        LikePattern.requireCharacter(escape);
        int escapeCharacter = escape.isEmpty() ? -1 : escape.codePointAt(0);
        StringBuilder text = new StringBuilder("^(?:");
        boolean isEscaped = false;
        boolean isInBracket = false;
        int quotes = 0;
        for (int i = 0; i < pattern.length(); ) {
            int c = pattern.codePointAt(i);
            i += Character.charCount(c);
            if (isEscaped && c == '"' && !isInBracket) {
                // Parts of SUBSTRING (a SIMILAR b ESCAPE c).
                text.append(quotes++ == 0 ? "){1,1}?(" : "){1,1}(?:");
                isEscaped = false;
            } else if (isEscaped) {
                text.append('\\').appendCodePoint(c);
                isEscaped = false;
            } else if (c == escapeCharacter) {
                isEscaped = true;
            } else if (isInBracket) {
                text.append(c == '\\' ? "\\" : "").appendCodePoint(c);
                isInBracket = c != ']';
            } else {
                text.append(part(c));
                isInBracket = c == '[';
            }
        }
        return text.append(")$").toString();
    }

    private static String part(int c) {
        return switch (c) {
            case '%' -> ".*";
            case '_' -> ".";
            case '(' -> "(?:";
            case '\\', '.', '^', '$' -> "\\" + (char) c;
            default -> Character.toString(c);
        };
    }
}
