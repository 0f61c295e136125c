package org.namdb.sql.language.type;

import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Month;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.JulianFields;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Reads dates and times in the forms that PostgreSQL takes: `2026-01-31`, `20260131`, `260131`,
/// `1/31/2026` (month first), `Jan 31 2026`, `31 Jan 2026`, `Jan-31-2026`, `2026.031` (the day of
/// the year), `J2461072` (the Julian day), with a time behind: `10:00`, `10:00:00.5`, `100000`, `10
/// PM`, `T10:00`, and a time zone: `+02`, `CET`, `Europe/Berlin`. That has an effect only for
/// `timestamp with time zone`.
final class DatetimeParser {
    private static final List<String> MONTHS =
            List.of(
                    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov",
                    "dec");
    private static final List<String> DAYS =
            List.of("mon", "tue", "wed", "thu", "fri", "sat", "sun");
    private static final Pattern ISO_DATE =
            Pattern.compile("(\\d{3,7})[-/.](\\d{1,2})[-/.](\\d{1,2})");
    private static final Pattern MONTH_FIRST =
            Pattern.compile("(\\d{1,2})[-/.](\\d{1,2})[-/.](\\d{1,2}|\\d{4,7})");
    private static final Pattern WITH_MONTH_NAME =
            Pattern.compile("(\\d{1,7})[-/]([a-z]{3,9})[-/](\\d{1,7})");
    private static final Pattern MONTH_NAME_FIRST =
            Pattern.compile("([a-z]{3,9})[-/](\\d{1,2})[-/](\\d{1,7})");
    private static final Pattern PACKED_DATE = Pattern.compile("(\\d{2,7})(\\d{2})(\\d{2})");
    private static final Pattern DAY_OF_YEAR = Pattern.compile("(\\d{4,7})\\.(\\d{3})");
    private static final Pattern JULIAN_DAY = Pattern.compile("j(\\d{1,9})");
    private static final Pattern TIME =
            Pattern.compile("(\\d{1,2}):(\\d{1,2})(?::(\\d{1,2})(\\.\\d*)?)?([ap]m)?");
    private static final Pattern PACKED_TIME =
            Pattern.compile("(\\d{2})(\\d{2})(?:(\\d{2})(\\.\\d*)?)?");
    private static final Pattern ZONE =
            Pattern.compile("([+-])(\\d{1,2})(?::?(\\d{2}))?(?::?(\\d{2}))?");
    private static final Pattern ZONE_NAME = Pattern.compile("[a-z]+[a-z0-9/_+:-]*");
    private static final Pattern ZONE_BEHIND_TIME =
            Pattern.compile(
                    "(.*:.*\\d|\\d{4}|\\d{6}(?:\\.\\d*)?)(z|[+-]\\d{1,2}(?::?\\d{2}){0,2})");
    private static final Pattern DIGITS = Pattern.compile("\\d{1,9}");
    private static final String ZONED = "timestamp with time zone";
    private static final int LAST_OFFSET_HOURS = 16;
    static final int LAST_DATE_YEAR = 5_874_897;
    static final int LAST_TIMESTAMP_YEAR = 294_276;

    /// The first day of the Julian calendar's count: 4714-11-24 BC.
    static final LocalDate FIRST_DATE = LocalDate.of(-4713, 11, 24);

    private final String text;
    private final String type;
    private final List<String> numbers = new ArrayList<>();
    private int month;
    private boolean isMonthSecond;
    private final boolean isBeforeChrist;
    private @Nullable LocalDate date;
    private @Nullable LocalTime time;
    private boolean isMidnightAfter;
    private @Nullable ZoneId zone;

    private DatetimeParser(String text, String type) {
        this.text = text;
        this.type = type;
        // It stands behind the date, whose February may depend on it. No other word has it.
        this.isBeforeChrist = text.toLowerCase(Locale.ROOT).contains("bc");
    }

    static LocalDate date(String text) {
        LocalDate fast = isoDate(text);
        if (fast != null) {
            return fast;
        }
        DatetimeParser parser = new DatetimeParser(text, "date");
        parser.read();
        return parser.requireDate(LAST_DATE_YEAR);
    }

    static LocalTime time(String text) {
        DatetimeParser parser = new DatetimeParser(text, "time");
        parser.read();
        if (parser.isMidnightAfter) {
            throw parser.outOfRange();
        }
        if (parser.time == null) {
            throw parser.invalid();
        }
        return parser.time;
    }

