package org.namdb.fabric;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The memory servers' side of the network, in a process that holds one or more of them: memory
/// that others reach by verbs, and the answers to their requests. The compute servers' side is
/// [ComputeFabric]; the two need not be in one process.
public interface MemoryFabric extends AutoCloseable {
    /// Registers `bytes` bytes of zeroed memory for memory server `server`.
    ///
    /// @return what a compute server needs to reach it
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
    /// leaves: by as many workers as the provider has threads for that, or, where requests are
    /// answered by the threads that post them, as there are at a time.
    ///
    /// @param workers makes one; it is used by one thread at a time
    void serve(int server, Supplier<RequestHandler> workers);

    /// Answers the requests one at a time.
    default void serve(int server, RequestHandler handler) {
        serve(server, () -> handler);
    }

    /// A queue pair of a worker of this process on its server's memory, by the processor's loads,
    /// stores and atomics.
    ///
    /// @return null where those are not atomic with the verbs of others, as of most network cards
    /// @throws FabricException if this process has registered no such memory
    @Nullable QueuePair map(int server, int landingBytes);

    /// The memory server leaves: verbs to it fail with `PEER_GONE` from now on.
    void leave(int server);

    /// Removes all memory servers of this process, and frees their memory.
    @Override
    void close();
}
