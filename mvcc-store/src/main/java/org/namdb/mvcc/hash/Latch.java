package org.namdb.mvcc.hash;

import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.owner.DeadSlots;
import org.namdb.mvcc.owner.LatchKind;
import org.namdb.mvcc.owner.LatchOwner;

/// The latch of a home bucket: its first word. A session that changes entries of the bucket or of
/// its overflow areas holds it for one short change; readers ignore it.
/// ```
/// 0          free
/// slot + 1   of the session with this timestamp slot
/// ```
/// So the holder is found from memory alone, and a dead session's latch is [released][#repair].
/// Nothing else needs repair: an entry under claim is locked, and by its own header; an overflow
/// area is complete before the one WRITE of a word that links it.
public final class Latch {
    private static final long FREE = 0;

    private Latch() {}

    /// Takes the latch of the home bucket at `home`; tries until it is free. The caller holds no
    /// other latch.
    ///
    /// @throws org.namdb.mvcc.owner.LatchTimeoutException if it does not get free within the
    ///     owner's limit
    public static void acquire(QueuePair queuePair, long home, LatchOwner owner) {
        owner.startWait();
        while (true) {
            long word = home + BucketLayout.LATCH_OFFSET;
            long found = queuePair.casWord(word, FREE, owner.slot() + 1L);
            if (isWon(found)) {
                return;
            }
            owner.pause(LatchKind.BUCKET, home, holder(found));
        }
    }

    /// Posts a READ of the latch of the home bucket at `home`.
    ///
    /// @return the view of its word
    public static long postRead(QueuePair queuePair, long home) {
        return queuePair.read(home + BucketLayout.LATCH_OFFSET, Long.BYTES);
    }

    /// Whether a session holds the latch whose word was [read][#postRead].
    public static boolean isHeld(long view) {
        return LocalMemory.longAcquire(view) != FREE;
    }

    /// Waits until no session holds the latch of the home bucket at `home`.
    ///
    /// @return whether one held it at first
    /// @throws org.namdb.mvcc.owner.LatchTimeoutException if it does not get free within the
    ///     owner's limit
    public static boolean awaitFree(QueuePair queuePair, long home, LatchOwner owner) {
        boolean wasHeld = false;
        owner.startWait();
        while (true) {
            long word = queuePair.readWord(home + BucketLayout.LATCH_OFFSET);
            if (word == FREE) {
                return wasHeld;
            }
            wasHeld = true;
            owner.pause(LatchKind.BUCKET, home, holder(word));
        }
    }

    /// Posts the release.
    public static void postRelease(QueuePair queuePair, long home) {
        queuePair.writeWord(home + BucketLayout.LATCH_OFFSET, FREE);
    }

    /// Releases the latch of the home bucket at `home` if one of the dead slots holds it. Any
    /// number of threads may try.
    ///
    /// @return whether one of them held it, and it was released here
    public static boolean repair(QueuePair queuePair, long home, DeadSlots dead) {
        long word = home + BucketLayout.LATCH_OFFSET;
        long found = queuePair.readWord(word);
        return isHeldBy(found, dead) && queuePair.casWord(word, found, FREE) == found;
    }

    /// Whether one of the dead slots holds the latch whose word is `word`.
    static boolean isHeldBy(long word, DeadSlots dead) {
        return word != FREE && dead.contains(holder(word));
    }

    /// Posts a try to take the latch; the word in the returned view shows whether it
    /// [succeeded][#isWon].
    static long postTry(QueuePair queuePair, long home, LatchOwner owner) {
        return queuePair.compareAndSwap(home + BucketLayout.LATCH_OFFSET, FREE, owner.slot() + 1L);
    }

    /// Whether a try that has found `found` has taken the latch.
    static boolean isWon(long found) {
        return found == FREE;
    }

    /// The slot that holds a latch whose word is not [#FREE].
    static int holder(long word) {
        return (int) word - 1;
    }
}
