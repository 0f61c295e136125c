package org.namdb.fabric;

import java.util.List;

/// A compute server's side of the network: access to memory servers, wherever they are. Their side
/// is [MemoryFabric].
public interface ComputeFabric extends AutoCloseable {
    /// The regions of all memory servers that it reaches, by number, as these have reported.
    List<Region> regions();

    /// Opens a thread's queue pair to the memory servers that hold `regions`. It is used by one
    /// thread at a time.
    QueuePair connect(List<Region> regions);

    /// Registers the number by which other processes can [fence][#fence] this one, with all queue
    /// pairs that it has opened and will open by this object.
    default void enroll(int process) {}

    /// Fences a process: when this returns, every memory server refuses its verbs and requests,
    /// those on their way included, so that nothing of it takes effect any more. If it is alive, it
    /// gets exceptions ([FabricException.Kind#FENCED]).
    ///
    /// @throws FabricException if a memory server has not confirmed it; another call may complete
    ///     it
    /// @throws UnsupportedOperationException if all queue pairs are of this very process
    default void fence(int process) {
        throw new UnsupportedOperationException("no other process can be fenced");
    }

    /// Ends what all queue pairs share. They must be closed, or no longer used, before.
    @Override
    void close();
}
