package org.namdb.checker;

import java.util.Arrays;
import org.namdb.checker.history.Transaction;

/// Counts pairs of committed transactions of which each overwrote what the other had read: what
/// snapshot isolation allows and serializability doesn't. Longer cycles are not counted.
final class WriteSkews {
    private final Evidence evidence;
    private long[] overwritten = new long[1 << 8];
    private int count;

    WriteSkews(Evidence evidence) {
        this.evidence = evidence;
    }

    /// `writer` overwrote a version that `reader` had read, and `reader`'s snapshot doesn't
    /// show it.
    void add(Transaction reader, Transaction writer) {
        if (!reader.hasTimestamp() || !evidence.isCommitted(reader)) {
            return;
        }
        if (count == overwritten.length) {
            overwritten = Arrays.copyOf(overwritten, 2 * count);
        }
        overwritten[count++] = (long) reader.index() << 32 | writer.index();
    }

    long count() {
        long[] edges = Arrays.stream(overwritten, 0, count).sorted().distinct().toArray();
        return Arrays.stream(edges)
                .filter(edge -> edge >>> 32 < (edge & 0xFFFF_FFFFL))
                .filter(edge -> Arrays.binarySearch(edges, Long.rotateLeft(edge, 32)) >= 0)
                .count();
    }
}
