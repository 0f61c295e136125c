package org.namdb.checker;

import java.util.Locale;

/// How numbers are written in explanations.
public final class Words {
    private Words() {}

    /// A key and its value, as in `k17 = 5`.
    public static String assignment(long key, long value) {
        return "k" + key + " = " + value + (value == 0 ? " (absent)" : "");
    }

    /// A duration in the unit that suits it, as in `1.4 ms`.
    public static String nanos(long nanos) {
        if (nanos < 1_000) {
            return nanos + " ns";
        }
        if (nanos < 1_000_000) {
            return String.format(Locale.ROOT, "%.1f us", nanos / 1e3);
        }
        return nanos < 1_000_000_000
                ? String.format(Locale.ROOT, "%.1f ms", nanos / 1e6)
                : String.format(Locale.ROOT, "%.1f s", nanos / 1e9);
    }
}
