package org.namdb.compute.commit;

/// The kinds of [CommitOutcome], for counting.
public enum AbortCause {
    COMMITTED("committed"),
    ROLLED_BACK("rolled back"),
    WRITE_CONFLICT("write conflict"),
    DUPLICATE_KEY("duplicate key"),
    SNAPSHOT_TOO_OLD("snapshot too old"),
    MEMORY_FULL("memory full"),
    DISK_FULL("disk full");

    private final String text;

    AbortCause(String text) {
        this.text = text;
    }

    /// The kind of an outcome.
    public static AbortCause of(CommitOutcome outcome) {
        return switch (outcome) {
            case CommitOutcome.Committed c -> COMMITTED;
            case CommitOutcome.RolledBack r -> ROLLED_BACK;
            case CommitOutcome.WriteConflict w -> WRITE_CONFLICT;
            case CommitOutcome.DuplicateKey d -> DUPLICATE_KEY;
            case CommitOutcome.SnapshotTooOld s -> SNAPSHOT_TOO_OLD;
            case CommitOutcome.MemoryFull m -> MEMORY_FULL;
            case CommitOutcome.JournalFull j -> DISK_FULL;
        };
    }

    @Override
    public String toString() {
        return text;
    }
}
