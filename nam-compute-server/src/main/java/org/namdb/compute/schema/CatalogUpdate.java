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
/// ([CatalogConnection#completeUpdate]). A record that is too long for a message is divided:
/// ```
/// entries "update-part:0", ..: what some become   "update": lists the parts   as above
/// the parts go   "update" goes
/// ```
/// So there is a complete record from when "update" is put until all entries are changed.
final class CatalogUpdate {
    /// So much of a record, and the entry that exceeds it, fits in a message of any provider.
    private static final int PART_BYTES = 16 << 10;

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

    /// The entries of the redo record, in the order in which they are to be put.
    Map<String, byte[]> record() {
        Map<String, byte[]> record = new LinkedHashMap<>();
        Map<String, byte @Nullable []> names = new LinkedHashMap<>();
        Map<String, byte @Nullable []> part = new LinkedHashMap<>();
        int bytes = 0;
        for (Map.Entry<String, byte @Nullable []> each : entries.entrySet()) {
            byte[] entry = each.getValue();
            part.put(each.getKey(), entry);
            bytes += each.getKey().length() + (entry == null ? 0 : entry.length);
            if (bytes > PART_BYTES) {
                String name = CatalogEntry.UPDATE_PART + names.size();
                record.put(name, CatalogEntry.encodeUpdate(part));
                names.put(name, null);
                part.clear();
                bytes = 0;
            }
        }
        part.putAll(names);
        record.put(CatalogEntry.UPDATE, CatalogEntry.encodeUpdate(part));
        return record;
    }
}
