package org.namdb.compute.schema;

import java.util.List;
import java.util.Map;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.catalog.CatalogEntry;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;

/// Changes what the [Catalog] has already, step by step. The caller ensures that no session uses
/// what is dropped.
final class CatalogChanges {
    private final Catalog catalog;
    private final CatalogConnection connection;
    private final KnownTables known;
    private final SchemaJournal journal;

    /// @param journal is notified of each step
    CatalogChanges(Catalog catalog, SchemaJournal journal) {
        this.catalog = catalog;
        this.journal = journal;
        this.connection = catalog.connection();
        this.known = catalog.known();
    }

    /// The index has an entry for every row, unless someone has dropped it meanwhile.
    void filled(Index index) {
        connection.locked(() -> {
            CatalogEntry place = known.findPlace(index.number());
            Table table = place == null ? null : catalog.find(index.definition().table());
            if (place != null && table != null) {
                try (SchemaJournal.Entry told = reserve(table)) {
                    connection
                            .client()
                            .replaceCatalogEntry(
                                    CatalogEntry.INDEX + index.name(),
                                    CatalogEntry.encode(index.definition(), place, true));
                    tell(index.definition().table());
                    index.setFilled();
                    told.append(List.of(table), List.of());
                }
            }
            return known.raiseVersion();
        });
    }

    private SchemaJournal.Entry reserve(Table table) {
        return journal.reserve(List.of(table), List.of());
    }

    /// Has the other compute servers that cache the table read it again.
    private void tell(String table) {
        byte[] bytes = connection.client().catalogEntry(CatalogEntry.TABLE + table);
        if (bytes != null) {
            connection.client().replaceCatalogEntry(CatalogEntry.TABLE + table, bytes);
        }
    }

    /// Takes an index out of the catalog and away from its table. Its memory stays.
    void remove(Index index) {
        connection.locked(() -> {
            Table table = catalog.find(index.definition().table());
            if (table == null) {
                connection.client().removeCatalogEntry(CatalogEntry.INDEX + index.name());
                return known.version();
            }
            try (SchemaJournal.Entry told =
                    index.isFilled() // else the journal knows nothing of it
                            ? reserve(table)
                            : SchemaJournal.NONE.reserve(List.of(), List.of())) {
                connection.unnamed().put(index, known.place(index.number()), table);
                connection.client().removeCatalogEntry(CatalogEntry.INDEX + index.name());
                table.remove(index);
                catalog.altered(table);
                told.append(List.of(table), List.of());
            }
            return known.version();
        });
    }

    /// Takes a table and its indexes out of the catalog. Their memory stays.
    void remove(Table table) {
        connection.locked(() -> {
            try (SchemaJournal.Entry told = reserve(table)) {
                putUnnamed(table);
                for (Index index : table.allIndexes()) {
                    connection.client().removeCatalogEntry(CatalogEntry.INDEX + index.name());
                }
                connection.client().removeCatalogEntry(CatalogEntry.TABLE + table.name());
                catalog.forgetCached(table.name());
                told.append(List.of(), List.of(table.records().id()));
            }
            return known.raiseVersion();
        });
    }

    /// Makes a table with indexes that takes another one's place later; look-ups don't find it yet.
    ///
    /// @param rows for how many its arrays are made
    /// @throws MemoryFullException if there is no memory for it; nothing has changed
    Table prepare(Table old, TableDefinition definition, List<IndexDefinition> indexes, long rows) {
        return connection.locked(() -> {
            if (!definition.name().equals(old.name()) && catalog.find(definition.name()) != null) {
                throw Catalog.isThere(definition.name());
            }
            CatalogEntry entry =
                    catalog.allocated(() -> connection.storage().allocate(definition, rows));
            Table table = known.add(TableStorage.open(definition, entry), entry);
            boolean isDone = false;
            try {
                connection.unnamed().put(table, entry);
                for (IndexDefinition index : indexes) {
                    prepare(index, table, rows);
                }
                isDone = true;
            } finally {
                if (!isDone) {
                    dispose(table);
                }
            }
            return table;
        });
    }

    private void prepare(IndexDefinition definition, Table table, long rows) {
        CatalogEntry entry = connection.storage().allocate(definition, table, rows);
        Index index = catalog.open(definition, entry, table);
        connection.unnamed().put(index, entry, table);
        index.setFilled();
    }

    /// Should this process die now, others find the memory that the table takes.
    private void putUnnamed(Table table) {
        connection.unnamed().put(table, known.place(table.records().id()));
        for (Index index : table.allIndexes()) {
            connection.unnamed().put(index, known.place(index.number()), table);
        }
    }

    /// Puts a prepared table in the place of another one, whose memory stays.
    void cas(Table old, Table made) {
        connection.locked(() -> {
            try (SchemaJournal.Entry told = reserve(made)) {
                casLocked(old, made);
                told.append(List.of(made), List.of(old.records().id()));
            }
            return known.raiseVersion();
        });
    }

