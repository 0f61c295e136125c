package org.namdb.compute.commit;

import org.jspecify.annotations.Nullable;
import org.namdb.compute.schema.Table;

/// Finds the changes of a write set by their keys.
@FunctionalInterface
public interface OwnChanges {
    /// The change of the record with this key; null if the write set has none.
    @Nullable RecordChange of(Table table, long[] key);
}
