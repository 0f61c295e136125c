package org.namdb.cli;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/// Durations as people write them: `500ms`, `20s`, `5m`, `1h`.
final class DurationConverter implements ITypeConverter<Duration> {
    private static final Pattern TEXT = Pattern.compile("(-?[0-9]{1,9})(ms|s|m|h)");

    @Override
    public Duration convert(String text) {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            throw new TypeConversionException(
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
}
