package org.namdb.cluster.config;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Durations as people write them: `500ms`, `20s`, `5m`, `1h`.
public final class DurationText {
    private static final Pattern TEXT = Pattern.compile("(-?[0-9]{1,9})(ms|s|m|h)");

    private DurationText() {}

    /// Reads a duration as in `20s`.
    ///
    /// @throws IllegalArgumentException if it isn't one
    public static Duration parse(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "a duration is a whole number and a unit as in 500ms, 20s, 5m or 1h, not '"
                            + text
                            + "'");
        }
        long number = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(number);
            case "s" -> Duration.ofSeconds(number);
            case "m" -> Duration.ofMinutes(number);
            default -> Duration.ofHours(number);
        };
    }

    /// As in `20 s`.
    public static String describe(Duration duration) {
        long millis = duration.toMillis();
        return millis % 1_000 == 0 ? millis / 1_000 + " s" : millis + " ms";
    }
}