    /// Takes a table's indexes out of the catalog, and leaves its own entry, which is another
    /// table's next. Their memory stays.
    void beginReplacing(Table old) {
        connection.locked(() -> {
            putUnnamed(old);
            for (Index index : old.allIndexes()) {
                connection.client().removeCatalogEntry(CatalogEntry.INDEX + index.name());
            }
            catalog.forgetCached(old.name());
            return old;
        });
    }

    private void casLocked(Table old, Table made) {
        beginReplacing(old);
        // Before its indexes: should this process die here, then an index is missing, and none
        // is another table's.
        putInPlace(old, made.definition(), known.place(made.records().id()));
        for (Index index : made.allIndexes()) {
            connection
                    .client()
                    .putCatalogEntry(
                            CatalogEntry.INDEX + index.name(),
                            CatalogEntry.encode(
                                    index.definition(), known.place(index.number()), true));
        }
        made.allIndexes().forEach(connection.unnamed()::remove);
        connection.unnamed().remove(made);
    }

    /// Opens a table again where it is, under another name, or with other names and properties.
    Table redefine(Table old, TableDefinition definition, Map<String, String> newNames) {
        return connection.locked(() -> {
            if (!definition.name().equals(old.name()) && catalog.find(definition.name()) != null) {
                throw Catalog.isThere(definition.name());
            }
            try (SchemaJournal.Entry told = journal.reserve(List.of(old), List.of(definition))) {
                Table table = redefineLocked(old, definition, newNames);
                told.append(List.of(table), List.of());
                return table;
            }
        });
    }

    /// A table has both names while its indexes get the new one: should the coordinator fail, none
    /// of them is without a table ([CatalogPicture#completeRenames]).
    private Table redefineLocked(
            Table old, TableDefinition definition, Map<String, String> newNames) {
        CatalogEntry entry = known.place(old.records().id());
        Table table = TableStorage.open(definition, entry);
        table.records().countParts(connection.queuePair());
        boolean isRenamed = !definition.name().equals(old.name());
        String name = CatalogEntry.TABLE + definition.name();
        byte[] bytes = CatalogEntry.encode(definition, entry);
        if (isRenamed && !connection.put(name, bytes, () -> {})) {
            throw Catalog.isThere(definition.name());
        }
        boolean isWhole = false;
        try {
            for (Index index : old.allIndexes()) {
                IndexDefinition renamed = index.definition().on(definition.name(), newNames);
                replaceEntry(index, renamed);
                Index opened = catalog.open(renamed, known.place(index.number()), table);
                if (index.isFilled()) {
                    opened.setFilled();
                }
            }
            isWhole = true;
        } finally {
            if (!isWhole) {
                restoreIndexes(old);
                if (isRenamed) {
                    remove(name);
                }
            }
        }
        if (isRenamed) {
            remove(CatalogEntry.TABLE + old.name());
        } else {
            boolean _ = connection.replace(name, bytes, () -> restoreIndexes(old));
        }
        catalog.forgetCached(old.name());
        old.drop();
        return known.add(table, entry);
    }

    private void remove(String entry) {
        boolean _ = connection.locked(() -> connection.client().removeCatalogEntry(entry));
    }

    /// Those of a table that was to get other names.
    private void restoreIndexes(Table table) {
        connection.locked(() -> {
            for (Index index : table.allIndexes()) {
                replaceEntry(index, index.definition());
            }
            return table;
        });
    }

    private void replaceEntry(Index index, IndexDefinition definition) {
        byte[] entry =
                CatalogEntry.encode(definition, known.place(index.number()), index.isFilled());
        boolean _ =
                connection.client().replaceCatalogEntry(CatalogEntry.INDEX + index.name(), entry);
    }

    private void putInPlace(Table old, TableDefinition definition, CatalogEntry entry) {
        String name = CatalogEntry.TABLE + definition.name();
        byte[] bytes = CatalogEntry.encode(definition, entry);
        if (definition.name().equals(old.name())) {
            boolean _ = connection.replace(name, bytes, () -> {});
        } else {
            if (!connection.put(name, bytes, () -> {})) {
                throw Catalog.isThere(definition.name());
            }
            remove(CatalogEntry.TABLE + old.name());
        }
        catalog.forgetCached(old.name());
    }

    /// Frees the memory of a table and of its indexes. All sessions have dropped it from their
    /// caches.
    void dispose(Table table) {
        connection.locked(() -> {
            for (Index index : table.allIndexes()) {
                catalog.disposeLocked(index);
            }
            CatalogEntry entry = known.place(table.records().id());
            known.forget(table);
            connection.storage().dispose(table, entry, () -> connection.unnamed().remove(table));
            return entry;
        });
    }

    /// Frees an index's memory. All sessions have dropped it from their caches.
    void dispose(Index index) {
        connection.locked(() -> {
            catalog.disposeLocked(index);
            return index;
        });
    }
}
