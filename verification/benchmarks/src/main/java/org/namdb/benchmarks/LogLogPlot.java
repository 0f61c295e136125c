package org.namdb.benchmarks;

import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/// Plots of lines side by side, on the same logarithmic axes, as an SVG file that stands alone: on
/// white, so that it can be read on pages of any colour. Lines that mean the same have the same
/// name, colour and mark in all panels.
final class LogLogPlot {
    private static final int WIDTH = 960;
    private static final int HEIGHT = 470;
    private static final int LEFT = 76;
    private static final int RIGHT = 20;
    private static final int GAP = 28;
    private static final int TOP = 92;
    private static final int BOTTOM = 62;
    private static final int LEGEND_Y = 26;
    private static final int LEGEND_LINE = 30;
    private static final double LETTER = 7.3;
    private static final double MARGIN = 0.06;
    private static final int LARGEST_POWER = 9;

    /// Colours that can be told apart without red and green, too (Okabe, Ito).
    private static final List<String> COLOURS = List.of("#0072b2", "#d55e00", "#009e73", "#555555");

    private final String horizontal;
    private final String vertical;
    private final List<Panel> panels = new ArrayList<>();

    /// A place that a line passes; both coordinates are positive.
    record Point(double x, double y) {}

    /// A line, with points in the order of x.
    record Line(String name, List<Point> points) {
        Line {
            points = List.copyOf(points);
        }
    }

    private record Panel(String title, List<Line> lines) {}

    /// A logarithmic axis, and the values that are written beside it.
    private record Scale(double start, double end, List<Double> ticks) {
        /// Where a value lies: 0 at the axis's start, 1 at its end.
        double place(double value) {
            return Math.log(value / start) / Math.log(end / start);
        }
    }

    /// @param horizontal what x is
    /// @param vertical what y is, with the unit
    LogLogPlot(String horizontal, String vertical) {
        this.horizontal = horizontal;
        this.vertical = vertical;
    }

    /// Adds a panel, with at most four lines.
    LogLogPlot panel(String title, List<Line> lines) {
        panels.add(new Panel(title, List.copyOf(lines)));
        return this;
    }

    String svg() {
        StringBuilder svg = new StringBuilder();
        append(
                svg,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\""
                        + " aria-label=\"%s over %s\">\n",
                WIDTH,
                HEIGHT,
                vertical,
                horizontal);
        svg.append(
                """
                <style>
                text { font: 13px system-ui, -apple-system, "Segoe UI", "Helvetica Neue", Arial, sans-serif; fill: #333 }
                .title { font-weight: 600 } .tick { fill: #666; font-size: 12px }
                .grid { stroke: #e4e4e4; fill: none } .axis { stroke: #999; fill: none }
                .line { fill: none; stroke-width: 2.2; stroke-linejoin: round }
                </style>
                """);
        append(svg, "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", WIDTH, HEIGHT);
        appendLegend(svg);
        for (int panel = 0; panel < panels.size(); panel++) {
            appendPanel(svg, panel);
        }
        append(
                svg,
                "<text transform=\"translate(18 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
                (TOP + HEIGHT - BOTTOM) / 2,
                vertical);
        return svg.append("</svg>\n").toString();
    }

    private void appendLegend(StringBuilder svg) {
        List<Line> lines = panels.getFirst().lines();
        double x = LEFT;
        for (int line = 0; line < lines.size(); line++) {
            String name = lines.get(line).name();
            append(
                    svg,
                    "<path class=\"line\" stroke=\"%s\" d=\"M%.1f %dh%d\"/>",
                    COLOURS.get(line),
                    x,
                    LEGEND_Y,
                    LEGEND_LINE);
            appendMark(svg, line, x + LEGEND_LINE / 2.0, LEGEND_Y, "");
            append(
                    svg,
                    "<text x=\"%.1f\" y=\"%d\">%s</text>\n",
                    x + LEGEND_LINE + 8,
                    LEGEND_Y + 4,
                    name);
            x += LEGEND_LINE + 40 + LETTER * name.length();
        }
    }

