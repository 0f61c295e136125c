package org.namdb.sql.engine.expression.function;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoField;
import java.time.temporal.IsoFields;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.namdb.sql.language.type.TimeZones;

/// A moment in the form of a picture, as `YYYY-MM-DD HH24:MI:SS`. Text in double quotes, and what
/// is no pattern, stands for itself.
final class DatetimePicture {
    /// Longer patterns before those that they begin with. Those that are here in small letters,
    /// too, are told apart by them; all others may be written in either.
    private static final List<String> PATTERNS =
            List.of(
                    "HH24", "HH12", "HH", "MI", "SSSSS", "SSSS", "SS", "MS", "US", "FF1", "FF2",
                    "FF3", "FF4", "FF5", "FF6", "TZH", "TZM", "TZ", "tz", "OF", "AM", "am", "PM",
                    "pm", "A.M.", "a.m.", "P.M.", "p.m.", "Y,YYY", "YYYY", "YYY", "YY", "Y", "IYYY",
                    "IYY", "IY", "IW", "IDDD", "ID", "I", "MONTH", "Month", "month", "MON", "Mon",
                    "mon", "MM", "DAY", "Day", "day", "DY", "Dy", "dy", "DDD", "DD", "D", "WW", "W",
                    "CC", "J", "Q", "BC", "AD", "bc", "ad", "A.D.", "a.d.", "B.C.", "b.c.", "RM",
                    "rm", "FX");

    /// Those that are told apart by small letters.
    private static final Set<String> CASED =
            PATTERNS.stream()
                    .filter(p -> PATTERNS.contains(p.toLowerCase(Locale.ROOT)))
                    .collect(Collectors.toUnmodifiableSet());

    /// Those that are no digits.
    private static final Set<String> WORDS =
            Set.of(
                    "MONTH", "MON", "DAY", "DY", "AM", "PM", "A.M.", "P.M.", "AD", "BC", "A.D.",
                    "B.C.", "RM", "TZ", "TZH", "OF", "FF1", "FF2", "FF3", "FF4", "FF5", "FF6",
                    "FX");

    /// A part of a picture.
    ///
    /// @param text a pattern, in capitals unless small letters matter; or a character that stands
    ///     for itself
    /// @param isField whether it is a pattern
    /// @param isSeparator whether it is a blank or sign outside of quotes
    /// @param isFilled false behind FM
    /// @param ordinal `TH` or `th` behind a pattern, or nothing
    record Element(
            String text, boolean isField, boolean isSeparator, boolean isFilled, String ordinal) {
        boolean isOrdinal() {
            return !ordinal.isEmpty();
        }
    }

    private final LocalDateTime moment;
    private final ZoneOffset offset;
    private final String zone;
    private final StringBuilder out = new StringBuilder();
    private boolean fills = true;

    private DatetimePicture(LocalDateTime moment, ZoneOffset offset, String zone) {
        this.moment = moment;
        this.offset = offset;
        this.zone = zone;
    }

    /// A time without zone, of which OF is +00 and TZ nothing.
    static String format(String picture, LocalDateTime moment) {
        return format(picture, new DatetimePicture(moment, ZoneOffset.UTC, ""));
    }

    /// A moment as the clocks of a zone show it.
    static String format(String picture, Instant moment, ZoneId zone) {
        ZoneOffset offset = zone.getRules().getOffset(moment);
        String name = TimeZones.abbreviation(moment, zone);
        return format(picture, new DatetimePicture(TimeZones.local(moment, zone), offset, name));
    }

    private static String format(String picture, DatetimePicture writer) {
        for (Element element : elements(picture)) {
            writer.element(element);
        }
        return writer.out.toString();
    }

    /// The parts of a picture, in order.
    static List<Element> elements(String picture) {
        List<Element> elements = new ArrayList<>();
        int at = 0;
        while (at < picture.length()) {
            int pattern = at;
            boolean isFilled = true;
            // Names are English also behind TM, and not filled up.
            while (picture.regionMatches(true, pattern, "FM", 0, 2)
                    || picture.regionMatches(true, pattern, "TM", 0, 2)) {
                isFilled = false;
                pattern += 2;
            }
            String found = patternAt(picture, pattern);
            if (found.isEmpty()) {
                at = literal(picture, pattern, elements);
                continue;
            }
            at = pattern + found.length();
            String ordinal =
                    picture.regionMatches(true, at, "TH", 0, 2)
                            ? picture.substring(at, at + 2)
                            : "";
            at += ordinal.length();
            elements.add(new Element(found, true, false, isFilled, ordinal));
        }
        return elements;
    }

