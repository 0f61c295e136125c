package org.namdb.compute.schema;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.namdb.memory.client.MemoryClient;
import org.namdb.mvcc.catalog.CatalogEntry;
import org.namdb.mvcc.schema.IndexDefinition;

/// All that the catalog holds, read list by list: consistent only while no session changes it.
final class CatalogPicture {
    /// An index of the catalog.
    record IndexThere(IndexDefinition definition, CatalogEntry entry, boolean isFilled) {}

    private final Map<Integer, byte[]> tables = new HashMap<>();
    private final Map<String, Map<Integer, IndexThere>> indexes = new HashMap<>();

    /// The catalog's versions before it was read.
    private final long[] versions;

    CatalogPicture(MemoryClient client) {
        versions = client.catalogVersions();
        client.catalogEntries()
                .forEach((name, bytes) -> {
                    if (CatalogEntry.isUnnamed(name)) {
                        return;
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
                                                definition,
                                                entry,
                                                CatalogEntry.decodeFilled(bytes)));
                    }
                });
    }

    /// Whether the catalog has the same versions as when it was read. An entry may have been
    /// altered whose version is about to rise.
    boolean isCurrent(MemoryClient client) {
        return Arrays.equals(versions, client.catalogVersions());
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
