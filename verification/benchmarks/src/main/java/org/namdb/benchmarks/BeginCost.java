package org.namdb.benchmarks;

import org.namdb.fabric.VerbCounters;
import org.namdb.timestamp.snapshot.Snapshot;
import org.namdb.timestamp.snapshot.SnapshotOracle;

/// What a begin costs on any machine: counted, not measured.
///
/// @param verbs the verbs of a begin and an end
/// @param bytes what they move
/// @param roundTrips how often they wait
record BeginCost(double verbs, double bytes, double roundTrips) {
    private static final int WARM_UP = 16;
    private static final int BEGINS = 1000;

    /// Counts some begins.
    ///
    /// @param commits whether another slot commits between two of them
    static BeginCost count(Oracle oracle, int slots, boolean commits) {
        try (VectorServer server = new VectorServer(slots)) {
            SnapshotOracle opened = oracle.open(server.first());
            Snapshot snapshot = new Snapshot();
            VerbCounters counters = server.queuePair().counters();
            long verbs = 0;
            long bytes = 0;
            long roundTrips = 0;
            for (int begin = 0; begin < WARM_UP + BEGINS; begin++) {
                if (commits) {
                    server.commitInLast();
                }
                if (begin >= WARM_UP) {
                    verbs -= counters.verbs();
                    bytes -= counters.bytes();
                    roundTrips -= counters.roundTrips();
                }
                opened.acquire(snapshot);
                opened.release();
                if (begin >= WARM_UP) {
                    verbs += counters.verbs();
                    bytes += counters.bytes();
                    roundTrips += counters.roundTrips();
                }
            }
            return new BeginCost(
                    (double) verbs / BEGINS, (double) bytes / BEGINS, (double) roundTrips / BEGINS);
        }
    }
}
