package org.namdb.sql.engine.execute;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.plan.TupleCursor;
import org.namdb.sql.engine.spill.TupleFile;
import org.namdb.sql.engine.spill.TuplePartitions;
import org.namdb.sql.engine.spill.WorkMemory;

/// Finds the tuples that are met for the first time. When those that are kept fill the memory,
/// others are spilled to partitions, which are to be processed one after the other.
final class DistinctTuples {
    private static final long ENTRY_BYTES = 64;

    private final HashKey key;
    private final WorkMemory memory;
    private final Set<HashKey.Several> known = new HashSet<>();
    private final Deque<Partition> waiting = new ArrayDeque<>();
    private @Nullable TuplePartitions spilled;
    private @Nullable TupleFile current;
    private int depth;

    private record Partition(TupleFile file, int depth) {}

    DistinctTuples(HashKey key, WorkMemory memory) {
        this.key = key;
        this.memory = memory;
    }

    /// Whether the tuple is to be given now: it was not met before, and is not spilled.
    boolean isNew(@Nullable Object[] tuple) {
        HashKey.Several wanted = key.withNulls(tuple);
        if (known.contains(wanted)) {
            return false;
        }
        TuplePartitions partitions = spilled;
        if (partitions == null && memory.tryTake(tuple, ENTRY_BYTES)) {
            known.add(wanted);
            return true;
        }
        if (partitions == null) {
            partitions = new TuplePartitions(memory, depth);
            spilled = partitions;
        }
        partitions.add(partitions.of(wanted), tuple);
        return false;
    }

    /// The next spilled tuples to read, when those before are done; null if there are none.
    @Nullable TupleCursor nextPartition() {
        TuplePartitions partitions = spilled;
        if (partitions != null) {
            for (int i = 0; i < TuplePartitions.COUNT; i++) {
                TupleFile file = partitions.file(i);
                if (file != null) {
                    waiting.push(new Partition(file, partitions.depth() + 1));
                }
            }
            spilled = null;
        }
        if (current != null) {
            current.close();
            current = null;
        }
        known.clear();
        memory.release();
        Partition next = waiting.poll();
        if (next == null) {
            return null;
        }
        depth = next.depth();
        current = next.file();
        return next.file().read();
    }

    void clear() {
        known.clear();
        waiting.clear();
        spilled = null;
        current = null;
    }
}
