package org.namdb.workload.report;

import java.util.ArrayList;
import java.util.List;

/// Percentiles that lie ever closer together towards 100, where latencies are interesting: on an
/// axis of `-log10(1 - p / 100)` they are at equal distances.
final class Percentiles {
    private static final int STEPS_PER_DECADE = 20;

    private Percentiles() {}

    /// From 0 up to where a single one of `count` values is left above, and 100.
    static List<Double> upTo(long count) {
        List<Double> percentiles = new ArrayList<>();
        if (count == 0) {
            return percentiles;
        }
        for (int step = 0; axis(step) < Math.log10((double) count); step++) {
            percentiles.add(100 * (1 - Math.pow(10, -axis(step))));
        }
        percentiles.add(100.0);
        return percentiles;
    }

    private static double axis(int step) {
        return (double) step / STEPS_PER_DECADE;
    }
}
