package org.namdb.sql.engine.expression.text;

import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.parser.Keywords;

/// What `format(text, ..)` gives: the text with arguments in the places of `%s`, `%I` and `%L`,
/// which may have the number of the argument and a width: `%2$-10s`, `%*s`.
public final class FormatText {
    private static final int MAX_WIDTH = 1 << 20;

    private final String format;
    private final @Nullable String[] arguments;
    private final StringBuilder out = new StringBuilder();
    private int at;
    private int last;

    private FormatText(String format, @Nullable String[] arguments) {
        this.format = format;
        this.arguments = arguments;
    }

    /// @param arguments their texts
    /// @throws SqlException 22023 if the format can't be read, or names an argument that there
    ///     isn't
    static String of(String format, @Nullable String[] arguments) {
        FormatText text = new FormatText(format, arguments);
        while (text.at < format.length()) {
            char c = format.charAt(text.at++);
            if (c != '%') {
                text.out.append(c);
            } else if (text.peek() == '%') {
                text.at++;
                text.out.append('%');
            } else {
                text.specifier();
            }
        }
        return text.out.toString();
    }

    /// A name as SQL writes it, in quotes where it needs them.
    public static String name(String name) {
        boolean isAscii = name.chars().allMatch(c -> c < 0x80);
        return isAscii ? Keywords.quoted(name) : '"' + name.replace("\"", "\"\"") + '"';
    }

    /// A text as SQL writes it, with the quotes.
    public static String literal(String text) {
        String quoted = "'" + text.replace("\\", "\\\\").replace("'", "''") + "'";
        return text.contains("\\") ? "E" + quoted : quoted;
    }

    private char peek() {
        if (at == format.length()) {
            throw invalid("unterminated format() type specifier")
                    .withHint("For a single \"%\" use \"%%\".");
        }
        return format.charAt(at);
    }

    private void specifier() {
        int argument = 0;
        int width = 0;
        boolean isLeft = false;
        int number = digits();
        boolean isPosition = number >= 0 && peek() == '$';
        if (isPosition) {
            argument = position(number);
        }
        if (number >= 0 && !isPosition) {
            width = number;
        } else {
            while (peek() == '-') {
                isLeft = true;
                at++;
            }
            width = peek() == '*' ? indirectWidth() : Math.max(0, digits());
        }
        if (width < 0) {
            isLeft = true;
            width = -width;
        }
        char type = peek();
        at++;
        if (type != 's' && type != 'I' && type != 'L') {
            throw invalid("unrecognized format() type specifier \"" + type + "\"")
                    .withHint("For a single \"%\" use \"%%\".");
        }
        append(converted(type, argument(argument)), width, isLeft);
    }

    private int position(int number) {
        at++; // the $
        if (number == 0) {
            throw invalid("format specifies argument 0, but arguments are numbered from 1");
        }
        return number;
    }

    /// `*` or `*2$`; a negative one aligns to the left.
    private int indirectWidth() {
        at++;
        int number = digits();
        if (number >= 0 && peek() != '$') {
            throw invalid("width argument position must be ended by \"$\"");
        }
        String width = argument(number >= 0 ? position(number) : 0);
        try {
            return width == null ? 0 : limited(Integer.parseInt(width.strip()));
        } catch (NumberFormatException _) {
            throw new SqlException(
                    SqlState.INVALID_TEXT,
                    "invalid input syntax for type integer: \"" + width + "\"");
        }
    }

    private static int limited(int width) {
        if (width < -MAX_WIDTH || width > MAX_WIDTH) {
            throw new SqlException(SqlState.NUMERIC_OUT_OF_RANGE, "number is out of range");
        }
        return width;
    }

    /// The number whose digits come next; -1 if none do.
    private int digits() {
        if (!isDigit()) {
            return -1;
        }
        int number = 0;
        while (isDigit()) {
            number = limited(number * 10 + format.charAt(at++) - '0');
        }
        return number;
    }

    private boolean isDigit() {
        return peek() >= '0' && peek() <= '9';
    }

    /// @param number from 1; 0 for that after the last one
    private @Nullable String argument(int number) {
        last = number > 0 ? number : last + 1;
        if (last > arguments.length) {
            throw invalid("too few arguments for format()");
        }
        return arguments[last - 1];
    }

    private static String converted(char type, @Nullable String value) {
        if (value != null) {
            return type == 's' ? value : type == 'I' ? name(value) : literal(value);
        }
        if (type == 'I') {
            throw new SqlException(
                    SqlState.NULL_VALUE_NOT_ALLOWED,
                    "null values cannot be formatted as an SQL identifier");
        }
        return type == 'L' ? "NULL" : "";
    }

    private void append(String value, int width, boolean isLeft) {
        int padding = Math.max(0, width - CodePoints.length(value));
        int _ = CodePoints.requireLength((long) out.length() + value.length() + padding);
        String blanks = " ".repeat(padding);
        out.append(isLeft ? value + blanks : blanks + value);
    }

    private static SqlException invalid(String message) {
        return new SqlException(SqlState.INVALID_PARAMETER_VALUE, message);
    }
}
