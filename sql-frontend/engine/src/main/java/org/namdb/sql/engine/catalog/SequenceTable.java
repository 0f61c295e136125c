package org.namdb.sql.engine.catalog;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.Schema;
import org.namdb.compute.schema.SchemaTable;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.TableDefinition;
import org.namdb.sql.engine.sequence.Sequence;
import org.namdb.sql.engine.sequence.SequenceValues;
import org.namdb.sql.language.type.SqlType;

/// The sequences of a database as the properties of a hidden table's definition, whose rows are
/// their [values][SequenceValues]: so they are a part of the schema, as tables are.
///
/// - `sequence.s` is id, storage, type, increment, min, max, start, cache, `cycle` or nothing,
///   table, column, `identity` or nothing, owner, ACL.
public final class SequenceTable {
    private static final String SEQUENCE = "sequence.";
    private static final String CYCLE = "cycle";
    private static final String IDENTITY = "identity";

    private SequenceTable() {}

    /// The sequences by their names.
    static SortedMap<String, Sequence> read(Schema db) {
        SchemaTable table = db.describe(SequenceValues.TABLE);
        if (table == null) {
            return Collections.emptySortedMap();
        }
        SortedMap<String, Sequence> sequences = new TreeMap<>();
        table.definition()
                .properties()
                .forEach((key, text) -> {
                    if (key.startsWith(SEQUENCE)) {
                        String name = key.substring(SEQUENCE.length());
                        sequences.put(name, decode(name, Fields.split(text)));
                    }
                });
        return Collections.unmodifiableSortedMap(sequences);
    }

    /// Keeps these sequences, in place of those that were kept; a change of the schema.
    public static void store(Schema db, SortedMap<String, Sequence> sequences) {
        TableDefinition.Builder definition = SequenceValues.definition();
        sequences.forEach((name, sequence) ->
                definition.property(SEQUENCE + name, Fields.join(encode(sequence))));
        if (db.findTable(SequenceValues.TABLE) == null) {
            Table _ = db.createTable(definition.build());
        } else {
            Table _ = db.redefine(SequenceValues.TABLE, definition.build());
        }
    }

    static List<String> encode(Sequence sequence) {
        Sequence.Owner owner = sequence.owner();
        return List.of(
                Long.toString(sequence.id()),
                Long.toString(sequence.storage()),
                sequence.type().kind().name(),
                Long.toString(sequence.increment()),
                Long.toString(sequence.min()),
                Long.toString(sequence.max()),
                Long.toString(sequence.start()),
                Long.toString(sequence.cache()),
                sequence.isCycle() ? CYCLE : "",
                owner == null ? "" : owner.table(),
                owner == null ? "" : owner.column(),
                owner != null && owner.isIdentity() ? IDENTITY : "",
                RoleTable.encode(sequence.ownership()));
    }

    static Sequence decode(String name, List<String> fields) {
        Sequence.@Nullable Owner owner =
                fields.get(9).isEmpty()
                        ? null
                        : new Sequence.Owner(
                                fields.get(9), fields.get(10), fields.get(11).equals(IDENTITY));
        return new Sequence(
                name,
                Long.parseLong(fields.get(0)),
                Long.parseLong(fields.get(1)),
                type(fields.get(2)),
                Long.parseLong(fields.get(3)),
                Long.parseLong(fields.get(4)),
                Long.parseLong(fields.get(5)),
                Long.parseLong(fields.get(6)),
                Long.parseLong(fields.get(7)),
                fields.get(8).equals(CYCLE),
                owner,
                RoleTable.ownership(fields.get(12)));
    }

    private static SqlType type(String kind) {
        return switch (SqlType.Kind.valueOf(kind)) {
            case SMALLINT -> SqlType.SMALLINT;
            case INTEGER -> SqlType.INTEGER;
            default -> SqlType.BIGINT;
        };
    }
}
