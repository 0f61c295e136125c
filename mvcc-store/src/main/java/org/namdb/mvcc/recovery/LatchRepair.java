package org.namdb.mvcc.recovery;

import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.hash.HashIndexRepair;
import org.namdb.mvcc.hash.HashTable;
import org.namdb.mvcc.hash.Latch;
import org.namdb.mvcc.hash.SplitRepair;
import org.namdb.mvcc.owner.DeadSlots;
import org.namdb.mvcc.owner.IntentLayout;
import org.namdb.mvcc.owner.IntentList;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.mvcc.owner.LatchTimeoutException;
import org.namdb.mvcc.tree.BLinkTree;
import org.namdb.mvcc.tree.TreeRepair;

/// Releases the latches of dead slots, and makes whole what they protect.
///
/// **Why before everything else.** A session that waits for a latch holds locks, and a [release of
/// locks][LockRelease] waits for it:
/// ```
/// d  latches bucket b, dies
/// e  has locked (r, h), waits for b's latch: its attempt does not end before it has that
/// X  r is a suspect, as d lists it too: waits until e's attempt ends
/// ```
/// A bucket that the dead slot was splitting is [finished or rolled back][SplitRepair] before its
/// latch is released.
///
/// Latches themselves are never waited for with another one held, so there is no deadlock.
///
/// Belongs to one thread.
final class LatchRepair {
    private final QueuePair queuePair;
    private final IntentLayout intents;
    private final Tables tables;
    private final DeadSlots dead;

    /// @param dead whose latches are released
    LatchRepair(QueuePair queuePair, IntentLayout intents, Tables tables, DeadSlots dead) {
        this.queuePair = queuePair;
        this.intents = intents;
        this.tables = tables;
        this.dead = dead;
    }

    /// Repairs all nodes of trees: the intents don't list latched nodes.
    ///
    /// @param owner the owner that takes the latches over
    /// @return whether all is done; if not, a slot that is not known to be dead has latched a node
    boolean repairTrees(LatchOwner owner) {
        boolean isDone = true;
        for (BLinkTree tree : tables.trees()) {
            try {
                long _ = new TreeRepair(queuePair, tree, owner, dead).repair();
            } catch (LatchTimeoutException e) {
                isDone = false; // the other trees have other latches
            }
        }
        return isDone;
    }

    /// Repairs the buckets of tables and of hashed indexes that a dead slot lists. Latches of other
    /// dead slots are left to their own lists: they may have to be finished before.
    void repairBuckets(int slot) {
        IntentList listed = new IntentList(queuePair, intents);
        DeadSlots only = DeadSlots.of(slot);
        HashIndexRepair indexRepair = new HashIndexRepair(queuePair, only);
        SplitRepair splitRepair = new SplitRepair(queuePair);
        for (int server = 0; server < intents.servers(); server++) {
            listed.read(server, slot);
            for (int entry = 0; entry < listed.count(); entry++) {
                if (listed.isRecord(entry)) {
                    continue;
                }
                int number = listed.table(entry);
                boolean isIndex = listed.isOfIndex(entry);
                HashTable table = isIndex ? tables.index(number) : tables.records(number);
                if (table == null) {
                    continue;
                }
                if (listed.isSplit(entry) && !PlantedFault.SPLIT_UNREPAIRED.isPlanted()) {
                    splitRepair.repair(table, only, listed, entry);
                } else if (isIndex) {
                    long _ = indexRepair.repair(table, listed.address(entry));
                } else {
                    boolean _ = Latch.repair(queuePair, listed.address(entry), only);
                }
            }
        }
    }
}
