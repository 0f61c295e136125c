package org.namdb.workload.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// A plot of lines as SVG: in a page, whose style gives the colours, `line1` for the first line and
/// so on; or in a file that stands alone.
public final class LinePlot {
    private static final int WIDTH = 920;
    private static final int HEIGHT = 320;
    private static final int LEFT = 64;
    private static final int RIGHT = 20;
    private static final int TOP = 12;
    private static final int BOTTOM = 48;
    private static final int MARK_RADIUS = 6;
    private static final int FILE_MARK_RADIUS = 4;
    private static final int LEGEND_HEIGHT = 64;
    private static final int LEGEND_LINE = 30;
    private static final double LETTER = 7.3;

    /// On white, for pages of any colour; four lines that can be distinguished without red and
    /// green, too (Okabe, Ito).
    private static final String FILE_STYLE =
            """
            <style>
            text { font: 13px system-ui, -apple-system, "Segoe UI", Arial, sans-serif; fill: #333 }
            .title { font-weight: 600 } .tick { fill: #666; font-size: 12px }
            .grid { stroke: #e4e4e4 } .axis, .mark { stroke: #999; fill: none }
            .line { fill: none; stroke-width: 2.2; stroke-linejoin: round } .spot { fill: #fff; stroke-width: 2 }
            .line1 { stroke: #0072b2 } .line2 { stroke: #d55e00 } .line3 { stroke: #009e73 } .line4 { stroke: #555 }
            </style>
            """;

    private final Axis horizontal;
    private final Axis vertical;
    private final List<Line> lines = new ArrayList<>();
    private double shadedTo;
    private String shadedText = "";

    /// A place that a line passes.
    ///
    /// @param text shown where the pointer is on it; empty for nothing
    public record Point(double x, double y, String text) {}

    private record Line(String name, int style, List<Point> points) {}

    public LinePlot(Axis horizontal, Axis vertical) {
        this.horizontal = horizontal;
        this.vertical = vertical;
    }

    /// Adds a line.
    ///
    /// @param style the number of its style, from 1
    public LinePlot line(String name, int style, List<Point> points) {
        lines.add(new Line(name, style, List.copyOf(points)));
        return this;
    }

    /// Shades the plot from its start on.
    LinePlot shade(double to, String text) {
        shadedTo = to;
        shadedText = text;
        return this;
    }

    /// The legend and the plot.
    String html() {
        StringBuilder html = new StringBuilder("<figure>\n<figcaption>");
        for (Line line : lines) {
            append(
                    html,
                    "<span class=\"key\"><i class=\"line%d\"></i>%s</span>",
                    line.style(),
                    Html.escape(line.name()));
        }
        html.append("</figcaption>\n");
        appendStart(html, "", 0);
        appendShade(html);
        appendAxes(html);
        lines.forEach(line -> appendLine(html, line, MARK_RADIUS));
        return html.append("</svg>\n</figure>\n").toString();
    }

    /// The title, the legend and the plot, as a file that stands alone. For at most four styles.
    public String file(String title) {
        StringBuilder svg = new StringBuilder();
        appendStart(svg, " xmlns=\"http://www.w3.org/2000/svg\"", LEGEND_HEIGHT);
        svg.append(FILE_STYLE);
        append(
                svg,
                "<rect y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
                -LEGEND_HEIGHT,
                WIDTH,
                HEIGHT + LEGEND_HEIGHT);
        append(
                svg,
                "<text class=\"title\" x=\"%d\" y=\"-42\">%s</text>\n",
                LEFT,
                Html.escape(title));
        appendLegend(svg);
        appendAxes(svg);
        lines.forEach(line -> appendLine(svg, line, FILE_MARK_RADIUS));
        return svg.append("</svg>\n").toString();
    }

    /// @param above the space over the plot
    private void appendStart(StringBuilder svg, String attributes, int above) {
        append(
                svg,
                "<svg%s viewBox=\"0 %d %d %d\" role=\"img\" aria-label=\"%s by %s\">\n",
                attributes,
                -above,
                WIDTH,
                HEIGHT + above,
                Html.escape(vertical.label()),
                Html.escape(horizontal.label()));
    }

