package org.namdb.cache.line;

import org.namdb.fabric.RemoteAddress;

/// Where what is in an area of lines: one MiB at a multiple of one MiB, so that a line's address
/// leads to its latch word, and one READ gets all latch words of an area.
/// ```
/// 0                    8      16                a multiple of the line's size
/// | LINE | line bytes  | next | latch words ... | line | line | ...
/// ```
/// 510 lines of 2 KiB fill an area, or 255 of 4 KiB. `next`: the area that was made before it on
/// the same memory server, 0 for none. Areas are never freed.
///
/// @param lineBytes the size of a line: a power of two from 64 to 32 KiB
public record LineArea(int lineBytes) {
    /// The size of an area, and what its address is a multiple of.
    public static final long BYTES = 1 << 20;

    private static final long MAGIC = 0x4c494e45L << 32;
    private static final int NEXT_OFFSET = 8;
    private static final int LATCHES_OFFSET = 16;
    private static final int MIN_LINE_BYTES = 64;
    private static final int MAX_LINE_BYTES = 32 << 10;

    public LineArea {
        if (lineBytes < MIN_LINE_BYTES
                || lineBytes > MAX_LINE_BYTES
                || Integer.bitCount(lineBytes) != 1) {
            throw new IllegalArgumentException(
                    "lines of %d bytes: their size is a power of two from %d to %d"
                            .formatted(lineBytes, MIN_LINE_BYTES, MAX_LINE_BYTES));
        }
    }

    /// How many lines an area has.
    public int lines() {
        int lines = (int) ((BYTES - LATCHES_OFFSET) / (lineBytes + Long.BYTES));
        while (first(lines) + (long) lines * lineBytes > BYTES) {
            lines--;
        }
        return lines;
    }

    /// The first word of an area.
    long head() {
        return MAGIC | lineBytes;
    }

    /// The area that a line is in.
    static long area(long line) {
        return line & -BYTES;
    }

    /// The address of an area's word that leads to the next one.
    static long next(long area) {
        return area + NEXT_OFFSET;
    }

    /// The address of the latch words of an area.
    static long latches(long area) {
        return area + LATCHES_OFFSET;
    }

    /// The address of a line of an area, by its number.
    public long line(long area, int number) {
        return area + first(lines()) + (long) number * lineBytes;
    }

    /// The address of the latch word of a line.
    public long latch(long line) {
        long offset = RemoteAddress.offset(line) & BYTES - 1;
        long number = (offset - first(lines())) / lineBytes;
        return line - offset + LATCHES_OFFSET + number * Long.BYTES;
    }

    /// Whether a line can have this address.
    public boolean isLine(long address) {
        long offset = RemoteAddress.offset(address) & BYTES - 1;
        long first = first(lines());
        return address != RemoteAddress.NULL
                && (offset & lineBytes - 1) == 0
                && offset >= first
                && offset < first + (long) lines() * lineBytes;
    }

    private long first(int lines) {
        return LATCHES_OFFSET + (long) lines * Long.BYTES + lineBytes - 1 & -lineBytes;
    }
}
