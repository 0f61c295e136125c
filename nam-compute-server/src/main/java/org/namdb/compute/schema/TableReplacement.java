package org.namdb.compute.schema;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;

/// What takes the place of a table, all at once.
///
/// @param definition of the new table
/// @param indexes those that it has
/// @param beside further tables that are filled when its rows are copied; each takes the place of
///     the table of its name, if there is one
public record TableReplacement(
        TableDefinition definition, List<IndexDefinition> indexes, List<TableDefinition> beside) {
    /// A table with those of another one's indexes whose columns it has.
    public static TableReplacement of(SchemaTable old, TableDefinition definition) {
        List<String> columns =
                definition.columns().stream().map(TableDefinition.ColumnDefinition::name).toList();
        List<IndexDefinition> kept = new ArrayList<>();
        for (Index index : old.indexes()) { // one that is being built is filled with the rows
            IndexDefinition named = old.definition(index);
            if (columns.containsAll(named.columns())) {
                kept.add(named.on(definition.name(), Map.of()));
            }
        }
        return new TableReplacement(definition, List.copyOf(kept), List.of());
    }
}
