package org.namdb.sql.shell.format;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.result.Result;
import org.namdb.sql.language.result.ResultColumn;

/// JSON: an array with an object for each row, each on a line of its own. Numbers, booleans and
/// NULL are themselves, all others are text.
final class JsonRows {
    private JsonRows() {}

    static void print(Result result, PrintWriter out) {
        List<String> names = names(result.columns());
        StringBuilder line = new StringBuilder("[");
        while (next(result, line, out)) {
            line.append('{');
            for (int i = 0; i < names.size(); i++) {
                line.append(i == 0 ? "" : ",").append(names.get(i)).append(':');
                appendValue(line, result.value(i), result.text(i));
            }
            out.print(line.append('}'));
            line.setLength(0);
            line.append(",\n ");
        }
        out.print(line.charAt(0) == '[' ? "[]\n" : "]\n");
    }

    /// Moves to the next row. An error in the middle ends the array, so that it is one.
    private static boolean next(Result result, CharSequence line, PrintWriter out) {
        try {
            return result.next();
        } catch (RuntimeException e) {
            out.print(line.charAt(0) == '[' ? "" : "]\n");
            throw e;
        }
    }

    /// The columns' names, quoted. A name that was there before gets a number: an object has each
    /// name once.
    private static List<String> names(List<ResultColumn> columns) {
        List<String> names = new ArrayList<>();
        for (ResultColumn column : columns) {
            String name = column.name();
            for (int i = 2; names.contains(quoted(name)); i++) {
                name = column.name() + "_" + i;
            }
            names.add(quoted(name));
        }
        return names;
    }

    private static void appendValue(
            StringBuilder line, @Nullable Object value, @Nullable String text) {
        if (value == null || text == null) {
            line.append("null");
        } else if (value instanceof Boolean) {
            line.append(value);
        } else if (isNumber(value)) {
            line.append(text);
        } else {
            line.append(quoted(text));
        }
    }

    /// JSON has no infinity and no NaN.
    private static boolean isNumber(Object value) {
        return switch (value) {
            case Double number -> Double.isFinite(number);
            case Float number -> Float.isFinite(number);
            default -> value instanceof Number;
        };
    }

    private static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"', '\\' -> quoted.append('\\').append(c);
                case '\n' -> quoted.append("\\n");
                case '\r' -> quoted.append("\\r");
                case '\t' -> quoted.append("\\t");
                default -> {
                    if (c < ' ' || c == '\u007f') {
                        quoted.append("\\u%04x".formatted((int) c));
                    } else {
                        quoted.append(c);
                    }
                }
            }
        }
        return quoted.append('"').toString();
    }
}
