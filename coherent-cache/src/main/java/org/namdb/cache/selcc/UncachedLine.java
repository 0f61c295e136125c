package org.namdb.cache.selcc;

import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.ViewScope;

/// A line of counters and flags: its words are changed in memory, one by one, by verbs that are
/// atomic for all compute servers. No guard is ever used for it, as it is not cached. Offsets are
/// in bytes from the line's begin, multiples of 8.
///
/// Belongs to its session's thread.
public final class UncachedLine {
    private final LineProtocol protocol;
    private final long line;
    private final int lineBytes;

    UncachedLine(LineProtocol protocol, long line, int lineBytes) {
        this.protocol = protocol;
        this.line = line;
        this.lineBytes = lineBytes;
    }

    /// Compares and swaps the word at `offset`: one CAS.
    ///
    /// @return what the word was: `expected` if the CAS succeeded
    /// @throws IndexOutOfBoundsException if the line has no word there
    public long compareAndSwap(int offset, long expected, long desired) {
        return protocol.queuePair().casWord(address(offset, 1), expected, desired);
    }

    /// Adds to the word at `offset`: one FAA.
    ///
    /// @return what the word was
    /// @throws IndexOutOfBoundsException if the line has no word there
    public long fetchAndAdd(int offset, long delta) {
        long address = address(offset, 1);
        QueuePair queuePair = protocol.queuePair();
        try (ViewScope _ = queuePair.openViews()) {
            long view = queuePair.fetchAndAdd(address, delta);
            queuePair.await();
            return LocalMemory.longAt(view);
        }
    }

    /// Reads words from `offset` on: one READ, which is atomic for each word alone.
    ///
    /// @throws IndexOutOfBoundsException if the line has not so many words there
    public long[] words(int offset, int count) {
        long address = address(offset, count);
        QueuePair queuePair = protocol.queuePair();
        try (ViewScope _ = queuePair.openViews()) {
            long view = queuePair.read(address, count * Long.BYTES);
            queuePair.await();
            long[] words = new long[count];
            for (int i = 0; i < count; i++) {
                words[i] = LocalMemory.longAt(view + (long) i * Long.BYTES);
            }
            return words;
        }
    }

    private long address(int offset, int count) {
        boolean isWord = offset >= 0 && offset % Long.BYTES == 0;
        if (!isWord || count < 1 || count > (lineBytes - offset) / Long.BYTES) {
            throw new IndexOutOfBoundsException(
                    "words at %d of a line of %d: %d".formatted(offset, lineBytes, count));
        }
        return line + offset;
    }
}
