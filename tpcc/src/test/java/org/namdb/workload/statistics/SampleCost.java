package org.namdb.workload.statistics;

/// Costs without a session.
public final class SampleCost {
    private SampleCost() {}

    public static void set(
            TransactionCost cost, long verbs, long bytes, long roundTrips, long conflicts) {
        cost.set(verbs, bytes, roundTrips, conflicts);
        cost.aborts().set(0, conflicts);
    }
}
