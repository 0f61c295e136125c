package org.namdb.mvcc;

/// Where a transaction execution thread gets remote memory for nodes, blocks and buckets: it cuts
/// them from extents that it requested from the memory servers before, and reuses what it freed.
/// Belongs to one thread.
///
/// Source: NAM-DB, section 5.3.
public interface RemoteAllocator {
    /// Gets `bytes` bytes on memory server `server`, aligned to 64. What they hold is not
    /// specified.
    ///
    /// @return the remote address
    /// @throws MemoryFullException if the server has no memory left; nothing has changed
    long allocate(int server, int bytes);

    /// Makes sure that the next allocations of together at most `bytes` bytes on `server` succeed,
    /// so that a commit can not run out of memory half-way.
    ///
    /// @throws MemoryFullException if the server has not enough memory left; nothing has changed
    void reserve(int server, int bytes);

    /// Makes sure that it is likely that `bytes` bytes in many pieces can be allocated on `server`.
    ///
    /// @throws MemoryFullException if the server has not so much memory left
    default void require(int server, long bytes) {}

    /// Frees what `allocate(server, bytes)` returned; this thread may get it again at once.
    void free(long address, int bytes);
}
