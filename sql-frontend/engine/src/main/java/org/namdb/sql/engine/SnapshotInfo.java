package org.namdb.sql.engine;

import java.time.Duration;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The snapshot that a session reads, and what its transaction has done so far.
///
/// @param slots the commit timestamp of each slot of the vector, of those that are not 0
/// @param sequence its number in the chain of snapshots
/// @param age since when it is in use; null if no transaction is open, and it is that of the
///     last one
/// @param ownSlot the number of the session's slot
/// @param writtenRows how many records the transaction has in its write set, those of unique
///     indexes too
/// @param heldBytes the bytes of old versions that this session's commits keep
public record SnapshotInfo(
        SortedMap<Integer, Long> slots,
        long sequence,
        @Nullable Duration age,
        int ownSlot,
        long writtenRows,
        long heldBytes) {
    public SnapshotInfo {
        slots = new TreeMap<>(slots);
    }
}
