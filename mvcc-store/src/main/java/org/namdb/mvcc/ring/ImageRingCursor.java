package org.namdb.mvcc.ring;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.RemoteAddress;

/// Takes the images of one ring, in their order, in the process of the memory server that it lies
/// on, while sessions write to it. An image is taken when it is whole; a session overwrites none
/// that was not [taken][#release].
/// ```
/// session                                    this
/// image 7 at 900: not yet whole
///                                            looks at 900: nothing
/// image 7 whole; image 8 does not fit
/// behind it, and goes to 0
///                                            looks at 0: image 8. But 7 is whole since before
///                                            image 8 was posted: looks at 900 once more, takes 7
/// ```
/// Images larger than a ring are put together here of their pieces, when their head is there.
///
/// Belongs to one thread.
public final class ImageRingCursor {
    /// What is kept free for the head, in front of an image's pieces.
    private static final int PIECES_FROM = 64;

    /// What is compared of images, and pieces.
    private static final int KEPT_BYTES = ImageRings.HEAD_BYTES + ImageRings.PIECE_HEAD_BYTES;

    private final int slot;
    private final int ringBytes;

    /// Native addresses.
    private final long ring;

    private final long spilled;
    private final CRC32C checksum = new CRC32C();

    /// A copy of the head of what was taken last, and whether there is one.
    private final long last;

    private boolean hasLast;

    /// A copy of the head of what is at the ring's start.
    private final long first;

    /// Where the next one is expected.
    private int position;

    private final Arena arena;
    private long taken;
    private int capacity;

    private @Nullable Arena piecesArena;
    private long pieces;
    private long piecesBytes;
    private long piecesCapacity;

    private ImageRingCursor(Arena arena, int slot, int ringBytes, long ring, long spilled) {
        this.arena = arena;
        this.slot = slot;
        this.ringBytes = ringBytes;
        this.ring = ring;
        this.spilled = spilled;
        this.last = arena.allocate(KEPT_BYTES, 8).address();
        this.first = arena.allocate(KEPT_BYTES, 8).address();
    }

    /// Cursors for all rings on a server, at their starts.
    ///
    /// @param region the native address of the server's region
    /// @param slots how many slots there are
    public static ImageRingCursor[] of(
            Arena arena, ImageRings rings, int server, long region, int slots) {
        List<ImageRingCursor> cursors = new ArrayList<>();
        for (int copy = 0; copy < ImageRings.COPIES; copy++) {
            for (int slot = 0; slot < slots; slot++) {
                if ((slot + copy) % rings.servers() == server) {
                    cursors.add(
                            new ImageRingCursor(
                                    arena,
                                    slot,
                                    rings.ringBytes(),
                                    region + RemoteAddress.offset(rings.address(slot, copy)),
                                    region + RemoteAddress.offset(rings.spilled(slot, copy))));
                }
            }
        }
        return cursors.toArray(ImageRingCursor[]::new);
    }

    /// Looks for the next image. What was found before was [released][#release].
    ///
    /// @return whether there is one: [#contents]
    public boolean next() {
        while (find()) {
            int kind = ImageRings.kind(LocalMemory.intAt(taken + ImageRings.BYTES_OFFSET));
            if (kind == ImageRings.IMAGE) {
                return true;
            }
            if (kind == ImageRings.PIECE) {
                addPiece();
                release();
            } else {
                completePieces();
                return true;
            }
        }
        return false;
    }

    private boolean find() {
        if (take(position) && !isFromNextLap()) {
            return true;
        }
        if (position == 0 || !take(0)) {
            return false;
        }
        // Whatever the session has written behind the last one is whole by now.
        int behind = position;
        if (take(behind) && !isFromNextLap()) {
            return true;
        }
        boolean isThere = take(0);
        if (isThere) {
            position = 0;
        }
        return isThere;
    }

    /// Whether what was taken at the position can't be there, as the ring's start has an earlier
    /// one that is next: it is a part of an earlier lap, or of what is at the start.
    private boolean isFromNextLap() {
        if (position == 0) {
            return false;
        }
        LocalMemory.copy(ring, first, KEPT_BYTES);
        return ImageRings.isPlausible(first, slot, ringBytes)
                && ImageRings.isLater(first, last)
                && ImageRings.isLater(taken, first);
    }

