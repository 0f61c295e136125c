package org.namdb.compute;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.namdb.compute.guard.CachedTables;
import org.namdb.compute.maintenance.DeadSessions;
import org.namdb.compute.schema.SchemaLeases;
import org.namdb.fabric.ComputeFabric;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;

/// Fences other compute servers that have died or are suspected. They are recovered afterwards,
/// never before: one that is alive may still write.
final class Fencing {
    private final ComputeFabric fabric;
    private final Supplier<QueuePair> connections;
    private final long schemaEpoch;
    private final DeadSessions dead;
    private final @Nullable CachedTables cached;

    /// @param connections connects to all memory servers
    /// @param schemaEpoch where the schema's epoch lies, a remote address
    /// @param cached null if this compute server has no guard lines
    Fencing(
            ComputeFabric fabric,
            Supplier<QueuePair> connections,
            long schemaEpoch,
            DeadSessions dead,
            @Nullable CachedTables cached) {
        this.cached = cached;
        this.fabric = fabric;
        this.connections = connections;
        this.schemaEpoch = schemaEpoch;
        this.dead = dead;
    }

    /// Fences compute servers, and then recovers all of them at once: see [NamDb#recoverProcess].
    /// One that is not fenced yet blocks the recovery of the others, as it may hold the same
    /// records.
    ///
    /// @return whether nothing is left
    boolean recoverProcesses(Set<Integer> processes) {
        List<Integer> fenced = new ArrayList<>();
        try {
            for (int process : processes) {
                if (!dead.hasProcess(process)) {
                    fence(process);
                    fenced.add(process);
                }
            }
        } finally {
            dead.addProcesses(fenced); // whatever becomes of the others
        }
        boolean isDone = dead.recover();
        CachedTables guarded = cached;
        if (guarded != null) {
            isDone &= guarded.clear(processes);
        }
        if (PlantedFault.RECOVERED_BEFORE_FENCE.isPlanted()) {
            processes.forEach(fabric::fence);
        }
        return isDone;
    }

    /// Also ends its lease of the schema: schema changes wait for it otherwise.
    private void fence(int process) {
        if (!PlantedFault.RECOVERED_BEFORE_FENCE.isPlanted()) {
            fabric.fence(process);
        }
        // By a queue pair of its own: other threads may be waiting for the dead one's schema
        // change.
        try (QueuePair queuePair = connections.get()) {
            SchemaLeases.end(queuePair, schemaEpoch, process);
        }
    }
}