    private void appendPanel(StringBuilder svg, int index) {
        Panel panel = panels.get(index);
        append(
                svg,
                "<text class=\"title\" x=\"%.1f\" y=\"%d\">%s</text>\n",
                start(index),
                TOP - 18,
                panel.title());
        for (double tick : verticalScale().ticks()) {
            append(
                    svg,
                    "<path class=\"grid\" d=\"M%.1f %.1fh%.1f\"/>\n",
                    start(index),
                    y(tick),
                    panelWidth());
            if (index == 0) {
                append(
                        svg,
                        "<text class=\"tick\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
                        LEFT - 10,
                        y(tick) + 4,
                        number(tick));
            }
        }
        for (double tick : horizontalScale().ticks()) {
            append(
                    svg,
                    "<path class=\"grid\" d=\"M%.1f %dV%d\"/><text class=\"tick\" x=\"%.1f\" y=\"%d\""
                            + " text-anchor=\"middle\">%s</text>\n",
                    x(index, tick),
                    TOP,
                    HEIGHT - BOTTOM,
                    x(index, tick),
                    HEIGHT - BOTTOM + 20,
                    number(tick));
        }
        append(
                svg,
                "<path class=\"axis\" d=\"M%.1f %dh%.1f\"/><text x=\"%.1f\" y=\"%d\""
                        + " text-anchor=\"middle\">%s</text>\n",
                start(index),
                HEIGHT - BOTTOM,
                panelWidth(),
                start(index) + panelWidth() / 2,
                HEIGHT - 16,
                horizontal);
        for (int line = 0; line < panel.lines().size(); line++) {
            appendLine(svg, index, line, panel.lines().get(line));
        }
    }

    private void appendLine(StringBuilder svg, int panel, int style, Line line) {
        append(svg, "<path class=\"line\" stroke=\"%s\" d=\"", COLOURS.get(style));
        char command = 'M';
        for (Point point : line.points()) {
            append(svg, "%c%.1f %.1f", command, x(panel, point.x()), y(point.y()));
            command = 'L';
        }
        svg.append("\"/>\n");
        for (Point point : line.points()) {
            String text =
                    String.format(
                            Locale.ROOT, "%s, %s: %.3f", line.name(), number(point.x()), point.y());
            appendMark(svg, style, x(panel, point.x()), y(point.y()), text);
        }
    }

    /// A circle, a square, a triangle or a diamond.
    private static void appendMark(StringBuilder svg, int style, double x, double y, String text) {
        String shape =
                switch (style) {
                    case 0 -> "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0";
                    case 1 -> "M-4 -4h8v8h-8z";
                    case 2 -> "M0 -5.2L5 4H-5z";
                    default -> "M0 -5.5L5.5 0L0 5.5L-5.5 0z";
                };
        append(
                svg,
                "<path transform=\"translate(%.1f %.1f)\" d=\"%s\" fill=\"%s\" stroke=\"#fff\"",
                x,
                y,
                shape,
                COLOURS.get(style));
        svg.append(text.isEmpty() ? "/>\n" : "><title>" + text + "</title></path>\n");
    }

    private double panelWidth() {
        return (double) (WIDTH - LEFT - RIGHT - GAP * (panels.size() - 1)) / panels.size();
    }

    private double start(int panel) {
        return LEFT + panel * (panelWidth() + GAP);
    }

    private double x(int panel, double value) {
        return start(panel) + panelWidth() * horizontalScale().place(value);
    }

    private double y(double value) {
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * verticalScale().place(value);
    }

    /// The values themselves, as they are few, with a margin on both sides.
    private Scale horizontalScale() {
        double[] values = points().mapToDouble(Point::x).distinct().sorted().toArray();
        double least = values[0];
        double most = values[values.length - 1];
        double margin = Math.pow(most / least, MARGIN);
        return new Scale(least / margin, most * margin, DoubleStream.of(values).boxed().toList());
    }

    /// 1, 2 and 5 times the powers of ten, from the last at or below the least value to the first
    /// at or above the largest.
    private Scale verticalScale() {
        DoubleSummaryStatistics values = points().mapToDouble(Point::y).summaryStatistics();
        List<Double> ticks = new ArrayList<>();
        for (int power = -LARGEST_POWER; power <= LARGEST_POWER; power++) {
            for (int factor : new int[] {1, 2, 5}) {
                double tick = factor * Math.pow(10, power);
                if (tick <= values.getMin()) {
                    ticks.clear();
                }
                if (ticks.isEmpty() || ticks.getLast() < values.getMax()) {
                    ticks.add(tick);
                }
            }
        }
        return new Scale(ticks.getFirst(), ticks.getLast(), ticks);
    }

    private Stream<Point> points() {
        return panels.stream()
                .flatMap(panel -> panel.lines().stream())
                .flatMap(line -> line.points().stream());
    }

    /// With as many decimals as it has digits that are not 0.
    private static String number(double value) {
        return value >= 1
                ? String.format(Locale.ROOT, "%,.0f", value)
                : String.format(
                        Locale.ROOT, "%." + (int) Math.ceil(-Math.log10(value)) + "f", value);
    }

    @SuppressWarnings("AnnotateFormatMethod") // the annotation would be one more dependency
    private static void append(StringBuilder text, String format, Object... arguments) {
        text.append(String.format(Locale.ROOT, format, arguments));
    }
}