    /// Copies what begins there, if it is whole and the next.
    private boolean take(int at) {
        long image = ring + at;
        if (at + ImageRings.HEAD_BYTES + ImageRings.END_BYTES > ringBytes
                || LocalMemory.longAcquire(image) == 0
                || !ImageRings.isPlausible(image, slot, ringBytes - at)) {
            return false;
        }
        int bytes = ImageRings.bytes(LocalMemory.intAt(image + ImageRings.BYTES_OFFSET));
        if (bytes > capacity) {
            capacity = Math.min(ringBytes, Math.max(bytes, 2 * capacity));
            taken = arena.allocate(capacity, 8).address();
        }
        LocalMemory.copy(image, taken, bytes);
        return ImageRings.isPlausible(taken, slot, ringBytes - at)
                && ImageRings.bytes(LocalMemory.intAt(taken + ImageRings.BYTES_OFFSET)) == bytes
                && LocalMemory.intAt(taken + ImageRings.CHECK_OFFSET)
                        == ImageRings.check(checksum, taken, bytes)
                && isNext(at);
    }

    private boolean isNext(int at) {
        if (!hasLast) {
            return at == 0;
        }
        boolean isSameOwner =
                LocalMemory.longAt(taken + ImageRings.OWNER_OFFSET)
                        == LocalMemory.longAt(last + ImageRings.OWNER_OFFSET);
        return (at == 0 || isSameOwner) && ImageRings.isLater(taken, last);
    }

    private void addPiece() {
        long offset = LocalMemory.longAt(taken + ImageRings.PIECE_OFFSET);
        int head = ImageRings.HEAD_BYTES + ImageRings.PIECE_HEAD_BYTES;
        int bytes = ImageRings.bytes(LocalMemory.intAt(taken + ImageRings.BYTES_OFFSET)) - head;
        if (offset == 0) {
            piecesBytes = 0; // those before are of a commit that was rolled back
        }
        ensurePieces(offset + bytes);
        LocalMemory.copy(taken + head, pieces + PIECES_FROM + offset, bytes);
        piecesBytes = offset + bytes;
    }

    private void ensurePieces(long bytes) {
        if (PIECES_FROM + bytes <= piecesCapacity) {
            return;
        }
        Arena before = piecesArena;
        long old = pieces;
        Arena larger = Arena.ofShared();
        piecesCapacity = Math.max(PIECES_FROM + bytes, 2 * piecesCapacity);
        pieces = larger.allocate(piecesCapacity, 8).address();
        piecesArena = larger;
        if (before != null) {
            LocalMemory.copy(old, pieces, PIECES_FROM + piecesBytes);
            before.close();
        }
    }

    private int headBytes() {
        return ImageRings.bytes(LocalMemory.intAt(taken + ImageRings.BYTES_OFFSET))
                - ImageRings.HEAD_BYTES
                - ImageRings.PIECES_HEAD_BYTES;
    }

    private void completePieces() {
        ensurePieces(piecesBytes);
        int bytes = headBytes();
        LocalMemory.copy(
                taken + ImageRings.HEAD_BYTES + ImageRings.PIECES_HEAD_BYTES,
                pieces + PIECES_FROM - bytes,
                bytes);
    }

    private boolean isOfPieces() {
        return ImageRings.kind(LocalMemory.intAt(taken + ImageRings.BYTES_OFFSET))
                == ImageRings.PIECES_HEAD;
    }

    /// The native address of the image's contents, until it is released.
    public long contents() {
        return isOfPieces() ? pieces + PIECES_FROM - headBytes() : taken + ImageRings.HEAD_BYTES;
    }

    /// How many bytes they have.
    public long contentBytes() {
        return isOfPieces()
                ? headBytes() + piecesBytes
                : ImageRings.bytes(LocalMemory.intAt(taken + ImageRings.BYTES_OFFSET))
                        - ImageRings.HEAD_BYTES;
    }

    /// It was taken: the session may overwrite it.
    public void release() {
        int bytes = ImageRings.bytes(LocalMemory.intAt(taken + ImageRings.BYTES_OFFSET));
        if (isOfPieces()) {
            dropPieces();
        }
        LocalMemory.copy(taken, last, Math.min(bytes, KEPT_BYTES));
        hasLast = true;
        position += bytes;
        LocalMemory.putLongRelease(spilled, ImageRings.spilledWord(last));
    }

    private void dropPieces() {
        Arena used = piecesArena;
        if (used != null) {
            used.close();
        }
        piecesArena = null;
        piecesCapacity = 0;
        piecesBytes = 0;
    }

    /// Which slot's ring it is.
    public int slot() {
        return slot;
    }
}
