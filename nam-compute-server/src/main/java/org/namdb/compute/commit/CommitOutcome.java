package org.namdb.compute.commit;

/// How an attempt to run a transaction has ended. All but `Committed` have changed nothing.
public sealed interface CommitOutcome {
    /// Everything is installed and visible to every transaction that begins from now on.
    record Committed() implements CommitOutcome {
        /// The only one.
        public static final Committed INSTANCE = new Committed();
    }

    /// The transaction's own wish.
    record RolledBack() implements CommitOutcome {
        /// The only one.
        public static final RolledBack INSTANCE = new RolledBack();
    }

    /// It took longer than the maximum transaction time, and versions that it needs may be gone.
    record SnapshotTooOld() implements CommitOutcome {
        /// The only one.
        public static final SnapshotTooOld INSTANCE = new SnapshotTooOld();
    }

    /// Another transaction has changed, or is changing, a record that this one was to change: first
    /// committer wins.
    record WriteConflict(String table, String key) implements CommitOutcome {}

    /// There is a record with this key already.
    record DuplicateKey(String table, String key) implements CommitOutcome {}

    /// There is no memory left.
    ///
    /// @param where on a memory server, or in this process
    record MemoryFull(Where where, String message) implements CommitOutcome {
        /// Whose memory is full.
        public enum Where {
            /// A memory server's.
            SERVER,
            /// What the transaction may hold of this process's memory.
            TRANSACTION,
            /// What this process's transactions may hold of its heap.
            HEAP,
            /// What this process's transactions may hold together:
            /// `EmbeddedOptions.transactionMemoryBytes`.
            TRANSACTIONS
        }
    }

    /// There is no space on the disk for a commit's journal entry.
    record JournalFull(String message) implements CommitOutcome {}

    /// Whether another attempt may succeed without anything being changed.
    default boolean isRetryable() {
        return switch (this) {
            case WriteConflict c -> true;
            case SnapshotTooOld s -> true;
            case Committed c -> false;
            case RolledBack r -> false;
            case DuplicateKey d -> false;
            case MemoryFull m -> false;
            case JournalFull j -> false;
        };
    }
}
