package org.namdb.tpcc.report;

/// How the loading went.
///
/// @param warehouses how many were loaded
/// @param rows of all tables together
/// @param seconds how long it took
/// @param regionBytes what the loaded data takes in the regions of all memory servers, with its
///     indexes and room for its growth in buckets
public record LoadFacts(int warehouses, long rows, double seconds, long regionBytes) {
    public double regionBytesPerWarehouse() {
        return (double) regionBytes / warehouses;
    }

    public double warehousesPerSecond() {
        return warehouses / seconds;
    }
}
