package org.namdb.sql.client;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// A message of the server.
/// ```
/// | type: 1 byte | length of itself and the body: int32 | body |
/// ```
///
/// @param type what it is, as a letter
record Message(char type, ByteBuffer body) {
    private static final int LENGTH_BYTES = 4;
    private static final int MAX_BYTES = 1 << 30;

    /// Reads the next one.
    ///
    /// @throws IOException if there is none, or it is malformed
    static Message read(DataInputStream in) throws IOException {
        char type = (char) in.readUnsignedByte();
        int length = in.readInt();
        if (length < LENGTH_BYTES || length > MAX_BYTES) {
            throw new IOException("malformed message of the server");
        }
        byte[] body = in.readNBytes(length - LENGTH_BYTES);
        if (body.length < length - LENGTH_BYTES) {
            throw new IOException("the server has left in the middle of a message");
        }
        return new Message(type, ByteBuffer.wrap(body));
    }

    /// The next text of the body, with a zero byte behind it.
    String string() {
        int length = 0;
        while (body.get(body.position() + length) != 0) {
            length++;
        }
        String text = string(length);
        byte _ = body.get();
        return text;
    }

    /// The remaining body as a text.
    String text() {
        return StandardCharsets.UTF_8.decode(body).toString();
    }

    /// The remaining body.
    byte[] bytes() {
        byte[] bytes = new byte[body.remaining()];
        body.get(bytes);
        return bytes;
    }

    /// The next value of a row, in the text format; null for NULL.
    @Nullable String value() {
        int length = body.getInt();
        if (length < 0) {
            return null;
        }
        return string(length);
    }

    private String string(int length) {
        byte[] utf8 = new byte[length];
        body.get(utf8);
        return new String(utf8, StandardCharsets.UTF_8);
    }

    /// Collects messages to the server.
    static final class Writer {
        private final ByteArrayOutputStream all = new ByteArrayOutputStream();
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final DataOutputStream body = new DataOutputStream(bytes);

        Writer string(String text) {
            byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
            return bytes(utf8).int8(0);
        }

        Writer bytes(byte... value) {
            bytes.writeBytes(value);
            return this;
        }

        Writer int8(int value) {
            bytes.write(value);
            return this;
        }

        Writer int16(int value) {
            return int8(value >> 8).int8(value);
        }

        Writer int32(int value) {
            try {
                body.writeInt(value);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return this;
        }

        /// Ends a message.
        ///
        /// @param type as a letter; 0 for the first of a connection, which has none
        Writer end(char type) {
            if (type != 0) {
                all.write(type);
            }
            int length = bytes.size() + LENGTH_BYTES;
            all.writeBytes(ByteBuffer.allocate(LENGTH_BYTES).putInt(length).array());
            all.writeBytes(bytes.toByteArray());
            bytes.reset();
            return this;
        }

        byte[] toByteArray() {
            return all.toByteArray();
        }
    }
}
