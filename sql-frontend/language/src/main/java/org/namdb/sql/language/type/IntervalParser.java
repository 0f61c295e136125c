package org.namdb.sql.language.type;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;

/// Reads intervals: `1 year 2 mons 3 days 04:05:06`, `1-2` (years and months), `3 4:05:06`,
/// `@ 1 hour ago`, and ISO 8601's `P1Y2M3DT4H5M6S`.
final class IntervalParser {
    private static final Pattern WORD =
            Pattern.compile(
                    "\\s*(?:([+-]?\\d+):(\\d+(?:\\.\\d*)?)(?::(\\d+(?:\\.\\d*)?))?|([+-]?\\d+)-(\\d+)(?![\\d.])|([+-]?(?:\\d+(?:\\.\\d*)?|\\.\\d+))\\s*([a-z]+)?)(?=\\s|[+-]|\\d|$)");
    private static final Pattern BLANK_BEHIND_SIGN = Pattern.compile("([+-])\\s+(?=[\\d.])");
    private static final Pattern ISO_PART = Pattern.compile("([+-]?\\d+(?:\\.\\d*)?)([ymwdhs])");
    private static final int MAX_TEXT = 200;
    private static final IntervalFields ANY = IntervalFields.ofPrecision(6);

    private final String text;
    private BigDecimal months = BigDecimal.ZERO;
    private BigDecimal days = BigDecimal.ZERO;
    private BigDecimal micros = BigDecimal.ZERO;
    private boolean isEmpty = true;

    private final IntervalFields fields;

    private IntervalParser(String text, IntervalFields fields) {
        this.text = text;
        this.fields = fields;
    }

    static Interval parse(String text) {
        return parse(text, ANY);
    }

    /// @param fields what a number without a unit is of
    static Interval parse(String text, IntervalFields fields) {
        IntervalParser parser = new IntervalParser(text, fields);
        String lower = text.strip().toLowerCase(Locale.ROOT);
        if (lower.isEmpty() || lower.length() > MAX_TEXT) {
            throw parser.invalid();
        }
        if (lower.startsWith("p")) {
            parser.iso(lower.substring(1));
        } else {
            parser.words(lower);
        }
        return parser.result();
    }

    private void words(String lower) {
        boolean isAgo = lower.endsWith(" ago");
        String body = isAgo ? lower.substring(0, lower.length() - 4) : lower;
        if (body.startsWith("@")) {
            body = body.substring(1);
        }
        body = BLANK_BEHIND_SIGN.matcher(body).replaceAll("$1");
        Matcher m = WORD.matcher(body);
        int at = 0;
        while (at < body.length()) {
            m.region(at, body.length());
            if (!m.lookingAt()) {
                if (body.substring(at).isBlank()) {
                    break;
                }
                throw invalid();
            }
            word(m, body.substring(m.end()).strip());
            at = m.end();
        }
        if (isAgo) {
            months = months.negate();
            days = days.negate();
            micros = micros.negate();
        }
    }

    private void word(Matcher m, String rest) {
        isEmpty = false;
        String hours = m.group(1);
        String years = m.group(4);
        if (hours != null) {
            time(hours, Objects.requireNonNull(m.group(2)), m.group(3));
        } else if (years != null) {
            yearsAndMonths(years, Objects.requireNonNull(m.group(5)));
        } else {
            BigDecimal number = new BigDecimal(Objects.requireNonNull(m.group(6)));
            String unit = m.group(7);
            add(number, unit != null ? unit : unit(rest));
        }
    }

    /// The unit of a number without one: days before a time or a number of hours, that of the last
    /// field at the end.
    private String unit(String rest) {
        if (rest.isEmpty()) {
            return fields.last() == IntervalFields.Unit.MONTH
                    ? "mon"
                    : fields.last().name().toLowerCase(Locale.ROOT);
        }
        boolean isBeforeHours =
                fields.last() == IntervalFields.Unit.HOUR && rest.matches("[+-]?[\\d.]+");
        return rest.contains(":") || isBeforeHours ? "day" : "";
    }

    private void time(String hours, String minutes, @Nullable String seconds) {
        boolean lacksHours = fields.isMinutesAndSeconds() || minutes.contains(".");
        if (seconds == null && lacksHours) {
            time(hours.startsWith("-") ? "-0" : "0", hours.replaceFirst("^[+-]", ""), minutes);
            return;
        }
        BigDecimal value =
                new BigDecimal(hours.replaceFirst("^[+-]", ""))
                        .multiply(BigDecimal.valueOf(3600))
                        .add(new BigDecimal(minutes).multiply(BigDecimal.valueOf(60)))
                        .add(seconds == null ? BigDecimal.ZERO : new BigDecimal(seconds));
        if (new BigDecimal(minutes).intValue() > 59) {
            throw outOfRange();
        }
        BigDecimal span = value.movePointRight(6);
        micros = micros.add(hours.startsWith("-") ? span.negate() : span);
    }

