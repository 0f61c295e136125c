package org.namdb.checker;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.checker.history.Snapshot;
import org.namdb.checker.history.Transaction;

/// What must have been seen by now: for each slot a timestamp that only rises, and the transaction
/// that raised it. Slots that were never raised cost nothing, however large their numbers are.
final class Frontier {
    private final Steps steps;
    private final long[] timestamps;
    private final @Nullable Transaction[] raisers;
    private int[] raised = new int[8];
    private int count;

    Frontier(int slots, Steps steps) {
        this.steps = steps;
        timestamps = new long[slots];
        raisers = new @Nullable Transaction[slots];
    }

    void raise(int slot, long timestamp, Transaction by) {
        if (timestamp <= timestamps[slot]) {
            return;
        }
        if (timestamps[slot] == 0) {
            if (count == raised.length) {
                raised = Arrays.copyOf(raised, 2 * count);
            }
            raised[count++] = slot;
        }
        timestamps[slot] = timestamp;
        raisers[slot] = by;
    }

    /// A transaction that has raised the frontier beyond what a snapshot shows, or null.
    @Nullable Transaction beyond(Snapshot snapshot) {
        steps.add(count);
        for (int place = 0; place < count; place++) {
            int slot = raised[place];
            if (timestamps[slot] > snapshot.element(slot)) {
                return raisers[slot];
            }
        }
        return null;
    }
}
