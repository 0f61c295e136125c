package org.namdb.tpcc.check;

import org.namdb.tpcc.Scale;

/// Numbers the districts of all warehouses from 0, so that what is summed up by district lies
/// in arrays.
record DistrictIndex(int warehouses) {
    /// The number of a district that should not be there.
    static final int UNKNOWN = -1;

    /// How many districts there are.
    int count() {
        return warehouses * Scale.DISTRICTS;
    }

    /// The number of a district, or [#UNKNOWN].
    int of(long warehouse, long district) {
        boolean known = isWarehouse(warehouse) && district >= 1 && district <= Scale.DISTRICTS;
        return known ? (int) ((warehouse - 1) * Scale.DISTRICTS + district - 1) : UNKNOWN;
    }

    boolean isWarehouse(long warehouse) {
        return warehouse >= 1 && warehouse <= warehouses;
    }

    /// The warehouse of the district with this number, from 1.
    int warehouse(int number) {
        return number / Scale.DISTRICTS + 1;
    }

    /// Where the district with this number is, in words.
    String describe(int number) {
        return "warehouse " + warehouse(number) + ", district " + (number % Scale.DISTRICTS + 1);
    }
}
