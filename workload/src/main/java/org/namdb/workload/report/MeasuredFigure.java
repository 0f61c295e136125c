package org.namdb.workload.report;

import de.siegmar.fastcsv.writer.CsvWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;

/// A figure of a paper, measured here, beside what the paper's text says of it. The numbers that
/// the paper's own figure shows are in no text, so none of them is given.
///
/// @param name what its files are called
/// @param title what it shows, with its number in the paper
/// @param plots its parts
/// @param quotes sentences of the paper, each with its section
public record MeasuredFigure(String name, String title, List<Plot> plots, List<String> quotes) {
    private static final String MEASURED = ", measured";

    /// A part of it.
    ///
    /// @param title what it shows
    /// @param horizontal what the values are measured at, as in `clients`
    /// @param vertical what is measured, with the unit
    /// @param places those that it is measured at, in ascending order
    /// @param lines what is compared
    public record Plot(
            String title,
            String horizontal,
            String vertical,
            List<Place> places,
            List<Line> lines) {
        public Plot {
            places = List.copyOf(places);
            lines = List.copyOf(lines);
        }
    }

    /// Where values are measured.
    ///
    /// @param value its place on the axis, more than 0
    /// @param text what it is called
    public record Place(int value, String text) {
        /// A number.
        public static Place of(int value) {
            return new Place(value, Figures.count(value));
        }
    }

    /// A value, and what an operation has cost there. What no operation has shown is not a number.
    ///
    /// @param value as measured
    /// @param roundTrips of an operation, counted, on average
    /// @param bytes that an operation has moved
    public record Value(double value, double roundTrips, double bytes) {
        /// Nothing was measured.
        public static final Value NONE = new Value(Double.NaN, Double.NaN, Double.NaN);
    }

    /// What was measured of one of those that are compared.
    ///
    /// @param values one for each place
    public record Line(String name, List<Value> values) {
        public Line {
            values = List.copyOf(values);
        }
    }

    public MeasuredFigure {
        plots = List.copyOf(plots);
        quotes = List.copyOf(quotes);
    }

    /// All of it as text: the values, and what an operation has cost at the last place.
    public List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add(title);
        for (Plot plot : plots) {
            lines.add("");
            lines.addAll(grid(plot).lines());
        }
        if (!quotes.isEmpty()) {
            lines.add("");
        }
        quotes.forEach(quote -> lines.add("the paper: " + quote));
        return lines;
    }

    private static Grid grid(Plot plot) {
        List<String> header = new ArrayList<>();
        header.add("%s: %s at %s".formatted(plot.title(), plot.vertical(), plot.horizontal()));
        plot.places().forEach(place -> header.add(place.text()));
        header.addAll(List.of("round trips", "bytes"));
        List<List<String>> rows = new ArrayList<>();
        for (Line line : plot.lines()) {
            List<String> row = new ArrayList<>();
            row.add(line.name() + MEASURED);
            line.values().forEach(value -> row.add(Figures.measure(value.value())));
            row.add(Figures.measure(line.values().getLast().roundTrips()));
            row.add(Figures.measure(line.values().getLast().bytes()));
            rows.add(row);
        }
        return new Grid(header, rows);
    }

    /// Writes the values as `NAME.csv`, and each plot that has several places as `NAME-a.svg` and
    /// so on; files of an earlier run are replaced.
    public void write(ResultFiles directory) throws IOException {
        try (CsvWriter csv = CsvWriter.builder().build(directory.file(name + ".csv"))) {
            csv.writeRecord(
                    "plot",
                    "line",
                    "source",
                    "horizontal",
                    "place",
                    "vertical",
                    "roundTrips",
                    "bytes",
                    "value");
            for (Plot plot : plots) {
                for (Line line : plot.lines()) {
                    for (int i = 0; i < plot.places().size(); i++) {
                        Value value = line.values().get(i);
                        csv.writeRecord(
                                plot.title(),
                                line.name(),
                                "measured",
                                plot.horizontal(),
                                String.valueOf(plot.places().get(i).value()),
                                plot.vertical(),
                                written(value.roundTrips(), 2),
                                written(value.bytes(), 0),
                                written(value.value(), 1));
                    }
                }
            }
        }
        for (int i = 0; i < plots.size(); i++) {
            if (plots.get(i).places().size() > 1) {
                String file = "%s-%c.svg".formatted(name, 'a' + i);
                Files.writeString(directory.file(file), svg(plots.get(i)));
            }
        }
    }

    /// A number in a file; empty where nothing was measured.
    private static String written(double number, int decimals) {
        return Double.isNaN(number) ? "" : String.valueOf(Figures.rounded(number, decimals));
    }

    private static String svg(Plot plot) {
        double most =
                plot.lines().stream()
                        .flatMap(line -> line.values().stream())
                        .mapToDouble(Value::value)
                        .filter(value -> !Double.isNaN(value))
                        .max()
                        .orElse(1);
        LinePlot drawn =
                new LinePlot(
                        Axis.logOf(
                                plot.horizontal(),
                                plot.places().stream().map(Place::value).toList()),
                        Axis.fromZero(plot.vertical(), most));
        for (int number = 0; number < plot.lines().size(); number++) {
            Line line = plot.lines().get(number);
            List<LinePlot.Point> points = new ArrayList<>();
            for (int i = 0; i < plot.places().size(); i++) {
                double value = line.values().get(i).value();
                if (!Double.isNaN(value)) {
                    points.add(
                            new LinePlot.Point(
                                    plot.places().get(i).value(), value, Figures.measure(value)));
                }
            }
            drawn.line(line.name(), number + 1, points);
        }
        return drawn.file(plot.title() + MEASURED);
    }
}
