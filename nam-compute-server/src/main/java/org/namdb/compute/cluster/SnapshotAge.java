package org.namdb.compute.cluster;

import java.util.ArrayList;
import java.util.List;

/// For how long the low watermark has not been the newest member of the snapshot chain, as far as
/// repeated samples show. Members carry no times.
final class SnapshotAge {
    private record Look(long sequence, long nanos) {}

    private final List<Look> looks = new ArrayList<>();

    /// The newest member was found to have this number.
    void saw(long sequence, long nanos) {
        if (looks.isEmpty() || looks.getLast().sequence() != sequence) {
            looks.add(new Look(sequence, nanos));
        }
    }

    /// The least age of a low watermark.
    ///
    /// @param newest the number of the newest member now
    /// @return in nanoseconds: 0 if it is the newest; no more than since the first sample
    long of(long watermark, long newest, long nowNanos) {
        if (watermark >= newest) {
            return 0;
        }
        for (Look look : looks) {
            if (look.sequence() > watermark) {
                return nowNanos - look.nanos();
            }
        }
        return 0;
    }
}
