package org.namdb.sql.shell;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// The verbs that a statement has cost.
///
/// @param reads READs
/// @param writes WRITEs
/// @param cas CASes
/// @param adds fetch-and-adds
/// @param sends SENDs: requests to a memory server's processor
/// @param bytes what all of them moved
/// @param roundTrips how often they were waited for
public record StatementCost(
        long reads, long writes, long cas, long adds, long sends, long bytes, long roundTrips) {
    private static final int KILO = 1_024;

    /// As in `12 READ, 1 WRITE, 1 CAS · 4.2 KB · 3 round trips`.
    public String text() {
        List<String> verbs = new ArrayList<>();
        add(verbs, reads, "READ");
        add(verbs, writes, "WRITE");
        add(verbs, cas, "CAS");
        add(verbs, adds, "FAA");
        add(verbs, sends, "SEND");
        if (verbs.isEmpty()) {
            return "no verbs";
        }
        return "%s · %s · %,d round trip%s"
                .formatted(
                        String.join(", ", verbs),
                        size(bytes),
                        roundTrips,
                        roundTrips == 1 ? "" : "s");
    }

    /// As in `4.2 KB`.
    public static String size(long bytes) {
        if (bytes < KILO) {
            return bytes + " bytes";
        }
        double size = (double) bytes / KILO;
        String unit = "KB";
        for (String next : List.of("MB", "GB", "TB")) {
            if (size >= KILO) {
                size /= KILO;
                unit = next;
            }
        }
        String number = String.format(Locale.ROOT, size < 100 ? "%.1f" : "%.0f", size);
        return (number.endsWith(".0") ? number.substring(0, number.length() - 2) : number)
                + " "
                + unit;
    }

    private static void add(List<String> verbs, long count, String name) {
        if (count > 0) {
            verbs.add("%,d %s".formatted(count, name));
        }
    }
}
