package org.namdb.sql.language.type;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TimeZone;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Time zones as PostgreSQL names them: by the names of the IANA database, in any case; by
/// abbreviations; by offsets. An offset behind a time, as in `12:00+02`, is counted eastward. One
/// as the name of a zone, as in `UTC-2`, is POSIX's, and counted westward.
public final class TimeZones {
    private static final int MAX_HOURS = 167;

    /// POSIX: an abbreviation, and what is to be added to the local time to get UTC.
    private static final Pattern POSIX =
            Pattern.compile("(?:<[^<>]*>|[a-zA-Z]*)([+-]?)(\\d{1,3})(?::(\\d{2}))?(?::(\\d{2}))?");

    private static final Pattern HOURS = Pattern.compile("[+-]?\\d{1,3}(?:\\.\\d+)?");

    /// Those that PostgreSQL knows with one offset all the time, in hours.
    private static final Map<String, Double> ABBREVIATIONS =
            Map.ofEntries(
                    Map.entry("acdt", 10.5),
                    Map.entry("acst", 9.5),
                    Map.entry("adt", -3.0),
                    Map.entry("aedt", 11.0),
                    Map.entry("aest", 10.0),
                    Map.entry("akdt", -8.0),
                    Map.entry("akst", -9.0),
                    Map.entry("ast", -4.0),
                    Map.entry("awst", 8.0),
                    Map.entry("bst", 1.0),
                    Map.entry("cdt", -5.0),
                    Map.entry("cest", 2.0),
                    Map.entry("cet", 1.0),
                    Map.entry("cst", -6.0),
                    Map.entry("eat", 3.0),
                    Map.entry("edt", -4.0),
                    Map.entry("eest", 3.0),
                    Map.entry("eet", 2.0),
                    Map.entry("est", -5.0),
                    Map.entry("gmt", 0.0),
                    Map.entry("hkt", 8.0),
                    Map.entry("hst", -10.0),
                    Map.entry("idt", 3.0),
                    Map.entry("ist", 2.0),
                    Map.entry("jst", 9.0),
                    Map.entry("kst", 9.0),
                    Map.entry("mdt", -6.0),
                    Map.entry("mest", 2.0),
                    Map.entry("met", 1.0),
                    Map.entry("mst", -7.0),
                    Map.entry("ndt", -2.5),
                    Map.entry("nst", -3.5),
                    Map.entry("nzdt", 13.0),
                    Map.entry("nzst", 12.0),
                    Map.entry("pdt", -7.0),
                    Map.entry("pkt", 5.0),
                    Map.entry("pst", -8.0),
                    Map.entry("sgt", 8.0),
                    Map.entry("ut", 0.0),
                    Map.entry("utc", 0.0),
                    Map.entry("wet", 0.0),
                    Map.entry("z", 0.0),
                    Map.entry("zulu", 0.0));

    private TimeZones() {}

    /// The names of the IANA database, by those in lower case.
    private static final class Names {
        private static final Map<String, String> BY_LOWER_CASE = byLowerCase();

        private static Map<String, String> byLowerCase() {
            Map<String, String> names = new HashMap<>();
            for (String name : ZoneId.getAvailableZoneIds()) {
                if (!name.startsWith("SystemV/")) {
                    names.put(name.toLowerCase(Locale.ROOT), name);
                }
            }
            return names;
        }
    }

    /// The value of the setting TimeZone that a text means, as SHOW gives it; null if there is no
    /// such zone. A number is that of hours eastward.
    public static @Nullable String setting(String text) {
        String name = text.strip();
        if (HOURS.matcher(name).matches()) {
            double hours = Double.parseDouble(name);
            if (Math.abs(hours) > MAX_HOURS) {
                return null;
            }
            int seconds = (int) Math.rint(hours * 3600);
            StringBuilder shown = new StringBuilder("<");
            appendOffset(shown, seconds);
            shown.append('>');
            appendOffset(shown, -seconds);
            return find(shown.toString()) == null ? null : shown.toString();
        }
        String known = Names.BY_LOWER_CASE.get(name.toLowerCase(Locale.ROOT));
        return known != null ? known : find(name) == null ? null : name;
    }

