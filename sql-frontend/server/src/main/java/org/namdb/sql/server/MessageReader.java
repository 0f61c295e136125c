package org.namdb.sql.server;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.namdb.sql.language.error.SqlException;
import org.namdb.sql.language.error.SqlState;
import org.namdb.sql.language.type.BinaryParser;

/// Reads a client's messages, one after the other. The body of the current message is in a buffer,
/// which grows as its bytes arrive: a length that is announced takes no memory.
/// ```
/// | type: 1 byte | length of itself and the body: int32 | body |
/// ```
final class MessageReader {
    private static final int BUFFER_BYTES = 4096;

    /// A buffer above this size is given up when its message has been read.
    private static final int MAX_KEPT_BYTES = 64 << 10;

    private static final int LENGTH_BYTES = 4;

    /// What is done before a read that may block.
    interface BeforeRead {
        void flush() throws IOException;
    }

    private InputStream in;
    private int maxBytes;
    private final BeforeRead beforeRead;
    private byte[] buffer = new byte[BUFFER_BYTES];

    /// Where the next byte of the current message is read.
    private int at;

    /// Where the current message ends.
    private int end;

    /// Where the bytes end that have arrived.
    private int filled;

    private boolean isInMessage;

    /// When the first byte of the message arrived, by [System#nanoTime], while it is incomplete.
    private long messageNanos;

    /// How much of it has arrived.
    private long messageBytes;

    /// @param maxBytes the longest body that is accepted
    MessageReader(InputStream in, int maxBytes, BeforeRead beforeRead) {
        this.in = in;
        this.maxBytes = maxBytes;
        this.beforeRead = beforeRead;
    }

    /// Reads from another stream from now on, as after a TLS handshake.
    ///
    /// @throws ProtocolException if bytes have arrived that were meant for the old one
    void replace(InputStream stream) throws ProtocolException {
        if (end < filled) {
            throw new ProtocolException("received unencrypted data after SSL request");
        }
        in = stream;
    }

    /// Reads a message of the start, which has no type.
    ///
    /// @param max its longest length
    /// @return false if the client has left
    boolean startup(int max) throws IOException {
        skip();
        if (!fill(LENGTH_BYTES)) {
            return false;
        }
        body(max);
        return true;
    }

    /// From now on bodies of this length are accepted.
    void accept(int bytes) {
        maxBytes = bytes;
    }

    /// Reads the next message.
    ///
    /// @return its type; -1 if the client has left
    int next() throws IOException {
        skip();
        if (!fill(1 + LENGTH_BYTES)) {
            return -1;
        }
        int type = buffer[at++] & 0xff;
        body(maxBytes);
        return type;
    }

    /// The type of the message after the current one, which is waited for; -1 if the client has
    /// left.
    int peek() throws IOException {
        // The current message may be moved, but not dropped: its reader may have more to read.
        while (filled == end) {
            if (!readMore(end - at + 1)) {
                return -1;
            }
        }
        return buffer[end] & 0xff;
    }

    /// Whether a message has begun to arrive, and not all of it has.
    boolean isInMessage() {
        return isInMessage;
    }

    /// For how long the message has been arriving, beyond a second for each so many bytes of it.
    ///
    /// @param bytesPerSecond what a slow network delivers
    long messageNanos(long bytesPerSecond) {
        return System.nanoTime()
                - messageNanos
                - TimeUnit.SECONDS.toNanos(messageBytes / bytesPerSecond);
    }

    private void skip() {
        at = end;
        if (at == filled) {
            at = 0;
            filled = 0;
            if (buffer.length > MAX_KEPT_BYTES) {
                buffer = new byte[BUFFER_BYTES];
            }
        }
        end = at;
    }

