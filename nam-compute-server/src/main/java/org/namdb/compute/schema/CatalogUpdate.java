package org.namdb.compute.schema;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.namdb.mvcc.catalog.CatalogEntry;

/// A change of several of the catalog's entries that takes effect as a whole, wherever its
/// coordinator dies: a redo record, which is one more entry, is there until all are changed.
/// ```
/// entry "update": what all become   entries go   others are put or replaced   "update" goes
/// ```
/// A compute server that compares its cache with the catalog first completes what it finds listed
/// ([CatalogConnection#completeUpdate]).
final class CatalogUpdate {
    private final Map<String, byte @Nullable []> entries = new LinkedHashMap<>();

    /// A table and its indexes lose their names, unless one [gets][#put] them.
    void remove(Table table) {
        remove(CatalogEntry.TABLE + table.name());
        table.allIndexes().forEach(index -> remove(CatalogEntry.INDEX + index.name()));
    }

    private void remove(String name) {
        if (!entries.containsKey(name)) {
            entries.put(name, null);
        }
    }

    /// A table and its indexes have their names from now on.
    ///
    /// @param places where tables and indexes are, by number
    void put(Table table, IntFunction<CatalogEntry> places) {
        CatalogEntry place = places.apply(table.records().id());
        entries.put(
                CatalogEntry.TABLE + table.name(), CatalogEntry.encode(table.definition(), place));
        for (Index index : table.allIndexes()) {
            entries.put(
                    CatalogEntry.INDEX + index.name(),
                    CatalogEntry.encode(
                            index.definition(), places.apply(index.number()), index.isFilled()));
        }
    }

    /// The entries by name, as they are to be; null for one that is to be removed.
    Map<String, byte @Nullable []> entries() {
        return Collections.unmodifiableMap(entries);
    }
}
