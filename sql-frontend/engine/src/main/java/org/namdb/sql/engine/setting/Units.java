package org.namdb.sql.engine.setting;

import java.util.Locale;

/// Times and sizes of settings, as PostgreSQL writes them: `5s`, `64MB`.
final class Units {
    private static final long[] MILLISECONDS = {86_400_000, 3_600_000, 60_000, 1000, 1};
    private static final String[] DURATIONS = {"d", "h", "min", "s", "ms"};
    private static final long[] KILOBYTES = {1L << 30, 1L << 20, 1L << 10, 1};
    private static final String[] SIZES = {"TB", "GB", "MB", "kB"};

    private Units() {}

    static long milliseconds(Setting setting, String value) {
        return parse(
                setting,
                value,
                DURATIONS,
                MILLISECONDS,
                "\"ms\", \"s\", \"min\", \"h\", and \"d\"");
    }

    static long kilobytes(Setting setting, String value) {
        return parse(setting, value, SIZES, KILOBYTES, "\"kB\", \"MB\", \"GB\", and \"TB\"");
    }

    /// A number without a unit is of blocks of 8 kB.
    static long kilobytesOfBlocks(Setting setting, String value) {
        boolean isNumber = value.strip().chars().allMatch(c -> c >= '0' && c <= '9');
        return isNumber ? kilobytes(setting, value) * 8 : kilobytes(setting, value);
    }

    static String showDuration(long milliseconds) {
        return show(milliseconds, DURATIONS, MILLISECONDS);
    }

    static String showMemory(long kilobytes) {
        return show(kilobytes, SIZES, KILOBYTES);
    }

    private static long parse(
            Setting setting, String value, String[] units, long[] factors, String known) {
        String text = value.strip();
        int end = 0;
        while (end < text.length() && text.charAt(end) >= '0' && text.charAt(end) <= '9') {
            end++;
        }
        String unit = text.substring(end).strip();
        long factor = unit.isEmpty() ? 1 : 0;
        for (int i = 0; i < units.length; i++) {
            if (units[i].toLowerCase(Locale.ROOT).equals(unit.toLowerCase(Locale.ROOT))) {
                factor = factors[i];
            }
        }
        if (factor == 0) {
            throw setting.invalid(value, "Valid units for this parameter are " + known + ".");
        }
        long number = setting.number(text.substring(0, end), value);
        if (number > Integer.MAX_VALUE * 1000L) {
            throw setting.invalid(value, null);
        }
        return number * factor;
    }

    private static String show(long amount, String[] units, long[] factors) {
        if (amount == 0) {
            return "0";
        }
        int unit = 0;
        while (amount % factors[unit] != 0) {
            unit++;
        }
        return amount / factors[unit] + units[unit];
    }
}
