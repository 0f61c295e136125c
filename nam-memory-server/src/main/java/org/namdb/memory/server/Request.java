package org.namdb.memory.server;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// The requests that compute servers SEND to a memory server, and their replies. Numbers are big-endian.
/// ```
/// request   | kind, 1 byte | body              reply   | status, 1 byte | body
/// ```
public final class Request {
    /// Asks for an extent.
    public static final byte ALLOCATE = 1;

    /// Gives extents, or parts of some, back.
    public static final byte FREE = 2;

    /// Asks for an extent of zeroes.
    public static final byte ALLOCATE_ZEROED = 3;

    /// Asks how full the server is.
    public static final byte USAGE = 4;

    /// Adds an entry to the catalog.
    public static final byte CATALOG_PUT = 5;

    /// Asks for an entry of the catalog.
    public static final byte CATALOG_GET = 6;

    /// Asks for the names of the catalog's entries.
    public static final byte CATALOG_LIST = 7;

    /// Takes an entry out of the catalog.
    public static final byte CATALOG_REMOVE = 8;

    /// Puts an entry of the catalog in the place of the one of its name.
    public static final byte CATALOG_REPLACE = 9;

    /// The last of them.
    public static final byte LAST = CATALOG_REPLACE;

    /// Status: it was done.
    public static final byte DONE = 0;

    /// Status: there is none, or no room.
    public static final byte NOTHING = 1;

    /// Status: the request makes no sense.
    public static final byte REFUSED = 2;

    private Request() {}

    /// A message of numbers.
    public static byte[] of(byte kind, long... numbers) {
        ByteBuffer buffer = ByteBuffer.allocate(1 + 8 * numbers.length).put(kind);
        for (long number : numbers) {
            buffer.putLong(number);
        }
        return buffer.array();
    }

    /// A message about an entry of the catalog.
    public static byte[] of(byte kind, String name, byte[] body) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(5 + bytes.length + body.length)
                .put(kind)
                .putInt(bytes.length)
                .put(bytes)
                .put(body)
                .array();
    }

    /// The name that such a message is about.
    public static String name(ByteBuffer request) {
        byte[] bytes = new byte[request.getInt()];
        request.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /// What follows in a message.
    public static byte[] rest(ByteBuffer message) {
        byte[] bytes = new byte[message.remaining()];
        message.get(bytes);
        return bytes;
    }
}
