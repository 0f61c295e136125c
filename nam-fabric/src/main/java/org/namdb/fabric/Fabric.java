package org.namdb.fabric;

/// The network between compute servers and memory servers, or what stands for it, as a process sees
/// it that is both: an embedded database, or a test. A process that is only one of them gets by
/// with [MemoryFabric] or with [ComputeFabric], and a provider that reaches other processes
/// implements these apart.
///
/// Providers are `shm` (memory mapped in this process), `tearing` (`shm` with everything that
/// hardware may do to a READ), and others. Every provider passes the same conformance suite.
public interface Fabric extends MemoryFabric, ComputeFabric {
    /// Both sides of a provider that implements them apart. Closing it closes both.
    static Fabric of(MemoryFabric memory, ComputeFabric compute) {
        return new JoinedFabric(memory, compute);
    }

    /// Gives all memory back. Queue pairs must be closed, or no longer used, before.
    @Override
    void close();
}
