package org.namdb.workload.statistics;

/// What the transactions of one kind did in the measured window.
public final class TypeStatistics {
    private final LatencyHistogram latency = new LatencyHistogram();
    private final AbortCounts aborts = new AbortCounts();
    private long committed;
    private long rolledBack;
    private long givenUp;
    private long retries;
    private long verbs;
    private long bytes;
    private long roundTrips;

    /// Counts a transaction that reached its result.
    ///
    /// @param rolledBack whether the result is the rollback that its input requested
    void completed(boolean rolledBack, long latencyNanos, TransactionCost cost) {
        if (rolledBack) {
            this.rolledBack++;
        } else {
            committed++;
        }
        latency.record(latencyNanos);
        verbs += cost.verbs();
        bytes += cost.bytes();
        roundTrips += cost.roundTrips();
        attempted(cost);
    }

    /// Counts a transaction that was given up.
    void gaveUp(TransactionCost cost) {
        givenUp++;
        attempted(cost);
    }

    private void attempted(TransactionCost cost) {
        retries += cost.retries();
        aborts.add(cost.aborts());
    }

    /// Adds what another thread counted for the same kind.
    void add(TypeStatistics other) {
        latency.add(other.latency);
        aborts.add(other.aborts);
        committed += other.committed;
        rolledBack += other.rolledBack;
        givenUp += other.givenUp;
        retries += other.retries;
        verbs += other.verbs;
        bytes += other.bytes;
        roundTrips += other.roundTrips;
    }

    /// How many reached their result, rolled back ones included.
    public long count() {
        return committed + rolledBack;
    }

    public long committed() {
        return committed;
    }

    /// How many were rolled back because their input requested it.
    public long rolledBack() {
        return rolledBack;
    }

    /// How many were given up after too many attempts or by a full memory.
    public long givenUp() {
        return givenUp;
    }

    /// Attempts after the first ones.
    public long retries() {
        return retries;
    }

    /// Aborted attempts.
    public AbortCounts aborts() {
        return aborts;
    }

    public LatencyHistogram latency() {
        return latency;
    }

    /// Verbs of a transaction, on average, with those of aborted attempts.
    public double verbsPerTransaction() {
        return average(verbs);
    }

    /// Bytes moved by a transaction's verbs, on average.
    public double bytesPerTransaction() {
        return average(bytes);
    }

    /// Round trips of a transaction, on average.
    public double roundTripsPerTransaction() {
        return average(roundTrips);
    }

    private double average(long sum) {
        return count() == 0 ? 0 : (double) sum / count();
    }
}
