package org.namdb.compute.schema;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FirstFailure;
import org.namdb.mvcc.catalog.CatalogEntry;
import org.namdb.mvcc.schema.IndexDefinition;
import org.namdb.mvcc.schema.TableDefinition;

/// The schema as a transaction has changed it, which no other one sees: what it has made takes
/// memory and has no name in the catalog; what it has dropped, or given another name, is in the
/// catalog as it was. As the transaction is open, no other session changes the schema meanwhile.
/// ```
/// made        entry "unnamed"   filled by the transaction   | commit |   its name   "unnamed" goes
/// dropped     hidden from the transaction                   | commit |   its name goes   freed
/// redefined   another definition for the transaction        | commit |   another entry
/// ```
/// Should the process die before the commit, the next schema change frees what was made
/// ([UnnamedStorage]).
///
/// Belongs to the transaction's thread.
public final class SchemaDraft {
    private final Catalog catalog;
    private final CatalogConnection connection;
    private State state = new State(Collections.emptySortedMap(), Set.of());

    /// What the transaction has made and not freed, whether or not it still has a name.
    private final Map<Table, CatalogEntry> made = new LinkedHashMap<>();

    private final Map<Index, CatalogEntry> madeIndexes = new LinkedHashMap<>();

    /// What the transaction sees otherwise than the catalog. Never changed itself.
    ///
    /// @param changed tables by their names
    /// @param hidden names of the catalog that are not there, or other tables'
    public record State(SortedMap<String, SchemaTable> changed, Set<String> hidden) {}

    public SchemaDraft(Catalog catalog) {
        this.catalog = catalog;
        this.connection = catalog.connection();
    }

    /// What there is now, to [return][#restore] to.
    public State state() {
        return state;
    }

    /// Forgets what has changed since.
    public void restore(State before) {
        state = before;
    }

    /// Whether the transaction has made a table.
    public boolean isMade(Table table) {
        return made.containsKey(table);
    }

    /// The tables that the transaction has made.
    public List<Table> made() {
        return List.copyOf(made.keySet());
    }

    /// The table of this name; null if there is none.
    public @Nullable SchemaTable find(String name) {
        SchemaTable changed = state.changed.get(name);
        if (changed != null || state.hidden.contains(name)) {
            return changed;
        }
        Table table = catalog.find(name);
        return table == null ? null : SchemaTable.of(table);
    }

    /// The names of all tables, in order.
    public List<String> tableNames() {
        Set<String> names = new TreeSet<>(catalog.tableNames());
        names.removeAll(state.hidden);
        names.addAll(state.changed.keySet());
        return List.copyOf(names);
    }

    /// The table that has the index of this name; null if there is none.
    public @Nullable SchemaTable tableOfIndex(String index) {
        for (SchemaTable table : state.changed.values()) {
            if (table.indexes().stream().anyMatch(each -> each.name().equals(index))) {
                return table;
            }
        }
        Index found = catalog.findIndex(index);
        SchemaTable table = found == null ? null : find(found.definition().table());
        return table != null && table.indexes().contains(found) ? table : null;
    }

    /// A table has this name from now on.
    public void put(SchemaTable table) {
        SortedMap<String, SchemaTable> changed = new TreeMap<>(state.changed);
        changed.put(table.definition().name(), table);
        Set<String> hidden = new HashSet<>(state.hidden);
        hidden.add(table.definition().name());
        state = new State(changed, hidden);
    }

    /// There is no table of this name from now on.
    public void remove(String name) {
        SortedMap<String, SchemaTable> changed = new TreeMap<>(state.changed);
        changed.remove(name);
        Set<String> hidden = new HashSet<>(state.hidden);
        hidden.add(name);
        state = new State(changed, hidden);
    }

