package org.namdb.memory.server;

import org.namdb.fabric.Region;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.RemoteAllocator;

/// Memory for what a memory server's workers make: each piece is an extent. Workers share it.
///
/// @param lock held while an extent is allocated or freed
record WorkerAllocator(Region region, Extents extents, Object lock) implements RemoteAllocator {
    @Override
    public long allocate(int server, int bytes) {
        assert server == region.server() : "memory of server " + server;
        long offset;
        synchronized (lock) {
            offset = extents.allocate(bytes);
        }
        if (offset < 0) {
            throw new MemoryFullException(server, bytes, region.bytes());
        }
        return RemoteAddress.of(server, offset);
    }

    /// Others may take the memory first.
    @Override
    public void reserve(int server, int bytes) {
        synchronized (lock) {
            if (extents.largestFreeBytes() < bytes) {
                throw new MemoryFullException(server, bytes, region.bytes());
            }
        }
    }

    @Override
    public void free(long address, int bytes) {
        synchronized (lock) {
            extents.free(RemoteAddress.offset(address), bytes);
        }
    }
}
