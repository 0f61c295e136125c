package org.namdb.compute.commit;

import org.namdb.compute.schema.Index;
import org.namdb.compute.schema.Table;

/// A thread's ways to keep secondary indexes up to date.
@FunctionalInterface
public interface IndexWriters {
    /// The one for an index of a table.
    ///
    /// @throws IllegalStateException if the index was dropped
    IndexWriter writer(Table table, Index index);
}
