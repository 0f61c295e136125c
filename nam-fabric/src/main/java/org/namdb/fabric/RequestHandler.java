package org.namdb.fabric;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// A memory server's side of the two-sided verbs: receives a request, answers with a reply. Both
/// are in native memory, as on a queue pair, so that answering allocates nothing.
@FunctionalInterface
public interface RequestHandler extends AutoCloseable {
    /// Answers one request. Called by one thread at a time.
    ///
    /// @param request the native address of the request, a multiple of 8
    /// @param bytes the length of the request
    /// @param reply the native address that the reply is written to, a multiple of 8
    /// @param replyBytes the longest reply that the client takes
    /// @return the length of the reply
    /// @throws FabricException `TOO_LARGE` if the reply is longer than the client takes
    int handle(long request, int bytes, long reply, int replyBytes);

    /// Its server has left, or another handler takes its place.
    @Override
    default void close() {}

    /// For providers: has a request answered.
    ///
    /// @param handler of memory server `server`; null if it does not answer requests
    /// @throws FabricException what [QueuePair#request] says
    static int answer(
            int server,
            @Nullable RequestHandler handler,
            long request,
            int bytes,
            long reply,
            int replyBytes) {
        if (handler == null) {
            throw new FabricException(
                    FabricException.Kind.PEER_GONE,
                    "memory server " + server + " does not answer requests");
        }
        try {
            synchronized (handler) { // it may be the only one of several threads
                return handler.handle(request, bytes, reply, replyBytes);
            }
        } catch (RuntimeException e) {
            if (e instanceof FabricException known
                    && known.kind() == FabricException.Kind.TOO_LARGE) {
                throw known;
            }
            throw new FabricException(
                    FabricException.Kind.SYSTEM,
                    "memory server " + server + " has failed to answer a request",
                    e);
        }
    }

    /// A handler of requests that are rare, as arrays.
    static RequestHandler ofArrays(UnaryOperator<byte[]> handler) {
        return (request, bytes, reply, replyBytes) -> {
            byte[] received = new byte[bytes];
            LocalMemory.copyTo(request, received, 0, bytes);
            byte[] answer = handler.apply(received);
            requireSpace(answer.length, replyBytes);
            LocalMemory.copyFrom(answer, 0, reply, answer.length);
            return answer.length;
        };
    }

    /// @throws FabricException if a reply of `bytes` bytes is longer than the client takes
    private static void requireSpace(int bytes, int replyBytes) {
        if (bytes > replyBytes) {
            throw new FabricException(
                    FabricException.Kind.TOO_LARGE,
                    "a reply of %,d bytes: the client takes %,d".formatted(bytes, replyBytes));
        }
    }
}
