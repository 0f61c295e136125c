package org.namdb.sql.server;

import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.TextParser;

/// Texts of timestamps that end with an offset from UTC, as `2026-01-31 12:00:00+02`.
final class ZonedText {
    private static final Pattern OFFSET =
            Pattern.compile("(.*:.*?)\\s*(?:([+-]\\d{1,2}(?::?\\d\\d(?::?\\d\\d)?)?)|[zZ])");

    private ZonedText() {}

    /// The time in UTC; the text itself if it has no offset.
    static Object inUtc(String text) {
        Matcher parts = OFFSET.matcher(text.strip());
        if (!parts.matches()) {
            return text;
        }
        LocalDateTime local = (LocalDateTime) TextParser.parse(parts.group(1), SqlType.TIMESTAMP);
        String offset = parts.group(2);
        return offset == null
                ? local
                : local.minusSeconds(ZoneOffset.of(padded(offset)).getTotalSeconds());
    }

    /// [ZoneOffset#of] takes no lone digit with minutes behind it.
    private static String padded(String offset) {
        return offset.length() == 2 || offset.charAt(2) == ':'
                ? offset.charAt(0) + "0" + offset.substring(1)
                : offset;
    }
}
