package org.namdb.sql.engine.procedure;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.ConcurrentHistogram;
import org.namdb.fabric.VerbTally;

/// What the calls of a procedure have cost, in all its versions, since this process has started.
public final class ProcedureStatistics {
    private static final long MAX_MICROS = TimeUnit.HOURS.toMicros(1);

    private final ConcurrentHistogram micros = new ConcurrentHistogram(MAX_MICROS, 2);
    private final LongAdder calls = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final LongAdder retries = new LongAdder();
    private final LongAdder verbs = new LongAdder();
    private final LongAdder roundTrips = new LongAdder();

    /// A call has ended.
    ///
    /// @param attempts how often it was run
    /// @param cost what it has posted
    public void ended(boolean isDone, int attempts, long nanos, VerbTally cost) {
        calls.increment();
        if (!isDone) {
            failures.increment();
        }
        retries.add(attempts - 1L);
        verbs.add(cost.verbs());
        roundTrips.add(cost.roundTrips());
        micros.recordValue(Math.min(MAX_MICROS, TimeUnit.NANOSECONDS.toMicros(nanos)));
    }

    /// How many calls have ended.
    public long calls() {
        return calls.sum();
    }

    /// How many of them have failed.
    public long failures() {
        return failures.sum();
    }

    /// How often one was run again after a conflict.
    public long retries() {
        return retries.sum();
    }

    /// The verbs of all calls.
    public long verbs() {
        return verbs.sum();
    }

    /// The round trips of all calls.
    public long roundTrips() {
        return roundTrips.sum();
    }

    /// A percentile of the calls' time, in microseconds.
    public long micros(double percentile) {
        return micros.getValueAtPercentile(percentile);
    }
}