    static LocalDateTime timestamp(String text) {
        LocalDate fast = isoDate(text);
        if (fast != null) {
            return fast.atStartOfDay();
        }
        DatetimeParser parser = new DatetimeParser(text, "timestamp");
        parser.read();
        LocalDate date = parser.requireDate(LAST_TIMESTAMP_YEAR);
        LocalTime time = parser.time == null ? LocalTime.MIDNIGHT : parser.time;
        return (parser.isMidnightAfter ? date.plusDays(1) : date).atTime(time);
    }

    /// The moment of a text.
    ///
    /// @param zone its zone, unless it names one
    static Instant instant(String text, ZoneId zone) {
        LocalDate fast = isoDate(text);
        if (fast != null) {
            return TimeZones.instant(fast.atStartOfDay(), zone);
        }
        DatetimeParser parser = new DatetimeParser(text, ZONED);
        parser.read();
        LocalDate date = parser.requireDate(LAST_TIMESTAMP_YEAR + 1);
        LocalTime time = parser.time == null ? LocalTime.MIDNIGHT : parser.time;
        LocalDateTime local = (parser.isMidnightAfter ? date.plusDays(1) : date).atTime(time);
        Instant moment = TimeZones.instant(local, parser.zone == null ? zone : parser.zone);
        LocalDate day = LocalDate.ofInstant(moment, ZoneOffset.UTC);
        if (day.isBefore(FIRST_DATE) || day.getYear() > LAST_TIMESTAMP_YEAR) {
            throw parser.beyond();
        }
        return moment;
    }

    /// Whether a text has a time zone of its own.
    ///
    /// @throws SqlException if it is no moment
    static boolean hasZone(String text) {
        if (isoDate(text) != null) {
            return false;
        }
        DatetimeParser parser = new DatetimeParser(text, ZONED);
        parser.read();
        return parser.zone != null;
    }

    /// The common form without any pattern; null if the text has another, or is no date.
    private static @Nullable LocalDate isoDate(String text) {
        if (text.length() != 10 || text.charAt(4) != '-' || text.charAt(7) != '-') {
            return null;
        }
        int year = number(text, 0, 4);
        int month = number(text, 5, 7);
        int day = number(text, 8, 10);
        boolean isSure = year > 0 && month > 0 && month <= 12 && day > 0 && day <= 28;
        return isSure ? LocalDate.of(year, month, day) : null;
    }

    private static int number(String text, int from, int to) {
        int value = 0;
        for (int i = from; i < to; i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            value = value * 10 + digit;
        }
        return value;
    }

    private void read() {
        String lower = text.strip().toLowerCase(Locale.ROOT);
        if (lower.isEmpty() || lower.length() > 100) {
            throw invalid();
        }
        if (lower.equals("epoch") && !type.equals("time")) {
            date = LocalDate.EPOCH;
            zone = ZoneOffset.UTC;
            return;
        }
        for (String word : words(lower)) {
            word(word);
        }
    }

    /// The words between blanks and commas; a `t` between date and time parts them too.
    private static List<String> words(String lower) {
        List<String> words = new ArrayList<>();
        for (String word : lower.split("[\\s,]+", -1)) {
            int t = word.indexOf('t');
            boolean parts =
                    t > 0 && t < word.length() - 1 && isDigit(word, t - 1) && isDigit(word, t + 1);
            if (parts) {
                words.add(word.substring(0, t));
                words.add(word.substring(t + 1));
            } else if (t == 0 && word.length() > 1 && isDigit(word, 1)) {
                words.add(word.substring(1));
            } else if (!word.isEmpty()) {
                words.add(word);
            }
        }
        return words;
    }

    private static boolean isDigit(String word, int at) {
        return word.charAt(at) >= '0' && word.charAt(at) <= '9';
    }

    private void word(String word) {
        if (isName(word) || dateWord(word) || timeWord(word)) {
            return;
        }
        if (DIGITS.matcher(word).matches() && numbers.size() < 3) {
            numbers.add(word);
            return;
        }
        boolean mayBeZone = zone == null && (time != null || date != null);
        Matcher offset = ZONE.matcher(word);
        if (mayBeZone && offset.matches()) {
            zone = offset(offset);
        } else if (mayBeZone && ZONE_NAME.matcher(word).matches()) {
            zone = zone(word);
        } else {
            throw invalid();
        }
    }

