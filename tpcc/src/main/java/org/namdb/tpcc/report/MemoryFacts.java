package org.namdb.tpcc.report;

/// What a run did to the memory.
///
/// @param loadedBytes what the regions of all memory servers held after loading
/// @param endBytes what they held at the end of the run
/// @param newOrders the new orders of the run, warm-up included
/// @param allocatedBytesPerTransaction how many bytes of heap the process allocated for a
///     transaction of the measured window
public record MemoryFacts(
        long loadedBytes, long endBytes, long newOrders, double allocatedBytesPerTransaction) {
    /// How many bytes of region the run took for each new order in it.
    public double growthBytesPerNewOrder() {
        return newOrders == 0 ? 0 : (double) (endBytes - loadedBytes) / newOrders;
    }
}
