package org.namdb.mvcc.schema;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// A table's columns with their places: key columns in the key's words, the others in the payload,
/// after a null bit for each that may be NULL. A key column may be shorter than it was defined (see
/// [KeyShares]).
/// ```
/// payload   | null bits, in words | column | column | ... | filled up to 8 bytes |
/// ```
public final class RecordSchema {
    private final String table;
    private final List<Column> columns;
    private final KeyLayout key;
    private final int nullBytes;
    private final int payloadBytes;
    private final Column[] payloadColumns;
    private final long nullableMask;
    private final long notNullMask;
    private final long keyMask;
    private final Projection all;
    private final Projection nothing;

    public RecordSchema(TableDefinition definition) {
        table = definition.name();
        int nullable =
                (int)
                        definition.columns().stream()
                                .filter(TableDefinition.ColumnDefinition::nullable)
                                .count();
        nullBytes = (nullable + 63 >>> 6) << 3;
        key =
                KeyShares.primaryKey(
                        definition.primaryKey(),
                        definition.primaryKey().stream()
                                .map(name -> definition.column(name).type())
                                .toList());
        int offset = nullBytes;
        int nullBit = 0;
        List<Column> placed = new ArrayList<>();
        for (TableDefinition.ColumnDefinition column : definition.columns()) {
            int keyIndex = definition.primaryKey().indexOf(column.name());
            boolean inKey = keyIndex >= 0;
            placed.add(
                    new Column(
                            column.name(),
                            inKey ? key.type(keyIndex) : column.type(),
                            column.nullable(),
                            placed.size(),
                            keyIndex,
                            inKey ? -1 : offset,
                            column.nullable() ? nullBit++ : -1));
            offset += inKey ? 0 : column.type().payloadBytes();
        }
        columns = List.copyOf(placed);
        payloadBytes = Math.max(8, offset + 7 & ~7);
        if (payloadBytes > TableDefinition.MAX_PAYLOAD_BYTES) {
            throw new IllegalArgumentException(
                    table
                            + ": a record takes "
                            + payloadBytes
                            + " bytes; at most "
                            + TableDefinition.MAX_PAYLOAD_BYTES
                            + " are allowed");
        }
        payloadColumns = columns.stream().filter(column -> !column.inKey()).toArray(Column[]::new);
        nullableMask = mask(columns.stream().filter(Column::nullable));
        notNullMask =
                mask(columns.stream().filter(column -> !column.inKey() && !column.nullable()));
        keyMask = mask(columns.stream().filter(Column::inKey));
        all = new Projection(columns, payloadBytes, nullBytes);
        nothing = new Projection(List.of(), payloadBytes, nullBytes);
    }

    private static long mask(java.util.stream.Stream<Column> some) {
        return some.mapToLong(Column::mask).reduce(0, (a, b) -> a | b);
    }

    /// The columns of the payload in the order of their offsets; the caller does not change
    /// the array.
    public Column[] payloadColumns() {
        return payloadColumns;
    }

    /// The bytes of the null bits, a multiple of 8.
    public int nullBytes() {
        return nullBytes;
    }

    /// The columns of the payload that may not be NULL, as a set of [Column#mask].
    public long notNullMask() {
        return notNullMask;
    }

    /// The columns that may be NULL, as a set of [Column#mask].
    public long nullableMask() {
        return nullableMask;
    }

    /// The key columns, as a set of [Column#mask].
    public long keyMask() {
        return keyMask;
    }

    /// All columns in the order of their definition.
    public List<Column> columns() {
        return columns;
    }

    /// The column of this name.
    ///
    /// @throws IllegalArgumentException if there is none
    public Column column(String name) {
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).name().equals(name)) {
                return columns.get(i);
            }
        }
        throw new IllegalArgumentException(
                "table "
                        + table
                        + " has no column "
                        + name
                        + "; it has "
                        + columns.stream().map(Column::name).toList());
    }

    /// The primary key's layout.
    public KeyLayout key() {
        return key;
    }

    /// The size of a payload, a multiple of 8.
    public int payloadBytes() {
        return payloadBytes;
    }

    /// The projection on every column.
    public Projection all() {
        return all;
    }

    /// The projection on the key alone.
    public Projection nothing() {
        return nothing;
    }

    /// The projection on some columns; key columns can always be used.
    public Projection project(String... names) {
        return new Projection(
                Arrays.stream(names).map(this::column).toList(), payloadBytes, nullBytes);
    }
}
