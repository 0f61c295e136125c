package org.namdb.sql.shell.format;

import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.result.Result;

/// CSV as RFC 4180 has it, with line feeds. NULL is nothing, an empty text is `""`, so that
/// they differ.
final class CsvRows {
    private CsvRows() {}

    static void print(Result result, boolean hasHeader, PrintWriter out) {
        int columns = result.columns().size();
        StringBuilder line = new StringBuilder();
        boolean hasRow = result.next(); // where that fails, there is no header either
        if (hasHeader) {
            for (int i = 0; i < columns; i++) {
                append(line, i, result.columns().get(i).name());
            }
            out.print(line.append('\n'));
        }
        for (; hasRow; hasRow = result.next()) {
            line.setLength(0);
            for (int i = 0; i < columns; i++) {
                append(line, i, result.text(i));
            }
            out.print(line.append('\n'));
        }
    }

    private static void append(StringBuilder line, int column, @Nullable String text) {
        if (column > 0) {
            line.append(',');
        }
        if (text == null) {
            return;
        }
        if (needsQuotes(text)) {
            line.append('"').append(text.replace("\"", "\"\"")).append('"');
        } else {
            line.append(text);
        }
    }

    private static boolean needsQuotes(String text) {
        return text.isEmpty()
                || text.chars().anyMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r')
                || text.startsWith(" ")
                || text.endsWith(" ");
    }
}
