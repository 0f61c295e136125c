package org.namdb.simulation;

import java.util.List;
import org.namdb.checker.history.Operation;
import org.namdb.checker.history.Status;

/// An attempt to run a transaction, as it was noted when it ended. The outcome of one whose
/// connection was lost is known when its slot was recovered.
final class MadeAttempt {
    final String session;
    final Status status;
    final int slot;
    final long timestamp;
    final long beginNanos;
    final long endNanos;
    final long[] snapshot;
    final List<Operation> operations;

    MadeAttempt(
            String session,
            Status status,
            int slot,
            long timestamp,
            long beginNanos,
            long endNanos,
            long[] snapshot,
            List<Operation> operations) {
        this.session = session;
        this.status = status;
        this.slot = slot;
        this.timestamp = timestamp;
        this.beginNanos = beginNanos;
        this.endNanos = endNanos;
        this.snapshot = snapshot;
        this.operations = operations;
    }
}
