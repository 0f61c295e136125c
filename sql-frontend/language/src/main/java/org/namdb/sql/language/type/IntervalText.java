package org.namdb.sql.language.type;

/// Intervals as PostgreSQL writes them: `1 year 2 mons 3 days 04:05:06`.
final class IntervalText {
    private final StringBuilder out = new StringBuilder();
    private boolean afterNegative;

    private IntervalText() {}

    static String format(Interval interval) {
        IntervalText text = new IntervalText();
        text.unit(interval.months() / 12, "year");
        text.unit(interval.months() % 12, "mon");
        text.unit(interval.days(), "day");
        if (interval.micros() != 0 || text.out.isEmpty()) {
            text.time(interval.micros());
        }
        return text.out.toString();
    }

    private void unit(long value, String name) {
        if (value == 0) {
            return;
        }
        separate();
        if (afterNegative && value > 0) {
            out.append('+');
        }
        out.append(value).append(' ').append(name);
        if (value != 1) {
            out.append('s');
        }
        afterNegative = value < 0;
    }

    private void time(long micros) {
        separate();
        if (micros < 0) {
            out.append('-');
        } else if (afterNegative) {
            out.append('+');
        }
        // Divided before the sign is dropped: the least long has no opposite.
        TextFormat.twoDigits(out, Math.abs(micros / 3_600_000_000L));
        out.append(':');
        TextFormat.twoDigits(out, Math.abs(micros / 60_000_000L % 60));
        out.append(':');
        TextFormat.twoDigits(out, Math.abs(micros / 1_000_000L % 60));
        TextFormat.fraction(out, Math.abs(micros % 1_000_000L));
    }

    private void separate() {
        if (!out.isEmpty()) {
            out.append(' ');
        }
    }
}
