package org.namdb.workload.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleUnaryOperator;

/// An axis of a plot: where values lie between its ends, and which of them are written beside it.
///
/// @param label what it shows, with the unit
/// @param ticks the values that are written
/// @param place where a value lies: 0 at the axis's start, 1 at its end
public record Axis(String label, List<Tick> ticks, DoubleUnaryOperator place) {
    private static final int LINEAR_TICKS = 5;
    private static final double NANOS_PER_MICRO = 1e3;
    private static final double MICROS_PER_MILLI = 1e3;
    private static final double MICROS_PER_SECOND = 1e6;

    /// A value that is written beside the axis.
    public record Tick(double value, String text) {}

    public Axis {
        ticks = List.copyOf(ticks);
    }

    /// From 0 to a round number at or over `most`.
    static Axis fromZero(String label, double most) {
        double step = roundStep(Math.max(most, 1) / LINEAR_TICKS);
        double end = Math.ceil(Math.max(most, 1) / step) * step;
        return linear(label, end, step);
    }

    /// From 0 to `end` exactly.
    static Axis upTo(String label, double end) {
        return linear(label, end, roundStep(end / (2 * LINEAR_TICKS)));
    }

    private static Axis linear(String label, double end, double step) {
        List<Tick> ticks = new ArrayList<>();
        for (int i = 0; i * step <= end * (1 + 1e-9); i++) {
            ticks.add(new Tick(i * step, stepText(i * step, step)));
        }
        return new Axis(label, ticks, value -> value / end);
    }

    /// The given values, in order, equal ratios as far from each other.
    public static Axis logOf(String label, List<Integer> values) {
        double first = values.getFirst();
        double range = Math.log(values.getLast() / first);
        List<Tick> ticks =
                values.stream().map(value -> new Tick(value, Figures.count(value))).toList();
        return new Axis(label, ticks, value -> Math.log(value / first) / range);
    }

    /// Microseconds, each power of ten as far from the next.
    public static Axis logMicros(String label, double leastMicros, double mostMicros) {
        int first = (int) Math.floor(Math.log10(Math.max(leastMicros, 1 / NANOS_PER_MICRO)));
        int last = Math.max(first + 1, (int) Math.ceil(Math.log10(mostMicros)));
        List<Tick> ticks = new ArrayList<>();
        for (int power = first; power <= last; power++) {
            double micros = Math.pow(10, power);
            ticks.add(new Tick(micros, microsText(micros)));
        }
        double floor = Math.pow(10, first);
        return new Axis(
                label,
                ticks,
                micros -> (Math.log10(Math.max(micros, floor)) - first) / (last - first));
    }

    /// Percentiles, 90, 99, 99.9 ... as far from each other, to the last that `count` values have.
    static Axis percentiles(String label, long count) {
        double end = Math.max(1, Math.log10((double) Math.max(count, 1)));
        List<Tick> ticks = new ArrayList<>(List.of(new Tick(0, "0 %"), new Tick(50, "50 %")));
        for (int nines = 1; nines <= end; nines++) {
            double percentile = 100 * (1 - Math.pow(10, -nines));
            ticks.add(new Tick(percentile, percentText(percentile)));
        }
        return new Axis(
                label,
                ticks,
                percentile ->
                        Math.min(1, -Math.log10(Math.max(1e-12, 1 - percentile / 100)) / end));
    }

    /// 1, 2 or 5 times a power of ten, at or over `least`.
    private static double roundStep(double least) {
        double power = Math.pow(10, Math.floor(Math.log10(least)));
        for (int factor : new int[] {1, 2, 5}) {
            if (factor * power >= least) {
                return factor * power;
            }
        }
        return 10 * power;
    }

    private static String stepText(double value, double step) {
        return step < 1
                ? String.format(Locale.ROOT, "%.1f", value)
                : Figures.count(Math.round(value));
    }

    static String microsText(double micros) {
        if (micros > 0 && micros < 1) {
            return trimmed(micros * NANOS_PER_MICRO) + " ns";
        }
        if (micros < MICROS_PER_MILLI) {
            return trimmed(micros) + " µs";
        }
        return micros < MICROS_PER_SECOND
                ? trimmed(micros / MICROS_PER_MILLI) + " ms"
                : trimmed(micros / MICROS_PER_SECOND) + " s";
    }

    /// With as many decimals as distinguish it from 100.
    static String percentText(double percentile) {
        double above = 100 - percentile;
        int decimals =
                above <= 0 ? 0 : (int) Math.clamp(Math.ceil(-Math.log10(above) - 1e-6), 0, 6);
        return String.format(Locale.ROOT, "%." + decimals + "f %%", percentile);
    }

    private static String trimmed(double number) {
        String text = String.format(Locale.ROOT, number >= 100 ? "%.0f" : "%.1f", number);
        return text.endsWith(".0") ? text.substring(0, text.length() - 2) : text;
    }
}