    private void yearsAndMonths(String years, String extraMonths) {
        BigDecimal value =
                new BigDecimal(years.replaceFirst("^[+-]", ""))
                        .multiply(BigDecimal.valueOf(12))
                        .add(new BigDecimal(extraMonths));
        months = months.add(years.startsWith("-") ? value.negate() : value);
    }

    private void add(BigDecimal number, String unit) {
        switch (unit) {
            case "us", "usec", "usecs", "microsecond", "microseconds", "microsecon" ->
                    time(number, 1);
            case "ms", "msec", "msecs", "millisecond", "milliseconds", "millisecon" ->
                    time(number, 1000);
            case "s", "sec", "secs", "second", "seconds" -> time(number, 1_000_000);
            case "m", "min", "mins", "minute", "minutes" -> time(number, 60_000_000);
            case "h", "hr", "hrs", "hour", "hours" -> time(number, 3_600_000_000L);
            case "d", "day", "days" -> days(number);
            case "w", "week", "weeks" -> days(number.multiply(BigDecimal.valueOf(7)));
            case "mon", "mons", "month", "months" -> months(number);
            case "y", "yr", "yrs", "year", "years" -> years(number, 1);
            case "dec", "decs", "decade", "decades" -> years(number, 10);
            case "c", "cent", "century", "centuries" -> years(number, 100);
            case "mil", "mils", "millennium", "millennia", "millenniums" -> years(number, 1000);
            default -> throw invalid();
        }
    }

    private void time(BigDecimal number, long unitMicros) {
        micros = micros.add(number.multiply(BigDecimal.valueOf(unitMicros)));
    }

    /// A fraction of a day becomes time.
    private void days(BigDecimal number) {
        BigDecimal whole = number.setScale(0, RoundingMode.DOWN);
        days = days.add(whole);
        time(number.subtract(whole), Interval.MICROS_PER_DAY);
    }

    /// A fraction of a month becomes days.
    private void months(BigDecimal number) {
        BigDecimal whole = number.setScale(0, RoundingMode.DOWN);
        months = months.add(whole);
        days(number.subtract(whole).multiply(BigDecimal.valueOf(30)));
    }

    /// A fraction of a year becomes months, and nothing less.
    private void years(BigDecimal number, int unitYears) {
        months =
                months.add(
                        number.multiply(BigDecimal.valueOf(12L * unitYears))
                                .setScale(0, RoundingMode.HALF_EVEN));
    }

    private void iso(String body) {
        int t = body.indexOf('t');
        isoParts(t < 0 ? body : body.substring(0, t), false);
        if (t >= 0) {
            isoParts(body.substring(t + 1), true);
        }
    }

    private void isoParts(String parts, boolean isTime) {
        Matcher m = ISO_PART.matcher(parts);
        int at = 0;
        while (at < parts.length()) {
            m.region(at, parts.length());
            if (!m.lookingAt()) {
                throw invalid();
            }
            isEmpty = false;
            BigDecimal number = new BigDecimal(Objects.requireNonNull(m.group(1)));
            String unit = Objects.requireNonNull(m.group(2));
            boolean belongs = isTime ? "hms".contains(unit) : "ymwd".contains(unit);
            if (!belongs) {
                throw invalid();
            }
            add(number, unit.equals("m") && !isTime ? "mon" : unit);
            at = m.end();
        }
    }

    private Interval result() {
        if (isEmpty) {
            throw invalid();
        }
        try {
            return new Interval(
                    months.setScale(0, RoundingMode.HALF_EVEN).intValueExact(),
                    days.setScale(0, RoundingMode.HALF_EVEN).intValueExact(),
                    micros.setScale(0, RoundingMode.HALF_EVEN).longValueExact());
        } catch (ArithmeticException _) {
            throw outOfRange();
        }
    }

    private SqlException invalid() {
        return new SqlException(
                SqlState.INVALID_DATETIME,
                "invalid input syntax for type interval: \"" + text + "\"");
    }

    private SqlException outOfRange() {
        return new SqlException(
                SqlState.DATETIME_OVERFLOW, "interval field value out of range: \"" + text + "\"");
    }
}
