package org.namdb.timestamp;

import org.namdb.fabric.QueuePair;

/// What can be observed of a timestamp vector at a moment.
///
/// @param slots how many there are
/// @param slotsInUse how many have an owner
/// @param newest the number of the snapshot chain's newest member
/// @param watermark the member from which on versions are kept: no snapshot in use is older
public record TimestampVectorState(int slots, int slotsInUse, long newest, long watermark) {
    /// Reads it. What is used meanwhile may change.
    public static TimestampVectorState read(TimestampVectorLayout vector, QueuePair queuePair) {
        int used = 0;
        for (long word : new SlotOwners(vector, queuePair).read()) {
            used += word == 0 ? 0 : 1;
        }
        long watermark = queuePair.readWord(vector.watermark());
        long newest = ChainHead.sequence(queuePair.readWord(vector.chain()));
        return new TimestampVectorState(vector.maxSlots(), used, newest, watermark);
    }

    /// For how many later members of the chain old versions are kept.
    public long behind() {
        return Math.max(0, newest - watermark);
    }
}
