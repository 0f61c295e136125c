package org.namdb.tpcc.load;

import java.util.ArrayList;
import java.util.List;
import org.namdb.tpcc.Scale;
import org.namdb.tpcc.input.TpccRandom;

/// A piece of the population that one thread loads.
///
/// @param kind what rows it has
/// @param index which of all parts it is, from 0; the parts of a warehouse have the same indexes
///     however many warehouses there are
/// @param warehouse the warehouse, or 0 if it belongs to none
/// @param district the district, or 0 if it is of a whole warehouse
/// @param first the first number
/// @param last the last number
record LoadPart(Kind kind, int index, int warehouse, int district, int first, int last) {
    /// The rows that a part has.
    enum Kind {
        ITEMS(1),
        /// A warehouse and its districts.
        WAREHOUSE(1 + Scale.DISTRICTS),
        STOCKS(1),
        /// Customers with their history.
        CUSTOMERS(2),
        /// Orders with their lines, and undelivered ones among the new orders.
        ORDERS(12);

        private final int rowsPerNumber;

        Kind(int rowsPerNumber) {
            this.rowsPerNumber = rowsPerNumber;
        }

        /// How many numbers one transaction loads.
        int numbersPerTransaction() {
            return ROWS_PER_TRANSACTION / rowsPerNumber;
        }
    }

    /// Enough that the cost of a commit is shared by many; and few enough for the caches.
    private static final int ROWS_PER_TRANSACTION = 100;

    private static final int PARTS_OF_ITEMS = 10;

    /// Streams of the population start here, apart from those of the terminals.
    private static final long FIRST_STREAM = 1L << 62;

    private static final int NUMBER_BITS = 20;

    /// All parts, those of a warehouse one after the other.
    static List<LoadPart> all(Scale scale) {
        List<LoadPart> parts = new ArrayList<>();
        addItems(parts, Kind.ITEMS, 0, scale.items());
        int customers = scale.customersPerDistrict();
        for (int w = 1; w <= scale.warehouses(); w++) {
            parts.add(new LoadPart(Kind.WAREHOUSE, parts.size(), w, 0, 1, 1));
            addItems(parts, Kind.STOCKS, w, scale.items());
            for (int d = 1; d <= Scale.DISTRICTS; d++) {
                parts.add(new LoadPart(Kind.CUSTOMERS, parts.size(), w, d, 1, customers));
                parts.add(new LoadPart(Kind.ORDERS, parts.size(), w, d, 1, customers));
            }
        }
        return parts;
    }

    private static void addItems(List<LoadPart> parts, Kind kind, int warehouse, int items) {
        for (int i = 0; i < PARTS_OF_ITEMS; i++) {
            int first = items * i / PARTS_OF_ITEMS + 1;
            int last = items * (i + 1) / PARTS_OF_ITEMS;
            parts.add(new LoadPart(kind, parts.size(), warehouse, 0, first, last));
        }
    }

    /// The random numbers of the transaction that begins with `number`; those of the part as a
    /// whole have number 0.
    TpccRandom random(long seed, int number) {
        return TpccRandom.stream(seed, FIRST_STREAM + ((long) index << NUMBER_BITS) + number);
    }
}
