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
    private final TableCache known;
    private final SchemaJournal journal;

    /// @param journal is notified of each step
    CatalogChanges(Catalog catalog, SchemaJournal journal) {
        this.catalog = catalog;
        this.journal = journal;
        this.connection = catalog.connection();
        this.known = catalog.known();
    }

    /// The index has an entry for every row, unless another session has dropped it meanwhile. It
    /// may have other names by now. Called in a transaction, or alone: no other session changes the
    /// schema.
    void filled(Index index) {
        connection.locked(() -> {
            for (Table table : known.all()) {
                Index now = table.indexByNumber(index.number());
                if (now != null) {
                    filled(now, table);
                }
            }
            return known.raiseVersion();
        });
    }

    private void filled(Index index, Table of) {
        try (SchemaJournal.Entry reserved = reserve(of)) {
            CatalogEntry place = known.entry(index.number());
            byte[] entry = CatalogEntry.encode(index.definition(), place, true);
            boolean _ =
                    connection
                            .client()
                            .replaceCatalogEntry(CatalogEntry.INDEX + index.name(), entry);
            invalidate(of.name());
            index.setFilled();
            reserved.append(List.of(of), List.of());
        }
    }

    private SchemaJournal.Entry reserve(Table table) {
        return journal.reserve(List.of(table), List.of());
    }

    /// Has the other compute servers that cache the table read it again.
    private void invalidate(String table) {
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
            try (SchemaJournal.Entry reserved =
                    index.isFilled() // else the journal knows nothing of it
                            ? reserve(table)
                            : SchemaJournal.NONE.reserve(List.of(), List.of())) {
                connection.unnamed().put(index, known.entry(index.number()), table);
                connection.client().removeCatalogEntry(CatalogEntry.INDEX + index.name());
                table.remove(index);
                catalog.altered(table);
                reserved.append(List.of(table), List.of());
            }
            return known.version();
        });
    }

    /// Takes a table and its indexes out of the catalog. Their memory stays.
    void remove(Table table) {
        connection.locked(() -> {
            try (SchemaJournal.Entry reserved = reserve(table)) {
                putUnnamed(table);
                CatalogUpdate update = new CatalogUpdate();
                update.remove(table);
                connection.update(update);
                catalog.forgetCached(table.name());
                reserved.append(List.of(), List.of(table.records().id()));
            }
            return known.raiseVersion();
        });
    }

    /// Makes a table with indexes that takes another one's place later; lookups don't find it yet.
    ///
    /// @param old the other one's name
    /// @param rows for how many its arrays are made
    /// @throws MemoryFullException if there is no memory for it; nothing has changed
    Table prepare(
            String old, TableDefinition definition, List<IndexDefinition> indexes, long rows) {
        return connection.locked(() -> {
            if (!definition.name().equals(old) && catalog.find(definition.name()) != null) {
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
    void putUnnamed(Table table) {
        connection.unnamed().put(table, known.entry(table.records().id()));
        for (Index index : table.allIndexes()) {
            connection.unnamed().put(index, known.entry(index.number()), table);
        }
    }

    /// Puts prepared tables in the place of others, whose memory stays.
    void exchange(List<Table> old, List<Table> made) {
        connection.locked(() -> {
            try (SchemaJournal.Entry reserved = journal.reserve(made, List.of())) {
                old.forEach(this::putUnnamed);
                replace(old, made);
                for (Table table : made) {
                    table.allIndexes().forEach(connection.unnamed()::remove);
                    connection.unnamed().remove(table);
                }
                reserved.append(made, old.stream().map(each -> each.records().id()).toList());
            }
            return known.raiseVersion();
        });
    }

    private void replace(List<Table> old, List<Table> by) {
        CatalogUpdate update = new CatalogUpdate();
        old.forEach(update::remove);
        by.forEach(table -> update.put(table, known::entry));
        connection.update(update);
        old.forEach(table -> catalog.forgetCached(table.name()));
        by.forEach(table -> catalog.forgetCached(table.name()));
    }

    /// Opens a table again where it is, under another name, or with other names and properties.
    Table redefine(Table old, TableDefinition definition, Map<String, String> newNames) {
        return connection.locked(() -> {
            if (!definition.name().equals(old.name()) && catalog.find(definition.name()) != null) {
                throw Catalog.isThere(definition.name());
            }
            try (SchemaJournal.Entry reserved =
                    journal.reserve(List.of(old), List.of(definition))) {
                CatalogEntry entry = known.entry(old.records().id());
                Table table = TableStorage.open(definition, entry);
                table.records().countParts(connection.queuePair());
                for (Index index : old.allIndexes()) {
                    IndexDefinition renamed = index.definition().on(definition.name(), newNames);
                    Index opened = catalog.open(renamed, known.entry(index.number()), table);
                    if (index.isFilled()) {
                        opened.setFilled();
                    }
                }
                replace(List.of(old), List.of(table));
                old.drop();
                Table added = known.add(table, entry);
                reserved.append(List.of(added), List.of());
                return added;
            }
        });
    }

    /// Frees the memory of a table and of its indexes. All sessions have dropped it from their
    /// caches.
    void dispose(Table table) {
        connection.locked(() -> {
            for (Index index : table.allIndexes()) {
                catalog.disposeLocked(index);
            }
            CatalogEntry entry = known.entry(table.records().id());
            known.remove(table);
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
