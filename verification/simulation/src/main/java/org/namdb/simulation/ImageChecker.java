package org.namdb.simulation;

import org.jspecify.annotations.Nullable;
import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.recovery.RecoveredSlot;
import org.namdb.mvcc.ring.ImageRingReader;
import org.namdb.mvcc.ring.ImageRings;
import org.namdb.timestamp.CommitTimestamp;

/// Checks the images of replicated commits when a slot was recovered: one that is whole in any ring
/// is a commit, and one that was published is whole in both.
final class ImageChecker {
    private final ImageRingReader[] copies = new ImageRingReader[ImageRings.COPIES];

    /// @param queuePair reads without virtual time
    ImageChecker(QueuePair queuePair, ImageRings rings) {
        for (int copy = 0; copy < copies.length; copy++) {
            copies[copy] = new ImageRingReader(queuePair, rings);
        }
    }

    /// What is wrong with a slot that was recovered, and is not used again yet; null if nothing is.
    @Nullable String check(RecoveredSlot slot) {
        long[] last = new long[copies.length];
        for (int copy = 0; copy < copies.length; copy++) {
            last[copy] =
                    copies[copy].readLast(slot.slot(), copy)
                            ? CommitTimestamp.timestamp(copies[copy].commitTimestamp())
                            : 0;
            if (last[copy] > slot.published()) {
                return "<%d,%d> is undone, and has a whole image"
                        .formatted(slot.slot(), last[copy]);
            }
        }
        // A torn image at a ring's start hides those of the lap before.
        boolean isSameLap = copies[0].firstCommitTimestamp() == copies[1].firstCommitTimestamp();
        return isSameLap && last[0] != last[1]
                ? "slot %d has published %d, and the last whole images are %d and %d"
                        .formatted(slot.slot(), slot.published(), last[0], last[1])
                : null;
    }
}
