package org.namdb.fabric;

/// The network between compute servers and memory servers, as a process sees it that plays both
/// parts: an embedded database, or a test. A process that plays one part needs only [MemoryFabric]
/// or [ComputeFabric], and a provider that reaches other processes implements the two separately.
///
/// Providers are `shm` (memory mapped in this process) and others. Every provider passes the same
/// conformance suite.
public interface Fabric extends MemoryFabric, ComputeFabric {
    /// Both sides of a provider that implements them apart. Closing it closes both.
    static Fabric of(MemoryFabric memory, ComputeFabric compute) {
        return new JoinedFabric(memory, compute);
    }

    /// Frees all memory. Queue pairs must be closed, or no longer used, before.
    @Override
    void close();
}
