package org.namdb.sql.engine.expression.function;

import java.time.DayOfWeek;
import java.time.Month;
import java.time.format.TextStyle;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import java.util.stream.Stream;
import org.namdb.sql.engine.expression.function.DatetimePicture.Element;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Reads the fields of a date or time from a text by a template of [DatetimePicture]'s patterns, by
/// PostgreSQL's rules: blanks before fields are skipped, one separator of the template stands for
/// any one or none, and a field takes as many characters as its pattern has, or all digits where
/// what follows is none. Behind `FX` each character of the template stands for one of the text.
final class TemplateReader {
    /// What a text may tell. A field that is 0 is as one that is not there.
    enum Field {
        CENTURY,
        YEAR,
        BEFORE_CHRIST,
        MONTH,
        WEEK,
        WEEK_OF_MONTH,
        DAY,
        DAY_OF_YEAR,
        /// From Sunday, which is 1.
        DAY_OF_WEEK,
        JULIAN,
        HOUR,
        AFTERNOON,
        MINUTE,
        SECOND,
        SECOND_OF_DAY,
        MILLISECOND,
        MICROSECOND,
        ZONE_SIGN,
        ZONE_HOUR,
        ZONE_MINUTE
    }

    private enum Calendar {
        NONE,
        GREGORIAN,
        ISO
    }

    private static final List<String> MONTHS =
            Arrays.stream(Month.values())
                    .map(m -> m.getDisplayName(TextStyle.FULL, Locale.ENGLISH))
                    .toList();
    private static final List<String> SHORT_MONTHS = shortened(MONTHS);

    /// From Sunday.
    private static final List<String> DAYS =
            Stream.of(7, 1, 2, 3, 4, 5, 6)
                    .map(d -> DayOfWeek.of(d).getDisplayName(TextStyle.FULL, Locale.ENGLISH))
                    .toList();

    private static final List<String> SHORT_DAYS = shortened(DAYS);

    /// Longer ones before those that they begin with.
    static final List<String> ROMAN_MONTHS =
            List.of("xii", "xi", "x", "ix", "viii", "vii", "vi", "v", "iv", "iii", "ii", "i");

    private final String text;
    private final List<Element> elements;
    private final Map<Field, Integer> fields = new EnumMap<>(Field.class);
    private Calendar calendar = Calendar.NONE;
    private boolean isTwelveHours;
    private boolean isFixed;
    private int yearDigits;
    private int fractionDigits;
    private int at;

    /// Blanks that were skipped beyond those of the template.
    private int skipped;

    private TemplateReader(String text, List<Element> elements) {
        this.text = text;
        this.elements = elements;
    }

    /// @throws SqlException 22007 if the text is not as the template says
    static TemplateReader read(String text, String template) {
        TemplateReader reader = new TemplateReader(text, DatetimePicture.elements(template));
        reader.read();
        return reader;
    }

    /// A field's value; 0 if the text had none.
    int get(Field field) {
        return fields.getOrDefault(field, 0);
    }

    /// Whether the year and the week are those of ISO 8601.
    boolean isIso() {
        return calendar == Calendar.ISO;
    }

    boolean isTwelveHours() {
        return isTwelveHours;
    }

    /// How many digits the pattern of the year has.
    int yearDigits() {
        return yearDigits;
    }

    /// How many digits FF1 to FF6 leave of a second; 6 without them.
    int fractionDigits() {
        return fractionDigits == 0 ? 6 : fractionDigits;
    }

    private static List<String> shortened(List<String> names) {
        return names.stream().map(n -> n.substring(0, 3)).toList();
    }

    private void read() {
        for (int i = 0; i < elements.size() && at < text.length(); i++) {
            Element element = elements.get(i);
            boolean isField = element.isField();
            if (!isFixed && !element.text().equals("FX") && (isField || i == 0)) {
                skipBlanks();
            }
            if (at == text.length()) {
                break;
            }
            if (!isField) {
                literal(element);
                continue;
            }
            field(element, i);
            if (!isFixed) {
                skipped = 0;
                skipBlanks();
            }
        }
    }

