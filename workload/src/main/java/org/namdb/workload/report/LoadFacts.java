package org.namdb.workload.report;

/// The facts of a load.
///
/// @param unit what the size is counted in, as in `warehouse`
/// @param size how many were loaded
/// @param rows of all tables together
/// @param seconds how long it took
/// @param regionBytes what the loaded data takes in the regions of all memory servers, with its
///     indexes and space for its growth in buckets
public record LoadFacts(String unit, long size, long rows, double seconds, long regionBytes) {
    public double regionBytesPerUnit() {
        return (double) regionBytes / size;
    }

    public double unitsPerSecond() {
        return size / seconds;
    }
}
