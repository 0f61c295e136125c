package org.namdb.compute.schema;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;

/// A table as a transaction sees it that may have changed its definition: what is stored is as it
/// was until the commit.
///
/// @param definition with the names and properties that the transaction has given it
/// @param stored where its rows are; names may be former ones, columns are in the same order
/// @param indexes those that it has, filled or not
public record SchemaTable(TableDefinition definition, Table stored, List<Index> indexes) {
    /// A table that is as it is stored.
    public static SchemaTable of(Table table) {
        return new SchemaTable(table.definition(), table, table.allIndexes());
    }

    /// The indexes that can be used.
    public List<Index> filledIndexes() {
        return indexes.stream().filter(Index::isFilled).toList();
    }

    /// The columns' names by those that are stored.
    Map<String, String> names() {
        Map<String, String> names = new LinkedHashMap<>();
        for (int i = 0; i < definition.columns().size(); i++) {
            names.put(
                    stored.definition().columns().get(i).name(),
                    definition.columns().get(i).name());
        }
        return names;
    }

    /// The columns' stored names by those that they have.
    Map<String, String> storedNames() {
        Map<String, String> names = new LinkedHashMap<>();
        names().forEach((from, to) -> names.put(to, from));
        return names;
    }

    /// An index's definition with the table's and the columns' names.
    public IndexDefinition definition(Index index) {
        return index.definition().on(definition.name(), names());
    }
}
