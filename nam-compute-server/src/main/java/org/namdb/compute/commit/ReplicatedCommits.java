package org.namdb.compute.commit;

import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.ring.ImageRingWriter;
import org.namdb.mvcc.ring.ImageRings;
import org.namdb.timestamp.CommitTimestamp;
import org.namdb.timestamp.TimestampSlot;

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
/// A commit whose image is larger than a ring leaves none; but where memory servers write images to
/// disks it does, in pieces that are posted before anything is locked, and a head that makes it
/// count:
/// ```
/// reserve     pieces, as the rings have space for them
/// lock ..     the values are those of the pieces; the timestamp is in the head
/// install, await
/// head        1 round trip; from now on it is never undone: all of it is installed
/// publish
/// ```
public final class ReplicatedCommits implements CommitJournal {
    private static final int FIRST_BYTES = 4 << 10;

    private final QueuePair queuePair;
    private final TimestampSlot slot;
    private final ImageRings rings;
    private final ImageRingWriter writer;
    private final boolean isSpilled;
    private final CommitJournal session;
    private CommitImage image;
    private int capacity;

    /// The bytes of the image that is to be appended; 0 for none.
    private int reserved;

    /// An image that is larger than a ring, and its memory; null for none.
    private @Nullable CommitImage large;

    private @Nullable Arena largeArena;
    private long largeMemory;
    private long commitTimestamp;

    /// @param queuePair the session's
    /// @param owner a number of the session, which no other one has
    /// @param whileFull called while the rings have no space, as memory servers must write to their
    ///     disks first; null where they don't
    /// @param session is notified of commits as well, and appends nothing
    public ReplicatedCommits(
            QueuePair queuePair,
            ImageRings rings,
            TimestampSlot slot,
            long owner,
            ImageRingWriter.@Nullable Wait whileFull,
            CommitJournal session) {
        this.queuePair = queuePair;
        this.rings = rings;
        this.slot = slot;
        this.session = session;
        this.writer = new ImageRingWriter(queuePair, rings, slot.number(), owner);
        this.isSpilled = whileFull != null;
        this.capacity = Math.min(FIRST_BYTES, rings.maxContentBytes());
        this.image = new CommitImage(writer.prepare(capacity), capacity);
        if (whileFull != null) {
            writer.awaitSpills(whileFull);
            writer.awaitFormer();
        }
    }

    @Override
    public void begin() {
        session.begin();
    }

    @Override
    public void reserve(WriteSet writes) {
        release();
        long bytes = image.bytes(writes);
        if (bytes > rings.maxContentBytes()) {
            reserved = 0;
            if (isSpilled) {
                postPieces(writes, bytes);
            }
            return;
        }
        reserved = (int) bytes;
        if (reserved > capacity) {
            int larger = Math.min(Math.max(reserved, 2 * capacity), rings.maxContentBytes());
            image = new CommitImage(writer.prepare(larger), larger);
            capacity = larger;
        }
        writer.reserve(reserved);
    }

    private void postPieces(WriteSet writes, long bytes) {
        if (bytes > Integer.MAX_VALUE - (1 << 20)) {
            throw new JournalFullException(
                    "the transaction changes too much: %,d bytes".formatted(bytes), null);
        }
        Arena arena = Arena.ofShared();
        largeArena = arena;
        largeMemory = arena.allocate(bytes, 8).address();
        CommitImage made = new CommitImage(largeMemory, (int) bytes);
        int _ = made.encode(writes, 0, 0);
        long next = CommitTimestamp.of(slot.number(), slot.last() + 1);
        int head = CommitImage.HEAD_BYTES;
        writer.postPieces(next, largeMemory + head, bytes - head);
        writer.reserveHead(head);
        image = new CommitImage(writer.prepare(capacity), capacity);
        large = made;
    }

    @Override
    public void release() {
        reserved = 0;
        large = null;
        Arena used = largeArena;
        if (used != null) {
            largeArena = null;
            used.close();
        }
    }

    @Override
    public boolean isImageCommit() {
        return reserved > 0;
    }

    @Override
    public void append(WriteSet writes, long commitTimestamp, long snapshot) {
        CommitImage pieces = large;
        if (pieces != null) {
            pieces.stamp(commitTimestamp, snapshot);
            this.commitTimestamp = commitTimestamp;
        } else if (reserved > 0) {
            int bytes = image.encode(writes, commitTimestamp, snapshot);
            writer.post(commitTimestamp, bytes);
            reserved = 0;
        }
    }

    @Override
    public void installed() {
        if (large != null) {
            writer.postHead(commitTimestamp, largeMemory, CommitImage.HEAD_BYTES);
            queuePair.await();
            image = new CommitImage(writer.prepare(capacity), capacity);
        }
    }

    @Override
    public void published() {
        writer.published();
        release();
        session.published();
    }
}
