package org.namdb.memory.server;

import org.namdb.fabric.LocalMemory;

/// The words of a region that is mapped in this process.
final class MappedWords implements RegionWords {
    private final long address;

    /// @param address the native address of the region
    MappedWords(long address) {
        this.address = address;
    }

    @Override
    public long word(long offset) {
        return LocalMemory.longAcquire(address + offset);
    }

    @Override
    public void put(long offset, long word) {
        LocalMemory.putLongRelease(address + offset, word);
    }
}
