package org.namdb.tpcc.driver;

import org.namdb.tpcc.TransactionType;

/// One thread's plan: which terminal runs which transaction, and when. A thread asks for the next
/// one with [#next], waits for [#intendedStartNanos], runs it, and says so with [#finished] before
/// it asks again.
public sealed interface Pacing permits AtOnce, AtRate, WithThinkTimes {
    /// Chooses the next transaction.
    ///
    /// @param nowNanos the time on the clock of [System#nanoTime]
    void next(long nowNanos);

    /// The terminal that was chosen.
    Terminal terminal();

    /// The type that was chosen.
    TransactionType type();

    /// When the transaction that was chosen is to begin; latency counts from there.
    long intendedStartNanos();

    /// The terminal that was chosen has its answer.
    void finished(long nowNanos);
}