    /// The zone of a name, or of an offset as POSIX has it; null if there is none.
    public static @Nullable ZoneId find(String name) {
        String known = Names.BY_LOWER_CASE.get(name.toLowerCase(Locale.ROOT));
        if (known != null) {
            return ZoneId.of(known);
        }
        Matcher posix = POSIX.matcher(name);
        if (!posix.matches()) {
            return null;
        }
        int seconds =
                Integer.parseInt(posix.group(2)) * 3600
                        + number(posix.group(3)) * 60
                        + number(posix.group(4));
        try {
            return ZoneOffset.ofTotalSeconds("-".equals(posix.group(1)) ? seconds : -seconds);
        } catch (DateTimeException _) {
            return null; // Java has zones of up to 18 hours
        }
    }

    private static int number(@Nullable String digits) {
        return digits == null ? 0 : Integer.parseInt(digits);
    }

    /// The zone that stands behind AT TIME ZONE, or behind a time: an abbreviation or a name.
    ///
    /// @throws SqlException 22023 if there is none
    public static ZoneId named(String name) {
        ZoneId zone = abbreviated(name);
        if (zone == null) {
            zone = find(name);
        }
        if (zone == null) {
            throw new SqlException(
                    SqlState.INVALID_PARAMETER_VALUE, "time zone \"" + name + "\" not recognized");
        }
        return zone;
    }

    private static @Nullable ZoneId abbreviated(String name) {
        Double hours = ABBREVIATIONS.get(name.toLowerCase(Locale.ROOT));
        return hours == null ? null : ZoneOffset.ofTotalSeconds((int) (hours * 3600));
    }

    /// The moment of a local time. A time that a clock put forward leaves out is that of the
    /// clock before; one that a clock put back shows twice is the second.
    public static Instant instant(LocalDateTime local, ZoneId zone) {
        if (zone instanceof ZoneOffset offset) {
            return local.toInstant(offset);
        }
        ZoneOffsetTransition transition = zone.getRules().getTransition(local);
        ZoneOffset offset =
                transition == null
                        ? zone.getRules().getOffset(local)
                        : transition.isGap()
                                ? transition.getOffsetBefore()
                                : transition.getOffsetAfter();
        return local.toInstant(offset);
    }

    /// What the clocks of a zone show.
    public static LocalDateTime local(Instant moment, ZoneId zone) {
        return LocalDateTime.ofEpochSecond(
                moment.getEpochSecond(), moment.getNano(), zone.getRules().getOffset(moment));
    }

    /// How a zone is called at a moment, as `CET` and `CEST`; by its offset if it has no name.
    public static String abbreviation(Instant moment, ZoneId zone) {
        ZoneOffset offset = zone.getRules().getOffset(moment);
        if (zone instanceof ZoneOffset && offset.getTotalSeconds() != 0) {
            StringBuilder out = new StringBuilder();
            appendOffset(out, offset.getTotalSeconds());
            return out.toString();
        }
        if (zone instanceof ZoneOffset) {
            return "UTC";
        }
        String name =
                TimeZone.getTimeZone(zone)
                        .getDisplayName(
                                zone.getRules().isDaylightSavings(moment),
                                TimeZone.SHORT,
                                Locale.ENGLISH);
        return name.startsWith("GMT") && name.length() > 3 ? abbreviation(moment, offset) : name;
    }

    /// An offset eastward, as `+02`, `-03:30` or `+00:53:28`.
    static void appendOffset(StringBuilder out, int seconds) {
        int absolute = Math.abs(seconds);
        out.append(seconds < 0 ? '-' : '+');
        TextFormat.twoDigits(out, absolute / 3600);
        if (absolute % 3600 != 0) {
            out.append(':');
            TextFormat.twoDigits(out, absolute / 60 % 60);
        }
        if (absolute % 60 != 0) {
            out.append(':');
            TextFormat.twoDigits(out, absolute % 60);
        }
    }
}
