package org.namdb.compute.schema;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.function.ToIntFunction;
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
/// So there is a complete record from when "update" is put until all entries are changed. Before,
/// space for what they become is reserved where they lie: entries "update-space:0", .., which the
/// record removes first. So what completes it needs no memory that may have run out.
final class CatalogUpdate {
    /// So much of a record, and the entry that exceeds it, fits in a message of any provider.
    private static final int PART_BYTES = 16 << 10;

    /// How much more memory an entry may take than the bytes of its name and its own.
    private static final int EXTENT_BYTES = 128;

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

    /// Entries of zeroes that take as much memory as what is put, on the same memory servers, each
    /// not much longer than a part. Removed when the entries are changed.
    ///
    /// @param serverOf the memory server of an entry of a name
    Map<String, byte[]> reserve(ToIntFunction<String> serverOf) {
        Map<Integer, Integer> bytes = new TreeMap<>();
        Map<String, byte[]> space = new LinkedHashMap<>();
        entries.forEach((name, entry) -> {
            if (entry != null) {
                int server = serverOf.applyAsInt(name);
                int extent = EXTENT_BYTES + name.getBytes(UTF_8).length + entry.length;
                int all = bytes.merge(server, extent, Integer::sum);
                if (all > PART_BYTES) {
                    space.put(free(space, server, serverOf), new byte[all]);
                    bytes.remove(server);
                }
            }
        });
        bytes.forEach((server, all) -> space.put(free(space, server, serverOf), new byte[all]));
        space.keySet().forEach(this::remove);
        return space;
    }

    /// The names of a server are found by their last characters: consecutive ones hash to all.
    private static String free(
            Map<String, byte[]> space, int server, ToIntFunction<String> serverOf) {
        char last = '0';
        String name;
        do {
            name = CatalogEntry.UPDATE_SPACE + last++;
        } while (space.containsKey(name) || serverOf.applyAsInt(name) != server);
        return name;
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
