package org.namdb.mvcc;

/// Where an operation gets local memory that WRITEs can be posted from, and that outlasts it; the
/// owner frees all of it at once, later. Belongs to one thread.
@FunctionalInterface
public interface LocalAllocator {
    /// Gets `bytes` bytes, aligned to 8. What they hold is not specified.
    ///
    /// @return the native address
    long allocate(int bytes);

    /// Frees a piece that [#allocate] has returned, for reuse; an owner that does not track pieces
    /// keeps it until the end.
    ///
    /// @param bytes what was requested
    default void free(long address, int bytes) {
        // It is freed with all others.
    }
}
