package org.namdb.compute.schema;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.namdb.mvcc.catalog.CatalogEntry;

/// The tables that a compute server has opened, by their numbers, with the catalog entries of them
/// and their indexes. Tables are read by any thread; changes, and reads of entries, need the
/// [CatalogConnection] locked.
final class TableCache {
    /// Replaced by another one with every change, and never changed itself.
    private volatile NumberMap<Table> byNumber = new NumberMap<>();

    /// All of them, in the order of their numbers.
    private volatile List<Table> all = List.of();

    /// The entries of tables and indexes, by number.
    private final Map<Integer, CatalogEntry> entries = new HashMap<>();

    private final AtomicLong version = new AtomicLong();

    /// The table with this number, null if there is none.
    @Nullable Table byNumber(int number) {
        return byNumber.get(number);
    }

    /// All of them, in the order of their numbers.
    List<Table> all() {
        return all;
    }

    /// A table is cached from now on.
    ///
    /// @param entry says where it is
    Table add(Table table, CatalogEntry entry) {
        int number = table.records().id();
        NumberMap<Table> changed = byNumber.copy();
        changed.put(number, table);
        replace(changed, number, table);
        entries.put(number, entry);
        version.incrementAndGet();
        return table;
    }

    /// A table was dropped.
    void remove(Table table) {
        int number = table.records().id();
        NumberMap<Table> changed = byNumber.copy();
        Table _ = changed.remove(number);
        replace(changed, number, null);
        entries.remove(number);
        version.incrementAndGet();
    }

    private void replace(NumberMap<Table> changed, int number, @Nullable Table by) {
        List<Table> list = new ArrayList<>(all);
        list.removeIf(each -> each.records().id() == number);
        if (by != null) {
            list.add(by);
            list.sort(Comparator.comparingInt(each -> each.records().id()));
        }
        byNumber = changed;
        all = List.copyOf(list);
    }

    /// The entry of an index, cached from now on.
    void addEntry(CatalogEntry entry) {
        entries.put(entry.number(), entry);
    }

    /// The entry of a cached table or index.
    CatalogEntry entry(int number) {
        return Objects.requireNonNull(entries.get(number), "not in the cache");
    }

    @Nullable CatalogEntry findEntry(int number) {
        return entries.get(number);
    }

    void removeEntry(int number) {
        entries.remove(number);
    }

    /// Rises with every schema change that this compute server finds.
    long version() {
        return version.get();
    }

    long raiseVersion() {
        return version.incrementAndGet();
    }
}
