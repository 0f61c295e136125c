package org.namdb.simulation;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.namdb.simulated.SimHost;
import org.namdb.simulated.SimTrace;

/// A meeting on lines that no process caches.
final class UncachedLineMeeting extends LineMeeting {
    private static final int MAX_THREADS = 4;

    private final boolean isLatching;

    private UncachedLineMeeting(long seed, boolean isLatching) {
        super(seed, SimTrace.off());
        this.isLatching = isLatching;
    }

    /// Has them meet.
    ///
    /// @param isLatching whether they take latches
    /// @return what is wrong, or null
    static @Nullable String of(long seed, boolean isLatching) {
        try (UncachedLineMeeting meeting = new UncachedLineMeeting(seed, isLatching)) {
            return meeting.run();
        }
    }

    @Override
    void join(SimHost host, int number) {}

    @Override
    LineClient connect(SimHost host, int server, int number) {
        return new UncachedLines(
                LAYOUT,
                fabric.computeSide(host).connect(regions),
                server * MAX_THREADS + number + 1,
                host,
                isLatching);
    }

    @Override
    @Nullable String atRest(Map<Long, Long> latched) {
        return latched.isEmpty() ? null : "latches are left: " + describe(latched);
    }
}
