package org.namdb.mvcc;

/// Where an operation gets local memory that WRITEs can be posted from, and that outlasts it; the
/// owner frees all of it at once, later. Belongs to one thread.
@FunctionalInterface
public interface LocalAllocator {
    /// Gets `bytes` bytes, aligned to 8. What they hold is not specified.
    ///
    /// @return the native address
    long allocate(int bytes);
}
