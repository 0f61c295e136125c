package org.namdb.compute.upkeep;

import java.util.List;
import java.util.function.Supplier;
import org.namdb.fabric.Host;
import org.namdb.mvcc.hash.HashTable;

/// What a compute server's background work goes by.
///
/// @param process the compute server's number
/// @param restNanos how long it rests between two steps
/// @param records the records of all tables that are known
public record UpkeepTerms(
        Host host,
        int process,
        long restNanos,
        UpkeepSessions sessions,
        Supplier<List<HashTable>> records) {}
