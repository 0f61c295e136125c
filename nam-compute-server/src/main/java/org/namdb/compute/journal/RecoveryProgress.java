package org.namdb.compute.journal;

/// Is told how far a restart has come.
@FunctionalInterface
public interface RecoveryProgress {
    /// Doesn't look.
    RecoveryProgress UNSEEN = (step, done, all) -> {};

    /// What a restart does, one after the other.
    enum Step {
        /// Looks whether all files are whole.
        CHECK,
        /// Reads the checkpoint.
        LOAD,
        /// Does again what was done since.
        REPLAY,
        /// Makes the indexes.
        INDEX
    }

    /// A step has come so far. Called now and then, by one thread at a time.
    ///
    /// @param done how much, in bytes, or indexes
    /// @param all of how much
    void at(Step step, long done, long all);

    /// All is there again. Not called for a database that is new.
    default void ended(RecoveryReport report) {
        // Whoever wants to know says so.
    }
}
