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

/// The tables that a compute server has opened, by their numbers, and where they and their indexes
/// are. Tables are read by any thread; changes, and reads of places, need the [CatalogConnection]
/// locked.
final class KnownTables {
    /// Replaced by another one with every change, and never changed itself.
    private volatile NumberMap<Table> byNumber = new NumberMap<>();

    /// All of them, in the order of their numbers.
    private volatile List<Table> all = List.of();

    /// Where tables and indexes are, by number.
    private final Map<Integer, CatalogEntry> places = new HashMap<>();

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
    /// @param entry where it is
    Table add(Table table, CatalogEntry entry) {
        int number = table.records().id();
        NumberMap<Table> changed = byNumber.copy();
        changed.put(number, table);
        replace(changed, number, table);
        places.put(number, entry);
        version.incrementAndGet();
        return table;
    }

    /// A table was dropped.
    void forget(Table table) {
        int number = table.records().id();
        NumberMap<Table> changed = byNumber.copy();
        Table _ = changed.remove(number);
        replace(changed, number, null);
        places.remove(number);
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

    /// The place of an index, cached from now on.
    void addPlace(CatalogEntry entry) {
        places.put(entry.number(), entry);
    }

    /// The place of a cached table or index.
    CatalogEntry place(int number) {
        return Objects.requireNonNull(places.get(number), "not known here");
    }

    @Nullable CatalogEntry findPlace(int number) {
        return places.get(number);
    }

    void forgetPlace(int number) {
        places.remove(number);
    }

    /// Rises with every schema change that this compute server finds.
    long version() {
        return version.get();
    }

    long raiseVersion() {
        return version.incrementAndGet();
    }
}
