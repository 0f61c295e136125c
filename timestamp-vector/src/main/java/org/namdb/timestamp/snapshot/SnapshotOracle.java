package org.namdb.timestamp.snapshot;

import org.namdb.fabric.VerbForecast;

/// Where a transaction execution thread gets its read timestamps from. Belongs to one thread.
///
/// Source: NAM-DB, section 4.
public interface SnapshotOracle {
    /// A transaction begins: announces that it is about to choose a snapshot, so that the low
    /// watermark does not pass that, and fills `into` with the snapshot. Ends the one before.
    ///
    /// @throws org.namdb.fabric.FabricException if a verb failed; the next call starts afresh
    void acquire(Snapshot into);

    /// The same as [#acquire], but its last round trip may be left to the caller: then it has
    /// posted what is to be awaited along with the transaction's first reads. Until it has come to
    /// an end, no more may be landed than what lets views of this call live.
    ///
    /// @return whether `into` is filled. Else, after the next await, [#settle]
    default boolean start(Snapshot into) {
        acquire(into);
        return true;
    }

    /// Goes on after an await where [#start] has not come to an end. What was read since is used
    /// only if it does now:
    /// ```
    /// start -> false     post reads    await    settle -> true: use them
    ///                                           settle -> false: post them again, await, settle ..
    /// ```
    ///
    /// @return whether `into` is filled, with a snapshot by which what was posted since the call
    ///     before may be read
    default boolean settle(Snapshot into) {
        return true;
    }

    /// Whether each snapshot is a member of the snapshot chain, so that the low watermark may rise
    /// to it ([LowWatermark#observe(Snapshot)]).
    default boolean usesMembers() {
        return true;
    }

    /// Posts that the running transaction uses the snapshot that it has chosen, and none that is
    /// older: what was announced before it was chosen may have been. So the low watermark can rise
    /// up to this snapshot while the transaction runs. Does nothing where the oracle has no
    /// such way.
    default void announceChosen() {}

    /// The transaction has ended, and no other follows at once: posts that no snapshot is in use.
    /// It takes effect with the next await. Without it, the low watermark waits for the last
    /// snapshot until that is too old.
    void release();

    /// The next [#acquire] takes a fresh snapshot, whatever staleness allows.
    void expire();

    /// The schema epoch (`TimestampVectorLayout.schemaEpoch`) that the last fresh [#acquire] has
    /// found, by a READ after its announcement.
    long schemaEpoch();

    /// The recovery flag (`TimestampVectorLayout.recovery`) that the last fresh [#acquire] has
    /// found.
    long recovery();

    /// Forecasts what [#acquire] would post now, if no other session commits before, and what
    /// [#release] would afterwards.
    ///
    /// @param acquiring what is expected of the one is added to this
    /// @param releasing and of the other to this
    void forecast(VerbForecast acquiring, VerbForecast releasing);
}