    /// Makes an empty table that has no name yet.
    ///
    /// @param rows for how many its arrays are made
    /// @throws org.namdb.mvcc.MemoryFullException if there is no memory for it; nothing has changed
    public SchemaTable make(TableDefinition definition, long rows) {
        return connection.locked(() -> {
            CatalogEntry entry =
                    catalog.allocated(() -> connection.storage().allocate(definition, rows));
            Table table = TableStorage.open(definition, entry);
            made.put(table, entry);
            connection.unnamed().put(table, entry);
            return SchemaTable.of(table);
        });
    }

    /// Runs `body`, which makes what takes the place of something larger: it may allocate what
    /// memory servers keep for deletes.
    public <T> T fromReserve(Supplier<T> body) {
        return connection.fromReserve(body);
    }

    /// Makes an empty index of a table that the transaction has made.
    ///
    /// @param definition with the table's names as it has them now
    /// @return the table with it
    public SchemaTable makeIndex(SchemaTable table, IndexDefinition definition) {
        Table stored = table.stored();
        IndexDefinition named = definition.on(stored.name(), table.storedNames());
        return connection.locked(() -> {
            long rows = stored.rowsToExpect();
            CatalogEntry entry =
                    catalog.allocated(() -> connection.storage().allocate(named, stored, rows));
            Index index = connection.storage().open(named, entry, stored);
            madeIndexes.put(index, entry);
            connection.unnamed().put(index, entry, stored);
            index.setFilled();
            List<Index> more = new ArrayList<>(table.indexes());
            more.add(index);
            return new SchemaTable(table.definition(), stored, List.copyOf(more));
        });
    }

    /// Frees what was made and is no part of the schema. No session has it in its caches.
    public void dispose() {
        FirstFailure failures = new FirstFailure();
        for (Table table : made()) {
            failures.attempt(() -> dispose(table));
        }
        failures.rethrow();
    }

    private void dispose(Table table) {
        connection.locked(() -> {
            for (Index index : table.allIndexes()) {
                disposeMade(index);
            }
            CatalogEntry entry = made.remove(table);
            if (entry != null) {
                table.drop();
                connection
                        .storage()
                        .dispose(table, entry, () -> connection.unnamed().remove(table));
            }
            return table;
        });
    }

    private void disposeMade(Index index) {
        CatalogEntry entry = madeIndexes.remove(index);
        if (entry != null) {
            connection.storage().dispose(index, entry, () -> connection.unnamed().remove(index));
        }
    }

    /// How the catalog is to become what the transaction sees. Called under the closed schema
    /// latch, by the thread that changes the schema; what fails before [Publication#apply] has
    /// changed nothing.
    public Publication publication() {
        return connection.locked(Publication::new);
    }

    /// The catalog's change, in three steps: what it takes is made beforehand, the names are
    /// changed, and what was dropped is freed.
    public final class Publication {
        /// The tables of the catalog that are dropped, or redefined, by their numbers.
        private final Map<Table, SchemaTable> redefined = new LinkedHashMap<>();

        private final List<Table> dropped = new ArrayList<>();

        /// What is published of the tables that the transaction sees otherwise, by their names.
        private final Map<String, Table> published = new LinkedHashMap<>();

        private final CatalogChanges changes = new CatalogChanges(catalog, SchemaJournal.NONE);

        private Publication() {
            Map<Table, SchemaTable> left = new LinkedHashMap<>();
            for (SchemaTable table : state.changed.values()) {
                left.put(table.stored(), table);
                published.put(
                        table.definition().name(),
                        isAsStored(table) ? table.stored() : open(table));
            }
            for (String name : new TreeSet<>(state.hidden)) {
                Table before = catalog.find(name);
                if (before != null) {
                    SchemaTable now = left.get(before);
                    if (now == null) {
                        dropped.add(before);
                    } else {
                        redefined.put(before, now);
                    }
                }
            }
        }

        private boolean isAsStored(SchemaTable table) {
            return table.definition().equals(table.stored().definition())
                    && table.indexes().size() == table.stored().allIndexes().size();
        }

        /// A table under its new names, where it is.
        private Table open(SchemaTable table) {
            Table opened = TableStorage.open(table.definition(), place(table.stored()));
            opened.records().countParts(connection.queuePair());
            for (Index index : table.indexes()) {
                Index renamed =
                        connection.storage().open(table.definition(index), place(index), opened);
                if (index.isFilled()) {
                    renamed.setFilled();
                }
            }
            return opened;
        }

