package org.namdb.compute.journal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// A block, as bytes. All numbers are little-endian.
/// ```
///        63              48 47              32 31                                0
/// block | CRC-32C of what follows this word   | "NAMJ", format                    |   0
///       | position                                                                |   8
///       | generation                          | bytes of the piece                |  16
///       | all before this position was forced when this was written               |  24
///       | 0                                   | where the first entry begins      |  32
///       | the piece                                                               |  40
/// ```
/// Blocks begin at multiples of [#ALIGNMENT], which disks and file systems write as a whole: no
/// block is ever rewritten to make space for the next one. The last piece of an entry may be in the
/// next block. Where no entry begins in the piece, its length stands for that.
final class JournalBlock {
    static final int ALIGNMENT = 4096;
    static final int HEAD_BYTES = 40;

    /// What is written at once, at the most.
    static final int MAX_BYTES = 1 << 20;

    private static final int MAGIC = 'N' | 'A' << 8 | 'M' << 16;
    static final int FORMAT = 1;

    /// That of blocks which the first version does not know: parts of tables in a checkpoint.
    static final int FORMAT_OF_PARTS = 2;

    private static final int CHECKSUM = 4;
    private static final int CHECKED_FROM = 8;
    private static final int POSITION = 8;
    private static final int PIECE_BYTES = 16;
    private static final int GENERATION = 20;
    private static final int FORCED = 24;
    private static final int FIRST_ENTRY = 32;

    /// The header of a block.
    ///
    /// @param bytes those of the piece
    /// @param forced all before this position was forced
    /// @param firstEntry where in the piece the first entry begins
    record Head(long position, int generation, int bytes, long forced, int firstEntry) {
        /// Where the next block begins.
        long end() {
            return position + length(bytes);
        }
    }

    private JournalBlock() {}

    /// How much a block takes with a piece of so many bytes.
    static int length(int bytes) {
        return HEAD_BYTES + bytes + ALIGNMENT - 1 & -ALIGNMENT;
    }

    /// Finishes a block whose piece is in `block` already, and fills it up.
    ///
    /// @param block from its beginning; gets its limit
    static void write(ByteBuffer block, Head head) {
        write(block, head, FORMAT);
    }

    static void write(ByteBuffer block, Head head, int format) {
        block.order(ByteOrder.LITTLE_ENDIAN).clear();
        int end = HEAD_BYTES + head.bytes;
        int length = length(head.bytes);
        block.putInt(0, MAGIC | format << 24)
                .putLong(POSITION, head.position)
                .putInt(PIECE_BYTES, head.bytes)
                .putInt(GENERATION, head.generation)
                .putLong(FORCED, head.forced)
                .putLong(FIRST_ENTRY, head.firstEntry);
        for (int at = end; at < length; at++) {
            block.put(at, (byte) 0);
        }
        block.putInt(CHECKSUM, checksum(block, end));
        block.position(0).limit(length);
    }

    /// Reads the header of a block.
    ///
    /// @param block at least its head
    /// @return null if there is none
    /// @throws JournalException if it is of a format that this version doesn't know
    static @Nullable Head head(ByteBuffer block, String file) {
        block.order(ByteOrder.LITTLE_ENDIAN);
        int magic = block.getInt(0);
        if ((magic & 0xffffff) != MAGIC) {
            return null;
        }
        int bytes = block.getInt(PIECE_BYTES);
        long firstEntry = block.getLong(FIRST_ENTRY);
        if (bytes < 0 || bytes > MAX_BYTES || firstEntry < 0 || firstEntry > bytes) {
            return null;
        }
        int format = magic >>> 24;
        if (format > FORMAT_OF_PARTS) {
            throw new JournalException(
                    JournalException.Kind.DAMAGED,
                    "%s has format %d, and this version of NamDB knows formats up to %d"
                            .formatted(file, format, FORMAT_OF_PARTS),
                    null);
        }
        return new Head(
                block.getLong(POSITION),
                block.getInt(GENERATION),
                bytes,
                block.getLong(FORCED),
                (int) firstEntry);
    }

    /// Whether a block is as it was written.
    ///
    /// @param block all of it
    static boolean isWhole(ByteBuffer block, Head head) {
        block.order(ByteOrder.LITTLE_ENDIAN);
        return block.getInt(CHECKSUM) == checksum(block, HEAD_BYTES + head.bytes);
    }

    private static int checksum(ByteBuffer block, int end) {
        CRC32C checksum = new CRC32C();
        checksum.update(block.duplicate().limit(end).position(CHECKED_FROM));
        return (int) checksum.getValue();
    }
}
