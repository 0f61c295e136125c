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

/// The tables that a compute server knows, by their numbers, and where they and their indexes are.
/// Asked for tables by any thread; changed, and asked for places, by who has the
/// [CatalogConnection] locked.
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

    /// A table is known from now on.
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

    /// A table is gone.
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

    /// Where an index is, which is known from now on.
    void addPlace(CatalogEntry entry) {
        places.put(entry.number(), entry);
    }

    /// Where a table or an index is that is known.
    CatalogEntry place(int number) {
        return Objects.requireNonNull(places.get(number), "not known here");
    }

    @Nullable CatalogEntry findPlace(int number) {
        return places.get(number);
    }

    void forgetPlace(int number) {
        places.remove(number);
    }

    /// Rises with every change of the schema that comes to be known here.
    long version() {
        return version.get();
    }

    long raiseVersion() {
        return version.incrementAndGet();
    }
}
