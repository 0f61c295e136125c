package org.namdb.cache.selcc;

import java.nio.ByteBuffer;

/// What a compute server asks of another one that holds a line which it needs, and the answer
/// (SELCC, section 5.1).
/// ```
/// request   | kind, 1 byte | line, 8 bytes |        answer   | outcome, 1 byte |
/// ```
///
/// @param line the line
/// @param isExclusive whether it wants to change the line, so that the other may not keep a copy
record ReleaseMessage(long line, boolean isExclusive) {
    /// It is released, by verbs that have taken effect.
    static final byte[] RELEASED = {1};

    /// There was nothing to release.
    static final byte[] NOTHING = {2};

    /// A thread is using it. It has to be asked for again.
    static final byte[] BUSY = {3};

    private static final byte SHARED = 1;
    private static final byte EXCLUSIVE = 2;
    private static final int BYTES = 1 + Long.BYTES;

    /// Whether the line need not be waited for.
    static boolean isOver(byte[] answer) {
        return answer[0] != BUSY[0];
    }

    byte[] bytes() {
        return ByteBuffer.allocate(BYTES)
                .put(isExclusive ? EXCLUSIVE : SHARED)
                .putLong(line)
                .array();
    }

    /// @throws IllegalArgumentException if it makes no sense
    static ReleaseMessage of(byte[] bytes) {
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        if (bytes.length != BYTES || bytes[0] != SHARED && bytes[0] != EXCLUSIVE) {
            throw new IllegalArgumentException("no request for a line: bytes " + bytes.length);
        }
        return new ReleaseMessage(buffer.getLong(1), bytes[0] == EXCLUSIVE);
    }
}
