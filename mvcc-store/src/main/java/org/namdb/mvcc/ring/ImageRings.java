package org.namdb.mvcc.ring;

import java.util.zip.CRC32C;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.RemoteAddress;
import org.namdb.timestamp.CommitTimestamp;

/// Where the image rings of all slots lie. Slot s has one on memory server s mod n, copy 0, and one
/// with the same bytes on memory server (s + 1) mod n, copy 1. On each server:
/// ```
/// copy 0 of slot k, k + n, k + 2n ..     copy 1 of slot k - 1, k - 1 + n ..      of server k
/// | ring | ring | ring | ...             | ring | ring | ring | ...
///
/// ring    0                                                                 ringBytes
///         | image | image | ... | image | 0 | what is left of the last lap |
///
/// image   0             4        8       16                 24
///         | bytes, kind | check  | owner | commit timestamp | contents ..    |
/// ```
/// - bytes: those of the image, with this head; a multiple of 8. The highest 8 bits are what it is:
///   an image, or a piece of one that is larger than a ring.
/// - check: CRC-32C of the image from its owner on, and what it is.
/// - owner: a number of the session that has written it, which no other one has. Each session
///   begins at the ring's start.
/// - commit timestamp: with the slot. It rises from image to image, whichever session owns the
///   slot.
/// - 0: a word behind the newest image, written together with it. An image that does not fit behind
///   the one before, together with this word, goes to the ring's start.
///
/// So the images of the current lap are found from the ring's start on: each is whole, of the same
/// owner as the first, and later than the one before. What is behind the last one is the word 0, an
/// image that was not written to its end, or, if its own WRITE was cut just before the word 0, a
/// part of an earlier lap, which is no image, or an older one.
///
/// **Large images**, where memory servers [spill][ImageRingCursor] the rings: pieces with what is
/// behind the image's head, then the head, which alone makes it count.
/// ```
/// piece   24       32                      head    24       32
///         | serial | offset | bytes ..             | serial | the image's first bytes |
/// ```
/// All have the image's commit timestamp, or one before it that was not used; the serial numbers of
/// a session's pieces rise. Offset: where in the image, behind its head, the bytes belong.
///
/// **Control words**, behind the rings of each server, are written by its process:
/// ```
/// 0                      8                       64
/// | last cut on the disk | whether it can write  | spilled, for each ring ..
/// ```
/// spilled: a hash of the head of the last image, or piece, that was taken from the ring.
public final class ImageRings {
    /// The usual length of a ring.
    public static final int DEFAULT_BYTES = 256 << 10;

    /// How many rings a slot has.
    public static final int COPIES = 2;

    static final int BYTES_OFFSET = 0;
    static final int CHECK_OFFSET = 4;
    static final int OWNER_OFFSET = 8;
    static final int TIMESTAMP_OFFSET = 16;
    static final int HEAD_BYTES = 24;

    /// Of an image as a whole, of a piece of a larger one, and of the head of that.
    static final int IMAGE = 0;

    static final int PIECE = 1;
    static final int PIECES_HEAD = 2;

    static final int SERIAL_OFFSET = HEAD_BYTES;
    static final int PIECE_OFFSET = HEAD_BYTES + 8;
    static final int PIECE_HEAD_BYTES = 16;
    static final int PIECES_HEAD_BYTES = 8;

    private static final int KIND_SHIFT = 24;
    private static final int LENGTH_MASK = (1 << KIND_SHIFT) - 1;
    private static final long HASH = 0x9e3779b97f4a7c15L;
    private static final int KIND_HASH = 0x9e3779b9;
    private static final int SPILLED_OFFSET = 64;
    private static final int STATE_OFFSET = 8;
    private static final int CHECKPOINTS_OFFSET = 16;
    static final int END_BYTES = 8;

    private static final int ALIGNMENT = 64;

    private final long[] addresses;
    private final int perCopy;
    private final int ringBytes;

    /// @param slots how many slots there are
    /// @param ringBytes of each ring, a multiple of 64
    /// @param addresses where each memory server's rings begin, by its number; two at least
    public ImageRings(int slots, int ringBytes, long... addresses) {
        if (addresses.length < COPIES) {
            throw new IllegalArgumentException(
                    "replicated commits need two memory servers at least, and there is one");
        }
        if (ringBytes <= HEAD_BYTES + END_BYTES
                || ringBytes > LENGTH_MASK
                || ringBytes % ALIGNMENT != 0) {
            throw new IllegalArgumentException("a ring of %d bytes".formatted(ringBytes));
        }
        this.addresses = addresses.clone();
        this.perCopy = Math.ceilDiv(slots, addresses.length);
        this.ringBytes = ringBytes;
    }

    /// The bytes that each memory server needs for the rings of `slots` slots.
    public static long bytes(int slots, int servers, int ringBytes) {
        return (long) COPIES * Math.ceilDiv(slots, servers) * ringBytes;
    }

    /// The bytes that each memory server needs behind the rings, for its control words.
    public static long controlBytes(int slots, int servers) {
        long rings = (long) COPIES * Math.ceilDiv(slots, servers);
        return SPILLED_OFFSET + (rings * Long.BYTES + ALIGNMENT - 1 & -ALIGNMENT);
    }

    /// How many slots have a ring of each copy on a server.
    int perCopy() {
        return perCopy;
    }

    int servers() {
        return addresses.length;
    }