    private void skipBlanks() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
            skipped++;
        }
    }

    private void literal(Element element) {
        if (isFixed) {
            next();
        } else if (element.isSeparator()) {
            skipped--;
            if (Character.isWhitespace(text.charAt(at))
                    || DatetimePicture.isSeparator(text.charAt(at))) {
                at++;
                skipped++;
            }
        } else if (skipped > 0) {
            skipped--;
        } else {
            next();
        }
    }

    private void next() {
        if (at < text.length()) {
            at += Character.charCount(text.codePointAt(at));
        }
    }

    private void field(Element element, int index) {
        String pattern = element.text().toUpperCase(Locale.ROOT);
        use(calendar(pattern));
        switch (pattern) {
            case "FX" -> isFixed = true;
            case "A.M.", "P.M." -> half(element, List.of("A.M.", "P.M."));
            case "AM", "PM" -> half(element, List.of("AM", "PM"));
            case "A.D.", "B.C." ->
                    set(Field.BEFORE_CHRIST, name(element, List.of("A.D.", "B.C.")), element);
            case "AD", "BC" ->
                    set(Field.BEFORE_CHRIST, name(element, List.of("AD", "BC")), element);
            case "MONTH" -> set(Field.MONTH, name(element, MONTHS) + 1, element);
            case "MON" -> set(Field.MONTH, name(element, SHORT_MONTHS) + 1, element);
            case "RM" -> set(Field.MONTH, 12 - name(element, ROMAN_MONTHS), element);
            case "DAY" -> set(Field.DAY_OF_WEEK, name(element, DAYS) + 1, element);
            case "DY" -> set(Field.DAY_OF_WEEK, name(element, SHORT_DAYS) + 1, element);
            case "TZ", "OF" ->
                    throw new SqlException(
                            SqlState.FEATURE_NOT_SUPPORTED,
                            "formatting field \""
                                    + element.text()
                                    + "\" is only supported in to_char");
            case "TZH" -> zoneHour(element, index);
            case "TZM" -> {
                fields.putIfAbsent(Field.ZONE_SIGN, 1);
                number(Field.ZONE_MINUTE, element, index, 2, x -> x);
            }
            case "Y,YYY" -> yearWithComma(element);
            case "FF1", "FF2", "FF3", "FF4", "FF5", "FF6", "US" -> {
                boolean isMicros = pattern.equals("US");
                int length = isMicros ? 6 : pattern.charAt(2) - '0';
                fractionDigits = isMicros ? fractionDigits : length;
                fraction(Field.MICROSECOND, element, index, length, 6);
            }
            case "MS" -> fraction(Field.MILLISECOND, element, index, 3, 3);
            default -> numeric(pattern, element, index);
        }
    }

    private void numeric(String pattern, Element element, int index) {
        int length = pattern.length();
        switch (pattern) {
            case "HH", "HH12" -> {
                number(Field.HOUR, element, index, 2, x -> x);
                isTwelveHours = true;
            }
            case "HH24" -> number(Field.HOUR, element, index, 2, x -> x);
            case "MI" -> number(Field.MINUTE, element, index, 2, x -> x);
            case "SS" -> number(Field.SECOND, element, index, 2, x -> x);
            case "SSSS", "SSSSS" -> number(Field.SECOND_OF_DAY, element, index, length, x -> x);
            case "MM" -> number(Field.MONTH, element, index, 2, x -> x);
            case "DD" -> number(Field.DAY, element, index, 2, x -> x);
            case "DDD", "IDDD" -> number(Field.DAY_OF_YEAR, element, index, 3, x -> x);
            case "D" -> number(Field.DAY_OF_WEEK, element, index, 1, x -> x);
            case "ID" -> number(Field.DAY_OF_WEEK, element, index, 1, x -> x >= 7 ? 1 : x + 1);
            case "WW", "IW" -> number(Field.WEEK, element, index, 2, x -> x);
            case "W" -> number(Field.WEEK_OF_MONTH, element, index, 1, x -> x);
            case "CC" -> number(Field.CENTURY, element, index, 2, x -> x);
            case "J" -> number(Field.JULIAN, element, index, 1, x -> x);
            case "Q" -> {
                int start = at;
                int _ = integer(element, index, 1); // which day of a quarter is not told
                skipOrdinal(element, start);
            }
            default -> year(element, index, length);
        }
    }

    /// YYYY and less, and the same of ISO 8601. A year of fewer digits is one near 2020.
    private void year(Element element, int index, int length) {
        int start = at;
        int year = integer(element, index, length);
        set(Field.YEAR, length < 4 && at - start < 4 ? near2020(year) : year, element);
        yearDigits = length;
        skipOrdinal(element, start);
    }

    private static int near2020(int year) {
        if (year < 70) {
            return year + 2000;
        }
        if (year < 100) {
            return year + 1900;
        }
        if (year < 520) {
            return year + 2000;
        }
        return year < 1000 ? year + 1000 : year;
    }

    private void yearWithComma(Element element) {
        int start = at;
        int thousands = digits();
        boolean hasComma = at > start && at < text.length() && text.charAt(at) == ',';
        int rest = hasComma ? ++at : at;
        int end = Math.min(text.length(), rest + 3);
        int year = 0;
        while (hasComma && at < end && isDigit(at)) {
            year = year * 10 + text.charAt(at++) - '0';
        }
        if (at == rest) {
            throw new SqlException(SqlState.INVALID_DATETIME, "invalid input string for \"Y,YYY\"");
        }
        set(Field.YEAR, thousands * 1000 + year, element);
        yearDigits = 4;
        skipOrdinal(element, start);
    }

    private int digits() {
        int value = 0;
        for (int last = at + 6; at < last && at < text.length() && isDigit(at); at++) {
            value = value * 10 + text.charAt(at) - '0';
        }
        return value;
    }

    private boolean isDigit(int index) {
        return text.charAt(index) >= '0' && text.charAt(index) <= '9';
    }

    private void half(Element element, List<String> names) {
        set(Field.AFTERNOON, name(element, names), element);
        isTwelveHours = true;
    }

    private void zoneHour(Element element, int index) {
        char c = text.charAt(at);
        boolean isSign = c == '+' || c == '-' || c == ' ';
        // The minus may have been taken for a separator.
        boolean isNegative =
                isSign ? c == '-' : skipped > 0 && at > 0 && text.charAt(at - 1) == '-';
        at += isSign ? 1 : 0;
        fields.put(Field.ZONE_SIGN, isNegative ? -1 : 1);
        number(Field.ZONE_HOUR, element, index, 2, x -> x);
    }

    /// `5` is half a second: what is missing of the digits are zeros.
    private void fraction(Field field, Element element, int index, int length, int unit) {
        int start = at;
        int value = integer(element, index, length);
        for (int digits = at - start; digits < unit; digits++) {
            value *= 10;
        }
        set(field, value, element);
        skipOrdinal(element, start);
    }

    private void number(
            Field field, Element element, int index, int length, IntUnaryOperator shift) {
        int start = at;
        set(field, shift.applyAsInt(integer(element, index, length)), element);
        skipOrdinal(element, start);
    }

    private void skipOrdinal(Element element, int start) {
        if (element.isOrdinal() && at > start) {
            next();
            next();
        }
    }

    private int integer(Element element, int index, int length) {
        int start = at;
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        int first = at;
        boolean takesAll = !element.isFilled() || isBeforeSeparator(index);
        int limit = takesAll ? text.length() : Math.min(text.length(), first + length);
        if (!takesAll && limit - first < length) {
            throw invalid(
                    "source string too short for \"" + element.text() + "\" formatting field",
                    "Field requires %d characters, but only %d remain."
                            .formatted(length, limit - first));
        }
        int end = first;
        if (end < limit && (text.charAt(end) == '-' || text.charAt(end) == '+')) {
            end++;
        }
        int digits = end;
        while (end < limit && isDigit(end)) {
            end++;
        }
        String shown = text.substring(first, Math.min(text.length(), first + length));
        String message = "invalid value \"" + shown + "\" for \"" + element.text() + "\"";
        if (end == digits) {
            at = start;
            throw invalid(message, "Value must be an integer.");
        }
        if (!takesAll && end < limit) {
            throw invalid(
                    message,
                    "Field requires %d characters, but only %d could be parsed."
                            .formatted(length, end - first));
        }
        at = end;
        try {
            return Integer.parseInt(text, first, end, 10);
        } catch (NumberFormatException _) {
            throw new SqlException(
                    SqlState.DATETIME_OVERFLOW,
                    "value for \"" + element.text() + "\" in source string is out of range");
        }
    }

    /// Whether what follows in the template can't begin with a digit.
    private boolean isBeforeSeparator(int index) {
        if (elements.get(index).isOrdinal() || index + 1 == elements.size()) {
            return true;
        }
        Element next = elements.get(index + 1);
        return next.isField()
                ? !DatetimePicture.isNumber(next.text())
                : !Character.isDigit(next.text().charAt(0));
    }

    /// The number of the name that the text goes on with.
    private int name(Element element, List<String> names) {
        for (int i = 0; i < names.size(); i++) {
            String name = names.get(i);
            if (text.regionMatches(true, at, name, 0, name.length())) {
                at += name.length();
                return i;
            }
        }
        int end = at;
        while (end < text.length() && !Character.isWhitespace(text.charAt(end))) {
            end++;
        }
        throw invalid(
                "invalid value \"" + text.substring(at, end) + "\" for \"" + element.text() + "\"",
                "The given value did not match any of the allowed values for this field.");
    }

    private void set(Field field, int value, Element element) {
        int before = get(field);
        if (before != 0 && before != value) {
            throw invalid(
                    "conflicting values for \"" + element.text() + "\" field in formatting string",
                    "This value contradicts a previous setting for the same field type.");
        }
        fields.put(field, value);
    }

    private static Calendar calendar(String pattern) {
        return switch (pattern) {
            case "ID", "IDDD", "IW", "I", "IY", "IYY", "IYYY" -> Calendar.ISO;
            case "D",
                    "DD",
                    "DDD",
                    "MM",
                    "MON",
                    "MONTH",
                    "RM",
                    "W",
                    "WW",
                    "Y",
                    "YY",
                    "YYY",
                    "YYYY",
                    "Y,YYY" ->
                    Calendar.GREGORIAN;
            default -> Calendar.NONE;
        };
    }

    private void use(Calendar used) {
        if (used == Calendar.NONE) {
            return;
        }
        if (calendar != Calendar.NONE && calendar != used) {
            throw new SqlException(
                            SqlState.INVALID_DATETIME, "invalid combination of date conventions")
                    .withHint(
                            "Do not mix Gregorian and ISO week date conventions in a formatting template.");
        }
        calendar = used;
    }

    private static SqlException invalid(String message, String detail) {
        return new SqlException(SqlState.INVALID_DATETIME, message).withDetail(detail);
    }
}
