package org.namdb.fabric;

import java.util.List;

/// The network between compute servers and memory servers, or what stands for it. A provider
/// implements it: `shm` (memory mapped in this process), `tearing` (`shm` with everything that
/// hardware may do to a READ), and others. Every provider passes the same conformance suite.
public interface Fabric extends AutoCloseable {
    /// Registers `bytes` bytes of zeroed memory for memory server `server`.
    ///
    /// @throws FabricException if the operating system refuses the memory, or the server has a
    ///     region already
    Region register(int server, long bytes);

    /// Registers again the memory that memory server `server` had before it left, or before its
    /// process died, with all that is in it.
    ///
    /// @param bytes the size of the region that it had
    /// @throws FabricException if there is none of this size, or a server that has not left has it
    Region resume(int server, long bytes);

    /// The native address of a region that this process has registered: for words that only its
    /// server changes, and never for the target of a verb.
    ///
    /// @throws FabricException if this process has registered none
    long memory(int server);

    /// Answers the requests that are sent to memory server `server`, from now until the server
    /// leaves.
    void serve(int server, RequestHandler handler);

    /// The memory server leaves: verbs to it fail with `PEER_GONE` from now on.
    void leave(int server);

    /// Opens a thread's queue pair to the memory servers that hold `regions`. It is used by one
    /// thread at a time.
    QueuePair connect(List<Region> regions);

    /// Says by which number other processes can [fence][#fence] this one, with all queue pairs
    /// that it has opened and will open by this object.
    default void enroll(int process) {}

    /// Fences a process: when this returns, every memory server refuses its verbs and requests,
    /// those on their way included, so that nothing of it takes effect any more. It may be alive,
    /// and learn that by exceptions ([FabricException.Kind#FENCED]).
    ///
    /// @throws FabricException if a memory server has not confirmed it; another call may complete
    ///     it
    /// @throws UnsupportedOperationException if all queue pairs are of this very process
    default void fence(int process) {
        throw new UnsupportedOperationException("no other process can be fenced");
    }

    /// Gives all memory back. Queue pairs must be closed, or no longer used, before.
    @Override
    void close();
}