    /// Adds the character, or what is in quotes, and gives the index behind it.
    private static int literal(String picture, int start, List<Element> elements) {
        int at = start;
        if (at < picture.length() && picture.charAt(at) == '"') {
            at++;
            while (at < picture.length() && picture.charAt(at) != '"') {
                at += picture.charAt(at) == '\\' && at + 1 < picture.length() ? 1 : 0;
                at = character(picture, at, elements, false);
            }
            return at + 1;
        }
        return at < picture.length() ? character(picture, at, elements, true) : at;
    }

    private static int character(
            String picture, int at, List<Element> elements, boolean mayBeSeparator) {
        int end = at + Character.charCount(picture.codePointAt(at));
        boolean isSeparator = mayBeSeparator && isSeparator(picture.charAt(at));
        elements.add(new Element(picture.substring(at, end), false, isSeparator, true, ""));
        return end;
    }

    /// Whether a character is a blank, or a sign of ASCII.
    static boolean isSeparator(char c) {
        return Character.isWhitespace(c) || c > 0x20 && c < 0x7F && !Character.isLetterOrDigit(c);
    }

    /// Whether a pattern stands for digits.
    static boolean isNumber(String pattern) {
        return !WORDS.contains(pattern.toUpperCase(Locale.ROOT));
    }

    private void element(Element element) {
        if (!element.isField()) {
            out.append(element.text());
            return;
        }
        int start = out.length();
        fills = element.isFilled();
        write(element.text());
        ordinal(element.ordinal(), start);
    }

    private static String patternAt(String picture, int at) {
        for (String pattern : PATTERNS) {
            if (picture.regionMatches(!CASED.contains(pattern), at, pattern, 0, pattern.length())) {
                return pattern;
            }
        }
        return "";
    }

    private void ordinal(String suffix, int start) {
        String number = out.substring(start);
        boolean isNumber =
                !number.isEmpty() && Character.isDigit(number.charAt(number.length() - 1));
        if (suffix.isEmpty() || !isNumber) {
            return;
        }
        boolean isTeen = number.length() > 1 && number.charAt(number.length() - 2) == '1';
        String ending =
                isTeen
                        ? "th"
                        : switch (number.charAt(number.length() - 1)) {
                            case '1' -> "st";
                            case '2' -> "nd";
                            case '3' -> "rd";
                            default -> "th";
                        };
        out.append(suffix.equals("TH") ? ending.toUpperCase(Locale.ROOT) : ending);
    }

    private void write(String pattern) {
        boolean isTime = writeTime(pattern);
        if (!isTime && !writeName(pattern)) {
            writeDate(pattern);
        }
    }

    private boolean writeTime(String pattern) {
        int micros = moment.getNano() / 1000;
        switch (pattern) {
            case "HH24" -> number(moment.getHour(), 2);
            case "HH12", "HH" -> number((moment.getHour() + 11) % 12 + 1, 2);
            case "MI" -> number(moment.getMinute(), 2);
            case "SS" -> number(moment.getSecond(), 2);
            case "SSSS", "SSSSS" -> number(moment.toLocalTime().toSecondOfDay(), 1);
            case "FF1" -> digits(micros / 100_000, 1);
            case "FF2" -> digits(micros / 10_000, 2);
            case "MS", "FF3" -> digits(micros / 1000, 3);
            case "FF4" -> digits(micros / 100, 4);
            case "FF5" -> digits(micros / 10, 5);
            case "US", "FF6" -> digits(micros, 6);
            case "OF" -> {
                offsetHours();
                if (offsetMinutes() != 0) {
                    out.append(':');
                    digits(offsetMinutes(), 2);
                }
            }
            case "TZH" -> offsetHours();
            case "TZM" -> digits(offsetMinutes(), 2);
            case "TZ" -> out.append(zone);
            case "tz" -> out.append(zone.toLowerCase(Locale.ROOT));
            case "AM", "PM" -> out.append(half("AM", "PM"));
            case "am", "pm" -> out.append(half("am", "pm"));
            case "A.M.", "P.M." -> out.append(half("A.M.", "P.M."));
            case "a.m.", "p.m." -> out.append(half("a.m.", "p.m."));
            default -> {
                return false;
            }
        }
        return true;
    }

    private void offsetHours() {
        out.append(offset.getTotalSeconds() < 0 ? '-' : '+');
        digits(Math.abs(offset.getTotalSeconds()) / 3600, 2);
    }

