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

    /// Whether a change of several entries was not complete.
    private boolean isPartial;

    /// The catalog's versions before it was read.
    private final long[] versions;

    CatalogPicture(MemoryClient client) {
        versions = client.catalogVersions();
        client.catalogEntries().forEach(this::add);
    }

    private void add(String name, byte[] bytes) {
        if (name.equals(CatalogEntry.UPDATE)) {
            isPartial = true;
        } else if (name.startsWith(CatalogEntry.TABLE)) {
            tables.put(CatalogEntry.decode(bytes).number(), bytes);
        } else if (name.startsWith(CatalogEntry.INDEX)) {
            IndexThere index =
                    new IndexThere(
                            CatalogEntry.decodeIndex(bytes),
                            CatalogEntry.decode(bytes),
                            CatalogEntry.decodeFilled(bytes));
            indexes.computeIfAbsent(index.definition().table(), _ -> new HashMap<>())
                    .put(index.entry().number(), index);
        }
    }

    /// Whether the catalog has the same versions as when it was read. An entry may have been
    /// altered whose version is about to rise.
    boolean isCurrent(MemoryClient client) {
        return Arrays.equals(versions, client.catalogVersions());
    }

    /// Whether a change of several entries was not complete: a coordinator makes it, or has failed.
    boolean isPartial() {
        return isPartial;
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
