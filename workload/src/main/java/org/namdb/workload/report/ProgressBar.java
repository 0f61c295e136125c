package org.namdb.workload.report;

import java.io.PrintWriter;

/// How far a long job is: on a terminal one line that is drawn repeatedly, elsewhere a line a
/// second.
public final class ProgressBar {
    private static final int CELLS = 24;
    private static final long REDRAW_NANOS = 100_000_000;
    private static final long LINE_NANOS = 1_000_000_000;
    private static final double NANOS_PER_SECOND = 1e9;

    /// Of less, the time that is left is not known.
    private static final double MIN_SHARE = 0.01;

    private static final String CLEAR_LINE = "\r\u001b[K";

    private final PrintWriter output;
    private final TextStyle style;
    private final String label;
    private final long startNanos;
    private long drawnNanos;
    private boolean drawn;

    /// A bar that begins now.
    public ProgressBar(PrintWriter output, TextStyle style, String label, long nowNanos) {
        this.output = output;
        this.style = style;
        this.label = label;
        this.startNanos = nowNanos;
        this.drawnNanos = nowNanos;
    }

    /// Shows where the job is, if it's time to.
    ///
    /// @param share what is done, 0 to 1
    /// @param detail more for the reader
    public void show(double share, String detail, long nowNanos) {
        long gapNanos = style.terminal() ? REDRAW_NANOS : LINE_NANOS;
        if (nowNanos - drawnNanos < gapNanos) {
            return;
        }
        drawnNanos = nowNanos;
        draw(line(Math.clamp(share, 0, 1), detail, nowNanos));
    }

    /// Takes the bar away and puts a line of text in its place.
    public void finish(String line) {
        clear();
        output.println(line);
        output.flush();
    }

    /// Takes the bar away, so that other lines can be printed; the next [#show] draws it again.
    public void clear() {
        if (drawn && style.terminal()) {
            output.print(CLEAR_LINE);
            output.flush();
        }
        drawn = false;
    }

    private void draw(String line) {
        if (style.terminal()) {
            output.print(CLEAR_LINE + line);
        } else {
            output.println(line);
        }
        output.flush();
        drawn = true;
    }

    private String line(double share, String detail, long nowNanos) {
        int full = (int) (share * CELLS);
        String bar = style.full().repeat(full) + style.empty().repeat(CELLS - full);
        return "%-10s %s %3d %%  %s"
                .formatted(label, bar, (int) (share * 100), said(detail, share, nowNanos));
    }

    private String said(String detail, double share, long nowNanos) {
        if (share < MIN_SHARE) {
            return detail;
        }
        double seconds = (nowNanos - startNanos) / NANOS_PER_SECOND;
        String left = Figures.clock(Math.ceil(seconds * (1 - share) / share)) + " left";
        return detail.isEmpty() ? left : detail + ", " + left;
    }
}