    private long control(int server) {
        return addresses[server] + (long) COPIES * perCopy * ringBytes;
    }

    /// The remote address of a server's word with the number of the last cut that is on its disk.
    public long forcedCut(int server) {
        return control(server);
    }

    /// The remote address of a server's word about its disk, a [SpillState].
    public long state(int server) {
        return control(server) + STATE_OFFSET;
    }

    /// The remote address of the word with the number of the last checkpoint that was begun, on
    /// server 0.
    public long checkpoints() {
        return control(0) + CHECKPOINTS_OFFSET;
    }

    /// The remote address of the word about what was spilled of a slot's ring.
    long spilled(int slot, int copy) {
        int server = (slot + copy) % addresses.length;
        long ring = (long) copy * perCopy + slot / addresses.length;
        return control(server) + SPILLED_OFFSET + Long.BYTES * ring;
    }

    /// What the control word of a ring says when an image, or a piece of one, is the last that was
    /// taken from it. A place alone would not do: another lap's image may end there as well.
    ///
    /// @param image its address in local memory
    static long spilledWord(long image) {
        long word = LocalMemory.longAt(image + OWNER_OFFSET);
        word = (word ^ LocalMemory.longAt(image + TIMESTAMP_OFFSET)) * HASH;
        if (kind(LocalMemory.intAt(image + BYTES_OFFSET)) != IMAGE) {
            word = (word ^ word >>> 32 ^ LocalMemory.longAt(image + SERIAL_OFFSET)) * HASH;
        }
        return word ^ word >>> 29;
    }

    static int kind(int bytesWord) {
        return bytesWord >>> KIND_SHIFT;
    }

    static int bytes(int bytesWord) {
        return bytesWord & LENGTH_MASK;
    }

    static int bytesWord(int kind, int bytes) {
        return kind << KIND_SHIFT | bytes;
    }

    /// Whether what begins somewhere in local memory may be the next piece or image of a slot: its
    /// length does, and its timestamp is one of the slot's.
    ///
    /// @param available how many bytes there are behind, for the word 0 as well
    static boolean isPlausible(long image, int slot, int available) {
        int word = LocalMemory.intAt(image + BYTES_OFFSET);
        int bytes = bytes(word);
        int least =
                switch (kind(word)) {
                    case IMAGE -> HEAD_BYTES;
                    case PIECE -> HEAD_BYTES + PIECE_HEAD_BYTES;
                    case PIECES_HEAD -> HEAD_BYTES + PIECES_HEAD_BYTES;
                    default -> Integer.MAX_VALUE;
                };
        return bytes >= least
                && bytes % Long.BYTES == 0
                && bytes <= available - END_BYTES
                && CommitTimestamp.slot(LocalMemory.longAt(image + TIMESTAMP_OFFSET)) == slot;
    }

    /// Whether an image, or a piece of one, was written after another one of its slot. Pieces of an
    /// image, and one that takes its place, may have the same timestamp.
    static boolean isLater(long image, long before) {
        long was = CommitTimestamp.timestamp(LocalMemory.longAt(before + TIMESTAMP_OFFSET));
        long is = CommitTimestamp.timestamp(LocalMemory.longAt(image + TIMESTAMP_OFFSET));
        if (kind(LocalMemory.intAt(before + BYTES_OFFSET)) != PIECE || is != was) {
            return is > was;
        }
        return kind(LocalMemory.intAt(image + BYTES_OFFSET)) != PIECE
                || LocalMemory.longAt(image + OWNER_OFFSET)
                        != LocalMemory.longAt(before + OWNER_OFFSET)
                || LocalMemory.longAt(image + SERIAL_OFFSET)
                        > LocalMemory.longAt(before + SERIAL_OFFSET);
    }

    /// The bytes of a ring.
    public int ringBytes() {
        return ringBytes;
    }

    /// Contents of so many bytes are the largest that a ring takes.
    public int maxContentBytes() {
        return ringBytes - HEAD_BYTES - END_BYTES;
    }

    /// The remote address of a slot's ring.
    ///
    /// @param copy 0 or 1
    public long address(int slot, int copy) {
        assert copy >= 0 && copy < COPIES : "copy " + copy;
        int server = (slot + copy) % addresses.length;
        long ring = (long) copy * perCopy + slot / addresses.length;
        return addresses[server] + ring * ringBytes;
    }

    /// Whose ring lies at a remote address, in a few words; empty if it is outside of the rings.
    public String describe(long remote) {
        int server = RemoteAddress.server(remote);
        if (server >= addresses.length || remote < addresses[server]) {
            return "";
        }
        long ring = (remote - addresses[server]) / ringBytes;
        long copy = ring / perCopy;
        long slot =
                ring % perCopy * addresses.length
                        + Math.floorMod(server - copy, (long) addresses.length);
        return copy >= COPIES ? "" : "copy %d of the image ring of slot %d".formatted(copy, slot);
    }

    /// The check of an image that lies in local memory.
    static int check(CRC32C checksum, long image, int bytes) {
        checksum.reset();
        checksum.update(
                LocalMemory.segment(image + OWNER_OFFSET, (long) bytes - OWNER_OFFSET)
                        .asByteBuffer());
        int kind = kind(LocalMemory.intAt(image + BYTES_OFFSET));
        return (int) checksum.getValue() + kind * KIND_HASH;
    }
}
