package org.namdb.compute.maintenance;

import java.util.List;
import java.util.function.Supplier;
import org.namdb.fabric.Host;
import org.namdb.mvcc.hash.HashTable;

/// The settings of a compute server's background work.
///
/// @param process the compute server's number
/// @param restNanos the pause between two steps
/// @param records the records of all cached tables
public record MaintenanceSettings(
        Host host,
        int process,
        long restNanos,
        MaintenanceSessions sessions,
        Supplier<List<HashTable>> records) {}
