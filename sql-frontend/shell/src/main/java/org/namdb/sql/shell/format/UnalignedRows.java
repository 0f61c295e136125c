package org.namdb.sql.shell.format;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.result.ResultColumn;

/// Values with a separator between them, as they are.
final class UnalignedRows {
    private UnalignedRows() {}

    static void print(SampledRows rows, PrintSettings settings, PrintWriter out) {
        String separator = settings.fieldSeparator();
        if (!settings.tuplesOnly()) {
            out.println(
                    String.join(
                            separator, rows.columns().stream().map(ResultColumn::name).toList()));
        }
        for (@Nullable String[] row = rows.next(); row != null; row = rows.next()) {
            List<String> texts = new ArrayList<>();
            for (String text : row) {
                texts.add(text == null ? settings.nullText() : text);
            }
            out.println(String.join(separator, texts));
        }
        printCount(rows, settings, out);
    }

    static void printExpanded(SampledRows rows, PrintSettings settings, PrintWriter out) {
        for (@Nullable String[] row = rows.next(); row != null; row = rows.next()) {
            if (rows.count() > 1) {
                out.println();
            }
            for (int i = 0; i < row.length; i++) {
                String text = row[i] == null ? settings.nullText() : row[i];
                out.println(rows.columns().get(i).name() + settings.fieldSeparator() + text);
            }
        }
        printCount(rows, settings, out);
    }

    private static void printCount(SampledRows rows, PrintSettings settings, PrintWriter out) {
        if (settings.hasCount()) {
            out.println(RowPrinter.rowCount(rows.count()));
        }
    }
}
