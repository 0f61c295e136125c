package org.namdb.workload.report;

import java.util.Locale;

/// Numbers as a person reads them: thousands apart, not more digits than mean something.
public final class Figures {
    private static final int WHOLE_FROM = 100;
    private static final int SECONDS_PER_MINUTE = 60;

    private Figures() {}

    /// A whole number.
    public static String count(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    /// A measured number: whole from 100 on, with one digit behind the point below; a dash where
    /// nothing was measured, which is not a number.
    public static String measure(double number) {
        if (Double.isNaN(number)) {
            return "-";
        }
        return String.format(Locale.ROOT, number >= WHOLE_FROM ? "%,.0f" : "%.1f", number);
    }

    /// A time as in `3:07`, minutes and seconds.
    static String clock(double seconds) {
        long whole = Math.round(seconds);
        return String.format(
                Locale.ROOT, "%d:%02d", whole / SECONDS_PER_MINUTE, whole % SECONDS_PER_MINUTE);
    }

    /// Rounds to so many decimals, for files.
    public static double rounded(double number, int decimals) {
        double scale = Math.pow(10, decimals);
        return Math.round(number * scale) / scale;
    }
}
