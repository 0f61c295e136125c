package org.namdb.sql.engine.expression.text;

import java.util.Arrays;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// A pattern of LIKE: `%` stands for any characters, `_` for one. Matching takes at most time in
/// proportion to the text's length times the pattern's: after a `%` the first place that fits is as
/// good as any.
public final class LikePattern {
    private static final int ANY_ONE = -1;
    private static final int ANY_NUMBER = -2;

    /// An escape character at the end: an error where a character is compared with it.
    private static final int LONE_ESCAPE = -3;

    private final int[] symbols;
    private final boolean ignoresCase;

    /// The pattern as a text, if it is of the form that can be left to String's methods.
    private final String plain;

    private final Form form;

    private enum Form {
        /// `abc`
        WHOLE,
        /// `abc%`
        PREFIX,
        /// `%abc`
        SUFFIX,
        /// `%abc%`
        INFIX,
        OTHER
    }

    private LikePattern(int[] symbols, boolean ignoresCase) {
        this.symbols = symbols;
        this.ignoresCase = ignoresCase;
        form = ignoresCase ? Form.OTHER : formOf(symbols);
        StringBuilder text = new StringBuilder();
        for (int symbol : symbols) {
            if (symbol >= 0) {
                text.appendCodePoint(symbol);
            }
        }
        plain = text.toString();
    }

    private static Form formOf(int[] symbols) {
        int count = symbols.length;
        boolean isOpen = count > 0 && symbols[0] == ANY_NUMBER;
        boolean isOpenBehind = count > 1 && symbols[count - 1] == ANY_NUMBER;
        for (int i = isOpen ? 1 : 0; i < (isOpenBehind ? count - 1 : count); i++) {
            if (symbols[i] < 0) {
                return Form.OTHER;
            }
        }
        if (isOpen) {
            return isOpenBehind ? Form.INFIX : Form.SUFFIX;
        }
        return isOpenBehind ? Form.PREFIX : Form.WHOLE;
    }

    /// A pattern as LIKE has it.
    ///
    /// @param escape one character, or none
    /// @throws SqlException 22025 if the escape is longer
    public static LikePattern compile(String pattern, String escape, boolean ignoresCase) {
        requireCharacter(escape);
        int escapeCharacter = escape.isEmpty() ? ANY_ONE : escape.codePointAt(0);
        int[] symbols = new int[pattern.length()];
        int count = 0;
        int i = 0;
        while (i < pattern.length()) {
            int c = pattern.codePointAt(i);
            i += Character.charCount(c);
            if (c == escapeCharacter) {
                if (i == pattern.length()) {
                    symbols[count++] = LONE_ESCAPE;
                    break;
                }
                c = pattern.codePointAt(i);
                i += Character.charCount(c);
                symbols[count++] = ignoresCase ? folded(c) : c;
            } else if (c == '%') {
                boolean isRepeated = count > 0 && symbols[count - 1] == ANY_NUMBER;
                count -= isRepeated ? 1 : 0;
                symbols[count++] = ANY_NUMBER;
            } else {
                symbols[count++] = c == '_' ? ANY_ONE : ignoresCase ? folded(c) : c;
            }
        }
        return new LikePattern(Arrays.copyOf(symbols, count), ignoresCase);
    }

    /// @throws SqlException 22025 if an escape is longer than a character
    static void requireCharacter(String escape) {
        if (escape.codePointCount(0, escape.length()) > 1) {
            throw new SqlException(SqlState.INVALID_ESCAPE_SEQUENCE, "invalid escape string")
                    .withHint("Escape string must be empty or one character.");
        }
    }

    /// A pattern with another escape character as one with the backslash: PostgreSQL's
    /// `like_escape`, by which its dumps write `LIKE .. ESCAPE`.
    ///
    /// @throws SqlException 22025 if the escape is longer than a character
    public static String withBackslashes(String pattern, String escape) {
        requireCharacter(escape);
        if (escape.equals("\\")) {
            return pattern;
        }
        int escapeCharacter = escape.isEmpty() ? ANY_ONE : escape.codePointAt(0);
        StringBuilder text = new StringBuilder();
        boolean isEscaped = false;
        for (int i = 0; i < pattern.length(); ) {
            int c = pattern.codePointAt(i);
            i += Character.charCount(c);
            if (c == escapeCharacter && !isEscaped) {
                text.append('\\');
                isEscaped = true;
            } else {
                text.append(c == '\\' && !isEscaped ? "\\" : "").appendCodePoint(c);
                isEscaped = false;
            }
        }
        return text.toString();
    }

    private static int folded(int c) {
        return Character.toLowerCase(c);
    }

    /// What all matches of a pattern begin with, letters of either case being two. A pattern that
    /// is none has the prefix that stands before its fault: whether there is an error is left to
    /// the match.
    static String prefix(String pattern, String escape) {
        int escapeCharacter = escape.isEmpty() ? ANY_ONE : escape.codePointAt(0);
        StringBuilder text = new StringBuilder();
        int i = 0;
        while (i < pattern.length()) {
            int c = pattern.codePointAt(i);
            i += Character.charCount(c);
            if (c == escapeCharacter) {
                if (i == pattern.length()) {
                    break;
                }
                c = pattern.codePointAt(i);
                i += Character.charCount(c);
            } else if (c == '%' || c == '_') {
                break;
            }
            text.appendCodePoint(c);
        }
        return text.toString();
    }

    /// Whether it has no wildcard, so that only one text matches.
    boolean isWhole() {
        return form == Form.WHOLE;
    }

    /// Whether all texts match that begin with its prefix.
    boolean isPrefix() {
        return form == Form.PREFIX;
    }

    /// Whether a whole text matches.
    ///
    /// @throws SqlException 22025 if it does up to an escape character at the pattern's end
    public boolean matches(String text) {
        return switch (form) {
            case WHOLE -> text.equals(plain);
            case PREFIX -> text.startsWith(plain);
            case SUFFIX -> text.endsWith(plain);
            case INFIX -> text.contains(plain);
            case OTHER -> matchesSymbols(text);
        };
    }

    private boolean matchesSymbols(String text) {
        int at = 0;
        int symbol = 0;
        int resumeSymbol = -1;
        int resumeAt = 0;
        while (at < text.length()) {
            if (symbol < symbols.length && symbols[symbol] == ANY_NUMBER) {
                resumeSymbol = ++symbol;
                resumeAt = at;
                continue;
            }
            int c = text.codePointAt(at);
            if (symbol < symbols.length && fits(c, symbols[symbol])) {
                at += Character.charCount(c);
                symbol++;
            } else if (resumeSymbol >= 0) {
                // The last % takes one character more.
                resumeAt += Character.charCount(text.codePointAt(resumeAt));
                at = resumeAt;
                symbol = resumeSymbol;
            } else {
                return false;
            }
        }
        while (symbol < symbols.length && symbols[symbol] == ANY_NUMBER) {
            symbol++;
        }
        return symbol == symbols.length;
    }

    private boolean fits(int c, int symbol) {
        if (symbol == LONE_ESCAPE) {
            throw new SqlException(
                    SqlState.INVALID_ESCAPE_SEQUENCE,
                    "LIKE pattern must not end with escape character");
        }
        return symbol == ANY_ONE || symbol == (ignoresCase ? folded(c) : c);
    }
}
