package org.namdb.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.namdb.cli.LineClients.Measured;
import org.namdb.workload.report.MeasuredFigure.Line;
import org.namdb.workload.report.MeasuredFigure.Place;
import org.namdb.workload.report.MeasuredFigure.Plot;
import org.namdb.workload.report.MeasuredFigure.Value;

/// The values of a figure's plots, as they come.
final class FigureTable {
    private final String horizontal;
    private final List<Place> places;
    private final Map<String, PlotValues> plots = new LinkedHashMap<>();

    /// What a plot has, by lines.
    private record PlotValues(String vertical, Map<String, Value[]> lines) {}

    /// @param horizontal what the values are measured at
    /// @param places those that they are measured at, in ascending order
    FigureTable(String horizontal, List<Place> places) {
        this.horizontal = horizontal;
        this.places = places;
    }

    /// Puts the operations each second of all servers.
    void put(String plot, String vertical, String line, int place, Measured measured) {
        put(plot, vertical, line, place, measured, measured.all());
    }

    /// Puts a value, with what the operations have cost.
    void put(
            String plot, String vertical, String line, int place, Measured measured, double value) {
        plots.computeIfAbsent(plot, _ -> new PlotValues(vertical, new LinkedHashMap<>()))
                        .lines
                        .computeIfAbsent(line, _ -> new Value[places.size()])[place] =
                new Value(value, measured.roundTrips(), measured.bytes());
    }

    /// All plots, in the order in which they came.
    List<Plot> plots() {
        return plots.entrySet().stream()
                .map(plot ->
                        new Plot(
                                plot.getKey(),
                                horizontal,
                                plot.getValue().vertical,
                                places,
                                plot.getValue().lines.entrySet().stream()
                                        .map(line ->
                                                new Line(line.getKey(), List.of(line.getValue())))
                                        .toList()))
                .toList();
    }
}
