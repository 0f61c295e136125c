package org.namdb.mvcc.ring;

/// Whether a memory server can write what it takes from the rings to its disk, as its control word
/// has it.
public enum SpillState {
    /// It can.
    WORKS,
    /// The disk is full. It tries again.
    FULL,
    /// The disk has failed, and nothing more is written.
    FAILED;

    /// By the value of the word.
    public static SpillState of(long word) {
        return word == FULL.ordinal() ? FULL : word == WORKS.ordinal() ? WORKS : FAILED;
    }
}
