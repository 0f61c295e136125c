package org.namdb.mvcc.record;

import org.namdb.timestamp.CommitTimestamp;

/// The 64-bit word of every version. One remote atomic can change it, so validate and lock are one
/// compare-and-swap.
/// ```
///  63      50 49                                  3   2   1   0
/// |   slot   |          commit timestamp           | M | D | L |
/// ```
/// - L, locked: a transaction has it in its write set and is committing.
/// - D, deleted: from this version on, the record does not exist.
/// - M, moved: of a locked current version, that it has been copied to the old-version buffer, so
///   its payload may be in the middle of being overwritten (without M it is still whole, so that a
///   reader need not wait); of an old version, that it has been copied to the overflow region.
/// - M without L, of a current version: locked, and a recovery suspects that the holder is dead.
///   The lock holder does not read it, and overwrites it when it goes on or releases the lock; to
///   all others the record is locked, and its payload whole.
///
/// The highest bit of the timestamp, C, is set in an entry that was claimed for an insert, and in
/// no timestamp; the other bits count the claims of the slot, so that a claim, too, is never taken
/// for another one.
///
/// The word 0 marks an entry of a bucket as free. Slot and timestamp are those of
/// [CommitTimestamp]; no two versions have the same, so a header that has not changed proves that
/// nothing has.
///
/// Source: NAM-DB, section 5.1; the widths are this project's.
public final class RecordHeader {
    /// An entry that holds no record.
    public static final long FREE = 0;

    public static final long LOCKED = 1;
    public static final long DELETED = 2;
    public static final long MOVED = 4;

    private static final long CLAIMED = 1L << 49;
    private static final long FLAGS = LOCKED | DELETED | MOVED;
    private static final long LOCK_BITS = LOCKED | MOVED;

    private RecordHeader() {}

    /// The header of a version that transaction `commitTimestamp` has installed.
    public static long installed(long commitTimestamp) {
        assert (commitTimestamp & FLAGS) == 0 : "not a commit timestamp";
        return commitTimestamp;
    }

    /// The header of the version with which transaction `commitTimestamp` has ended a record.
    public static long deleted(long commitTimestamp) {
        return installed(commitTimestamp) | DELETED;
    }

    /// The header of an entry that a transaction has claimed for an insert: locked, and nothing
    /// there for any snapshot.
    ///
    /// @param claim how many claims were made in this slot before
    public static long claimed(int slot, long claim) {
        return CommitTimestamp.of(slot, claim & CommitTimestamp.MAX_TIMESTAMP)
                | CLAIMED
                | DELETED
                | LOCKED;
    }

    /// The commit timestamp of the version behind it; 0 for [#FREE].
    public static long commitTimestamp(long header) {
        return header & ~FLAGS;
    }

    /// Whether the entry is under claim: its body is not written yet, and its body pointer may be
    /// that of a record that was here before.
    public static boolean isClaimed(long header) {
        return (header & CLAIMED) != 0;
    }

    /// Whether a current version is locked, suspects included.
    public static boolean isLocked(long header) {
        return (header & LOCK_BITS) != 0;
    }

    /// Whether the lock of a current version is suspected to be a dead session's.
    public static boolean isSuspect(long header) {
        return (header & LOCK_BITS) == MOVED;
    }

    /// Whether a current version is locked, and neither under overwrite nor a suspect.
    public static boolean isOnlyLocked(long header) {
        return (header & LOCK_BITS) == LOCKED;
    }

    /// A locked header, not under overwrite, as a recovery marks it.
    public static long suspect(long header) {
        assert isOnlyLocked(header) : "not just locked";
        return header ^ LOCK_BITS;
    }

    public static boolean isDeleted(long header) {
        return (header & DELETED) != 0;
    }

    public static boolean isMoved(long header) {
        return (header & MOVED) != 0;
    }

    /// Whether the payload behind a current version's header may be in the middle of being
    /// overwritten.
    public static boolean isUnderOverwrite(long header) {
        return (header & LOCK_BITS) == LOCK_BITS;
    }

    public static long lock(long header) {
        assert !isLocked(header) : "already locked";
        return header | LOCKED;
    }

    /// Of a locked header: that its version is in the old-version buffer now.
    public static long moved(long header) {
        return header | MOVED;
    }

    /// The header as it was before it was locked.
    public static long unlocked(long header) {
        return header & ~LOCK_BITS;
    }

    /// The header in words that a person can read, as in `3@57 locked`.
    public static String describe(long header) {
        return header == FREE
                ? "free"
                : isClaimed(header)
                        ? "claimed by " + CommitTimestamp.slot(header)
                        : CommitTimestamp.slot(header)
                                + "@"
                                + CommitTimestamp.timestamp(header)
                                + ((header & LOCKED) != 0 ? " locked" : "")
                                + (isDeleted(header) ? " deleted" : "")
                                + (isMoved(header) ? " moved" : "");
    }
}
