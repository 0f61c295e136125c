package org.namdb.compute.schema;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.Projection;
import org.namdb.mvcc.schema.RecordSchema;
import org.namdb.mvcc.schema.TableDefinition;

/// A table of the database; shared by all sessions.
public final class Table {
    /// How full buckets are that are split, in percent.
    private static final int FILLED = 70;

    /// What a table is taken for that was made for any number of rows, and has not been split:
    /// plans should suit it when it has grown.
    private static final long UNKNOWN_ROWS = 1000;

    private final TableDefinition definition;
    private final RecordSchema schema;
    private final HashTable records;
    private final boolean isCached;
    private volatile Index[] indexes = new Index[0];

    /// The maximum of bytes of a value of each column that fits into all indexes.
    private volatile int[] maxBytes;

    /// Whether a key column may be too long for an index.
    private volatile boolean isKeyLimited;

    /// Set while no transaction runs, so that all that begin later see it.
    private boolean dropped;

    Table(TableDefinition definition, RecordSchema schema, HashTable records) {
        this.definition = definition;
        this.schema = schema;
        this.records = records;
        this.isCached = definition.isCached();
        this.maxBytes = unlimited(schema);
    }

    private static int[] unlimited(RecordSchema schema) {
        int[] maxBytes = new int[schema.columns().size()];
        Arrays.fill(maxBytes, Integer.MAX_VALUE);
        return maxBytes;
    }

    public String name() {
        return definition.name();
    }

    public TableDefinition definition() {
        return definition;
    }

    /// Whether compute servers keep copies of its rows.
    public boolean isCached() {
        return isCached;
    }

    /// How many rows the table has, as far as that is known without reading any: as many as it was
    /// made for, or more if its buckets were split; some if neither is known.
    public long estimatedRows() {
        long expected = definition.expectedRows() == 0 ? UNKNOWN_ROWS : definition.expectedRows();
        return Math.max(expected, splitRows());
    }

    /// How many rows another table should be made for that takes this one's rows, or an index of
    /// it.
    public long rowsToExpect() {
        return Math.max(definition.expectedRows(), splitRows());
    }

    private long splitRows() {
        long parts = records.parts();
        return parts == 0
                ? 0
                : (records.buckets() + parts) * records.layout().records() * FILLED / 100;
    }

    /// The columns and where their values are.
    public RecordSchema schema() {
        return schema;
    }

    /// The column of this name.
    ///
    /// @throws IllegalArgumentException if there is none
    public Column column(String name) {
        return schema.column(name);
    }

    /// A new, empty primary key.
    public Key newKey() {
        return new Key(schema.key());
    }

    /// The projection on some columns; key columns can always be used.
    public Projection project(String... columns) {
        return schema.project(columns);
    }

    /// The table's secondary indexes; not those that are just being filled.
    public List<Index> indexes() {
        return Arrays.stream(indexes).filter(Index::isFilled).toList();
    }

    /// Those that are being filled, too.
    public List<Index> allIndexes() {
        return List.of(indexes);
    }

    public @Nullable Index indexByNumber(int number) {
        for (Index index : indexes) {
            if (index.number() == number) {
                return index;
            }
        }
        return null;
    }

    /// The table was dropped, or another one has taken its place.
    void drop() {
        dropped = true;
        for (Index index : indexes) {
            index.drop();
        }
    }

    public boolean isDropped() {
        return dropped;
    }

    /// Refuses a dropped table.
    ///
    /// @throws IllegalStateException if the table was dropped, or another one has taken its place
    public void requireUsable() {
        if (dropped) {
            throw new IllegalStateException(
                    "table " + name() + " was dropped, or has changed: look it up again");
        }
    }

    public HashTable records() {
        return records;
    }

    public Index[] indexArray() {
        return indexes;
    }

    /// Whether one of its indexes is a hash table.
    public boolean hasHashedIndex() {
        for (Index index : indexes) {
            if (index.hash() != null) {
                return true;
            }
        }
        return false;
    }

    synchronized void add(Index index) {
        Index[] more = Arrays.copyOf(indexes, indexes.length + 1);
        more[indexes.length] = index;
        indexes = more;
        limit();
    }

    synchronized void remove(Index index) {
        index.drop();
        indexes = Arrays.stream(indexes).filter(other -> other != index).toArray(Index[]::new);
        limit();
    }

    private void limit() {
        int[] lowered = unlimited(schema);
        for (Index index : indexes) {
            index.limit(lowered);
        }
        maxBytes = lowered;
        isKeyLimited =
                schema.columns().stream()
                        .anyMatch(column ->
                                column.inKey() && lowered[column.index()] != Integer.MAX_VALUE);
    }

    /// Whether some values of a column are too long for an index.
    public boolean isLimited(Column column) {
        return maxBytes[column.index()] != Integer.MAX_VALUE;
    }

    /// Refuses a value that is too long for an index.
    ///
    /// @throws org.namdb.mvcc.schema.KeyTooLongException if it is
    public void requireFits(Column column, int bytes) {
        if (bytes > maxBytes[column.index()]) {
            for (Index index : indexes) {
                index.requireFits(column, bytes);
            }
        }
    }

    /// Refuses a primary key of which a column is too long for an index.
    ///
    /// @throws org.namdb.mvcc.schema.KeyTooLongException if one is
    public void requireFits(long[] key) {
        if (isKeyLimited) {
            for (Column column : schema.columns()) {
                if (column.inKey() && isLimited(column)) {
                    byte[] bytes = new byte[column.type().length()];
                    requireFits(column, schema.key().decode(key, column.keyIndex(), bytes));
                }
            }
        }
    }

    @Override
    public String toString() {
        return name();
    }
}