        private CatalogEntry place(Table table) {
            CatalogEntry entry = made.get(table);
            return entry == null ? catalog.known().entry(table.records().id()) : entry;
        }

        private CatalogEntry place(Index index) {
            CatalogEntry entry = madeIndexes.get(index);
            return entry == null ? catalog.known().entry(index.number()) : entry;
        }

        /// The tables that are another one, or others, from now on.
        public List<Table> tables() {
            return List.copyOf(published.values());
        }

        /// The tables that are there no more.
        public List<Table> dropped() {
            return dropped;
        }

        /// Reserves space for the journal's entry.
        public SchemaJournal.Entry reserve() {
            List<Table> all = new ArrayList<>(tables());
            all.addAll(dropped);
            return catalog.journal().reserve(all, List.of());
        }

        /// The transaction is committed: changes the names, and frees what was dropped.
        public void apply() {
            List<Index> droppedIndexes = new ArrayList<>();
            connection.locked(() -> {
                dropped.forEach(changes::putUnnamed);
                redefined.forEach((before, now) -> {
                    for (Index index : before.allIndexes()) {
                        if (!now.indexes().contains(index)) {
                            connection.unnamed().put(index, place(index), before);
                            droppedIndexes.add(index);
                        }
                    }
                });
                changeNames();
                redefined.forEach(this::redefine);
                state.changed.values().stream()
                        .filter(table -> isMade(table.stored()))
                        .forEach(this::name);
                return catalog.known().raiseVersion();
            });
            droppedIndexes.forEach(index -> {
                catalog.users().forget(index);
                changes.dispose(index);
            });
            dropped.forEach(this::free);
            for (Table table : made()) {
                catalog.users().forget(table);
                dispose(table);
            }
            catalog.users().releaseMemory();
        }

        private void changeNames() {
            CatalogUpdate update = new CatalogUpdate();
            Map<Integer, CatalogEntry> places = new HashMap<>();
            made.values().forEach(place -> places.put(place.number(), place));
            madeIndexes.values().forEach(place -> places.put(place.number(), place));
            published
                    .values()
                    .forEach(table ->
                            update.put(
                                    table,
                                    number -> {
                                        CatalogEntry place = places.get(number);
                                        return place == null
                                                ? catalog.known().entry(number)
                                                : place;
                                    }));
            dropped.forEach(update::remove);
            redefined.keySet().forEach(update::remove);
            connection.update(update);
            dropped.forEach(table -> catalog.forgetCached(table.name()));
            redefined.keySet().forEach(table -> catalog.forgetCached(table.name()));
            published.keySet().forEach(catalog::forgetCached);
        }

        private void redefine(Table before, SchemaTable now) {
            Table table = Objects.requireNonNull(published.get(now.definition().name()));
            if (table != before) {
                catalog.users().release(before);
                before.drop();
                Table _ = catalog.known().add(table, place(before));
            }
        }

        /// A table that the transaction has made has got its name, and its indexes have theirs.
        private void name(SchemaTable table) {
            Table stored = table.stored();
            Table now = Objects.requireNonNull(published.get(table.definition().name()));
            CatalogEntry place = place(stored);
            for (Index index : stored.allIndexes()) {
                if (!table.indexes().contains(index)) {
                    catalog.users().forget(index);
                    stored.remove(index);
                    disposeMade(index);
                } else {
                    catalog.known().addEntry(place(index));
                    connection.unnamed().remove(index);
                    madeIndexes.remove(index);
                }
            }
            connection.unnamed().remove(stored);
            made.remove(stored);
            if (now != stored) {
                catalog.users().release(stored);
                stored.drop();
            }
            Table _ = catalog.known().add(now, place);
        }

        private void free(Table table) {
            table.drop();
            catalog.users().forget(table);
            changes.dispose(table);
        }
    }
}
