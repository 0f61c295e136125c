package org.namdb.mvcc.ring;

import java.util.zip.CRC32C;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.ViewScope;

/// Finds the last whole image in a ring. Its slot's holder is dead and fenced, or writes nothing
/// meanwhile; else what is found may be an earlier image, or none, but never a mixture.
///
/// Reusable; belongs to one thread.
public final class ImageRingReader {
    private static final int NONE = -1;

    private final QueuePair queuePair;
    private final ImageRings rings;
    private final CRC32C checksum = new CRC32C();

    /// A copy of the ring, as far as it was read, in local memory.
    private final long memory;

    private int landed;

    /// Where the last image begins that was found, and the last image or piece of one.
    private int found = NONE;

    private int walked = NONE;

    /// Allocates as much local memory as a ring has, as long as the queue pair lives.
    public ImageRingReader(QueuePair queuePair, ImageRings rings) {
        this.queuePair = queuePair;
        this.rings = rings;
        this.memory = queuePair.localMemory(rings.ringBytes());
    }

    /// Reads one of a slot's rings; one round trip for each quarter of the landing buffer up to its
    /// last image.
    ///
    /// @return whether there is a whole image
    public boolean readLast(int slot, int copy) {
        long ring = rings.address(slot, copy);
        landed = 0;
        found = NONE;
        walked = NONE;
        int at = 0;
        while (at + ImageRings.HEAD_BYTES + ImageRings.END_BYTES <= rings.ringBytes()) {
            land(ring, at + ImageRings.HEAD_BYTES);
            int word = LocalMemory.intAt(memory + at + ImageRings.BYTES_OFFSET);
            int bytes = ImageRings.bytes(word);
            if (!ImageRings.isPlausible(memory + at, slot, rings.ringBytes() - at)) {
                break;
            }
            land(ring, at + bytes);
            if (!isNext(memory + at)) {
                break;
            }
            int check = LocalMemory.intAt(memory + at + ImageRings.CHECK_OFFSET);
            if (check != ImageRings.check(checksum, memory + at, bytes)) {
                break;
            }
            walked = at;
            if (ImageRings.kind(word) != ImageRings.PIECE) {
                found = at;
            }
            at += bytes;
        }
        return found != NONE;
    }

    /// Whether what begins there may be behind what was found last.
    private boolean isNext(long image) {
        return walked == NONE
                || LocalMemory.longAt(image + ImageRings.OWNER_OFFSET)
                                == LocalMemory.longAt(memory + walked + ImageRings.OWNER_OFFSET)
                        && ImageRings.isLater(image, memory + walked);
    }

    /// Whether anything was found, if no more than a piece of an image.
    boolean hasPiece() {
        return walked != NONE;
    }

    /// What a server's control word says when all is spilled that was found.
    long spilledWhenDone() {
        return ImageRings.spilledWord(memory + walked);
    }

    /// Whether only the head of the image was found: all of it was installed before that was
    /// written.
    public boolean isInstalled() {
        return ImageRings.kind(LocalMemory.intAt(memory + found + ImageRings.BYTES_OFFSET))
                == ImageRings.PIECES_HEAD;
    }

    private void land(long ring, int to) {
        boolean isInPlace = queuePair.readsInPlace(RemoteAddress.server(ring));
        int most = isInPlace ? rings.ringBytes() : queuePair.batchBytes();
        while (landed < to) {
            int bytes = Math.min(most, rings.ringBytes() - landed);
            try (ViewScope _ = queuePair.openViews()) {
                long view = queuePair.read(ring + landed, bytes);
                queuePair.await();
                LocalMemory.copy(view, memory + landed, bytes);
            }
            landed += bytes;
        }
    }

    /// The commit timestamp of the ring's first image, by which laps differ.
    public long firstCommitTimestamp() {
        return LocalMemory.longAt(memory + ImageRings.TIMESTAMP_OFFSET);
    }

    /// Of the image that was found: the owner of its slot.
    public long owner() {
        return LocalMemory.longAt(memory + found + ImageRings.OWNER_OFFSET);
    }

    /// Its commit timestamp, a word of [CommitTimestamp].
    public long commitTimestamp() {
        return LocalMemory.longAt(memory + found + ImageRings.TIMESTAMP_OFFSET);
    }

    /// Where in the ring it begins.
    public int position() {
        return found;
    }

    /// The native address of its contents, in memory that WRITEs can be posted from.
    public long contents() {
        return memory + found + ImageRings.HEAD_BYTES;
    }

    /// How many bytes its contents have.
    public int contentBytes() {
        return imageBytes() - ImageRings.HEAD_BYTES;
    }

    private int imageBytes() {
        return ImageRings.bytes(LocalMemory.intAt(memory + found + ImageRings.BYTES_OFFSET));
    }

    /// Frees its memory, where the provider can.
    void close() {
        boolean _ = queuePair.releaseLocalMemory(memory);
    }

    /// Posts the image that was found to a ring, at the same place, and the word 0 behind it. No
    /// session owns the slot.
    public void postTo(int slot, int copy) {
        long to = rings.address(slot, copy) + found;
        int bytes = imageBytes();
        ImageRingWriter.postImage(queuePair, to, memory + found, bytes);
        queuePair.writeWord(to + bytes, 0);
    }
}
