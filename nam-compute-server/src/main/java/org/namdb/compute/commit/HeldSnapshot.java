package org.namdb.compute.commit;

import org.namdb.timestamp.snapshot.Snapshot;

/// The read snapshot that a transaction holds: what its commit needs of it.
public interface HeldSnapshot {
    /// What the transaction has read by.
    Snapshot snapshot();

    /// What every transaction sees, or could no longer see: no snapshot reads versions that ended
    /// before it.
    Snapshot lowWatermark();

    /// Whether the low watermark may have passed the snapshot. May take a round trip.
    boolean isTooOld();

    /// Posts that the transaction reads nothing more by it.
    void postRelease();
}
