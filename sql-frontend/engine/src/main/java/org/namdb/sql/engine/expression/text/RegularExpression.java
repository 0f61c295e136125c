package org.namdb.sql.engine.expression.text;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Regular expressions, which are Java's.
public final class RegularExpression {
    private RegularExpression() {}

    /// Whether a part of a text matches.
    ///
    /// @throws SqlException 2201B if the pattern is none
    public static boolean finds(String text, String pattern, boolean ignoresCase) {
        int flags = ignoresCase ? Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE : 0;
        try {
            return Pattern.compile(pattern, flags).matcher(text).find();
        } catch (PatternSyntaxException e) {
            throw new SqlException(
                    SqlState.INVALID_REGULAR_EXPRESSION,
                    "invalid regular expression: " + e.getDescription());
        }
    }
}
