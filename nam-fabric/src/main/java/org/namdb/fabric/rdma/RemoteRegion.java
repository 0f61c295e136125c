package org.namdb.fabric.rdma;

import java.nio.ByteBuffer;
import org.namdb.fabric.Region;

/// A region as its memory server has reported it: where its pieces lie in that process's memory,
/// and their keys. Kept in arrays, as every verb looks a piece up.
/// ```
/// | server 4 | key 4 | bytes 8 | log2 of a piece's bytes 4 | per piece: address 8 | rkey 4 |
/// ```
final class RemoteRegion {
    private final Region region;
    private final int pieceShift;
    private final long[] addresses;
    private final int[] keys;

    RemoteRegion(Region region, int pieceShift, long[] addresses, int[] keys) {
        this.region = region;
        this.pieceShift = pieceShift;
        this.addresses = addresses;
        this.keys = keys;
    }

    static RemoteRegion readFrom(ByteBuffer message) {
        int server = message.getInt();
        int key = message.getInt();
        Region region = new Region(server, message.getLong(), key);
        int shift = message.getInt();
        int pieces = pieces(region, shift);
        long[] addresses = new long[pieces];
        int[] keys = new int[pieces];
        for (int i = 0; i < pieces; i++) {
            addresses[i] = message.getLong();
            keys[i] = message.getInt();
        }
        return new RemoteRegion(region, shift, addresses, keys);
    }

    void writeTo(ByteBuffer message) {
        message.putInt(region.server()).putInt(region.key()).putLong(region.bytes());
        message.putInt(pieceShift);
        for (int i = 0; i < addresses.length; i++) {
            message.putLong(addresses[i]).putInt(keys[i]);
        }
    }

    /// How long that is.
    int messageBytes() {
        return 20 + 12 * addresses.length;
    }

    static int pieces(Region region, int pieceShift) {
        return (int) (((region.bytes() - 1) >>> pieceShift) + 1);
    }

    Region region() {
        return region;
    }

    long bytes() {
        return region.bytes();
    }

    /// The piece in which an offset lies.
    int piece(long offset) {
        return (int) (offset >>> pieceShift);
    }

    /// How many bytes there are from an offset to the end of its piece.
    long bytesToEnd(long offset) {
        return (1L << pieceShift) - (offset & ((1L << pieceShift) - 1));
    }

    /// The native address of an offset, in the memory server's process.
    long address(long offset) {
        return addresses[piece(offset)] + (offset & ((1L << pieceShift) - 1));
    }

    int key(long offset) {
        return keys[piece(offset)];
    }
}
