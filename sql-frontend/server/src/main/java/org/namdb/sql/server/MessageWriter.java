package org.namdb.sql.server;

import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.language.type.BinaryBuffer;

/// Collects messages to a client, and sends many at once.
final class MessageWriter extends BinaryBuffer<MessageWriter> {
    /// What is sent before a flush.
    private static final int MAX_COLLECTED_BYTES = 64 << 10;

    private @Nullable OutputStream out;

    /// Where the length of the current message stands.
    private int lengthAt;

    /// Since when the current write to the network lasts, by [System#nanoTime]; 0 if there is none.
    private volatile long writingSince;

    /// @param out null to keep the messages
    MessageWriter(@Nullable OutputStream out) {
        this.out = out;
    }

    @Override
    protected MessageWriter self() {
        return this;
    }

    /// Writes to another stream from now on, as after a TLS handshake.
    void replace(OutputStream stream) {
        out = stream;
    }

    /// Begins a message.
    MessageWriter begin(char type) {
        reserve(5);
        buffer[size++] = (byte) type;
        lengthAt = size;
        size += 4;
        return this;
    }

    /// Ends the message.
    void end() throws IOException {
        set32(lengthAt, size - lengthAt);
        if (size >= MAX_COLLECTED_BYTES && out != null) {
            flush();
        }
    }

    /// Sends a lone byte, the answer to a request for encryption.
    void lone(char answer) throws IOException {
        reserve(1);
        buffer[size++] = (byte) answer;
        flush();
    }

    /// A text with a zero byte behind it.
    MessageWriter string(String value) {
        return text(value).int8(0);
    }

    /// A number in decimal digits.
    MessageWriter digits(long value) {
        if (value == Long.MIN_VALUE) {
            return text(Long.toString(value));
        }
        long rest = value;
        if (rest < 0) {
            int8('-');
            rest = -rest;
        }
        int count = 1;
        for (long limit = 10; count < 19 && rest >= limit; limit *= 10) {
            count++;
        }
        reserve(count);
        for (int i = size + count - 1; i >= size; i--) {
            buffer[i] = (byte) ('0' + rest % 10);
            rest /= 10;
        }
        size += count;
        return this;
    }

    /// The messages that were kept, which begin at this place.
    void copyTo(MessageWriter target, int from, int to) throws IOException {
        target.bytes(buffer, from, to - from);
        if (target.size >= MAX_COLLECTED_BYTES) {
            target.flush();
        }
    }

    /// Where the message that begins at a place ends.
    int endOfMessage(int from) {
        return from
                + 1
                + ((buffer[from + 1] & 0xff) << 24
                        | (buffer[from + 2] & 0xff) << 16
                        | (buffer[from + 3] & 0xff) << 8
                        | buffer[from + 4] & 0xff);
    }

    /// How many bytes are kept, or not sent yet.
    int size() {
        return size;
    }

    /// Sends all.
    void flush() throws IOException {
        OutputStream stream = out;
        if (stream == null || size == 0) {
            return;
        }
        int length = size;
        size = 0;
        writingSince = System.nanoTime() | 1;
        try {
            for (int from = 0; from < length; from += MAX_COLLECTED_BYTES) {
                stream.write(buffer, from, Math.min(MAX_COLLECTED_BYTES, length - from));
                writingSince = System.nanoTime() | 1;
            }
            stream.flush();
        } finally {
            writingSince = 0;
        }
        if (buffer.length > 2 * MAX_COLLECTED_BYTES) {
            buffer = new byte[BUFFER_BYTES];
        }
    }

    /// For how long the network has taken nothing, in nanoseconds; 0 if nothing waits. For any
    /// thread.
    long stalledNanos() {
        long since = writingSince;
        return since == 0 ? 0 : System.nanoTime() - since;
    }
}
