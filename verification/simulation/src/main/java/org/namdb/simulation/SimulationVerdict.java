package org.namdb.simulation;

import org.jspecify.annotations.Nullable;
import org.namdb.checker.Verdict;
import org.namdb.fabric.tcp.LinkSimulation;

/// What became of a simulated cluster.
///
/// @param options what was run
/// @param failure the failure, other than in the history, a hang included; null if there is none
/// @param history the checker's verdict; null if no transaction was tried
/// @param fingerprint of everything that happened, in order: the same for every run of
///     these options
/// @param events how much that was
/// @param virtualNanos how long it took, in the cluster's time
/// @param verbs how many verbs the compute servers posted
/// @param unplanned how many of their calls of the fabric threw unplanned failures
/// @param leases what became of leases
/// @param links what became of the TCP provider's links; null if they were not run
public record SimulationVerdict(
        SimulationOptions options,
        @Nullable String failure,
        @Nullable Verdict history,
        long fingerprint,
        long events,
        long virtualNanos,
        long verbs,
        long unplanned,
        LeaseTally leases,
        LinkSimulation.@Nullable Result links) {
    /// Whether nothing was wrong.
    public boolean holds() {
        return failure == null && (history == null || history.holds());
    }
}
