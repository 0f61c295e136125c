package org.namdb.compute;

import java.util.List;
import java.util.function.IntFunction;
import org.namdb.fabric.ComputeFabric;
import org.namdb.fabric.Region;
import org.namdb.fabric.peer.PeerFabric;

/// Compute servers on fabrics that others made: for the recovery of a cluster, simulated clusters,
/// testbeds and tests. Programs use [NamDb#embedded] and [NamDb#connect].
public final class AttachedDatabase {
    private AttachedDatabase() {}

    /// A compute server for memory servers that hold a database
    /// ([org.namdb.memory.client.DatabaseLayout#format]); other compute servers may be using it.
    ///
    /// @param options `memoryBytes` and `slots` are those that the database was made with; the
    ///     maximum transaction time and the fabric in them are not used
    /// @param fabric this compute server's own; its maker closes it, after the database
    /// @param regions the memory servers' regions, by number
    public static NamDb open(EmbeddedOptions options, ComputeFabric fabric, List<Region> regions) {
        return new DatabaseResources(fabric, regions, null, null, null).open(() -> options);
    }

    /// The same where compute servers reach each other.
    ///
    /// @param opensPeers makes the way of the compute server with a number to the others; closed
    ///     with the database
    public static NamDb open(
            EmbeddedOptions options,
            ComputeFabric fabric,
            List<Region> regions,
            IntFunction<PeerFabric> opensPeers) {
        return new DatabaseResources(fabric, regions, null, null, opensPeers).open(() -> options);
    }
}
