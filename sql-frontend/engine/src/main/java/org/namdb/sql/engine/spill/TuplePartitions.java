package org.namdb.sql.engine.spill;

import org.jspecify.annotations.Nullable;

/// Tuples spread over temporary files by the hashes of their keys: those with equal keys are in one
/// file. A file that is still too large is partitioned again, at the next depth, which takes other
/// bits of the hash.
public final class TuplePartitions {
    /// How many files there may be.
    public static final int COUNT = 32;

    private static final int PART_BITS = 5;
    private static final long MIX = 0x9e3779b97f4a7c15L;
    private static final long MIX_AGAIN = 0xbf58476d1ce4e5b9L;

    private final WorkMemory memory;
    private final int depth;
    private final @Nullable TupleFile[] files = new @Nullable TupleFile[COUNT];

    /// @param depth 0 for the operator's inputs, one more for each time that they were spread
    public TuplePartitions(WorkMemory memory, int depth) {
        this.memory = memory;
        this.depth = depth;
    }

    /// How deep it is.
    public int depth() {
        return depth;
    }

    /// The partition of a key.
    ///
    /// @param key null for a tuple that equals none
    public int of(@Nullable Object key) {
        if (key == null) {
            return 0;
        }
        long mixed = (key.hashCode() + depth * MIX_AGAIN) * MIX;
        mixed = (mixed ^ mixed >>> 29) * MIX_AGAIN;
        return (int) (mixed >>> Long.SIZE - PART_BITS);
    }

    /// Adds a tuple to a partition.
    ///
    /// @throws org.namdb.sql.language.error.SqlException as [TupleFile#add]
    public void add(int partition, @Nullable Object[] tuple) {
        TupleFile file = files[partition];
        if (file == null) {
            file = memory.newFile();
            files[partition] = file;
        }
        file.add(tuple);
    }

    /// The tuples of a partition; null if there are none.
    public @Nullable TupleFile file(int partition) {
        return files[partition];
    }
}
