package org.namdb.mvcc.recovery;

import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.Host;
import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.owner.DeadSlots;
import org.namdb.mvcc.owner.IntentLayout;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.tree.BLinkTree;

/// Releases the latches and locks of a dead slot that uses one table, as a recovery does.
public final class DeadSlotRecovery {
    private DeadSlotRecovery() {}

    /// Releases them.
    ///
    /// @param isOfIndex whether the table is a hashed index
    /// @param slots how many slots are in use
    /// @param isGone whether a slot is dead
    /// @param timeoutNanos how long living slots are waited for
    /// @return whether all is done
    public static boolean recover(
            QueuePair queuePair,
            IntentLayout intents,
            HashTable table,
            boolean isOfIndex,
            int slot,
            int slots,
            IntPredicate isGone,
            long timeoutNanos) {
        Tables tables =
                new Tables() {
                    @Override
                    public @Nullable HashTable records(int number) {
                        return isOfIndex ? null : table;
                    }

                    @Override
                    public @Nullable HashTable index(int number) {
                        return isOfIndex ? table : null;
                    }

                    @Override
                    public List<BLinkTree> trees() {
                        return List.of();
                    }
                };
        new LatchRepair(queuePair, intents, tables, DeadSlots.of(slot)).repairBuckets(slot);
        boolean isDone =
                new LockRelease(queuePair, intents, tables, Host.MACHINE, () -> slots, isGone)
                        .release(slot, Host.MACHINE.nanoTime() + timeoutNanos);
        if (isDone) {
            Intents.clear(queuePair, intents, slot);
        }
        return isDone;
    }
}
