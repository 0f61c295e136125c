package org.namdb.memory.server;

import java.nio.ByteBuffer;
import org.namdb.fabric.RemoteAddress;

/// Answers the requests for extents.
final class ExtentRequests {
    private final int server;
    private final long regionBytes;
    private final Extents extents;
    private final ServerCatalog catalog;

    ExtentRequests(int server, long regionBytes, Extents extents, ServerCatalog catalog) {
        this.server = server;
        this.regionBytes = regionBytes;
        this.extents = extents;
        this.catalog = catalog;
    }

    void register(RequestRegistry requests) {
        requests.register(Request.ALLOCATE, this::allocate);
        requests.register(Request.ALLOCATE_ZEROED, this::zeroed);
        requests.register(Request.ALLOCATE_ALIGNED, this::aligned);
        requests.register(Request.FREE, this::free);
        requests.register(Request.USAGE, _ -> usage());
    }

    private static long positive(long bytes) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("bytes " + bytes);
        }
        return bytes;
    }

    private static boolean isFromReserve(ByteBuffer body) {
        return body.getLong() == Request.FROM_RESERVE;
    }

    private byte[] allocate(ByteBuffer body) {
        long offset = extents.allocate(positive(body.getLong()), isFromReserve(body));
        return offset < 0
                ? new byte[] {Request.NOTHING}
                : Request.reply(RemoteAddress.of(server, offset));
    }

    /// An extent, and how many of its bytes the requester has to fill with zeroes: this server
    /// leaves that to a verb, as everything else.
    private byte[] zeroed(ByteBuffer body) {
        long bytes = positive(body.getLong());
        long untouched = extents.touched();
        return zeroed(extents.allocate(bytes, isFromReserve(body)), bytes, untouched);
    }

    private byte[] aligned(ByteBuffer body) {
        long bytes = body.getLong();
        if (bytes < FreeExtents.MIN_ALIGNED_BYTES || Long.bitCount(bytes) != 1) {
            throw new IllegalArgumentException("bytes " + bytes);
        }
        long untouched = extents.touched();
        return zeroed(extents.allocateAligned(bytes, isFromReserve(body)), bytes, untouched);
    }

    private byte[] zeroed(long offset, long bytes, long untouched) {
        return offset < 0
                ? new byte[] {Request.NOTHING}
                : Request.reply(
                        RemoteAddress.of(server, offset), Math.clamp(untouched - offset, 0, bytes));
    }

    private byte[] free(ByteBuffer pieces) {
        do {
            long address = pieces.getLong();
            extents.free(RemoteAddress.offset(address), pieces.getLong());
        } while (pieces.hasRemaining());
        return Request.reply();
    }

    private byte[] usage() {
        long catalogBytes = catalog.usedBytes();
        return Request.reply(
                extents.usedBytes() - catalogBytes,
                extents.largestFreeBytes(),
                regionBytes,
                catalogBytes);
    }
}
