package org.namdb.checker;

import java.util.ArrayList;
import java.util.List;
import org.namdb.checker.history.Snapshot;

/// The snapshots of a history in as many chains as a first fit takes: one, unless there is a fork.
/// Time moves forward in the order, so there are about as many chains as there were readers at
/// once.
final class ChainCover {
    /// A history that needs more is wrong in so many places that those found are enough.
    private static final int MAX_CHAINS = 64;

    private final List<List<Snapshot>> chains = new ArrayList<>();

    ChainCover(SnapshotOrder order, Steps steps) {
        for (Snapshot snapshot : order.snapshots()) {
            add(snapshot, steps);
        }
    }

    private void add(Snapshot snapshot, Steps steps) {
        for (List<Snapshot> chain : chains) {
            steps.add(snapshot.length());
            if (snapshot.dominates(chain.getLast())) {
                chain.add(snapshot);
                return;
            }
        }
        if (chains.size() < MAX_CHAINS) {
            chains.add(new ArrayList<>(List.of(snapshot)));
        }
    }

    List<List<Snapshot>> chains() {
        return chains;
    }
}
