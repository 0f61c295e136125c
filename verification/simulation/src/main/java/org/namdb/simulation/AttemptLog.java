package org.namdb.simulation;

import java.util.List;
import org.namdb.checker.history.Operation;
import org.namdb.checker.history.Status;

/// Takes note of every attempt to run a transaction. Called by many threads.
@FunctionalInterface
public interface AttemptLog {
    /// An attempt has ended; the parameters are the fields of the history's format.
    ///
    /// @param session its name
    /// @param slot of the commit timestamp, or -1
    /// @param timestamp of the commit, or -1
    /// @param beginNanos before it began
    /// @param endNanos when its result was known
    /// @param snapshot the vector, by slot
    /// @param operations in program order
    void attempted(
            String session,
            Status status,
            int slot,
            long timestamp,
            long beginNanos,
            long endNanos,
            long[] snapshot,
            List<Operation> operations);
}
