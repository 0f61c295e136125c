package org.namdb.mvcc.schema;

import java.util.Collection;
import java.util.List;

/// Which part of a table's payload a transaction reads: the words that hold some columns, as few
/// runs. Reading less costs less: a copy of three words takes a third of the time of one of
/// 300 bytes.
public final class Projection {
    /// No column, and none of the null words.
    public static final Projection NOTHING = new Projection(List.of(), 0, 0);

    private final long columns;
    private final int[] offsets;
    private final int[] lengths;

    /// The projection on `chosen` columns of a payload of `payloadBytes`.
    ///
    /// @param nullBytes the size of the payload's null words, which are always read
    Projection(Collection<Column> chosen, int payloadBytes, int nullBytes) {
        boolean[] read = new boolean[payloadBytes >>> 3];
        java.util.Arrays.fill(read, 0, nullBytes >>> 3, true);
        long mask = 0;
        for (Column column : chosen) {
            mask |= column.mask();
            if (!column.inKey()) {
                int end = column.offset() + column.type().payloadBytes();
                java.util.Arrays.fill(read, column.offset() >>> 3, end + 7 >>> 3, true);
            }
        }
        this.columns = mask;
        int runs = 0;
        for (int word = 0; word < read.length; word++) {
            runs += read[word] && (word == 0 || !read[word - 1]) ? 1 : 0;
        }
        this.offsets = new int[runs];
        this.lengths = new int[runs];
        int run = -1;
        for (int word = 0; word < read.length; word++) {
            if (read[word]) {
                if (word == 0 || !read[word - 1]) {
                    offsets[++run] = word << 3;
                }
                lengths[run] += 8;
            }
        }
    }

    /// The columns that can be used, as a set of [Column#mask].
    public long columns() {
        return columns;
    }

    /// How many runs of words there are.
    public int runs() {
        return offsets.length;
    }

    /// Where run `run` starts in the payload, in bytes.
    public int offset(int run) {
        return offsets[run];
    }

    /// The bytes of run `run`.
    public int length(int run) {
        return lengths[run];
    }
}
