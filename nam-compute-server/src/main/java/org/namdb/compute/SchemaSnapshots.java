package org.namdb.compute;

import org.namdb.compute.schema.SharedSchemaLatch;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.timestamp.snapshot.Snapshot;
import org.namdb.timestamp.snapshot.SnapshotOracle;

/// A session's snapshots, none of which is older than its compute server's schema.
final class SchemaSnapshots {
    private final ComputeServer server;
    private final SnapshotOracle oracle;
    private final QueuePair queuePair;
    private final SharedSchemaLatch sharedLatch;

    /// The schema epoch that the oracle's snapshots are not older than.
    private long epoch;

    SchemaSnapshots(
            ComputeServer server,
            SnapshotOracle oracle,
            QueuePair queuePair,
            SharedSchemaLatch sharedLatch) {
        this.server = server;
        this.oracle = oracle;
        this.queuePair = queuePair;
        this.sharedLatch = sharedLatch;
    }

    /// Takes a snapshot that is not older than this compute server's schema. If the begin finds
    /// that another compute server has begun to change it, the transaction yields first, unless
    /// that waits for another one of the same thread.
    ///
    /// @return as of [SnapshotOracle#start]: whether the snapshot is chosen
    boolean start(Snapshot into) {
        while (true) {
            long known = server.schemaLatch().epoch();
            if (known != epoch) {
                // Rows that were copied to another table are not in older snapshots.
                if (!PlantedFault.INDEX_SNAPSHOT_STALE.isPlanted()) {
                    oracle.expire();
                }
                epoch = known;
            }
            boolean isChosen = oracle.start(into);
            if (oracle.schemaEpoch() <= known || sharedLatch.isBeside()) {
                return isChosen;
            }
            oracle.release();
            queuePair.await();
            sharedLatch.leave();
            sharedLatch.awaitOpen();
            sharedLatch.enter(false);
        }
    }
}