    private ZoneId zone(String name) {
        try {
            return TimeZones.named(name);
        } catch (SqlException e) {
            throw name.indexOf('/') > 0 ? e : invalid();
        }
    }

    private ZoneId offset(Matcher m) {
        int seconds = 0;
        for (int part = 2; part <= 4; part++) {
            String digits = m.group(part);
            seconds = seconds * 60 + (digits == null ? 0 : Integer.parseInt(digits));
        }
        if (seconds >= LAST_OFFSET_HOURS * 3600) {
            throw new SqlException(
                    SqlState.INVALID_TIME_ZONE,
                    "time zone displacement out of range: \"" + text + "\"");
        }
        return ZoneOffset.ofTotalSeconds(group(m, 1).equals("-") ? -seconds : seconds);
    }

    private boolean isName(String word) {
        switch (word) {
            case "ad", "bc" -> {
                return true;
            }
            case "am", "pm" -> {
                halfDay(word);
                return true;
            }
            default -> {}
        }
        String name = word.endsWith(".") ? word.substring(0, word.length() - 1) : word;
        int number = monthNumber(name);
        if (number > 0 && month == 0) {
            month = number;
            isMonthSecond = !numbers.isEmpty();
            return true;
        }
        return isDayName(name);
    }

    private static int monthNumber(String name) {
        if (name.length() < 3) {
            return 0;
        }
        int number = MONTHS.indexOf(name.substring(0, 3)) + 1;
        if (number == 0) {
            return 0;
        }
        String full = Month.of(number).name().toLowerCase(Locale.ROOT);
        boolean matches = name.length() == 3 || name.equals(full) || name.equals("sept");
        return matches ? number : 0;
    }

    private static boolean isDayName(String name) {
        int number = name.length() < 3 ? -1 : DAYS.indexOf(name.substring(0, 3));
        return number >= 0
                && DayOfWeek.of(number + 1).name().toLowerCase(Locale.ROOT).startsWith(name);
    }

    private boolean dateWord(String word) {
        if (date != null) {
            return false;
        }
        Matcher m = ISO_DATE.matcher(word);
        if (m.matches()) {
            date = of(integer(m, 1), integer(m, 2), integer(m, 3));
            return true;
        }
        m = MONTH_FIRST.matcher(word);
        if (m.matches()) {
            date = of(year(group(m, 3)), integer(m, 1), integer(m, 2));
            return true;
        }
        // Behind parts of a date the digits are a time's.
        boolean mayBePacked = month == 0 && numbers.isEmpty() && !type.equals("time");
        m = PACKED_DATE.matcher(word);
        if (m.matches() && mayBePacked) {
            date = of(year(group(m, 1)), integer(m, 2), integer(m, 3));
            return true;
        }
        m = JULIAN_DAY.matcher(word);
        if (m.matches()) {
            date = LocalDate.EPOCH.with(JulianFields.JULIAN_DAY, integer(m, 1));
            return true;
        }
        m = DAY_OF_YEAR.matcher(word);
        if (m.matches() && mayBePacked) {
            date = of(integer(m, 1), 1, 1).plusDays(integer(m, 2) - 1L);
            return true;
        }
        m = MONTH_NAME_FIRST.matcher(word);
        if (m.matches() && monthNumber(group(m, 1)) > 0) {
            date = of(year(group(m, 3)), monthNumber(group(m, 1)), integer(m, 2));
            return true;
        }
        m = WITH_MONTH_NAME.matcher(word);
        if (m.matches()) {
            int number = monthNumber(group(m, 2));
            boolean isYearFirst = group(m, 1).length() > 2;
            date = of(year(group(m, isYearFirst ? 1 : 3)), number, integer(m, isYearFirst ? 3 : 1));
            return true;
        }
        return false;
    }

    private boolean timeWord(String original) {
        if (time != null) {
            return false;
        }
        String word = original;
        Matcher behind = ZONE_BEHIND_TIME.matcher(word);
        boolean isPacked = isDateRead() || type.equals("time");
        if ((isPacked || word.indexOf(':') > 0) && behind.matches()) {
            word = group(behind, 1);
            Matcher offset = ZONE.matcher(group(behind, 2));
            zone = offset.matches() ? offset(offset) : ZoneOffset.UTC;
        }
        Matcher m = TIME.matcher(word);
        if (m.matches()) {
            int seconds = m.group(3) == null ? 0 : integer(m, 3);
            setTime(integer(m, 1), integer(m, 2), seconds, m.group(4));
            String half = m.group(5);
            if (half != null) {
                halfDay(half);
            }
            return true;
        }
        m = PACKED_TIME.matcher(word);
        if (isPacked && m.matches()) {
            setTime(
                    integer(m, 1),
                    integer(m, 2),
                    m.group(3) == null ? 0 : integer(m, 3),
                    m.group(4));
            return true;
        }
        return false;
    }

