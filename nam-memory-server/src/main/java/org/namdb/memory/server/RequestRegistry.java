package org.namdb.memory.server;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/// The handlers of each [kind of request][Request]: each part of a memory server registers its own.
final class RequestRegistry {
    /// Answers one kind of request.
    interface Handler {
        /// Answers a request.
        ///
        /// @param body what follows the request's head
        /// @return the reply, with its status
        /// @throws IllegalArgumentException if it is malformed
        byte[] answer(ByteBuffer body);
    }

    private final Map<Byte, Handler> handlers = new HashMap<>();

    /// @throws IllegalStateException if the kind has one already
    void register(byte kind, Handler handler) {
        if (handlers.putIfAbsent(kind, handler) != null) {
            throw new IllegalStateException("requests of kind " + kind + " are answered already");
        }
    }

    /// Answers a request; a malformed one is refused and changes nothing.
    synchronized byte[] handle(byte[] request) {
        try {
            ByteBuffer body = ByteBuffer.wrap(request);
            Handler handler = handlers.get(body.get());
            long _ = body.getLong(); // the number of the request
            return handler == null ? new byte[] {Request.REFUSED} : handler.answer(body);
        } catch (BufferUnderflowException
                | IllegalArgumentException
                | NegativeArraySizeException e) {
            return new byte[] {Request.REFUSED};
        }
    }
}
