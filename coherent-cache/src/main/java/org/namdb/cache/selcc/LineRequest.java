package org.namdb.cache.selcc;

import java.nio.ByteBuffer;
import org.namdb.cache.line.LineArea;
import org.namdb.cache.line.Stations;

/// The request of a compute server to another one that has a line which it needs, and the answer
/// (SELCC, section 5.1).
/// ```
/// request   | kind, 1 byte | station, 1 byte | priority, 1 byte | line, 8 bytes |
/// answer    | outcome, 1 byte | the line, if it is granted |
/// ```
///
/// @param station the requesting station
/// @param priority how often it has waited for this line so far: up to [#MAX_PRIORITY]
/// @param line its address
record LineRequest(Kind kind, int station, int priority, long line) {
    /// The requested access.
    enum Kind {
        /// A copy of the line, from its writer, which may keep one, too.
        SHARED,
        /// The line, of its writer.
        EXCLUSIVE,
        /// The end of a copy, of one of several sharers.
        INVALIDATE;

        private static final Kind[] ALL = values();
    }

    /// An outcome: the line is released, by verbs that have taken effect.
    static final byte RELEASED = 1;

    /// An outcome: there was nothing to release.
    static final byte NOTHING = 2;

    /// An outcome: a thread is using the line. The sender must retry.
    static final byte BUSY = 3;

    /// An outcome: the sender has the line now, as it follows.
    static final byte GRANTED = 4;

    static final int MAX_PRIORITY = Byte.MAX_VALUE;

    private static final int BYTES = 3 + Long.BYTES;

    /// The kind of request to forget a compute server, which is dead and fenced, or
    /// leaves:
    /// ```
    /// | kind, 1 byte | process, 4 bytes |
    /// ```
    private static final byte FORGET = 3;

    /// A request to hand no line over to a process any more.
    static byte[] forget(int process) {
        return ByteBuffer.allocate(1 + Integer.BYTES).put(FORGET).putInt(process).array();
    }

    /// The process that is to be forgotten; -1 if the request is another one.
    static int forgotten(byte[] bytes) {
        return bytes.length == 1 + Integer.BYTES && bytes[0] == FORGET
                ? ByteBuffer.wrap(bytes).getInt(1)
                : -1;
    }

    byte[] bytes() {
        return ByteBuffer.allocate(BYTES)
                .put((byte) kind.ordinal())
                .put((byte) station)
                .put((byte) priority)
                .putLong(line)
                .array();
    }

    /// @param layout of the lines that there are
    /// @throws IllegalArgumentException if it is malformed
    static LineRequest of(byte[] bytes, LineArea layout) {
        if (bytes.length != BYTES || bytes[0] < 0 || bytes[0] >= Kind.ALL.length) {
            throw new IllegalArgumentException("no request for a line: bytes " + bytes.length);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        LineRequest request =
                new LineRequest(
                        Kind.ALL[buffer.get()], buffer.get(), buffer.get(), buffer.getLong());
        if (request.station < 1
                || request.station > Stations.MAX
                || request.priority < 0
                || !layout.isLine(request.line)) {
            throw new IllegalArgumentException("a request that makes no sense: " + request);
        }
        return request;
    }
}
