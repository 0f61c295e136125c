package org.namdb.compute.cluster;

import java.util.ArrayList;
import java.util.List;

/// For how long the low watermark has not been the newest member of the snapshot chain, as far as
/// repeated samples show. Members carry no times.
final class SnapshotAge {
    private record Sample(long sequence, long nanos) {}

    private final List<Sample> samples = new ArrayList<>();

    /// The newest member was found to have this number.
    void saw(long sequence, long nanos) {
        if (samples.isEmpty() || samples.getLast().sequence() != sequence) {
            samples.add(new Sample(sequence, nanos));
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
        for (Sample sample : samples) {
            if (sample.sequence() > watermark) {
                return nowNanos - sample.nanos();
            }
        }
        return 0;
    }
}
