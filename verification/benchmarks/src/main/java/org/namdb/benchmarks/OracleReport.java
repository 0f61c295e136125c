package org.namdb.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.namdb.workload.report.Axis;
import org.namdb.workload.report.LinePlot;

/// Draws the plots of [OracleBegin]'s results, and prints the tables of `docs/oracles.md`.
public final class OracleReport {
    private static final List<Integer> SLOTS = List.of(1, 4, 16, 64, 256, 1024);
    private static final String QUIET = "quiet";
    private static final String AFTER_A_COMMIT = "afterACommit";

    private final Scores scores;

    private OracleReport(Scores scores) {
        this.scores = scores;
    }

    /// Writes the plots and prints the tables.
    ///
    /// @param arguments JMH's results as JSON, and the directory for the plots
    public static void main(String[] arguments) throws IOException {
        if (arguments.length != 2) {
            System.err.println("usage: OracleReport results.json directory");
            System.exit(2);
        }
        OracleReport report = new OracleReport(Scores.read(Path.of(arguments[0])));
        Path directory = Files.createDirectories(Path.of(arguments[1]));
        Files.writeString(
                directory.resolve("begin-quiet.svg"),
                report.plot("Nothing was committed since the last begin", QUIET));
        Files.writeString(
                directory.resolve("begin-after-a-commit.svg"),
                report.plot("Another slot has committed since the last begin", AFTER_A_COMMIT));
        System.out.print(report.tables());
    }

    private String plot(String title, String benchmark) {
        double[] micros =
                Arrays.stream(Oracle.values())
                        .flatMapToDouble(oracle ->
                                SLOTS.stream()
                                        .mapToDouble(slots -> begin(benchmark, oracle, slots)))
                        .sorted()
                        .toArray();
        LinePlot plot =
                new LinePlot(
                        Axis.logOf("slots in the vector", SLOTS),
                        Axis.logMicros("time of a begin", micros[0], micros[micros.length - 1]));
        for (Oracle oracle : Oracle.values()) {
            List<LinePlot.Point> points = new ArrayList<>();
            for (int slots : SLOTS) {
                double y = begin(benchmark, oracle, slots);
                points.add(new LinePlot.Point(slots, y, slots + " slots: " + micros(y) + " µs"));
            }
            plot.line(oracle.label(), oracle.ordinal() + 1, points);
        }
        return plot.file(title);
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
