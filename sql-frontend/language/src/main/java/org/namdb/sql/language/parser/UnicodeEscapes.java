package org.namdb.sql.language.parser;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Characters by their numbers: `\0041`, `\+000041` and `\\`.
public final class UnicodeEscapes {
    private static final Pattern IN_LITERAL =
            Pattern.compile("\\\\(?:(\\\\)|[0-9a-fA-F]{4}|\\+[0-9a-fA-F]{6})?");
    private static final Pattern IN_FUNCTION =
            Pattern.compile("\\\\(?:(\\\\)|u?[0-9a-fA-F]{4}|\\+[0-9a-fA-F]{6}|U[0-9a-fA-F]{8})?");

    private UnicodeEscapes() {}

    /// The text that `U&'..'` means.
    ///
    /// @throws SqlException 42601 if an escape stands for no character
    static String literal(String text) {
        return unescaped(text, IN_LITERAL, SqlState.SYNTAX_ERROR);
    }

    /// The function `unistr`, which also knows escapes of `u` and four hexadecimal digits, and of
    /// `U` and eight.
    ///
    /// @throws SqlException 42601 or 22023 if an escape stands for no character
    public static String unistr(String text) {
        return unescaped(text, IN_FUNCTION, SqlState.INVALID_PARAMETER_VALUE);
    }

    private static String unescaped(String text, Pattern pattern, SqlState noCharacter) {
        StringBuilder out = new StringBuilder();
        Matcher escape = pattern.matcher(text);
        while (escape.find()) {
            escape.appendReplacement(out, "");
            if (escape.group(1) != null) {
                out.append('\\');
                continue;
            }
            String digits = escape.group().replaceFirst("^\\\\[uU+]?", "");
            if (digits.isEmpty()) {
                throw new SqlException(SqlState.SYNTAX_ERROR, "invalid Unicode escape")
                        .withHint("Unicode escapes must be \\XXXX or \\+XXXXXX.");
            }
            long code = Long.parseLong(digits, 16);
            if (code == 0 || code > Character.MAX_CODE_POINT) {
                throw new SqlException(noCharacter, "invalid Unicode code point: " + digits);
            }
            out.appendCodePoint((int) code);
        }
        escape.appendTail(out);
        if (out.codePoints().anyMatch(c -> Character.getType(c) == Character.SURROGATE)) {
            throw new SqlException(SqlState.SYNTAX_ERROR, "invalid Unicode surrogate pair");
        }
        return out.toString();
    }
}