    private void body(int max) throws IOException {
        int length = int32At(at);
        if (length < LENGTH_BYTES || length - LENGTH_BYTES > max) {
            throw new ProtocolException(
                    "invalid message length " + Integer.toUnsignedString(length));
        }
        at += LENGTH_BYTES;
        end = at; // so that these bytes stay while more arrive
        if (!fill(length - LENGTH_BYTES)) {
            throw new ProtocolException("unexpected end of the connection in a message");
        }
        end = at + length - LENGTH_BYTES;
        isInMessage = false;
    }

    /// Has so many bytes in the buffer from `at`.
    ///
    /// @return false if the client has left before the first of them
    private boolean fill(int bytes) throws IOException {
        while (filled - at < bytes) {
            if (!isInMessage && filled > at) {
                isInMessage = true;
                messageNanos = System.nanoTime();
                messageBytes = 0;
            }
            if (!readMore(bytes)) {
                if (isInMessage) {
                    throw new ProtocolException("unexpected end of the connection in a message");
                }
                return false;
            }
        }
        return true;
    }

    /// @param bytes how many are needed from `at`
    private boolean readMore(int bytes) throws IOException {
        if (filled == buffer.length) {
            if (at > 0 && bytes <= buffer.length) {
                System.arraycopy(buffer, at, buffer, 0, filled - at);
                filled -= at;
                end -= at;
                at = 0;
            } else {
                buffer = Arrays.copyOf(buffer, buffer.length * 2);
            }
        }
        beforeRead.flush();
        int count = in.read(buffer, filled, buffer.length - filled);
        if (count < 0) {
            return false;
        }
        filled += count;
        messageBytes += count;
        return true;
    }

    /// How many bytes of the current message are left.
    int remaining() {
        return end - at;
    }

    byte int8() {
        require(1);
        return buffer[at++];
    }

    short int16() {
        require(2);
        short value = (short) (buffer[at] << 8 | buffer[at + 1] & 0xff);
        at += 2;
        return value;
    }

    /// A number of things, without a sign.
    int count() {
        return int16() & 0xffff;
    }

    int int32() {
        require(4);
        int value = int32At(at);
        at += 4;
        return value;
    }

    long int64() {
        long high = int32();
        return high << 32 | int32() & 0xffff_ffffL;
    }

    private int int32At(int from) {
        return buffer[from] << 24
                | (buffer[from + 1] & 0xff) << 16
                | (buffer[from + 2] & 0xff) << 8
                | buffer[from + 3] & 0xff;
    }

    /// A string with a zero byte behind it.
    String string() {
        int zero = at;
        while (zero < end && buffer[zero] != 0) {
            zero++;
        }
        if (zero == end) {
            throw malformed("invalid string in message");
        }
        String value = text(zero - at);
        at++;
        return value;
    }

    /// A text of so many bytes, as a value.
    ///
    /// @throws SqlException 22021 if it is no UTF-8, or has a zero byte
    String text(int length) {
        require(length);
        int from = at;
        at += length;
        return BinaryParser.text(buffer, from, length);
    }

    /// The next bytes, in place: up to the next message.
    ByteBuffer slice(int length) {
        require(length);
        ByteBuffer slice = ByteBuffer.wrap(buffer, at, length);
        at += length;
        return slice;
    }

    /// Copies as many bytes as there are, and at most so many.
    int read(byte[] target, int from, int length) {
        int count = Math.min(length, remaining());
        System.arraycopy(buffer, at, target, from, count);
        at += count;
        return count;
    }

    /// Refuses a message that has more behind what its type has.
    ///
    /// @throws SqlException 08P01 if something is left
    void requireEnd() {
        if (at < end) {
            throw malformed("invalid message format");
        }
    }

    private void require(int bytes) {
        if (bytes < 0 || bytes > end - at) {
            throw malformed("insufficient data left in message");
        }
    }

    /// The error of a message that has arrived whole: the next one can be read.
    private static SqlException malformed(String message) {
        return new SqlException(SqlState.PROTOCOL_VIOLATION, message);
    }
}
