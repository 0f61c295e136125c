package org.namdb.sql.engine.expression.function;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.TextParser;

/// Arrays of one dimension as the texts that PostgreSQL writes for them: `{1,2}`, `{"a b",c}`, and
/// `1 2` for the catalog's `int2vector`.
final class ArrayText {
    private ArrayText() {}

    /// The element at a place from 1.
    static @Nullable String element(String text, long place) {
        List<String> elements = elements(text);
        return place < 1 || place > elements.size() ? null : elements.get((int) place - 1);
    }

    /// An element and its place, `(x,n)`; null if there is none.
    static @Nullable String pair(String text, long place) {
        String element = element(text, place);
        return element == null ? null : "(" + element + "," + place + ")";
    }

    /// The last place of the only dimension.
    static @Nullable Long upperBound(String text, long dimension) {
        int count = elements(text).size();
        return dimension == 1 && count > 0 ? Long.valueOf(count) : null;
    }

    /// `array[place]`: places begin with 1, those of `int2vector` with 0.
    static @Nullable String subscript(String text, long place) {
        return element(text, text.startsWith("{") ? place : place + 1);
    }

    /// @throws SqlException 22P02 if it is no number
    static @Nullable Long number(@Nullable String element) {
        return element == null ? null : (Long) TextParser.parse(element, SqlType.BIGINT);
    }

    /// The column x or n of a pair, `(x,n)`.
    static @Nullable Long field(String pair, String name) {
        int comma = pair.lastIndexOf(',');
        if (comma < 0 || !pair.startsWith("(") || !pair.endsWith(")")) {
            throw new SqlException(SqlState.WRONG_OBJECT_TYPE, "not a row value: " + pair);
        }
        return number(
                name.equals("x")
                        ? pair.substring(1, comma)
                        : pair.substring(comma + 1, pair.length() - 1));
    }

    /// An `int2vector` as an array.
    static String ofVector(String text) {
        return text.startsWith("{") ? text : "{" + text.strip().replace(' ', ',') + "}";
    }

    /// The elements that are not NULL.
    static List<String> elements(String text) {
        List<String> elements = new ArrayList<>();
        String inner = text.strip();
        if (!inner.startsWith("{")) {
            return inner.isEmpty() ? elements : List.of(inner.split("\\s+", -1));
        }
        StringBuilder element = new StringBuilder();
        boolean isQuoted = false;
        boolean wasQuoted = false;
        for (int i = 1; i < inner.length(); i++) {
            char c = inner.charAt(i);
            if (isQuoted && c == '\\' && i + 1 < inner.length()) {
                element.append(inner.charAt(++i));
            } else if (c == '"') {
                isQuoted = !isQuoted;
                wasQuoted = true;
            } else if (!isQuoted && (c == ',' || c == '}')) {
                String value = wasQuoted ? element.toString() : element.toString().strip();
                if (wasQuoted || !value.isEmpty() && !value.equalsIgnoreCase("null")) {
                    elements.add(value);
                }
                element.setLength(0);
                wasQuoted = false;
            } else {
                element.append(c);
            }
        }
        return elements;
    }
}
