package org.namdb.fabric.tcp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.namdb.fabric.LocalMemory;

/// The last request of a queue pair to a memory server, and its reply. One that comes again, as its
/// answer was lost with a connection, is not handled again: it is answered with what it was
/// answered before. For the agent's thread, except while it is being handled.
///
/// Its memory lives as long as it is used, by a handler or by the agent.
final class ServedCall {
    private static final int FIRST_BYTES = 256;

    private final ServedClient client;
    private final int queuePair;
    private final int server;
    private MemorySegment request = memory(FIRST_BYTES);
    private MemorySegment reply = memory(FIRST_BYTES);
    private int number;
    private int requestBytes;
    private int replyBytes;
    private int length;
    private int code;
    private boolean isAnswered = true;

    ServedCall(ServedClient client, int queuePair, int server) {
        this.client = client;
        this.queuePair = queuePair;
        this.server = server;
    }

    private static MemorySegment memory(int bytes) {
        return Arena.ofAuto().allocate(Math.max(bytes, FIRST_BYTES), Long.BYTES);
    }

    /// Takes the next request; the last one is answered.
    ///
    /// @param at the native address of the request
    /// @param maxBytes the longest reply that the client takes
    void take(int newNumber, long at, int bytes, int maxBytes) {
        if (request.byteSize() < bytes) {
            request = memory(bytes);
        }
        if (reply.byteSize() < maxBytes) {
            reply = memory(maxBytes);
        }
        LocalMemory.copy(at, request.address(), bytes);
        number = newNumber;
        requestBytes = bytes;
        replyBytes = maxBytes;
        isAnswered = false;
    }

    ServedClient client() {
        return client;
    }

    int queuePair() {
        return queuePair;
    }

    int server() {
        return server;
    }

    int number() {
        return number;
    }

    /// The native address of the request.
    long request() {
        return request.address();
    }

    int requestBytes() {
        return requestBytes;
    }

    /// The native address of the reply.
    long reply() {
        return reply.address();
    }

    /// The longest reply that the client takes.
    int replyBytes() {
        return replyBytes;
    }

    /// It was handled.
    ///
    /// @param newCode 0, or what has kept it from being answered, as in a REPLY
    /// @param newLength of the reply
    void handled(int newCode, int newLength) {
        code = newCode;
        length = newLength;
    }

    /// From now on it can be answered again.
    void answered() {
        isAnswered = true;
    }

    boolean isAnswered() {
        return isAnswered;
    }

    /// Appends the ANSWER.
    void appendTo(NativeBuffer out) {
        long at = ServedConnection.append(out, queuePair, number, server, code, length);
        LocalMemory.copy(reply.address(), at, length);
    }
}
