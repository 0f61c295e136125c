package org.namdb.compute;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.KeyLayout;
import org.namdb.mvcc.schema.Payload;
import org.namdb.mvcc.schema.RecordSchema;
import org.namdb.mvcc.tree.BLinkTree;

/// A secondary index of a table; shared by all sessions. An entry is the indexed columns followed by the primary key; or the primary key
/// alone, where that starts with the indexed columns.
public final class Index {
    private final IndexDefinition definition;
    private final int number;
    private final RecordSchema schema;
    private final KeyLayout layout;
    private final Column[] columns;

    /// How many columns an entry has before the primary key.
    private final int extraColumns;

    private final long columnMask;
    private final @Nullable HashTable hash;
    private final @Nullable BLinkTree tree;

    Index(
            IndexDefinition definition,
            int number,
            RecordSchema schema,
            @Nullable HashTable hash,
            @Nullable BLinkTree tree) {
        this.definition = definition;
        this.number = number;
        this.schema = schema;
        this.layout = layout(definition, schema);
        this.columns = definition.columns().stream().map(schema::column).toArray(Column[]::new);
        this.extraColumns = isKeyPrefix(definition, schema) ? 0 : columns.length;
        this.columnMask = Arrays.stream(columns).mapToLong(Column::mask).reduce(0, (a, b) -> a | b);
        this.hash = hash;
        this.tree = tree;
    }

    /// The layout of an index's entries.
    static KeyLayout layout(IndexDefinition definition, RecordSchema schema) {
        List<String> names = new ArrayList<>();
        List<ColumnType> types = new ArrayList<>();
        boolean keyOnly = isKeyPrefix(definition, schema);
        for (String name : definition.columns()) {
            Column column = schema.column(name);
            if (column.nullable()) {
                throw new IllegalArgumentException(
                        "index "
                                + definition.name()
                                + ": column "
                                + name
                                + " may be NULL, and can't be indexed");
            }
            if (!keyOnly) {
                names.add(name);
                types.add(column.type());
            }
        }
        for (int i = 0; i < schema.key().columns(); i++) {
            names.add(schema.key().name(i));
            types.add(schema.key().type(i));
        }
        return new KeyLayout(names, types);
    }

    private static boolean isKeyPrefix(IndexDefinition definition, RecordSchema schema) {
        boolean prefix = definition.columns().size() <= schema.key().columns();
        for (int i = 0; prefix && i < definition.columns().size(); i++) {
            prefix = schema.key().name(i).equals(definition.columns().get(i));
        }
        return prefix;
    }

    public String name() {
        return definition.name();
    }

    public IndexDefinition definition() {
        return definition;
    }

    /// A new, empty key: fill it with indexed columns to look them up, with fewer for a range that starts with them.
    public Key newKey() {
        return new Key(layout);
    }

    int number() {
        return number;
    }

    /// The indexed columns, as a set of [Column#mask].
    long columnMask() {
        return columnMask;
    }

    int columns() {
        return columns.length;
    }

    KeyLayout layout() {
        return layout;
    }

    @Nullable HashTable hash() {
        return hash;
    }

    @Nullable BLinkTree tree() {
        return tree;
    }

    /// Writes the entry for a record.
    ///
    /// @param entry gets the entry's words
    /// @param key the record's key
    /// @param image native address of its payload
    /// @param changes native address of a payload whose `changed` columns are newer
    /// @param scratch room for a column's bytes
    void encode(long[] entry, long[] key, long image, long changes, long changed, byte[] scratch) {
        if (extraColumns == 0) {
            System.arraycopy(key, 0, entry, 0, layout.words());
            return;
        }
        Arrays.fill(entry, 0, layout.words(), 0);
        for (int i = 0; i < extraColumns; i++) {
            Column column = columns[i];
            if (column.inKey()) {
                encodeKeyColumn(entry, i, key, column.keyIndex(), scratch);
            } else {
                long payload = (changed & column.mask()) != 0 ? changes : image;
                if (column.type().isSized()) {
                    int length = Payload.copyBytes(column, payload, scratch, 0);
                    layout.encode(entry, i, scratch, 0, length);
                } else {
                    layout.encode(entry, i, Payload.integral(column, payload));
                }
            }
        }
        for (int i = 0; i < schema.key().columns(); i++) {
            encodeKeyColumn(entry, extraColumns + i, key, i, scratch);
        }
    }

    /// Writes the primary key that an entry ends with.
    void primaryKey(long[] entry, long[] key, byte[] scratch) {
        if (extraColumns == 0) {
            System.arraycopy(entry, 0, key, 0, layout.words());
            return;
        }
        Arrays.fill(key, 0, schema.key().words(), 0);
        for (int i = 0; i < schema.key().columns(); i++) {
            if (schema.key().type(i).isSized()) {
                int length = layout.decode(entry, extraColumns + i, scratch);
                schema.key().encode(key, i, scratch, 0, length);
            } else {
                schema.key().encode(key, i, layout.decode(entry, extraColumns + i));
            }
        }
    }

    private void encodeKeyColumn(
            long[] entry, int column, long[] key, int keyIndex, byte[] scratch) {
        if (schema.key().type(keyIndex).isSized()) {
            int length = schema.key().decode(key, keyIndex, scratch);
            layout.encode(entry, column, scratch, 0, length);
        } else {
            layout.encode(entry, column, schema.key().decode(key, keyIndex));
        }
    }

    @Override
    public String toString() {
        return name();
    }
}
