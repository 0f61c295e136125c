package org.namdb.compute.commit;

import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.ring.ImageRingWriter;
import org.namdb.mvcc.ring.ImageRings;

/// Has each commit of a session leave its image in the two [rings][ImageRings] of its slot. The
/// images are posted together with the install, on the session's queue pair, and awaited with it
/// before the commit is published. So a commit that others can see has its image on two memory
/// servers.
/// ```
/// WRITE image to copy 0, WRITE image to copy 1, install       1 round trip, that of the install
/// publish                                                     1 round trip
/// ```
/// From when an image is whole in any of the two, its commit is never undone: should the session
/// die, recovery finishes it. That needs every lock and claim, so these are awaited before.
///
/// A commit whose image is larger than a ring leaves none.
public final class ReplicatedCommits implements CommitJournal {
    private static final int FIRST_BYTES = 4 << 10;

    private final ImageRings rings;
    private final ImageRingWriter writer;
    private CommitImage image;
    private int capacity;

    /// The bytes of the image that is to be appended; 0 for none.
    private int reserved;

    /// @param queuePair the session's
    /// @param owner a number of the session, which no other one has
    public ReplicatedCommits(QueuePair queuePair, ImageRings rings, int slot, long owner) {
        this.rings = rings;
        this.writer = new ImageRingWriter(queuePair, rings, slot, owner);
        this.capacity = Math.min(FIRST_BYTES, rings.maxContentBytes());
        this.image = new CommitImage(writer.prepare(capacity), capacity);
    }

    @Override
    public void reserve(WriteSet writes) {
        long bytes = image.bytes(writes);
        reserved = bytes > rings.maxContentBytes() ? 0 : (int) bytes;
        if (reserved > capacity) {
            int larger = Math.min(Math.max(reserved, 2 * capacity), rings.maxContentBytes());
            image = new CommitImage(writer.prepare(larger), larger);
            capacity = larger;
        }
    }

    @Override
    public void release() {
        reserved = 0;
    }

    @Override
    public boolean isImageCommit() {
        return reserved > 0;
    }

    @Override
    public void published() {
        writer.published();
    }

    @Override
    public void append(WriteSet writes, long commitTimestamp, long snapshot) {
        if (reserved > 0) {
            int bytes = image.encode(writes, commitTimestamp, snapshot);
            writer.post(commitTimestamp, bytes);
            reserved = 0;
        }
    }
}
