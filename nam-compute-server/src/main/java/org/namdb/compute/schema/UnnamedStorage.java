package org.namdb.compute.schema;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import org.namdb.fabric.PlantedFault;
import org.namdb.memory.client.MemoryClient;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.catalog.CatalogEntry;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;

/// The catalog's entries for tables and indexes that take memory and are not, or no longer, found
/// by a name: those that a schema change is about to put in the place of others, and those that it
/// has dropped and frees. Should its coordinator die, the next one frees them ([#reclaim]).
/// ```
/// made      entry "unnamed"   filled        its name    entry "unnamed" goes
/// dropped   entry "unnamed"   its name goes   all have forgotten it, its pieces are known
///           entry "unnamed" goes   the pieces are freed
/// ```
/// The entry goes before the first piece does, so nothing is freed twice, when it might be another
/// table's. What a coordinator was just freeing when it died is lost. A table of more pieces than
/// [the heap should hold][DisposedPieces#MAX] begins to be freed before all are known.
///
/// Used by one thread at a time.
final class UnnamedStorage {
    private final MemoryClient client;
    private final int computeServer;

    /// @param computeServer the number of the compute server, which makes its entries its own
    UnnamedStorage(MemoryClient client, int computeServer) {
        this.client = client;
        this.computeServer = computeServer;
    }

    /// A table has no name now. Without space for the entry, there is none.
    void put(Table table, CatalogEntry entry) {
        put(name(table), CatalogEntry.encode(table.definition(), entry));
    }

    /// An index has no name now.
    void put(Index index, CatalogEntry entry, Table of) {
        // Its table may have any name, and so may another table then.
        IndexDefinition numbered =
                index.definition().on(String.valueOf(of.records().id()), Map.of());
        put(name(index), CatalogEntry.encode(numbered, entry, false));
    }

    private void put(String name, byte[] entry) {
        try {
            boolean _ = client.putCatalogEntry(name, entry);
        } catch (MemoryFullException e) {
            // A schema change that frees memory must not fail for lack of it.
        }
    }

    /// A table has a name, or is freed.
    void remove(Table table) {
        boolean _ = client.removeCatalogEntry(name(table));
    }

    /// An index has a name, or is freed.
    void remove(Index index) {
        boolean _ = client.removeCatalogEntry(name(index));
    }

    private String name(Table table) {
        return CatalogEntry.UNNAMED_TABLE + computeServer + ":" + table.records().id();
    }

    private String name(Index index) {
        return CatalogEntry.UNNAMED_INDEX + computeServer + ":" + index.number();
    }

    /// Frees what dead coordinators have left. Called by the coordinator, while no other one is at
    /// work.
    ///
    /// What has its name all the same, as its coordinator has failed and lives on, loses its entry
    /// before it can be dropped: its memory would be freed a second time when that one ends.
    ///
    /// @param isAlive whether the compute server with a lease of this number is
    void reclaim(IntPredicate isAlive, TableStorage storage) {
        Map<String, byte[]> left = entries();
        if (left.isEmpty() || PlantedFault.UNNAMED_STORAGE_KEPT.isPlanted()) {
            return;
        }
        CatalogPicture named = new CatalogPicture(client);
        left.entrySet().removeIf(entry -> removeNamed(entry.getKey(), entry.getValue(), named));
        left.keySet().removeIf(name -> isAlive.test(ddlSessionOf(name)));
        Map<Integer, Table> tables = new LinkedHashMap<>();
        left.forEach((name, bytes) -> {
            if (name.startsWith(CatalogEntry.UNNAMED_TABLE)) {
                tables.put(CatalogEntry.decode(bytes).number(), open(bytes));
            }
        });
        left.forEach((name, bytes) -> {
            if (name.startsWith(CatalogEntry.UNNAMED_INDEX)) {
                reclaimIndex(name, bytes, named, tables, storage);
            }
        });
        left.forEach((name, bytes) -> {
            CatalogEntry entry = CatalogEntry.decode(bytes);
            Table table = tables.get(entry.number());
            if (table == null) {
                boolean _ = client.removeCatalogEntry(name);
            } else {
                storage.dispose(table, entry, () -> client.removeCatalogEntry(name));
            }
        });
    }

    private Map<String, byte[]> entries() {
        Map<String, byte[]> entries = new LinkedHashMap<>();
        List<String> names = client.catalogNames();
        for (String name : names) {
            if (CatalogEntry.isOfUpdate(name) && !names.contains(CatalogEntry.UPDATE)) {
                boolean _ = client.removeCatalogEntry(name);
            }
            byte[] bytes = CatalogEntry.isUnnamed(name) ? client.catalogEntry(name) : null;
            if (bytes != null) {
                entries.put(name, bytes);
            }
        }
        return entries;
    }

    /// @return whether the table or index of an entry has a name, and so has lost the entry
    private boolean removeNamed(String name, byte[] bytes, CatalogPicture named) {
        int number = CatalogEntry.decode(bytes).number();
        boolean isNamed = named.table(number) != null || named.hasIndex(number);
        if (isNamed) {
            boolean _ = client.removeCatalogEntry(name);
        }
        return isNamed;
    }

    private void reclaimIndex(
            String name,
            byte[] bytes,
            CatalogPicture named,
            Map<Integer, Table> tables,
            TableStorage storage) {
        CatalogEntry entry = CatalogEntry.decode(bytes);
        IndexDefinition definition = CatalogEntry.decodeIndex(bytes);
        int number = Integer.parseInt(definition.table());
        byte[] ofTable = named.table(number);
        Table table = ofTable == null ? tables.get(number) : open(ofTable);
        if (table != null) {
            Index index = storage.open(definition, entry, table);
            storage.dispose(index, entry, () -> client.removeCatalogEntry(name));
        }
    }

    private static Table open(byte[] bytes) {
        TableDefinition definition = CatalogEntry.decodeTable(bytes);
        return TableStorage.open(definition, CatalogEntry.decode(bytes));
    }

    private static int ddlSessionOf(String name) {
        String numbers = name.substring(name.indexOf(':') + 1);
        return Integer.parseInt(numbers.substring(0, numbers.indexOf(':')));
    }
}
