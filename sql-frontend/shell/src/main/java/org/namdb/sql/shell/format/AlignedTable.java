package org.namdb.sql.shell.format;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.result.ResultColumn;

/// A table with columns side by side. Numbers stand on the right; a cell of several lines takes
/// several lines.
final class AlignedTable {
    private final SampledRows rows;
    private final PrintSettings settings;
    private final LineStyle style;
    private final Paint paint;
    private final List<String> headers;
    private final boolean[] isNumeric;
    private final int[] widths;

    AlignedTable(SampledRows rows, PrintSettings settings) {
        this.rows = rows;
        this.settings = settings;
        this.style = settings.lineStyle();
        this.paint = new Paint(settings.colored());
        List<ResultColumn> columns = rows.columns();
        this.headers = columns.stream().map(column -> CellText.line(column.name())).toList();
        this.isNumeric = new boolean[columns.size()];
        this.widths = new int[columns.size()];
        for (int i = 0; i < widths.length; i++) {
            isNumeric[i] = columns.get(i).type().isNumeric();
            widths[i] = settings.tuplesOnly() ? 0 : CellText.width(headers.get(i));
        }
        rows.sample().forEach(this::widen);
    }

    /// The columns of a terminal that a line takes.
    int width() {
        int width = settings.border() == 2 ? 2 : 0;
        for (int column : widths) {
            width += column + (settings.border() == 0 ? 1 : 3);
        }
        return width - 1;
    }

    void print(PrintWriter out) {
        boolean hasFrame = settings.border() == 2;
        if (hasFrame) {
            out.println(ruler(style.top()));
        }
        if (!settings.tuplesOnly()) {
            printHeader(out);
            out.println(ruler(style.middle()));
        }
        try {
            for (@Nullable String[] row = rows.next(); row != null; row = rows.next()) {
                printRow(row, out);
            }
        } finally {
            if (hasFrame) {
                out.println(ruler(style.bottom()));
            }
        }
        if (settings.hasCount()) {
            out.println(RowPrinter.rowCount(rows.count()));
        }
    }

    private void widen(@Nullable String[] row) {
        for (int i = 0; i < widths.length; i++) {
            for (String line : CellText.lines(shown(row[i]))) {
                widths[i] = Math.max(widths[i], CellText.width(line));
            }
        }
    }

    private String shown(@Nullable String text) {
        return text == null ? settings.nullText() : text;
    }

    private String ruler(String corners) {
        if (settings.border() == 0) {
            List<String> parts = new ArrayList<>();
            for (int width : widths) {
                parts.add(style.horizontal().repeat(width));
            }
            return paint.faint(String.join(" ", parts));
        }
        StringBuilder line = new StringBuilder();
        boolean hasFrame = settings.border() == 2;
        line.append(hasFrame ? corners.substring(0, 1) : "");
        for (int i = 0; i < widths.length; i++) {
            line.append(i == 0 ? "" : corners.substring(1, 2));
            line.append(style.horizontal().repeat(widths[i] + 2));
        }
        line.append(hasFrame ? corners.substring(2) : "");
        return paint.faint(line.toString());
    }

    private void printHeader(PrintWriter out) {
        StringBuilder line = start();
        for (int i = 0; i < widths.length; i++) {
            int blanks = widths[i] - CellText.width(headers.get(i));
            startCell(line, i);
            line.repeat(' ', blanks / 2).append(paint.heading(headers.get(i)));
            line.repeat(' ', blanks - blanks / 2);
            endCell(line, i, false);
        }
        out.println(end(line));
    }

    private void printRow(@Nullable String[] row, PrintWriter out) {
        List<List<String>> cells = new ArrayList<>();
        int height = 1;
        for (String text : row) {
            List<String> lines = CellText.lines(shown(text));
            cells.add(lines);
            height = Math.max(height, lines.size());
        }
        for (int number = 0; number < height; number++) {
            StringBuilder line = start();
            for (int i = 0; i < widths.length; i++) {
                List<String> lines = cells.get(i);
                startCell(line, i);
                appendCell(line, i, number < lines.size() ? lines.get(number) : "", row[i] == null);
                endCell(line, i, number < lines.size() - 1);
            }
            out.println(end(line));
        }
    }

    private void appendCell(StringBuilder line, int column, String text, boolean isNull) {
        int blanks = Math.max(0, widths[column] - CellText.width(text));
        String painted = isNull ? paint.faint(text) : text;
        if (isNumeric[column]) {
            line.repeat(' ', blanks).append(painted);
        } else {
            line.append(painted).repeat(' ', blanks);
        }
    }

    private StringBuilder start() {
        return new StringBuilder(settings.border() == 2 ? paint.faint(style.vertical()) : "");
    }

    private void startCell(StringBuilder line, int column) {
        if (settings.border() == 0) {
            return;
        }
        line.append(column == 0 ? "" : paint.faint(style.vertical())).append(' ');
    }

    private void endCell(StringBuilder line, int column, boolean goesOn) {
        if (settings.border() > 0 || column < widths.length - 1 || goesOn) {
            line.append(goesOn ? paint.faint(style.continuation()) : " ");
        }
    }

    private String end(StringBuilder line) {
        return settings.border() == 2
                ? line.append(paint.faint(style.vertical())).toString()
                : line.toString().stripTrailing();
    }
}
