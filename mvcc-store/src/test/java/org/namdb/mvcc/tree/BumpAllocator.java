package org.namdb.mvcc.tree;

import java.util.concurrent.atomic.AtomicLong;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.RemoteAllocator;

/// An allocator that only ever goes forward through regions of one size. Any number of threads can
/// use it.
final class BumpAllocator implements RemoteAllocator {
    private static final int FIRST_OFFSET = 64;

    private final AtomicLong[] used;
    private final long regionBytes;

    BumpAllocator(int servers, long regionBytes) {
        this.used = new AtomicLong[servers];
        this.regionBytes = regionBytes;
        for (int server = 0; server < servers; server++) {
            used[server] = new AtomicLong(FIRST_OFFSET);
        }
    }

    @Override
    public long allocate(int server, int bytes) {
        int rounded = (bytes + 63) & -64;
        long offset =
                used[server].getAndUpdate(at -> at + rounded <= regionBytes ? at + rounded : at);
        if (offset + rounded > regionBytes) {
            throw new MemoryFullException(server, bytes, regionBytes);
        }
        return RemoteAddress.of(server, offset);
    }

    @Override
    public void reserve(int server, int bytes) {
        if (used[server].get() + bytes > regionBytes) {
            throw new MemoryFullException(server, bytes, regionBytes);
        }
    }

    @Override
    public void free(long address, int bytes) {
        // Forward only.
    }

    /// How many bytes of all servers have been allocated.
    long allocatedBytes() {
        long bytes = 0;
        for (AtomicLong server : used) {
            bytes += server.get() - FIRST_OFFSET;
        }
        return bytes;
    }
}
