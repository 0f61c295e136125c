package org.namdb.workload.driver;

import org.namdb.workload.statistics.TimelinePoint;

/// Notified of a run's progress.
public interface RunObserver {
    /// Ignores it.
    RunObserver NONE =
            new RunObserver() {
                @Override
                public void progress(double share, long nowNanos) {}

                @Override
                public void second(TimelinePoint point) {}
            };

    /// A few times a second.
    ///
    /// @param share what is done, 0 to 1
    /// @param nowNanos on the clock of [System#nanoTime]
    void progress(double share, long nowNanos);

    /// Once a second, and at the end.
    void second(TimelinePoint point);
}
