package org.namdb.sql.shell.format;

import java.io.PrintWriter;
import org.namdb.sql.language.result.Result;

/// Shows the rows of a result in the form of the settings.
public final class RowPrinter {
    /// So many rows fix the widths of an aligned table.
    public static final int SAMPLE_ROWS = 1_000;

    private final PrintSettings settings;

    public RowPrinter(PrintSettings settings) {
        this.settings = settings;
    }

    /// Takes and shows all rows.
    public void print(Result result, PrintWriter out) {
        switch (settings.format()) {
            case CSV -> CsvRows.print(result, !settings.tuplesOnly(), out);
            case JSON -> JsonRows.print(result, out);
            case MARKDOWN -> MarkdownRows.print(result, out);
            case ALIGNED -> printAligned(result, out);
            case UNALIGNED -> printUnaligned(result, out);
        }
        out.flush();
    }

    private void printAligned(Result result, PrintWriter out) {
        SampledRows rows = new SampledRows(result, SAMPLE_ROWS);
        AlignedTable table = new AlignedTable(rows, settings);
        boolean isExpanded =
                switch (settings.expanded()) {
                    case ON -> true;
                    case OFF -> false;
                    case AUTO ->
                            settings.screenColumns() > 0
                                    && table.width() > settings.screenColumns();
                };
        if (isExpanded) {
            new ExpandedTable(rows, settings).print(out);
        } else {
            table.print(out);
        }
    }

    private void printUnaligned(Result result, PrintWriter out) {
        SampledRows rows = new SampledRows(result, 1);
        if (settings.expanded() == PrintSettings.Expanded.ON) {
            UnalignedRows.printExpanded(rows, settings, out);
        } else {
            UnalignedRows.print(rows, settings, out);
        }
    }

    /// As in `(1 row)`.
    static String rowCount(long count) {
        return count == 1 ? "(1 row)" : "(%d rows)".formatted(count);
    }
}
