package org.namdb.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/// Draws the plot of [OracleBegin]'s results, and prints the tables of `docs/oracles.md`.
public final class OracleReport {
    private static final List<Integer> SLOTS = List.of(1, 4, 16, 64, 256, 1024);
    private static final String QUIET = "quiet";
    private static final String AFTER_A_COMMIT = "afterACommit";

    private final Scores scores;

    private OracleReport(Scores scores) {
        this.scores = scores;
    }

    /// Writes the plot and prints the tables.
    ///
    /// @param arguments JMH's results as JSON, and the SVG file to write
    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 2) {
            System.err.println("usage: OracleReport results.json plot.svg");
            System.exit(2);
        }
        OracleReport report = new OracleReport(Scores.read(Path.of(arguments[0])));
        Files.writeString(Path.of(arguments[1]), report.plot());
        System.out.print(report.tables());
    }

    private String plot() {
        return new LogLogPlot("slots in the vector", "microseconds per begin")
                .panel("nothing was committed since the last begin", lines(QUIET))
                .panel("another slot has committed since the last begin", lines(AFTER_A_COMMIT))
                .svg();
    }

    private List<LogLogPlot.Line> lines(String benchmark) {
        List<LogLogPlot.Line> lines = new ArrayList<>();
        for (Oracle oracle : Oracle.values()) {
            List<LogLogPlot.Point> points = new ArrayList<>();
            for (int slots : SLOTS) {
                points.add(new LogLogPlot.Point(slots, begin(benchmark, oracle, slots)));
            }
            lines.add(new LogLogPlot.Line(oracle.label(), points));
        }
        return lines;
    }

    private double begin(String benchmark, Oracle oracle, int slots) {
        return scores.of(
                benchmark, Map.of("oracle", oracle.name(), "slots", Integer.toString(slots)));
    }

    private String tables() {
        StringBuilder text = new StringBuilder();
        appendTimes(text, "Begin, nothing committed since the last one, µs", QUIET);
        appendTimes(text, "Begin after a commit in another slot, µs", AFTER_A_COMMIT);
        appendPublications(text);
        appendCosts(text);
        return text.toString();
    }

    private void appendTimes(StringBuilder text, String title, String benchmark) {
        appendHead(text, title);
        for (Oracle oracle : Oracle.values()) {
            text.append("| ").append(oracle.label()).append(" |");
            for (int slots : SLOTS) {
                text.append(' ').append(micros(begin(benchmark, oracle, slots))).append(" |");
            }
            text.append('\n');
        }
    }

    private void appendPublications(StringBuilder text) {
        appendHead(text, "Publish, µs");
        for (String benchmark : List.of("ownSlot", "sharedSlot")) {
            text.append(benchmark.equals("ownSlot") ? "| own slot |" : "| shared slot |");
            for (int slots : SLOTS) {
                Map<String, String> parameters = Map.of("slots", Integer.toString(slots));
                double micros = scores.of(benchmark, parameters);
                text.append(' ').append(micros(micros)).append(" |");
            }
            text.append('\n');
        }
    }

    private static void appendCosts(StringBuilder text) {
        for (boolean commits : new boolean[] {false, true}) {
            appendHead(
                    text,
                    "Round trips, verbs and bytes of a begin, "
                            + (commits ? "after a commit" : "nothing committed"));
            for (Oracle oracle : Oracle.values()) {
                text.append("| ").append(oracle.label()).append(" |");
                for (int slots : SLOTS) {
                    BeginCost cost = BeginCost.count(oracle, slots, commits);
                    text.append(
                            String.format(
                                    Locale.ROOT,
                                    " %.0f, %.0f, %,.0f |",
                                    cost.roundTrips(),
                                    cost.verbs(),
                                    cost.bytes()));
                }
                text.append('\n');
            }
        }
    }

    private static void appendHead(StringBuilder text, String title) {
        text.append('\n').append("| ").append(title).append(" |");
        SLOTS.forEach(slots -> text.append(String.format(Locale.ROOT, " %,d |", slots)));
        text.append("\n|---|").append("---|".repeat(SLOTS.size())).append('\n');
    }

    /// With three digits that mean something.
    private static String micros(double micros) {
        String format = micros < 0.1 ? "%.3f" : micros < 10 ? "%.2f" : "%.1f";
        return String.format(Locale.ROOT, format, micros);
    }
}
