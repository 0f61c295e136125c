package org.namdb.sql.engine.spill;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.sql.engine.plan.TupleCursor;

/// Tuples in the order in which they were added, in memory as far as they fit, the others in a
/// temporary file; read as often as needed.
public final class TupleList implements AutoCloseable {
    private final WorkMemory memory;
    private final List<@Nullable Object[]> first = new ArrayList<>();
    private @Nullable TupleFile rest;
    private long count;

    /// @param memory which closes the file
    public TupleList(WorkMemory memory) {
        this.memory = memory;
    }

    /// Adds a tuple; not after [#read].
    ///
    /// @throws org.namdb.sql.language.error.SqlException as [TupleFile#add]
    public void add(@Nullable Object[] tuple) {
        count++;
        TupleFile file = rest;
        if (file == null) {
            if (memory.tryTake(tuple, 0)) {
                first.add(tuple);
                return;
            }
            file = memory.newFile();
            rest = file;
        }
        file.add(tuple);
    }

    /// How many tuples it has.
    public long count() {
        return count;
    }

    /// Frees its memory, and closes its file; that of other lists with the same memory, too.
    @Override
    public void close() {
        memory.close();
    }

    /// The tuples from the first on.
    public TupleCursor read() {
        Iterator<@Nullable Object[]> kept = first.iterator();
        TupleCursor spilled = rest == null ? null : rest.read();
        return new TupleCursor() {
            @Override
            public @Nullable Object @Nullable [] next() {
                if (kept.hasNext()) {
                    return kept.next();
                }
                return spilled == null ? null : spilled.next();
            }

            @Override
            public void close() {
                // the memory is the list's
            }
        };
    }
}
