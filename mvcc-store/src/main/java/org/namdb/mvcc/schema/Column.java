package org.namdb.mvcc.schema;

/// A column of a table: its name, its type, and where a record keeps its values.
///
/// @param name the column's name
/// @param type the type
/// @param nullable whether it may be NULL; a key column may not
/// @param index the column's number in the table, from 0
/// @param keyIndex its number among the key columns, or -1 if it is in the payload
/// @param offset where its values start in the payload, in bytes; -1 for a key column
/// @param nullBit its bit in the payload's null words, or -1 if it can't be NULL
public record Column(
        String name,
        ColumnType type,
        boolean nullable,
        int index,
        int keyIndex,
        int offset,
        int nullBit) {
    /// Whether the column is part of the primary key.
    public boolean inKey() {
        return keyIndex >= 0;
    }

    /// The bit that stands for the column in a set of columns.
    public long mask() {
        return 1L << index;
    }
}
