package org.namdb.workload.report;

import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.journal.RecoveryProgress;
import org.namdb.compute.journal.RecoveryReport;

/// Shows the progress of a data directory's recovery, and reports at its end what it has found.
public final class RecoveryBar implements RecoveryProgress {
    private final PrintWriter output;
    private final TextStyle style;
    private @Nullable Step current;
    private @Nullable ProgressBar bar;

    public RecoveryBar(PrintWriter output, TextStyle style) {
        this.output = output;
        this.style = style;
    }

    @Override
    public void at(Step step, long done, long all) {
        long now = System.nanoTime();
        ProgressBar shown = bar;
        if (shown == null || step != current) {
            clear();
            shown = new ProgressBar(output, style, label(step), now);
            bar = shown;
            current = step;
        }
        shown.show(all == 0 ? 1 : (double) done / all, "", now);
    }

    @Override
    public void ended(RecoveryReport report) {
        clear();
        output.println(style.text("Recovered " + report));
        output.flush();
    }

    /// Takes the bar away.
    public void clear() {
        if (bar != null) {
            bar.clear();
        }
    }

    private static String label(Step step) {
        return switch (step) {
            case CHECK -> "checking";
            case LOAD -> "loading";
            case REPLAY -> "replaying";
            case INDEX -> "indexing";
        };
    }
}
