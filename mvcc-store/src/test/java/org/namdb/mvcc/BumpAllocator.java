package org.namdb.mvcc;

import java.util.concurrent.atomic.AtomicLong;
import org.namdb.fabric.RemoteAddress;

/// An allocator that only ever goes forward through regions of one size. Any number of threads can
/// use it.
public final class BumpAllocator implements RemoteAllocator {
    private static final int FIRST_OFFSET = 64;

    private final AtomicLong[] used;
    private final long firstOffset;
    private final long endOffset;

    /// Gives out all but the first bytes of each region.
    public BumpAllocator(int servers, long regionBytes) {
        this(servers, FIRST_OFFSET, regionBytes);
    }

    /// Gives out the bytes of each region from `firstOffset`, a multiple of 64, to `endOffset`.
    public BumpAllocator(int servers, long firstOffset, long endOffset) {
        this.used = new AtomicLong[servers];
        this.firstOffset = firstOffset;
        this.endOffset = endOffset;
        for (int server = 0; server < servers; server++) {
            used[server] = new AtomicLong(firstOffset);
        }
    }

    @Override
    public long allocate(int server, int bytes) {
        int rounded = (bytes + 63) & -64;
        long offset =
                used[server].getAndUpdate(at -> at + rounded <= endOffset ? at + rounded : at);
        if (offset + rounded > endOffset) {
            throw new MemoryFullException(server, bytes, endOffset);
        }
        return RemoteAddress.of(server, offset);
    }

    @Override
    public void reserve(int server, int bytes) {
        if (used[server].get() + bytes > endOffset) {
            throw new MemoryFullException(server, bytes, endOffset);
        }
    }

    @Override
    public void free(long address, int bytes) {
        // Forward only.
    }

    /// How many bytes of all servers have been allocated.
    public long allocatedBytes() {
        long bytes = 0;
        for (AtomicLong server : used) {
            bytes += server.get() - firstOffset;
        }
        return bytes;
    }
}
