package org.namdb.fabric.rdma;

import org.namdb.fabric.FabricException;
import org.namdb.fabric.FabricException.Kind;
import org.namdb.fabric.LocalMemory;

/// What is sent by SEND and RECEIVE: a request, of which a connection has one under way, or its
/// answer. Both sides run on machines of one byte order.
/// ```
/// | what 4 | bytes 4 | the bytes |
/// ```
final class Message {
    static final int HEAD_BYTES = 8;

    /// The most bytes that a message can carry.
    static final int MAX_BYTES = 1 << 16;

    /// How large a buffer for any message is.
    static final int BUFFER_BYTES = HEAD_BYTES + MAX_BYTES;

    static final byte[] NOTHING = new byte[0];

    /// The kinds of requests.
    static final class Request {
        /// After the [#HELLO], before all others: `fabric 8 | process 4 | server 4 | key 4 | proof
        /// 32`, the server negative for a connection for requests alone. The answer is the
        /// connection's `number 8 | proof 32`.
        static final int OPEN = 1;

        /// The regions that the process holds.
        static final int REGIONS = 2;

        /// A request to the memory server for which the connection was opened. Above the lowest 8
        /// bits is how many bytes its reply may have.
        static final int REQUEST = 3;

        private static final int KIND_BITS = 8;

        static int request(int replyBytes) {
            return REQUEST | replyBytes << KIND_BITS;
        }

        static boolean isRequest(int what) {
            return (what & (1 << KIND_BITS) - 1) == REQUEST;
        }

        static int replyBytes(int what) {
            return what >>> KIND_BITS;
        }

        /// From now on the fabric belongs to `process 4`.
        static final int ENROLL = 4;

        /// Fence `process 4`.
        static final int FENCE = 5;

        /// End connection `number 8`.
        static final int END = 6;

        /// Whether `server 4 | key 4` is still here.
        static final int IS_HERE = 7;

        /// First on each connection: a `random number 16`. The answer is another one.
        static final int HELLO = 8;

        private Request() {}
    }

    /// How it went.
    static final class Answer {
        static final int DONE = 0;
        static final int GONE = 1;
        static final int WRONG_KEY = 2;
        static final int FENCED = 3;
        static final int TOO_LARGE = 4;
        static final int FAILED = 5;

        /// The other side has not proved that it has the token.
        static final int NOT_TRUSTED = 6;

        private Answer() {}
    }

    private final int what;
    private final byte[] bytes;

    /// @param what the request ([Request]), or the outcome ([Answer])
    /// @param bytes its body
    Message(int what, byte[] bytes) {
        if (bytes.length > MAX_BYTES) {
            throw new FabricException(
                    Kind.TOO_LARGE,
                    "a message of " + bytes.length + " bytes, and " + MAX_BYTES + " are the most");
        }
        this.what = what;
        this.bytes = bytes;
    }

    int what() {
        return what;
    }

    byte[] bytes() {
        return bytes;
    }

    /// Writes it into a buffer; returns how many bytes it takes there.
    int writeTo(long buffer) {
        putHead(buffer, what, bytes.length);
        LocalMemory.copyFrom(bytes, 0, buffer + HEAD_BYTES, bytes.length);
        return HEAD_BYTES + bytes.length;
    }

    /// Writes the head of one; its bytes follow.
    static void putHead(long buffer, int what, int bytes) {
        LocalMemory.putInt(buffer, what);
        LocalMemory.putInt(buffer + 4, bytes);
    }

    /// How many bytes follow the head of one, of which `received` bytes have come.
    static int length(long buffer, int received) {
        int length = received < HEAD_BYTES ? -1 : LocalMemory.intAt(buffer + 4);
        if (length < 0 || length > received - HEAD_BYTES) {
            throw new FabricException(Kind.CONNECTION_LOST, "the peer has sent what is no message");
        }
        return length;
    }

    /// Reads one of `received` bytes.
    static Message readFrom(long buffer, int received) {
        int length = length(buffer, received);
        byte[] bytes = new byte[length];
        LocalMemory.copyTo(buffer + HEAD_BYTES, bytes, 0, length);
        return new Message(LocalMemory.intAt(buffer), bytes);
    }
}
