package org.namdb.sql.shell.format;

import java.io.PrintWriter;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.result.Result;

/// A table of a Markdown document.
final class MarkdownRows {
    private MarkdownRows() {}

    static void print(Result result, PrintWriter out) {
        int columns = result.columns().size();
        boolean hasRow = result.next(); // where that fails, there is no header either
        out.println(
                result.columns().stream()
                        .map(column -> escaped(column.name()))
                        .collect(Collectors.joining(" | ", "| ", " |")));
        out.println(
                result.columns().stream()
                        .map(column -> column.type().isNumeric() ? "---:" : "---")
                        .collect(Collectors.joining("|", "|", "|")));
        for (; hasRow; hasRow = result.next()) {
            StringBuilder line = new StringBuilder("|");
            for (int i = 0; i < columns; i++) {
                line.append(' ').append(escaped(result.text(i))).append(" |");
            }
            out.println(line);
        }
    }

    private static String escaped(@Nullable String text) {
        if (text == null) {
            return "";
        }
        return text.replace("\\", "\\\\")
                .replace("|", "\\|")
                .replace("<", "&lt;")
                .replace("\r", "")
                .replace("\n", "<br>");
    }
}
