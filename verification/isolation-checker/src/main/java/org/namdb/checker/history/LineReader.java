package org.namdb.checker.history;

import java.io.IOException;
import java.io.InputStream;

/// Cuts a stream into lines, and leaves them as bytes: decoding them is the parser's part.
final class LineReader {
    /// Longer than any transaction that can be meant, and short enough to be kept in memory.
    static final int MAX_BYTES = 64 << 20;

    private final InputStream stream;
    private byte[] buffer = new byte[1 << 16];

    /// The line is from `start` to `end`; what was read after it goes up to `filled`.
    private int start;

    private int end;
    private int next;
    private int filled;
    private long number;

    LineReader(InputStream stream) {
        this.stream = stream;
    }

    /// Goes on to the next line.
    ///
    /// @return whether there is one
    boolean next() throws IOException {
        start = next;
        int searched = start;
        while (true) {
            for (int index = searched; index < filled; index++) {
                if (buffer[index] == '\n') {
                    return found(index, index + 1);
                }
            }
            int kept = filled - start;
            ensureCapacity();
            searched = start + kept;
            int count = stream.read(buffer, filled, buffer.length - filled);
            if (count < 0) {
                return kept > 0 && found(filled, filled);
            }
            filled += count;
        }
    }

    private boolean found(int lineEnd, int nextStart) {
        end = lineEnd;
        next = nextStart;
        number++;
        return true;
    }

    /// Moves the begun line to the front, into a larger buffer if it fills this one.
    private void ensureCapacity() {
        int kept = filled - start;
        if (kept >= MAX_BYTES) {
            number++;
            throw new InvalidHistoryException("longer than " + (MAX_BYTES >> 20) + " MiB");
        }
        byte[] target = kept == buffer.length ? new byte[2 * buffer.length] : buffer;
        System.arraycopy(buffer, start, target, 0, kept);
        buffer = target;
        start = 0;
        filled = kept;
    }

    /// Where the line's bytes are.
    byte[] bytes() {
        return buffer;
    }

    int offset() {
        return start;
    }

    int length() {
        return end - start;
    }

    /// The number of the line, from 1 on.
    long number() {
        return number;
    }

    /// Whether there is nothing on the line.
    boolean isBlank() {
        for (int index = start; index < end; index++) {
            if (buffer[index] > ' ' || buffer[index] < 0) {
                return false;
            }
        }
        return true;
    }
}
