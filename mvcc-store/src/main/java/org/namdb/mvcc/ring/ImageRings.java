package org.namdb.mvcc.ring;

import java.util.zip.CRC32C;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.RemoteAddress;

/// Where the image rings of all slots lie. Slot s has one on memory server s mod n, copy 0, and one
/// with the same bytes on memory server (s + 1) mod n, copy 1. On each server:
/// ```
/// copy 0 of slot k, k + n, k + 2n ..     copy 1 of slot k - 1, k - 1 + n ..      of server k
/// | ring | ring | ring | ...             | ring | ring | ring | ...
///
/// ring    0                                                                 ringBytes
///         | image | image | ... | image | 0 | what is left of the last lap |
///
/// image   0        4        8       16                 24
///         | bytes  | check  | owner | commit timestamp | contents ..         |
/// ```
/// - bytes: those of the image, with this head; a multiple of 8.
/// - check: CRC-32C of the image from its owner on.
/// - owner: a number of the session that has written it, which no other one has. Each session
///   begins at the ring's start.
/// - commit timestamp: with the slot. It rises from image to image, whoever owns the slot.
/// - 0: a word behind the newest image, written together with it. An image that does not fit behind
///   the one before, together with this word, goes to the ring's start.
///
/// So the images of the current lap are found from the ring's start on: each is whole, of the same
/// owner as the first, and later than the one before. What is behind the last one is the word 0, an
/// image that was not written to its end, or, if its own WRITE was cut just before the word 0, a
/// part of an earlier lap, which is no image, or an older one.
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
        if (ringBytes <= HEAD_BYTES + END_BYTES || ringBytes % ALIGNMENT != 0) {
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
        return (int) checksum.getValue();
    }
}
