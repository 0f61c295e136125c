package org.namdb.sql.shell.format;

import java.io.PrintWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Every row as a small table of names and values.
final class ExpandedTable {
    private static final int MIN_RULER = 20;

    private final SampledRows rows;
    private final PrintSettings settings;
    private final Paint paint;
    private final List<String> names;
    private final int nameWidth;

    ExpandedTable(SampledRows rows, PrintSettings settings) {
        this.rows = rows;
        this.settings = settings;
        this.paint = new Paint(settings.colored());
        this.names = rows.columns().stream().map(column -> CellText.line(column.name())).toList();
        this.nameWidth = names.stream().mapToInt(CellText::width).max().orElse(0);
    }

    void print(PrintWriter out) {
        int ruler = Math.max(MIN_RULER, nameWidth + 3 + valueWidth());
        for (@Nullable String[] row = rows.next(); row != null; row = rows.next()) {
            if (!settings.tuplesOnly()) {
                out.println(heading(rows.count(), ruler));
            } else if (rows.count() > 1) {
                out.println();
            }
            for (int i = 0; i < row.length; i++) {
                printValue(names.get(i), row[i], out);
            }
        }
        if (settings.hasCount()) {
            out.println(RowPrinter.rowCount(rows.count()));
        }
    }

    private int valueWidth() {
        int width = 0;
        for (@Nullable String[] row : rows.sample()) {
            for (String text : row) {
                for (String line : CellText.lines(text == null ? settings.nullText() : text)) {
                    width = Math.max(width, CellText.width(line));
                }
            }
        }
        int most = settings.screenColumns() > 0 ? settings.screenColumns() : 80;
        return Math.max(0, Math.min(width, most - nameWidth - 3));
    }

    private String heading(long number, int width) {
        String horizontal = settings.lineStyle().horizontal();
        String title = " row " + number + " ";
        int rest = Math.max(0, width - 2 - title.length());
        return paint.faint(horizontal.repeat(2))
                + paint.heading(title)
                + paint.faint(horizontal.repeat(rest));
    }

    private void printValue(String name, @Nullable String text, PrintWriter out) {
        String separator = settings.border() == 0 ? "  " : " " + settings.lineStyle().vertical();
        String label = paint.heading(name) + " ".repeat(nameWidth - CellText.width(name));
        for (String line : CellText.lines(text == null ? settings.nullText() : text)) {
            String shown = text == null ? paint.faint(line) : line;
            String whole = label + paint.faint(separator) + " " + shown;
            out.println(settings.colored() ? whole : whole.stripTrailing());
            label = " ".repeat(nameWidth);
        }
    }
}
