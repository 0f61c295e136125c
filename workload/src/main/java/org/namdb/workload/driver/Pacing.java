package org.namdb.workload.driver;

/// When one thread's transactions begin. The thread calls [#next], waits for [#intendedStartNanos],
/// runs the transaction, and calls [#finished] before the next one.
public interface Pacing {
    /// Chooses when the next transaction begins.
    ///
    /// @param nowNanos the time on the clock of [System#nanoTime]
    void next(long nowNanos);

    /// When it is to begin; latency counts from there.
    long intendedStartNanos();

    /// Its client has the answer.
    void finished(long nowNanos);
}
