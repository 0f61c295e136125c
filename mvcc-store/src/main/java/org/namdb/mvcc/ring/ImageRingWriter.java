package org.namdb.mvcc.ring;

import java.util.zip.CRC32C;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;

/// Appends images to both rings of one slot, for its owner.
/// ```
/// prepare    local memory for the contents, which the caller fills
/// post       one WRITE to each ring, or several if it is large
/// ```
/// What was posted last has been awaited before another image is prepared. Belongs to one thread.
public final class ImageRingWriter {
    private static final int MAX_BYTES_PER_WRITE = 64 << 10;

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

    /// @param owner a number of the session that has the slot, which no other one has
    public ImageRingWriter(QueuePair queuePair, ImageRings rings, int slot, long owner) {
        assert owner != 0 : "0 is no owner";
        this.queuePair = queuePair;
        this.rings = rings;
        this.slot = slot;
        this.owner = owner;
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
        int bytes = ImageRings.HEAD_BYTES + contentBytes;
        if (tail + bytes + ImageRings.END_BYTES > rings.ringBytes()) {
            tail = 0;
        }
        LocalMemory.putInt(image + ImageRings.BYTES_OFFSET, bytes);
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
