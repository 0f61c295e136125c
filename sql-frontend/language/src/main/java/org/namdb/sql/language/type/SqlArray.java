package org.namdb.sql.language.type;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// An array of one dimension, whose elements are numbered from 1. Arrays are ordered as PostgreSQL
/// orders them: by their elements, NULL being the greatest, then by their number.
public final class SqlArray implements Comparable<SqlArray> {
    private final SqlType element;
    private final List<@Nullable Object> values;

    /// @param element the type of the elements
    /// @param values of the class that the type names; null for NULL
    public SqlArray(SqlType element, List<? extends @Nullable Object> values) {
        this.element = element;
        this.values = Collections.unmodifiableList(new ArrayList<>(values));
    }

    /// The type of the elements.
    public SqlType element() {
        return element;
    }

    /// The elements; null for NULL.
    public List<@Nullable Object> values() {
        return values;
    }

    /// The element of a number from 1; null if it is NULL, or if there is none.
    public @Nullable Object at(long number) {
        return number < 1 || number > values.size() ? null : values.get((int) number - 1);
    }

    @Override
    public int compareTo(SqlArray other) {
        ValueOrder order = ValueOrder.of(element);
        int common = Math.min(values.size(), other.values.size());
        for (int i = 0; i < common; i++) {
            Object a = values.get(i);
            Object b = other.values.get(i);
            int result =
                    a == null || b == null
                            ? Boolean.compare(a == null, b == null)
                            : order.compare(a, b);
            if (result != 0) {
                return result;
            }
        }
        return Integer.compare(values.size(), other.values.size());
    }

    /// Whether [#compareTo] finds no difference.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SqlArray that && compareTo(that) == 0;
    }

    @Override
    public int hashCode() {
        ValueOrder order = ValueOrder.of(element);
        int hash = 1;
        for (Object value : values) {
            hash = 31 * hash + (value == null ? 0 : order.key(value).hashCode());
        }
        return hash;
    }

    /// The text in UTC, as PostgreSQL writes arrays.
    @Override
    public String toString() {
        return TextFormat.format(this, SqlType.arrayOf(element));
    }

    /// An element as it stands between the braces of an array's text: in quotes where it could be
    /// read as something else.
    static void appendElement(StringBuilder out, String text) {
        boolean isPlain =
                !text.isEmpty()
                        && !text.equalsIgnoreCase("null")
                        && text.chars().noneMatch(c -> "{},\"\\".indexOf(c) >= 0 || isSpace(c));
        if (isPlain) {
            out.append(text);
            return;
        }
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\');
            }
            out.append(c);
        }
        out.append('"');
    }

    /// The texts of the elements of an array's text, `{a,"b c",NULL}`; null for NULL.
    ///
    /// @throws SqlException 22P02 if it is none, 0A000 if it has several dimensions, or bounds
    static List<@Nullable String> elements(String text) {
        return new Reader(text).elements();
    }

    private static boolean isSpace(int c) {
        return c == ' ' || (c >= '\t' && c <= '\r');
    }

    private static final class Reader {
        private final String text;
        private int at;

        Reader(String text) {
            this.text = text;
        }

        List<@Nullable String> elements() {
            skipSpaces();
            if (peek() == '[') {
                throw unsupported("arrays with bounds are not supported");
            }
            if (peek() != '{') {
                throw malformed("Array value must start with \"{\" or dimension information.");
            }
            at++;
            List<@Nullable String> elements = new ArrayList<>();
            skipSpaces();
            if (peek() == '}') {
                at++;
            } else {
                char end;
                do {
                    elements.add(element());
                    end = peek();
                    at++;
                } while (end == ',');
            }
            skipSpaces();
            if (at < text.length()) {
                throw malformed("Junk after closing right brace.");
            }
            return elements;
        }

        /// Ends before the comma or brace behind the element.
        private @Nullable String element() {
            skipSpaces();
            StringBuilder element = new StringBuilder();
            int kept = 0; // characters that are not blanks at the end
            boolean isQuoted = false;
            boolean isPlain = true;
            while (true) {
                char c = peek();
                if (c == '"') {
                    if (isQuoted || !element.isEmpty()) {
                        throw malformed("Unexpected array element.");
                    }
                    quoted(element);
                    isQuoted = true;
                    kept = element.length();
                    skipSpaces();
                    if (peek() != ',' && peek() != '}') {
                        throw malformed("Unexpected array element.");
                    }
                } else if (c == ',' || c == '}') {
                    if (kept == 0 && !isQuoted) {
                        throw malformed("Unexpected \"" + c + "\" character.");
                    }
                    element.setLength(kept);
                    String value = element.toString();
                    return isPlain && !isQuoted && value.equalsIgnoreCase("null") ? null : value;
                } else if (c == '{') {
                    if (!element.isEmpty()) {
                        throw malformed("Unexpected \"{\" character.");
                    }
                    throw unsupported("arrays of several dimensions are not supported");
                } else {
                    at++;
                    if (c == '\\') {
                        c = peek();
                        at++;
                        isPlain = false;
                        kept = element.length() + 1;
                    }
                    element.append(c);
                    kept = isSpace(c) ? kept : element.length();
                }
            }
        }

        private void quoted(StringBuilder element) {
            at++;
            for (char c = peek(); c != '"'; c = peek()) {
                at++;
                if (c == '\\') {
                    c = peek();
                    at++;
                }
                element.append(c);
            }
            at++;
        }

        private char peek() {
            if (at >= text.length()) {
                throw malformed("Unexpected end of input.");
            }
            return text.charAt(at);
        }

        private void skipSpaces() {
            while (at < text.length() && isSpace(text.charAt(at))) {
                at++;
            }
        }

        private SqlException malformed(String detail) {
            return new SqlException(
                            SqlState.INVALID_TEXT, "malformed array literal: \"" + text + "\"")
                    .withDetail(detail);
        }

        private static SqlException unsupported(String message) {
            return new SqlException(SqlState.FEATURE_NOT_SUPPORTED, message);
        }
    }
}
