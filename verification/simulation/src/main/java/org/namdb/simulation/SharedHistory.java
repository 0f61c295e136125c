package org.namdb.simulation;

import java.util.List;
import org.namdb.checker.history.Operation;
import org.namdb.checker.history.Status;

/// Makes the attempts of one process a part of the history of all.
///
/// @param log gets them
/// @param firstKey the key of register 0
record SharedHistory(AttemptLog log, long firstKey) implements AttemptLog {
    /// Of an attempt with unknown outcome the timestamp is left out: another process may undo it,
    /// and its slot continues with later ones.
    @Override
    public void attempted(
            String session,
            Status status,
            int slot,
            long timestamp,
            long beginNanos,
            long endNanos,
            long[] snapshot,
            List<Operation> operations) {
        boolean isKnown = status != Status.INFO;
        log.attempted(
                session,
                status,
                isKnown ? slot : -1,
                isKnown ? timestamp : -1,
                beginNanos,
                endNanos,
                snapshot,
                operations.stream().map(this::moved).toList());
    }

    private Operation moved(Operation operation) {
        long key = firstKey + operation.key();
        return operation.isWrite()
                ? Operation.write(key, operation.value())
                : Operation.read(key, operation.value());
    }
}
