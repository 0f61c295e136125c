package org.namdb.cache.scalestore;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.scalestore.PageDirectory.Eviction;

/// The messages between nodes. The first byte has the kind and the size of pages, as nodes with
/// pages of another size can't take part:
/// ```
/// to a directory
///   SHARED, EXCLUSIVE  | kind, 1 byte | page, 8 bytes |
///   AGAIN              | kind, 1 byte | page, 8 bytes | number of the grant, 8 bytes |
///     answer           | number, 8 bytes | source, 1 byte | others, 8 bytes | content or nothing |
///   ALLOCATE           | kind, 1 byte |
///     answer           | number, 8 bytes | page, 8 bytes |
///   EVICT              | kind, 1 byte | (page, 8 bytes | number, 8 bytes | changed, 1 byte
///                      | content or nothing)* |
///     answer           | accepted, 1 byte for each page |
/// to an owner
///   COPY, TRANSFER, INVALIDATE
///                      | kind, 1 byte | page, 8 bytes | number of the sender's grant, 8 bytes |
///     answer           | outcome, 1 byte | content or nothing |
/// ```
final class PageMessage {
    /// What is requested.
    enum Kind {
        /// To a directory: the page, to read it.
        SHARED,
        /// To a directory: the page, to change it.
        EXCLUSIVE,
        /// To a directory: the content for a reader, as its source has not got it any more.
        AGAIN,
        /// To a directory: a new page.
        ALLOCATE,
        /// To a directory: pages leave the sender's memory.
        EVICT,
        /// To an owner: a copy; it may keep its own, but change it no more.
        COPY,
        /// To an owner: the page.
        TRANSFER,
        /// To an owner: the end of its copy.
        INVALIDATE;

        private static final Kind[] ALL = values();
    }

    /// Of an owner: no content, as it has the page no more.
    static final byte GONE = 0;

    /// Of an owner: the content, which the disk has, too.
    static final byte SAVED = 1;

    /// Of an owner: the content, which the disk may not have.
    static final byte UNSAVED = 2;

    /// Of an owner: its copy has ended.
    static final byte ENDED = 3;

    static final int EVICTION_BYTES = 2 * Long.BYTES + 1;

    private static final int GRANT_BYTES = 2 * Long.BYTES + 1;

    private static final int SIZE_SHIFT = 3;
    private static final int KIND_MASK = (1 << SIZE_SHIFT) - 1;

    private PageMessage() {}

    /// The kind of a request.
    ///
    /// @throws IllegalArgumentException if its sender has pages of another size
    static Kind kind(ByteBuffer message, int pageBytes) {
        int first = message.hasRemaining() ? message.get() : 0;
        if (first >>> SIZE_SHIFT != Integer.numberOfTrailingZeros(pageBytes)) {
            throw new IllegalArgumentException(
                    "pages have %,d bytes here, and 2^%d at its sender: start all nodes with the same size"
                            .formatted(pageBytes, first >>> SIZE_SHIFT));
        }
        return Kind.ALL[first & KIND_MASK];
    }

    private static byte first(Kind kind, int pageBytes) {
        return (byte) (Integer.numberOfTrailingZeros(pageBytes) << SIZE_SHIFT | kind.ordinal());
    }

    static byte[] of(Kind kind, int pageBytes) {
        return new byte[] {first(kind, pageBytes)};
    }

    static byte[] of(Kind kind, int pageBytes, long page) {
        return ByteBuffer.allocate(1 + Long.BYTES)
                .put(first(kind, pageBytes))
                .putLong(page)
                .array();
    }

    static byte[] of(Kind kind, int pageBytes, long page, long number) {
        return ByteBuffer.allocate(1 + 2 * Long.BYTES)
                .put(first(kind, pageBytes))
                .putLong(page)
                .putLong(number)
                .array();
    }

    static byte[] allocation(long number, long page) {
        return ByteBuffer.allocate(2 * Long.BYTES).putLong(number).putLong(page).array();
    }

    /// The answer of a directory.
    ///
    /// @param content of the page; null if it comes from elsewhere
    static byte[] of(Grant grant, byte @Nullable [] content) {
        int bytes = GRANT_BYTES + (content == null ? 0 : content.length);
        ByteBuffer message =
                ByteBuffer.allocate(bytes)
                        .putLong(grant.number())
                        .put((byte) grant.source())
                        .putLong(grant.others());
        if (content != null) {
            message.put(content);
        }
        return message.array();
    }

    static Grant grant(byte[] message) {
        ByteBuffer buffer = ByteBuffer.wrap(message);
        long number = buffer.getLong();
        int source = buffer.get();
        long others = buffer.getLong();
        return new Grant(number, source, others, buffer.hasRemaining() ? rest(buffer) : null);
    }

    private static byte[] rest(ByteBuffer buffer) {
        byte[] rest = new byte[buffer.remaining()];
        buffer.get(rest);
        return rest;
    }

    static byte[] of(List<Eviction> evictions, int pageBytes) {
        int bytes = 1;
        for (Eviction eviction : evictions) {
            bytes += EVICTION_BYTES + (eviction.content() == null ? 0 : pageBytes);
        }
        ByteBuffer message = ByteBuffer.allocate(bytes).put(first(Kind.EVICT, pageBytes));
        for (Eviction eviction : evictions) {
            byte[] content = eviction.content();
            message.putLong(eviction.page()).putLong(eviction.grant());
            message.put((byte) (content == null ? 0 : 1));
            if (content != null) {
                message.put(content);
            }
        }
        return message.array();
    }

    /// @param message behind its kind
    static List<Eviction> evictions(ByteBuffer message, int pageBytes) {
        List<Eviction> evictions = new ArrayList<>();
        while (message.hasRemaining()) {
            long page = message.getLong();
            long number = message.getLong();
            byte[] content = null;
            if (message.get() != 0) {
                content = new byte[pageBytes];
                message.get(content);
            }
            evictions.add(new Eviction(page, number, content));
        }
        return evictions;
    }
}
