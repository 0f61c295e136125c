package org.namdb.compute;

/// This compute server of a cluster can't go on: it was silent for longer than its lease, and the
/// others have declared it dead, or a memory server has died, and the database with it. Every call
/// fails from then on, and nothing is committed.
public final class LeaseLostException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    private final boolean isDatabaseLost;

    /// @param loss the end of a sentence about the compute server
    /// @param isMemoryLost whether the database is lost
    LeaseLostException(String loss, boolean isMemoryLost) {
        super(
                "this compute server "
                        + loss
                        + (isMemoryLost
                                ? ": end the cluster by `nam cluster down`, start it by `nam"
                                        + " cluster up`, and connect again"
                                : ": open another session, or connect again"));
        this.isDatabaseLost = isMemoryLost;
    }

    /// While this process joins its cluster again.
    ///
    /// @param obstacle what its last attempt has failed by; empty if none has failed
    LeaseLostException(String loss, String obstacle) {
        super(
                "this compute server "
                        + loss
                        + ", and has not joined its cluster again yet"
                        + (obstacle.isEmpty() ? "" : " (" + obstacle + ")")
                        + ": it goes on trying, so try again later");
        this.isDatabaseLost = false;
    }

    /// Whether a memory server has died, and the database with it.
    public boolean isDatabaseLost() {
        return isDatabaseLost;
    }
}
