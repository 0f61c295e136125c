package org.namdb.mvcc.ring;

import java.util.Objects;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;

/// Appends images to both rings of one slot, for its owner.
/// ```
/// prepare    local memory for the contents, which the caller fills
/// post       one WRITE to each ring, or several if it is large
/// ```
/// What was posted last has been awaited before another image is prepared. Belongs to one thread.
///
/// Where memory servers [spill][#awaitSpills] the rings, no image is overwritten before both have
/// taken it. More than half a ring of others has the writer request how far they are, which is a
/// round trip; it waits if there is no space. It has locked nothing then.
public final class ImageRingWriter {
    private static final int MAX_BYTES_PER_WRITE = 64 << 10;

    /// How many pieces of a large image a ring has space for.
    private static final int PIECES_PER_RING = 5;

    /// What waits for memory servers.
    @FunctionalInterface
    public interface Wait {
        /// Called again and again; what it throws ends the wait.
        ///
        /// @param state the worst of the two servers'
        void more(SpillState state);
    }

    private final QueuePair queuePair;
    private final ImageRings rings;
    private final int slot;
    private final long owner;
    private final CRC32C checksum = new CRC32C();
    private int tail;

    /// Where an image is made, in local memory; 0 before the first.
    private long image;

    private int capacity;

    /// Where in the rings the last image begins, and how many bytes were written of it.
    private int last;

    private int lastBytes;

    private @Nullable UnspilledImages unspilled;
    private @Nullable Wait wait;
    private long serial;

    /// @param owner a number of the session that has the slot, which no other one has
    public ImageRingWriter(QueuePair queuePair, ImageRings rings, int slot, long owner) {
        assert owner != 0 : "0 is no owner";
        this.queuePair = queuePair;
        this.rings = rings;
        this.slot = slot;
        this.owner = owner;
    }

    /// From now on, memory servers take the images.
    ///
    /// @param whileWaiting called while there is no space
    public void awaitSpills(Wait whileWaiting) {
        wait = whileWaiting;
        unspilled = new UnspilledImages();
    }

    /// Waits until what the session before has left in the slot's rings was taken.
    public void awaitFormer() {
        Wait waiting = Objects.requireNonNull(wait);
        ImageRingReader reader = new ImageRingReader(queuePair, rings);
        for (int copy = 0; copy < ImageRings.COPIES; copy++) {
            boolean _ = reader.readLast(slot, copy);
            while (reader.hasPiece() && !isSpilled(copy, reader.spilledWhenDone())) {
                waiting.more(state());
            }
        }
        reader.close();
    }

    private boolean isSpilled(int copy, long word) {
        return queuePair.readWord(rings.spilled(slot, copy)) == word;
    }

    private SpillState state() {
        SpillState worst = SpillState.WORKS;
        for (int copy = 0; copy < ImageRings.COPIES; copy++) {
            int server = RemoteAddress.server(rings.address(slot, copy));
            SpillState found = SpillState.of(queuePair.readWord(rings.state(server)));
            worst = found.compareTo(worst) > 0 ? found : worst;
        }
        return worst;
    }

    /// Makes sure that the next image can be posted, where images must have been taken before they
    /// are overwritten. Nothing is under way.
    ///
    /// @param contentBytes what its contents have at the most
    public void reserve(int contentBytes) {
        UnspilledImages images = unspilled;
        Wait waiting = wait;
        if (images == null || waiting == null) {
            return;
        }
        int bytes = ImageRings.HEAD_BYTES + contentBytes + ImageRings.END_BYTES;
        int at = tail + bytes > rings.ringBytes() ? 0 : tail;
        if (images.bytes() > rings.ringBytes() / 2) {
            readSpilled(images);
        }
        while (images.overlaps(at, at + bytes)) {
            waiting.more(state());
            readSpilled(images);
        }
    }

    private void readSpilled(UnspilledImages images) {
        for (int copy = 0; copy < ImageRings.COPIES; copy++) {
            images.taken(copy, queuePair.readWord(rings.spilled(slot, copy)));
        }
    }

