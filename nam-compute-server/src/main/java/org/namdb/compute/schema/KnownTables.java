package org.namdb.compute.schema;

import java.util.ArrayList;
import java.util.Arrays;
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
    private volatile @Nullable Table[] byNumber = new @Nullable Table[64];

    /// Where tables and indexes are, by number.
    private final Map<Integer, CatalogEntry> places = new HashMap<>();

    private final AtomicLong version = new AtomicLong();

    /// The table with this number, null if there is none.
    @Nullable Table byNumber(int number) {
        @Nullable Table[] all = byNumber;
        return number < all.length ? all[number] : null;
    }

    /// All of them.
    List<Table> all() {
        List<Table> all = new ArrayList<>();
        for (Table table : byNumber) {
            if (table != null) {
                all.add(table);
            }
        }
        return all;
    }

    /// A table is known from now on.
    ///
    /// @param entry where it is
    Table add(Table table, CatalogEntry entry) {
        int number = table.records().id();
        @Nullable Table[] all = byNumber;
        all = Arrays.copyOf(all, number < all.length ? all.length : 2 * number);
        all[number] = table;
        byNumber = all;
        places.put(number, entry);
        version.incrementAndGet();
        return table;
    }

    /// A table is gone.
    void forget(Table table) {
        int number = table.records().id();
        @Nullable Table[] all = byNumber.clone();
        all[number] = null;
        byNumber = all;
        places.remove(number);
        version.incrementAndGet();
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
