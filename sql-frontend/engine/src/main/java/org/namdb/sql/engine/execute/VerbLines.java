package org.namdb.sql.engine.execute;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.VerbForecast;
import org.namdb.fabric.VerbTally;

/// Verbs in words, expected and counted. Kinds of which there are none are left out; of several
/// memory servers, each has a line of its own.
/// ```
/// Verbs: expected READ 4, 704 bytes, round trips 1
///        counted  READ 4, 704 bytes, round trips 1
///   server 0: expected READ 2, 352 bytes
///             counted  READ 2, 352 bytes
///   server 3: expected READ 2, 352 bytes
///             counted  READ 2, 352 bytes
/// ```
public final class VerbLines {
    private static final double WHOLE = 0.05;

    private VerbLines() {}

    /// The lines.
    ///
    /// @param title the text at the start of the first one
    /// @param expected what was foreseen
    /// @param counted null if nothing was run
    public static List<String> of(
            String title, VerbForecast expected, @Nullable CountedVerbs counted) {
        List<String> lines = new ArrayList<>();
        lines.add(title + ": " + expected(expected.all(), expected.roundTrips()));
        if (counted != null) {
            lines.add(below(title) + counted(counted.all(), (double) counted.roundTrips()));
        }
        for (int server = 0; expected.servers() > 1 && server < expected.servers(); server++) {
            VerbForecast.Verbs here = expected.of(server);
            VerbTally there = counted == null ? VerbTally.NOTHING : counted.of(server);
            if (Math.round(here.bytes()) > 0 || there.verbs() > 0) {
                String name = "  server " + server;
                lines.add(name + ": " + expected(here, 0));
                if (counted != null) {
                    lines.add(below(name) + counted(there, 0));
                }
            }
        }
        return lines;
    }

    /// Where the line goes on that starts with a title.
    private static String below(String title) {
        return " ".repeat(title.length() + 2);
    }

    private static String expected(VerbForecast.Verbs verbs, double roundTrips) {
        return "expected "
                + list(
                        verbs.reads(),
                        verbs.writes(),
                        verbs.compareAndSwaps(),
                        0,
                        verbs.sends(),
                        verbs.bytes(),
                        roundTrips);
    }

    private static String counted(VerbTally tally, double roundTrips) {
        return "counted  "
                + list(
                        (double) tally.reads(),
                        (double) tally.writes(),
                        (double) tally.compareAndSwaps(),
                        (double) tally.fetchAndAdds(),
                        (double) tally.sends(),
                        (double) tally.bytes(),
                        roundTrips);
    }

    private static String list(
            double reads,
            double writes,
            double cas,
            double adds,
            double sends,
            double bytes,
            double roundTrips) {
        List<String> parts = new ArrayList<>();
        add(parts, "READ", reads);
        add(parts, "WRITE", writes);
        add(parts, "CAS", cas);
        add(parts, "FAA", adds);
        add(parts, "SEND", sends);
        if (Math.round(bytes) > 0) {
            parts.add(Math.round(bytes) + " bytes");
        }
        add(parts, "round trips", roundTrips);
        return parts.isEmpty() ? "nothing" : String.join(", ", parts);
    }

    private static void add(List<String> parts, String name, double count) {
        if (count >= WHOLE) {
            boolean isWhole = Math.abs(count - Math.rint(count)) < WHOLE || count >= 100;
            parts.add(name + " " + String.format(Locale.ROOT, isWhole ? "%.0f" : "%.1f", count));
        }
    }
}
