package org.namdb.tpcc.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// A plot of lines as SVG that stands in a page: colours come from the page's style, `line1` for
/// the first line and so on.
final class LinePlot {
    private static final int WIDTH = 920;
    private static final int HEIGHT = 320;
    private static final int LEFT = 64;
    private static final int RIGHT = 16;
    private static final int TOP = 12;
    private static final int BOTTOM = 48;
    private static final int MARK_RADIUS = 6;

    private final Axis horizontal;
    private final Axis vertical;
    private final List<Line> lines = new ArrayList<>();
    private double shadedTo;
    private String shadedText = "";

    /// A place that a line passes.
    ///
    /// @param text what a reader sees who points at it; empty for nothing
    record Point(double x, double y, String text) {}

    private record Line(String name, int style, List<Point> points) {}

    LinePlot(Axis horizontal, Axis vertical) {
        this.horizontal = horizontal;
        this.vertical = vertical;
    }

    /// Adds a line.
    ///
    /// @param style the number of its style, from 1
    LinePlot line(String name, int style, List<Point> points) {
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
        append(
                html,
                "</figcaption>\n<svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s by %s\">\n",
                WIDTH,
                HEIGHT,
                Html.escape(vertical.label()),
                Html.escape(horizontal.label()));
        appendShade(html);
        appendAxes(html);
        lines.forEach(line -> appendLine(html, line));
        return html.append("</svg>\n</figure>\n").toString();
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

    private void appendLine(StringBuilder svg, Line line) {
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
                        MARK_RADIUS,
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