    private int offsetMinutes() {
        return Math.abs(offset.getTotalSeconds()) / 60 % 60;
    }

    private String half(String morning, String afternoon) {
        return moment.getHour() < 12 ? morning : afternoon;
    }

    private boolean writeName(String pattern) {
        String fullMonth = english(moment.getMonth().name());
        String day = english(moment.getDayOfWeek().name());
        switch (pattern) {
            case "MONTH" -> name(fullMonth.toUpperCase(Locale.ROOT));
            case "Month" -> name(fullMonth);
            case "month" -> name(fullMonth.toLowerCase(Locale.ROOT));
            case "MON" -> out.append(fullMonth.substring(0, 3).toUpperCase(Locale.ROOT));
            case "Mon" -> out.append(fullMonth, 0, 3);
            case "mon" -> out.append(fullMonth.substring(0, 3).toLowerCase(Locale.ROOT));
            case "DAY" -> name(day.toUpperCase(Locale.ROOT));
            case "Day" -> name(day);
            case "day" -> name(day.toLowerCase(Locale.ROOT));
            case "DY" -> out.append(day.substring(0, 3).toUpperCase(Locale.ROOT));
            case "Dy" -> out.append(day, 0, 3);
            case "dy" -> out.append(day.substring(0, 3).toLowerCase(Locale.ROOT));
            case "BC", "AD" -> out.append(moment.getYear() > 0 ? "AD" : "BC");
            case "bc", "ad" -> out.append(moment.getYear() > 0 ? "ad" : "bc");
            case "B.C.", "A.D." -> out.append(moment.getYear() > 0 ? "A.D." : "B.C.");
            case "b.c.", "a.d." -> out.append(moment.getYear() > 0 ? "a.d." : "b.c.");
            case "RM" -> roman(romanMonth().toUpperCase(Locale.ROOT));
            case "rm" -> roman(romanMonth());
            case "FX" -> {} // has a meaning for texts that are read
            default -> {
                return false;
            }
        }
        return true;
    }

    private String romanMonth() {
        return TemplateReader.ROMAN_MONTHS.get(12 - moment.getMonthValue());
    }

    /// Filled up to the longest, VIII.
    private void roman(String month) {
        out.append(month).append(" ".repeat(fills ? 4 - month.length() : 0));
    }

    private static String english(String name) {
        return name.charAt(0) + name.substring(1).toLowerCase(Locale.ROOT);
    }

    /// Names are filled up to the longest, September and Wednesday.
    private void name(String name) {
        out.append(name);
        if (fills) {
            out.append(" ".repeat(9 - name.length()));
        }
    }

    private void writeDate(String pattern) {
        int year = moment.get(ChronoField.YEAR_OF_ERA);
        int isoYear = moment.get(IsoFields.WEEK_BASED_YEAR);
        switch (pattern) {
            case "Y,YYY" -> {
                out.append(year / 1000).append(',');
                digits(year % 1000, 3);
            }
            case "YYYY" -> number(year, 4);
            case "YYY" -> number(year % 1000, 3);
            case "YY" -> number(year % 100, 2);
            case "Y" -> number(year % 10, 1);
            case "IYYY" -> number(isoYear, 4);
            case "IYY" -> number(isoYear % 1000, 3);
            case "IY" -> number(isoYear % 100, 2);
            case "I" -> number(isoYear % 10, 1);
            case "IW" -> number(moment.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR), 2);
            case "ID" -> number(moment.getDayOfWeek().getValue(), 1);
            case "IDDD" ->
                    number(
                            (moment.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR) - 1) * 7
                                    + moment.getDayOfWeek().getValue(),
                            3);
            case "MM" -> number(moment.getMonthValue(), 2);
            case "DDD" -> number(moment.getDayOfYear(), 3);
            case "DD" -> number(moment.getDayOfMonth(), 2);
            case "D" -> number(moment.getDayOfWeek().getValue() % 7 + 1, 1);
            case "WW" -> number((moment.getDayOfYear() - 1) / 7 + 1, 2);
            case "W" -> number((moment.getDayOfMonth() - 1) / 7 + 1, 1);
            case "CC" -> number((year + 99) / 100, 2);
            case "J" -> out.append(DatetimeFields.julian(moment.toLocalDate()));
            default -> number((moment.getMonthValue() - 1) / 3 + 1, 1);
        }
    }

    private void number(int value, int width) {
        digits(value, fills ? width : 1);
    }

    private void digits(int value, int width) {
        String text = Integer.toString(value);
        out.append("0".repeat(Math.max(0, width - text.length()))).append(text);
    }
}
