package org.namdb.sql.shell;

import java.time.Duration;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The snapshot that a transaction reads, and what the transaction has done so far.
///
/// @param slots the commit timestamp of each slot of the vector, of those that are not 0
/// @param age since when it is in use; null if no transaction is open
/// @param ownSlot the number of the session's slot
/// @param writtenRows how many rows the transaction has changed so far
/// @param heldBytes old versions that this session's commits left and that a snapshot may still
///     need, in bytes
public record SnapshotFacts(
        SortedMap<Integer, Long> slots,
        @Nullable Duration age,
        int ownSlot,
        long writtenRows,
        long heldBytes) {
    public SnapshotFacts {
        slots = new TreeMap<>(slots);
    }
}
