package org.namdb.workload.statistics;

import org.namdb.fabric.VerbCounters;

/// What one transaction cost, all its attempts together: the difference between the counters of its
/// source before and after it. Reused.
public final class TransactionCost {
    private final AbortCounts aborts = new AbortCounts();
    private long retries;
    private long verbs;
    private long bytes;
    private long roundTrips;

    /// The transaction is about to begin.
    public void start(CostSource source) {
        VerbCounters counters = source.counters();
        verbs = counters.verbs();
        bytes = counters.bytes();
        roundTrips = counters.roundTrips();
        retries = source.retries();
        for (int cause = 0; cause < AbortCounts.CAUSES.size(); cause++) {
            aborts.set(cause, source.outcomes(AbortCounts.CAUSES.get(cause)));
        }
    }

    /// The transaction has reached its result, or was given up.
    public void stop(CostSource source) {
        VerbCounters counters = source.counters();
        set(
                counters.verbs() - verbs,
                counters.bytes() - bytes,
                counters.roundTrips() - roundTrips,
                source.retries() - retries);
        for (int cause = 0; cause < AbortCounts.CAUSES.size(); cause++) {
            aborts.set(cause, source.outcomes(AbortCounts.CAUSES.get(cause)) - aborts.at(cause));
        }
    }

    void set(long verbs, long bytes, long roundTrips, long retries) {
        this.verbs = verbs;
        this.bytes = bytes;
        this.roundTrips = roundTrips;
        this.retries = retries;
    }

    /// Aborted attempts.
    public AbortCounts aborts() {
        return aborts;
    }

    /// Attempts after the first one.
    public long retries() {
        return retries;
    }

    /// Verbs posted.
    public long verbs() {
        return verbs;
    }

    /// Bytes moved by them.
    public long bytes() {
        return bytes;
    }

    /// Times that the thread waited for verbs.
    public long roundTrips() {
        return roundTrips;
    }
}
