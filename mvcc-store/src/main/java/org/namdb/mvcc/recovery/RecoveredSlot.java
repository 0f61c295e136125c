package org.namdb.mvcc.recovery;

/// A dead slot that was recovered.
///
/// @param slot its number
/// @param published the last timestamp that it had published: its commits up to that are
///     committed, and no later one is
/// @param last the timestamp up to which those later ones may go
/// @param locks how many locks were released
/// @param undone how many versions were undone
/// @param claims how many claims were released
public record RecoveredSlot(
        int slot, long published, long last, long locks, long undone, long claims) {}
