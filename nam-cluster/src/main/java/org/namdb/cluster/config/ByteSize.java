package org.namdb.cluster.config;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// A size, which people write as `8g`, `512m` or `8 GiB`: a whole number, and a unit that is a
/// power of 1,024.
public record ByteSize(long bytes) {
    private static final String UNITS = "kmgt";
    private static final Pattern TEXT = Pattern.compile("([0-9]{1,15})\\s*([kmgt]?)(i?b)?");

    /// Reads a size as in `8g`.
    ///
    /// @throws IllegalArgumentException if it isn't one
    public static ByteSize parse(String text) {
        Matcher matcher = TEXT.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (matcher.matches()) {
            String unit = matcher.group(2);
            int shift = unit.isEmpty() ? 0 : 10 * (UNITS.indexOf(unit) + 1);
            long number = Long.parseLong(matcher.group(1));
            if (number <= Long.MAX_VALUE >> shift) {
                return new ByteSize(number << shift);
            }
        }
        throw new IllegalArgumentException(
                "a size is a whole number and a unit as in 512m or 8g, not '" + text + "'");
    }

    /// The size in the unit that suits a reader, as in `1.5 GiB`.
    public static String describe(long bytes) {
        if (bytes < 1_024) {
            return bytes + " bytes";
        }
        double size = bytes;
        int unit = -1;
        while (size >= 1_024 && unit < UNITS.length() - 1) {
            size /= 1_024;
            unit++;
        }
        String number = String.format(Locale.ROOT, size < 100 ? "%.1f" : "%.0f", size);
        String whole = number.endsWith(".0") ? number.substring(0, number.length() - 2) : number;
        return whole + " " + Character.toUpperCase(UNITS.charAt(unit)) + "iB";
    }
}
