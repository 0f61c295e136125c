package org.namdb.mvcc.index;

import org.namdb.fabric.QueuePair;

/// Removals of one thread that go together, however many there are. They come from accesses that
/// reuse theirs: each round all that they have may be used again.
///
/// Reusable.
public final class EntryRemovals {
    private final ChangeBatch batch;
    private long round;

    public EntryRemovals(QueuePair queuePair) {
        this.batch = new ChangeBatch(queuePair);
    }

    /// The number of the round that is collected now. What was [added][#add] in an earlier one is
    /// over.
    public long round() {
        return round;
    }

    /// Adds a removal that is prepared; the ones before it may be done now.
    ///
    /// @throws org.namdb.mvcc.owner.LatchTimeoutException as [#run]
    public void add(EntryChange removal) {
        if (!batch.hasCapacityFor(removal)) {
            runBatch();
        }
        batch.add(removal);
    }

    /// Does all that were added. The last WRITEs may not be awaited.
    ///
    /// @throws org.namdb.mvcc.owner.LatchTimeoutException if what is to be latched stays latched;
    ///     some of them are done
    public void run() {
        runBatch();
        round++;
    }

    /// Removes what was added and not done, after a failure.
    public void clear() {
        batch.clear();
        round++;
    }

    private void runBatch() {
        if (batch.size() > 0) {
            batch.run();
            for (int i = 0; i < batch.size(); i++) {
                boolean _ = batch.finish(i);
            }
            batch.clear();
        }
    }
}