    /// The native address where the contents of the next images are to be put.
    ///
    /// @param bytes how many they may have: at the most [ImageRings#maxContentBytes], and a
    ///     multiple of 8
    public long prepare(int bytes) {
        assert bytes <= rings.maxContentBytes() && bytes % Long.BYTES == 0 : bytes + " bytes";
        int needed = ImageRings.HEAD_BYTES + bytes + ImageRings.END_BYTES;
        if (needed > capacity) {
            long former = image;
            image = queuePair.localMemory(needed);
            capacity = needed;
            boolean _ = former != 0 && queuePair.releaseLocalMemory(former);
        }
        return image + ImageRings.HEAD_BYTES;
    }

    /// Posts the image whose contents were put where [#prepare] has said.
    ///
    /// @param commitTimestamp a word of [org.namdb.timestamp.CommitTimestamp], of this slot, above
    ///     that of every image before
    public void post(long commitTimestamp, int contentBytes) {
        post(ImageRings.IMAGE, commitTimestamp, contentBytes);
    }

    /// Posts an image that is larger than a ring, but for its first bytes, and awaits it. Nothing
    /// counts before its [head][#postHead] is there.
    ///
    /// @param commitTimestamp the next of the slot
    /// @param from the native address of what is behind the first bytes; a multiple of 8
    public void postPieces(long commitTimestamp, long from, long bytes) {
        int most = rings.maxContentBytes() / PIECES_PER_RING - ImageRings.PIECE_HEAD_BYTES & -8;
        for (long at = 0; at < bytes; at += most) {
            int length = (int) Math.min(most, bytes - at);
            int contentBytes = ImageRings.PIECE_HEAD_BYTES + length;
            long contents = prepare(contentBytes);
            LocalMemory.putLong(contents, ++serial);
            LocalMemory.putLong(contents + Long.BYTES, at);
            LocalMemory.copy(from + at, contents + ImageRings.PIECE_HEAD_BYTES, length);
            reserve(contentBytes);
            post(ImageRings.PIECE, commitTimestamp, contentBytes);
            queuePair.await();
        }
    }

    /// Makes sure that the head can be posted: see [#reserve].
    public void reserveHead(int bytes) {
        reserve(ImageRings.PIECES_HEAD_BYTES + bytes);
    }

    /// Posts the head of an image whose [pieces][#postPieces] were posted last: it counts when that
    /// is whole. It is installed.
    public void postHead(long commitTimestamp, long head, int bytes) {
        int contentBytes = ImageRings.PIECES_HEAD_BYTES + bytes;
        long contents = prepare(contentBytes);
        LocalMemory.putLong(contents, ++serial);
        LocalMemory.copy(head, contents + ImageRings.PIECES_HEAD_BYTES, bytes);
        post(ImageRings.PIECES_HEAD, commitTimestamp, contentBytes);
    }

    private void post(int kind, long commitTimestamp, int contentBytes) {
        int bytes = ImageRings.HEAD_BYTES + contentBytes;
        if (tail + bytes + ImageRings.END_BYTES > rings.ringBytes()) {
            tail = 0;
        }
        LocalMemory.putInt(image + ImageRings.BYTES_OFFSET, ImageRings.bytesWord(kind, bytes));
        LocalMemory.putLong(image + ImageRings.OWNER_OFFSET, owner);
        LocalMemory.putLong(image + ImageRings.TIMESTAMP_OFFSET, commitTimestamp);
        LocalMemory.putLong(image + bytes, 0);
        LocalMemory.putInt(
                image + ImageRings.CHECK_OFFSET, ImageRings.check(checksum, image, bytes));
        last = tail;
        lastBytes = bytes + ImageRings.END_BYTES;
        postTo(0);
        if (!PlantedFault.ONE_COPY_AWAITED.isPlanted()) {
            postTo(1);
        }
        tail += bytes;
        if (unspilled != null) {
            unspilled.add(last, tail, ImageRings.spilledWord(image));
        }
    }

    /// The commit whose image was posted last is published.
    public void published() {
        if (PlantedFault.ONE_COPY_AWAITED.isPlanted() && lastBytes > 0) {
            postTo(1);
        }
    }

    private void postTo(int copy) {
        postImage(queuePair, rings.address(slot, copy) + last, image, lastBytes);
    }

    static void postImage(QueuePair queuePair, long to, long from, int bytes) {
        for (int at = 0; at < bytes; at += MAX_BYTES_PER_WRITE) {
            queuePair.write(to + at, from + at, Math.min(MAX_BYTES_PER_WRITE, bytes - at));
        }
    }
}
