package org.namdb.workload.statistics;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;
import org.namdb.workload.TransactionKind;

/// What another thread may see of one thread's work while it runs: counts that only grow, and the
/// latencies since its last sample.
public final class LiveCounters {
    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int PADDING = 16;

    private static final long MIN_NANOS = 256;
    private static final long MAX_NANOS = 3_600_000_000_000L;
    private static final int DIGITS = 2;

    // Padded at both ends: a line that one thread writes and no other thread's cells share.
    private final long[] cells;
    private final int aborts;
    private final SingleWriterRecorder latencies =
            new SingleWriterRecorder(MIN_NANOS, MAX_NANOS, DIGITS);

    LiveCounters(int kinds) {
        aborts = PADDING + kinds;
        cells = new long[aborts + 1 + PADDING];
    }

    void completed(TransactionKind kind, long latencyNanos, long attempts) {
        add(PADDING + kind.index(), 1);
        add(aborts, attempts);
        latencies.recordValue(Math.clamp(latencyNanos, 0, MAX_NANOS));
    }

    void gaveUp(long attempts) {
        add(aborts, attempts);
    }

    /// Transactions of a kind that reached their result since the thread began.
    public long completed(TransactionKind kind) {
        return (long) CELL.getOpaque(cells, PADDING + kind.index());
    }

    /// Attempts aborted since the thread began.
    public long aborts() {
        return (long) CELL.getOpaque(cells, aborts);
    }

    /// Moves the latencies since the last call to a histogram; by one thread at a time.
    Histogram takeLatencies(Histogram reused) {
        latencies.getIntervalHistogramInto(reused);
        return reused;
    }

    static Histogram newHistogram() {
        return new Histogram(MIN_NANOS, MAX_NANOS, DIGITS);
    }

    private void add(int cell, long number) {
        CELL.setOpaque(cells, cell, cells[cell] + number);
    }
}