    private boolean isDateRead() {
        return date != null || numbers.size() == (month == 0 ? 3 : 2);
    }

    private void setTime(int hour, int minute, int second, @Nullable String fraction) {
        long micros =
                fraction == null || fraction.length() == 1
                        ? 0
                        : Math.round(Double.parseDouble("0" + fraction) * 1e6);
        boolean isLeapOrLess = hour <= 24 && minute <= 59 && second <= 60;
        long total = ((hour * 60L + minute) * 60 + second) * 1_000_000 + micros;
        if (!isLeapOrLess || total > Interval.MICROS_PER_DAY) {
            throw outOfRange();
        }
        isMidnightAfter = total == Interval.MICROS_PER_DAY;
        time = isMidnightAfter ? LocalTime.MIDNIGHT : LocalTime.ofNanoOfDay(total * 1000);
    }

    private void halfDay(String half) {
        if (time == null && !numbers.isEmpty()) {
            setTime(Integer.parseInt(numbers.removeLast()), 0, 0, null);
        }
        if (time == null) {
            throw invalid();
        }
        int hour = time.getHour();
        if (hour > 12) {
            throw outOfRange();
        }
        time = time.withHour(hour % 12 + (half.equals("pm") ? 12 : 0));
    }

    private LocalDate requireDate(int lastYear) {
        if (date == null) {
            date = fromNumbers();
        } else if (month != 0 || !numbers.isEmpty()) {
            throw invalid();
        }
        LocalDate result = date;
        // A moment's date may be the day before, where its zone has it.
        LocalDate first = type.equals(ZONED) ? FIRST_DATE.minusDays(1) : FIRST_DATE;
        if (result.getYear() > lastYear || result.isBefore(first)) {
            throw beyond();
        }
        return result;
    }

    /// `Jan 31 2026` and `31 Jan 2026` and `2026 Jan 31`, `1 31 2026` and `2026 1 31`.
    private LocalDate fromNumbers() {
        if (month == 0 && numbers.size() == 3) {
            boolean isYearFirst = numbers.getFirst().length() > 2;
            int first = isYearFirst ? 1 : 0;
            return of(
                    year(numbers.get(isYearFirst ? 0 : 2)),
                    Integer.parseInt(numbers.get(first)),
                    Integer.parseInt(numbers.get(first + 1)));
        }
        if (month == 0 || numbers.size() != 2) {
            throw invalid();
        }
        boolean isYearFirst = isMonthSecond && numbers.get(0).length() > 2;
        int day = Integer.parseInt(numbers.get(isYearFirst ? 1 : 0));
        return of(year(numbers.get(isYearFirst ? 0 : 1)), month, day);
    }

    /// A year of two digits is of 1970 to 2069.
    private int year(String digits) {
        int year = Integer.parseInt(digits);
        if (digits.length() > 2 || isBeforeChrist) {
            return year;
        }
        return year < 70 ? 2000 + year : 1900 + year;
    }

    /// There is no year 0: the one before 1 is 1 BC.
    private LocalDate of(int year, int monthNumber, int day) {
        if (year == 0) {
            throw outOfRange();
        }
        try {
            return LocalDate.of(isBeforeChrist ? 1 - year : year, monthNumber, day);
        } catch (DateTimeException _) {
            throw outOfRange();
        }
    }

    private static int integer(Matcher m, int group) {
        return Integer.parseInt(group(m, group));
    }

    private static String group(Matcher m, int group) {
        return Objects.requireNonNull(m.group(group));
    }

    private SqlException invalid() {
        return new SqlException(
                SqlState.INVALID_DATETIME,
                "invalid input syntax for type " + type + ": \"" + text + "\"");
    }

    private SqlException beyond() {
        String name = type.equals(ZONED) ? "timestamp" : type;
        return new SqlException(
                SqlState.DATETIME_OVERFLOW, name + " out of range: \"" + text + "\"");
    }

    private SqlException outOfRange() {
        return new SqlException(
                SqlState.DATETIME_OVERFLOW, "date/time field value out of range: \"" + text + "\"");
    }
}