    private void appendLegend(StringBuilder svg) {
        double x = LEFT;
        for (Line line : lines) {
            append(
                    svg,
                    "<path class=\"line line%d\" d=\"M%.1f -18h%d\"/><text x=\"%.1f\" y=\"-14\">%s</text>\n",
                    line.style(),
                    x,
                    LEGEND_LINE,
                    x + LEGEND_LINE + 8,
                    Html.escape(line.name()));
            x += LEGEND_LINE + 40 + LETTER * line.name().length();
        }
    }

    private void appendShade(StringBuilder svg) {
        if (shadedTo > 0) {
            double width = x(Math.min(1, horizontal.place().applyAsDouble(shadedTo))) - LEFT;
            append(
                    svg,
                    "<rect class=\"shade\" x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>\n",
                    LEFT,
                    TOP,
                    width,
                    HEIGHT - TOP - BOTTOM);
            append(
                    svg,
                    "<text class=\"note\" x=\"%d\" y=\"%d\">%s</text>\n",
                    LEFT + 6,
                    HEIGHT - BOTTOM - 8,
                    Html.escape(shadedText));
        }
    }

    private void appendAxes(StringBuilder svg) {
        for (Axis.Tick tick : vertical.ticks()) {
            double y = y(vertical.place().applyAsDouble(tick.value()));
            append(
                    svg,
                    "<path class=\"grid\" d=\"M%d %.1fH%d\"/><text class=\"tick\" x=\"%d\" y=\"%.1f\""
                            + " text-anchor=\"end\">%s</text>\n",
                    LEFT,
                    y,
                    WIDTH - RIGHT,
                    LEFT - 8,
                    y + 4,
                    Html.escape(tick.text()));
        }
        for (Axis.Tick tick : horizontal.ticks()) {
            double x = x(horizontal.place().applyAsDouble(tick.value()));
            append(
                    svg,
                    "<path class=\"mark\" d=\"M%.1f %dv5\"/><text class=\"tick\" x=\"%.1f\" y=\"%d\""
                            + " text-anchor=\"middle\">%s</text>\n",
                    x,
                    HEIGHT - BOTTOM,
                    x,
                    HEIGHT - BOTTOM + 19,
                    Html.escape(tick.text()));
        }
        append(
                svg,
                "<path class=\"axis\" d=\"M%d %dH%d\"/><text class=\"label\" x=\"%d\" y=\"%d\""
                        + " text-anchor=\"middle\">%s</text>\n",
                LEFT,
                HEIGHT - BOTTOM,
                WIDTH - RIGHT,
                (LEFT + WIDTH - RIGHT) / 2,
                HEIGHT - 8,
                Html.escape(horizontal.label()));
    }

    private void appendLine(StringBuilder svg, Line line, int radius) {
        if (line.points().isEmpty()) {
            return;
        }
        append(svg, "<path class=\"line line%d\" d=\"", line.style());
        char command = 'M';
        for (Point point : line.points()) {
            append(svg, "%c%.1f %.1f", command, placeX(point), placeY(point));
            command = 'L';
        }
        svg.append("\"/>\n");
        for (Point point : line.points()) {
            if (!point.text().isEmpty()) {
                append(
                        svg,
                        "<circle class=\"spot line%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"%d\">"
                                + "<title>%s</title></circle>\n",
                        line.style(),
                        placeX(point),
                        placeY(point),
                        radius,
                        Html.escape(point.text()));
            }
        }
    }

    private double placeX(Point point) {
        return x(horizontal.place().applyAsDouble(point.x()));
    }

    private double placeY(Point point) {
        return y(vertical.place().applyAsDouble(point.y()));
    }

    private static double x(double place) {
        return LEFT + place * (WIDTH - LEFT - RIGHT);
    }

    private static double y(double place) {
        return HEIGHT - BOTTOM - place * (HEIGHT - TOP - BOTTOM);
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation would be one more dependency
    private static void append(StringBuilder text, String format, Object... arguments) {
        text.append(String.format(Locale.ROOT, format, arguments));
    }
}
