package org.namdb.workload.report;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.namdb.cluster.config.ByteSize;

/// Which database a run was on.
///
/// @param cluster the file that describes its cluster; null if it was in the run's own process
/// @param memoryServers how many it is spread over
/// @param memoryBytes what all of them have together
/// @param computeServer the number of the process that ran, among all that have used the database
public record DatabaseFacts(
        @Nullable Path cluster, int memoryServers, long memoryBytes, int computeServer) {

    /// All of it in a line.
    public String sentence() {
        String servers =
                "%s with %s"
                        .formatted(
                                Plural.of(memoryServers, "memory server"),
                                ByteSize.describe(memoryBytes));
        return cluster == null
                ? servers + ", in this process"
                : "%s, as compute server %d of the cluster in %s"
                        .formatted(servers, computeServer, cluster);
    }
}
