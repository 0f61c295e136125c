package org.namdb.compute.journal;

/// Notified of the progress of a restart.
@FunctionalInterface
public interface RecoveryProgress {
    /// Ignores it.
    RecoveryProgress UNSEEN = (step, done, all) -> {};

    /// What a restart does, one after the other.
    enum Step {
        /// Checks whether all files are whole.
        CHECK,
        /// Reads the checkpoint.
        LOAD,
        /// Does again what was done since.
        REPLAY,
        /// Makes the indexes.
        INDEX
    }

    /// The progress of a step. Called periodically, by one thread at a time.
    ///
    /// @param done how much: bytes, or rows of indexes, each counted when it is read and again when
    ///     its entry is made
    /// @param all of how much
    void at(Step step, long done, long all);

    /// All is there again. Not called for a database that is new.
    default void ended(RecoveryReport report) {
        // Ignored by default.
    }
}
