package org.namdb.compute.schema;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.namdb.memory.client.MemoryClient;
import org.namdb.mvcc.catalog.CatalogEntry;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;

/// All that the catalog holds, read list by list: consistent only while no session changes it.
///
/// A table that was being renamed when its coordinator failed may have two names, and indexes under
/// both. It is here by one of them, with all indexes: by the one that indexes have, or by the first
/// one if none or both have. [#completeRenames] makes it so in the catalog.
final class CatalogPicture {
    /// An index of the catalog.
    record IndexThere(IndexDefinition definition, CatalogEntry entry, boolean isFilled) {}

    private final Map<Integer, byte[]> tables = new HashMap<>();
    private final Map<Integer, String> names = new HashMap<>();
    private final Map<String, Map<Integer, IndexThere>> indexes = new HashMap<>();

    /// Indexes whose entries name a table by a name that is superseded, as they should be.
    private final List<IndexThere> moved = new ArrayList<>();

    private final List<String> superseded = new ArrayList<>();

    /// The catalog's versions before it was read.
    private final long[] versions;

    CatalogPicture(MemoryClient client) {
        versions = client.catalogVersions();
        Map<String, byte[]> byName = new TreeMap<>();
        client.catalogEntries()
                .forEach((name, bytes) -> {
                    if (name.startsWith(CatalogEntry.TABLE)) {
                        byName.put(name.substring(CatalogEntry.TABLE.length()), bytes);
                    } else if (!CatalogEntry.isUnnamed(name)) {
                        add(
                                new IndexThere(
                                        CatalogEntry.decodeIndex(bytes),
                                        CatalogEntry.decode(bytes),
                                        CatalogEntry.decodeFilled(bytes)));
                    }
                });
        byName.forEach(this::add);
    }

    /// Whether the catalog has the same versions as when it was read. An entry may have been
    /// altered whose version is about to rise.
    boolean isCurrent(MemoryClient client) {
        return Arrays.equals(versions, client.catalogVersions());
    }

    private void add(IndexThere index) {
        indexes.computeIfAbsent(index.definition().table(), _ -> new HashMap<>())
                .put(index.entry().number(), index);
    }

    private void add(String name, byte[] bytes) {
        int number = CatalogEntry.decode(bytes).number();
        String first = names.get(number);
        if (first == null) {
            names.put(number, name);
            tables.put(number, bytes);
        } else if (of(first).isEmpty() && !of(name).isEmpty()) {
            names.put(number, name);
            tables.put(number, bytes);
            superseded.add(first);
        } else {
            moveIndexes(bytes, Objects.requireNonNull(tables.get(number)));
            superseded.add(name);
        }
    }

    private void moveIndexes(byte[] from, byte[] to) {
        TableDefinition before = CatalogEntry.decodeTable(from);
        TableDefinition after = CatalogEntry.decodeTable(to);
        Map<String, String> newNames = new HashMap<>();
        for (int i = 0; i < before.columns().size(); i++) {
            newNames.put(before.columns().get(i).name(), after.columns().get(i).name());
        }
        for (IndexThere index : of(before.name()).values()) {
            IndexDefinition definition = index.definition().on(after.name(), newNames);
            moved.add(new IndexThere(definition, index.entry(), index.isFilled()));
        }
        indexes.remove(before.name());
        moved.forEach(this::add);
    }

    /// Makes the catalog what this is. May stop at any step, and be done by several compute
    /// servers, while none changes the schema.
    void completeRenames(MemoryClient client) {
        for (IndexThere index : moved) {
            boolean _ =
                    client.replaceCatalogEntry(
                            CatalogEntry.INDEX + index.definition().name(),
                            CatalogEntry.encode(
                                    index.definition(), index.entry(), index.isFilled()));
        }
        for (String name : superseded) {
            boolean _ = client.removeCatalogEntry(CatalogEntry.TABLE + name);
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
