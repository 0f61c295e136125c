package org.namdb.compute.schema;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.namdb.memory.client.MemoryClient;
import org.namdb.mvcc.catalog.CatalogEntry;
import org.namdb.mvcc.schema.IndexDefinition;

/// All that the catalog holds, read entry by entry: consistent only while no session changes it.
final class CatalogPicture {
    /// An index of the catalog.
    record IndexThere(IndexDefinition definition, CatalogEntry entry, boolean isFilled) {}

    private final Map<Integer, byte[]> tables = new HashMap<>();
    private final Map<String, Map<Integer, IndexThere>> indexes = new HashMap<>();

    CatalogPicture(MemoryClient client) {
        for (String name : client.catalogNames()) {
            byte[] bytes = CatalogEntry.isUnnamed(name) ? null : client.catalogEntry(name);
            if (bytes == null) {
                continue; // it has gone just now
            }
            CatalogEntry entry = CatalogEntry.decode(bytes);
            if (name.startsWith(CatalogEntry.TABLE)) {
                tables.put(entry.number(), bytes);
            } else {
                IndexDefinition definition = CatalogEntry.decodeIndex(bytes);
                indexes.computeIfAbsent(definition.table(), _ -> new HashMap<>())
                        .put(
                                entry.number(),
                                new IndexThere(
                                        definition, entry, CatalogEntry.decodeFilled(bytes)));
            }
        }
    }

    /// The entry of the table with this number; null if there is none.
    byte @Nullable [] table(int number) {
        return tables.get(number);
    }

    /// Whether there is an index with this number.
    boolean hasIndex(int number) {
        return indexes.values().stream().anyMatch(ofTable -> ofTable.containsKey(number));
    }

    /// The indexes of a table, by number.
    Map<Integer, IndexThere> of(String table) {
        return indexes.getOrDefault(table, Map.of());
    }
}
