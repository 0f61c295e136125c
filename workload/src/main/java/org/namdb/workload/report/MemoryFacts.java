package org.namdb.workload.report;

/// What a run did to the memory.
///
/// @param loadedBytes what the regions of all memory servers held after loading
/// @param endBytes what they held at the end of the run
/// @param transactions those of the run that growth is counted by, warm-up included
/// @param allocatedBytesPerTransaction how many bytes of heap the process allocated for a
///     transaction of the measured window
public record MemoryFacts(
        long loadedBytes, long endBytes, long transactions, double allocatedBytesPerTransaction) {
    /// How many bytes of region the run took for each of them.
    public double growthBytesPerTransaction() {
        return transactions == 0 ? 0 : (double) (endBytes - loadedBytes) / transactions;
    }
}
