package org.namdb.simulation;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.checker.history.HistoryBuilder;
import org.namdb.checker.history.Operation;
import org.namdb.checker.history.Status;
import org.namdb.mvcc.recovery.RecoveredSlot;

/// All attempts to run a transaction, in order. The outcome of one whose connection was lost is
/// known in the end, when its slot was recovered.
final class MadeAttempts implements AttemptLog {
    private final List<MadeAttempt> made = new ArrayList<>();
    private final List<RecoveredSlot> recoveredSlots = new ArrayList<>();

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
        made.add(
                new MadeAttempt(
                        session,
                        status,
                        slot,
                        timestamp,
                        beginNanos,
                        endNanos,
                        snapshot,
                        operations));
    }

    /// A slot was recovered.
    void recovered(RecoveredSlot slot) {
        recoveredSlots.add(slot);
    }

    boolean isEmpty() {
        return made.isEmpty();
    }

    /// What was undone has failed, as one knows in the end; and nothing that was acknowledged may
    /// be undone.
    ///
    /// @return what is wrong; null if nothing is
    @Nullable String resolve(HistoryBuilder history, AttemptLog log) {
        String wrong = null;
        long number = 0;
        for (MadeAttempt attempt : made) {
            Status status = attempt.status;
            if (isUndone(attempt)) {
                if (status == Status.OK) {
                    wrong =
                            "<%d,%d> of %s was acknowledged, and undone"
                                    .formatted(attempt.slot, attempt.timestamp, attempt.session);
                }
                status = Status.FAIL;
            }
            boolean hasFailed = status == Status.FAIL;
            int slot = hasFailed ? -1 : attempt.slot;
            long timestamp = hasFailed ? -1 : attempt.timestamp;
            history.add(
                    number++,
                    attempt.session,
                    status,
                    slot,
                    timestamp,
                    attempt.beginNanos,
                    attempt.endNanos,
                    attempt.snapshot,
                    attempt.operations);
            log.attempted(
                    attempt.session,
                    status,
                    slot,
                    timestamp,
                    attempt.beginNanos,
                    attempt.endNanos,
                    attempt.snapshot,
                    attempt.operations);
        }
        return wrong;
    }

    private boolean isUndone(MadeAttempt attempt) {
        return recoveredSlots.stream()
                .anyMatch(slot ->
                        slot.slot() == attempt.slot
                                && slot.published() < attempt.timestamp
                                && attempt.timestamp <= slot.last());
    }
}
