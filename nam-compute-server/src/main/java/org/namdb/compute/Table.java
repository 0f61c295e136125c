package org.namdb.compute;

import java.util.List;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.schema.Column;
import org.namdb.mvcc.schema.Key;
import org.namdb.mvcc.schema.Projection;
import org.namdb.mvcc.schema.RecordSchema;
import org.namdb.mvcc.schema.TableDefinition;

/// A table of the database; shared by all sessions.
public final class Table {
    private final TableDefinition definition;
    private final RecordSchema schema;
    private final HashTable records;
    private volatile Index[] indexes = new Index[0];

    Table(TableDefinition definition, RecordSchema schema, HashTable records) {
        this.definition = definition;
        this.schema = schema;
        this.records = records;
    }

    public String name() {
        return definition.name();
    }

    public TableDefinition definition() {
        return definition;
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

    /// The table's secondary indexes.
    public List<Index> indexes() {
        return List.of(indexes);
    }

    HashTable records() {
        return records;
    }

    Index[] indexArray() {
        return indexes;
    }

    synchronized void add(Index index) {
        Index[] more = java.util.Arrays.copyOf(indexes, indexes.length + 1);
        more[indexes.length] = index;
        indexes = more;
    }

    @Override
    public String toString() {
        return name();
    }
}
