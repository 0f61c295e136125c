package org.namdb.tpcc;

import org.namdb.workload.OptionCheck;

/// How many rows there are (clause 4.3.3.1, table 4.2).
///
/// @param warehouses the scale factor
/// @param populationPercent how many percent of the standard's rows there are of each kind below a
///     warehouse; 100 is the standard
public record Scale(int warehouses, int populationPercent) {
    /// Districts, and terminals, of a warehouse.
    public static final int DISTRICTS = 10;

    /// As many as fit in the warehouse column.
    public static final int MAX_WAREHOUSES = Short.MAX_VALUE;

    private static final int ITEMS_PER_PERCENT = 1_000;
    private static final int CUSTOMERS_PER_PERCENT = 30;
    private static final int UNDELIVERED_PER_PERCENT = 9;
    // Measured: 26 MB for the items and 182 MB for a warehouse, with its indexes and what its
    // buckets have free.
    private static final long ITEM_BYTES = 32L << 20;
    private static final long WAREHOUSE_BYTES = 185L << 20;
    private static final long MIN_SIZE_BYTES = 4L << 20;
    private static final long MIN_WAREHOUSE_BYTES = 512L << 10;
    private static final int LAST_NAMES = 1_000;

    public Scale {
        OptionCheck.range("--warehouses", warehouses, 1, MAX_WAREHOUSES);
        OptionCheck.range("--population", populationPercent, 1, 100);
    }

    /// Items, and stock rows of a warehouse: 100,000.
    public int items() {
        return ITEMS_PER_PERCENT * populationPercent;
    }

    /// Customers, history rows and orders of a district at the start: 3,000.
    public int customersPerDistrict() {
        return CUSTOMERS_PER_PERCENT * populationPercent;
    }

    /// The orders of a district that are not delivered at the start: 900.
    public int undeliveredPerDistrict() {
        return UNDELIVERED_PER_PERCENT * populationPercent;
    }

    /// The orders of a district that are delivered at the start: 2,100.
    public int deliveredPerDistrict() {
        return customersPerDistrict() - undeliveredPerDistrict();
    }

    /// How many different last names customers have: 1,000, less where there are fewer customers.
    public int lastNames() {
        return Math.min(LAST_NAMES, customersPerDistrict());
    }

    /// Districts of all warehouses.
    public int districts() {
        return warehouses * DISTRICTS;
    }

    /// About how many bytes the loaded database takes; a little too many rather than too few.
    public long estimatedBytes() {
        long itemBytes = ITEM_BYTES * populationPercent / 100;
        long warehouseBytes = WAREHOUSE_BYTES * populationPercent / 100;
        return MIN_SIZE_BYTES + itemBytes + warehouses * (warehouseBytes + MIN_WAREHOUSE_BYTES);
    }
}
