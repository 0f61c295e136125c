package org.namdb.memory;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// The requests that compute servers SEND to a memory server, and their replies. Numbers are big-endian.
/// ```
/// request   | kind, 1 byte | body              reply   | status, 1 byte | body
/// ```
final class Request {
    static final byte ALLOCATE = 1;
    static final byte FREE = 2;
    static final byte ALLOCATE_ZEROED = 3;
    static final byte USAGE = 4;
    static final byte CATALOG_PUT = 5;
    static final byte CATALOG_GET = 6;
    static final byte CATALOG_LIST = 7;
    static final byte CATALOG_REMOVE = 8;
    static final byte CATALOG_REPLACE = 9;

    /// The last of them.
    static final byte LAST = CATALOG_REPLACE;

    static final byte DONE = 0;
    static final byte NOTHING = 1;
    static final byte REFUSED = 2;

    private Request() {}

    static byte[] of(byte kind, long... numbers) {
        ByteBuffer buffer = ByteBuffer.allocate(1 + 8 * numbers.length).put(kind);
        for (long number : numbers) {
            buffer.putLong(number);
        }
        return buffer.array();
    }

    static byte[] of(byte kind, String name, byte[] body) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(5 + bytes.length + body.length)
                .put(kind)
                .putInt(bytes.length)
                .put(bytes)
                .put(body)
                .array();
    }

    static String name(ByteBuffer request) {
        byte[] bytes = new byte[request.getInt()];
        request.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    static byte[] rest(ByteBuffer message) {
        byte[] bytes = new byte[message.remaining()];
        message.get(bytes);
        return bytes;
    }
}
