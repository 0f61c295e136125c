package org.namdb.compute.maintenance;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.QueuePair;

/// Why a session can't be used any more: its connection to a memory server was lost, so that a
/// transaction's outcome is not known; or a commit has left something half done on the memory
/// servers, which only recovery can finish or undo. The session publishes nothing any more then,
/// and its slot stays its own. Read by any thread.
public final class SessionFailure {
    private final QueuePair queuePair;
    private final Consumer<FabricException> failures;
    private volatile @Nullable Throwable cause;

    /// @param queuePair the session's
    /// @param failures gets every failure of the fabric
    public SessionFailure(QueuePair queuePair, Consumer<FabricException> failures) {
        this.queuePair = queuePair;
        this.failures = failures;
    }

    /// Notes why, if there is a reason. The first one stays.
    public void note(@Nullable Throwable thrown) {
        if (cause == null && thrown != null) {
            cause = thrown;
            if (thrown instanceof FabricException failure) {
                failures.accept(failure);
            }
        }
    }

    /// Whether there is a reason.
    public boolean isThere() {
        return cause != null || queuePair.isInDoubt();
    }

    /// Throws if there is a reason.
    ///
    /// @param slot the session's
    /// @throws FabricException if a lost connection is why; one that was not noted yet is found by
    ///     the next verb
    /// @throws IllegalStateException if anything else is
    public void requireNone(int slot) {
        Throwable why = cause;
        if (why instanceof FabricException lost) {
            throw new FabricException(
                    lost.kind(),
                    "session " + slot + " can't be used any more: " + lost.getMessage(),
                    lost);
        }
        if (why != null) {
            throw new IllegalStateException(
                    "session " + slot + " can't be used any more: " + why, why);
        }
    }
}
