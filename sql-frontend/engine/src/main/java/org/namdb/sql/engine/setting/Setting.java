package org.namdb.sql.engine.setting;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.SqlType;
import org.namdb.sql.language.type.TextFormat;
import org.namdb.sql.language.type.TimeZones;

/// One setting: its name, what values it takes, and what it is for.
///
/// @param name the name, in lower case
/// @param kind what values are
/// @param initial its value in a new session, as SHOW gives it
/// @param choices for CHOICE the values it may have; for numbers the least and the greatest, or
///     none
/// @param description one sentence
record Setting(String name, Kind kind, String initial, List<String> choices, String description) {
    /// The value of a limit that does not limit.
    static final String NO_LIMIT = "-1";

    /// What values are.
    enum Kind {
        /// Any text.
        TEXT,
        BOOLEAN,
        INTEGER,
        /// A floating-point number.
        REAL,
        /// Milliseconds, or with a unit.
        DURATION,
        /// The same, or -1 for none.
        DURATION_LIMIT,
        /// Kilobytes, or with a unit.
        MEMORY,
        /// The same, or -1 for no limit.
        MEMORY_LIMIT,
        /// Blocks of 8 kB, or with a unit.
        BLOCKS,
        /// The name of a time zone.
        ZONE,
        /// `ISO, MDY`, or one of the two.
        DATE_STYLE,
        /// One of some words.
        CHOICE,
        /// Can't be set.
        FIXED
    }

    /// A value in the form that SHOW gives.
    ///
    /// @throws SqlException 22023 if the setting can't have it, 55P02 if it can't be set
    String checked(String value) {
        return switch (kind) {
            case TEXT -> value;
            case BOOLEAN -> truth(value) ? "on" : "off";
            case INTEGER -> Long.toString(bounded(number(value.strip(), value), value));
            case REAL -> real(value);
            case DURATION -> Units.showDuration(Units.milliseconds(this, value));
            case DURATION_LIMIT ->
                    value.strip().equals(NO_LIMIT)
                            ? NO_LIMIT
                            : Units.showDuration(Units.milliseconds(this, value));
            case MEMORY -> Units.showMemory(Units.kilobytes(this, value));
            case MEMORY_LIMIT ->
                    value.strip().equals(NO_LIMIT)
                            ? NO_LIMIT
                            : Units.showMemory(Units.kilobytes(this, value));
            case BLOCKS -> Units.showMemory(Units.kilobytesOfBlocks(this, value));
            case ZONE -> zone(value);
            case DATE_STYLE -> dateStyle(value);
            case CHOICE -> choice(value);
            case FIXED ->
                    throw new SqlException(
                            SqlState.CANNOT_CHANGE_PARAMETER,
                            "parameter \"" + name + "\" cannot be changed");
        };
    }

    /// What is wrong with a value.
    SqlException invalid(String value, @Nullable String hint) {
        SqlException e =
                new SqlException(
                        SqlState.INVALID_PARAMETER_VALUE,
                        "invalid value for parameter \"" + name + "\": \"" + value + "\"");
        return hint == null ? e : e.withHint(hint);
    }

    long number(String digits, String value) {
        try {
            long number = Long.parseLong(digits);
            if (number >= 0) {
                return number;
            }
        } catch (NumberFormatException e) {
            // reported below, as a negative number is
        }
        throw invalid(value, null);
    }

    private long bounded(long number, String value) {
        boolean isInRange =
                choices.isEmpty()
                        || number >= Long.parseLong(choices.getFirst())
                                && number <= Long.parseLong(choices.getLast());
        if (!isInRange) {
            throw outOfRange(value);
        }
        return number;
    }

    private String real(String value) {
        double number;
        try {
            number = Double.parseDouble(value.strip());
        } catch (NumberFormatException _) {
            throw invalid(value, null);
        }
        boolean isInRange =
                number >= Double.parseDouble(choices.getFirst())
                        && number <= Double.parseDouble(choices.getLast());
        if (!isInRange) {
            throw outOfRange(value);
        }
        return TextFormat.format(number, SqlType.DOUBLE);
    }

    private SqlException outOfRange(String value) {
        return new SqlException(
                SqlState.INVALID_PARAMETER_VALUE,
                "%s is outside the valid range for parameter \"%s\" (%s .. %s)"
                        .formatted(value, name, choices.getFirst(), choices.getLast()));
    }

    /// Other styles would show or read dates otherwise, which there is not.
    private String dateStyle(String value) {
        for (String word : value.split(",", -1)) {
            switch (word.strip().toLowerCase(Locale.ROOT)) {
                case "iso", "mdy", "us", "noneuro", "noneuropean", "default" -> {}
                default ->
                        throw invalid(
                                value,
                                "Dates are written in ISO 8601's form, and 1/2/2026 is the second of"
                                        + " January: ISO, MDY.");
            }
        }
        return initial;
    }

    private boolean truth(String value) {
        return switch (value.strip().toLowerCase(Locale.ROOT)) {
            case "on", "true", "t", "yes", "y", "1" -> true;
            case "off", "false", "f", "no", "n", "0" -> false;
            default ->
                    throw new SqlException(
                            SqlState.INVALID_PARAMETER_VALUE,
                            "parameter \"" + name + "\" requires a Boolean value");
        };
    }

    private String zone(String value) {
        String zone = TimeZones.setting(value);
        if (zone == null) {
            throw invalid(value, "Write a name as Europe/Berlin, or hours east of UTC as 2.");
        }
        return zone;
    }

    /// Without what some clients write around and into names of encodings: `'utf-8'`.
    private static String plain(String word) {
        return word.strip().replace("'", "").replace("-", "");
    }

    private String choice(String value) {
        String word = plain(value);
        for (String choice : choices) {
            if (plain(choice).equalsIgnoreCase(word)) {
                return choice;
            }
        }
        throw invalid(value, "Available values: " + String.join(", ", choices) + ".");
    }
}
