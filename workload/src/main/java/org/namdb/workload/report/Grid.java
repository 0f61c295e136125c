package org.namdb.workload.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// A table before it is text or HTML: its first column holds names, the others numbers.
///
/// @param header the columns' names
/// @param rows the cells, as many in each row as in the header
record Grid(List<String> header, List<List<String>> rows) {
    private static final String GAP = "  ";

    Grid {
        header = List.copyOf(header);
        rows = rows.stream().map(List::copyOf).toList();
    }

    /// The table as lines of text, numbers flush right, with a rule below the header.
    List<String> lines() {
        int[] widths = widths();
        List<String> lines = new ArrayList<>();
        lines.add(line(header, widths));
        lines.add("─".repeat(lines.getFirst().length()));
        rows.forEach(row -> lines.add(line(row, widths)));
        return lines;
    }

    /// The table as HTML.
    String html() {
        StringBuilder html = new StringBuilder("<div class=\"scroll\"><table>\n<thead>");
        appendRow(html, header, "th");
        html.append("</thead>\n<tbody>");
        rows.forEach(row -> appendRow(html, row, "td"));
        return html.append("</tbody>\n</table></div>\n").toString();
    }

    private static void appendRow(StringBuilder html, List<String> cells, String tag) {
        html.append("<tr>");
        for (String cell : cells) {
            html.append(String.format(Locale.ROOT, "<%s>%s</%s>", tag, Html.escape(cell), tag));
        }
        html.append("</tr>\n");
    }

    private int[] widths() {
        int[] widths = new int[header.size()];
        for (int column = 0; column < widths.length; column++) {
            widths[column] = header.get(column).length();
            for (List<String> row : rows) {
                widths[column] = Math.max(widths[column], row.get(column).length());
            }
        }
        return widths;
    }

    private static String line(List<String> cells, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int column = 0; column < widths.length; column++) {
            String cell = cells.get(column);
            String padding = " ".repeat(widths[column] - cell.length());
            line.append(column == 0 ? cell + padding : GAP + padding + cell);
        }
        return line.toString();
    }
}
