package org.namdb.cache.heap;

import org.namdb.cache.frame.GuardSession;

/// Where a thread's new records of one length go: into lines of its own, one after the other. A
/// record's address is that of its first byte, from which its line is known; nothing else says what
/// a line holds, so a record is found by an index. Places are never used again.
public final class LineHeap {
    private final GuardSession session;
    private final int recordBytes;
    private final int lineBytes;
    private long line;
    private int used;

    /// @param recordBytes of each, a multiple of 8
    /// @throws IllegalArgumentException if a line is too short for one
    public LineHeap(GuardSession session, int recordBytes) {
        this.session = session;
        this.recordBytes = recordBytes;
        this.lineBytes = session.lineBytes();
        if (recordBytes > lineBytes) {
            throw new IllegalArgumentException(
                    "records of %,d bytes don't fit in lines of %,d: give the cluster a larger compute.line-bytes"
                            .formatted(recordBytes, lineBytes));
        }
    }

    /// The address of the next record, of zeroes.
    ///
    /// @throws org.namdb.mvcc.MemoryFullException if there is no memory for another line
    public long next() {
        if (line == 0 || used + recordBytes > lineBytes) {
            line = session.allocate();
            used = 0;
        }
        long record = line + used;
        used += recordBytes;
        return record;
    }

    /// Releases the records that were allocated from one on; nothing has been written to them.
    ///
    /// @param record that was allocated
    public void releaseFrom(long record) {
        if (line(record, lineBytes) == line) {
            used = Math.min(used, offset(record, lineBytes));
        }
    }

    /// The line of a record, of so many bytes.
    public static long line(long record, int lineBytes) {
        return record & -lineBytes;
    }

    /// Where a record begins in its line.
    public static int offset(long record, int lineBytes) {
        return (int) record & lineBytes - 1;
    }
}
