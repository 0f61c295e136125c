package org.namdb.compute.guard;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.schema.Table;

/// A row, by its table and its key. A table that was changed is another one.
final class RowKey {
    private final Table table;
    private final long[] key;

    private RowKey(Table table, long[] key) {
        this.table = table;
        this.key = key;
    }

    /// @param words those of the key, with more behind them that mean nothing
    static RowKey of(Table table, long[] words) {
        return new RowKey(table, Arrays.copyOf(words, table.records().layout().keyWords()));
    }

    /// How many words the key has.
    int words() {
        return key.length;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof RowKey row && row.table == table && Arrays.equals(row.key, key);
    }

    @Override
    public int hashCode() {
        return 31 * System.identityHashCode(table) + Arrays.hashCode(key);
    }
}
