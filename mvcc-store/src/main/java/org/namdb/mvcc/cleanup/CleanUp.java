package org.namdb.mvcc.cleanup;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.namdb.fabric.Host;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.DeadSlots;
import org.namdb.mvcc.LatchOwner;
import org.namdb.mvcc.owner.IntentLayout;
import org.namdb.mvcc.owner.Intents;
import org.namdb.timestamp.SlotOwners;
import org.namdb.timestamp.TimestampSlot;
import org.namdb.timestamp.TimestampVectorLayout;

/// Releases and undoes what sessions held that are dead and fenced, while the others go on; then
/// their slots are free.
/// ```
/// become the cleaner         one at a time; CAS of the cleaner's word
/// take the dead slots over   CAS of their owner words; announcements withdrawn, counters continued
/// release latches            LatchRepair, of all of them: who waits for one may hold locks
/// give back locks            LockRelease, of all of them: an undo may wait for another one's lock
/// undo                       SlotUndo, slot by slot: versions, claims
/// give the slots back        WRITE that the attempt is over, WRITE owner = 0
/// ```
/// Every step may be the last: what is left is found by the next cleaner, from the memory alone. A
/// slot that can't be finished, because somebody is in the way of whom it is not known whether he
/// is dead, is gone on with by the next who cleans up, this one or another.
///
/// A cleaner needs no slot of its own, so it can work when all are taken by the dead: it undoes in
/// the dead slots, and takes latches of tree nodes in the name of one of them.
///
/// Belongs to one thread at a time.
public final class CleanUp {
    private final QueuePair queuePair;
    private final TimestampVectorLayout vector;
    private final IntentLayout intents;
    private final Tables tables;
    private final Host host;
    private final long owner;
    private final long patienceNanos;
    private final SlotOwners owners;

    /// @param owner who cleans up, another one for each [CleanUp]
    /// @param patienceNanos how long to wait for somebody who is in the way
    public CleanUp(
            QueuePair queuePair,
            TimestampVectorLayout vector,
            IntentLayout intents,
            Tables tables,
            Host host,
            long owner,
            long patienceNanos) {
        this.queuePair = queuePair;
        this.vector = vector;
        this.intents = intents;
        this.tables = tables;
        this.host = host;
        this.owner = owner;
        this.patienceNanos = patienceNanos;
        this.owners = new SlotOwners(vector, queuePair);
    }

    /// Cleans up after all dead sessions.
    ///
    /// @param fenced who is dead and fenced on every memory server
    /// @param observer is told of each slot that is done but for its release; by two cleaners, if
    ///     the first one dies at that
    /// @return whether nothing is left; if not, it is worth another try
    /// @throws org.namdb.fabric.FabricException if a memory server can't be reached; another run
    ///     goes on
    public boolean run(SlotOwners.Fenced fenced, Consumer<CleanedSlot> observer) {
        if (!owners.becomeCleaner(owner, fenced)) {
            return false;
        }
        List<TimestampSlot> taken = takeOver(fenced);
        boolean isDone = taken.isEmpty() || cleanUp(taken, fenced, observer);
        owners.leaveCleaning(owner);
        return isDone;
    }

    private List<TimestampSlot> takeOver(SlotOwners.Fenced fenced) {
        List<TimestampSlot> taken = new ArrayList<>();
        long[] words = owners.read();
        for (int slot = 0; slot < words.length; slot++) {
            long word = words[slot];
            // Looked at again: the holder may have given the slot back, and been fenced only then.
            if (SlotOwners.isDead(word, fenced) && owners.word(slot) == word) {
                taken.add(
                        TimestampSlot.takeOver(
                                vector, queuePair, slot, word, SlotOwners.cleanedBy(owner)));
            }
        }
        return taken;
    }

    private boolean cleanUp(
            List<TimestampSlot> taken, SlotOwners.Fenced fenced, Consumer<CleanedSlot> observer) {
        long untilNanos = host.nanoTime() + patienceNanos;
        DeadSlots dead = DeadSlots.of(taken.stream().mapToInt(TimestampSlot::number).toArray());
        boolean isDone = PlantedFault.LATCHES_UNREPAIRED.isPlanted() || repairLatches(taken, dead);
        if (!isDone) {
            return false;
        }
        long[] locks = new long[taken.size()];
        for (int i = 0; i < locks.length; i++) {
            LockRelease release =
                    new LockRelease(
                            queuePair,
                            intents,
                            tables,
                            host,
                            owners::slotsInUse,
                            slot -> dead.contains(slot) || owners.isGone(slot, fenced));
            boolean released = release.release(taken.get(i).number(), untilNanos);
            locks[i] = released ? release.released() : -1;
        }
        for (int i = 0; i < locks.length; i++) {
            isDone &= locks[i] >= 0 && finish(taken.get(i), locks[i], untilNanos, observer);
        }
        return isDone;
    }

    private boolean repairLatches(List<TimestampSlot> taken, DeadSlots dead) {
        int slot = taken.getFirst().number();
        LatchOwner latches =
                new LatchOwner(slot, host, patienceNanos, LatchOwner.Cancellation.NEVER);
        LatchRepair repair = new LatchRepair(queuePair, intents, tables, latches, dead);
        for (TimestampSlot each : taken) {
            repair.repairBuckets(each.number());
        }
        return repair.repairTrees();
    }

    private boolean finish(
            TimestampSlot slot, long locks, long untilNanos, Consumer<CleanedSlot> observer) {
        long published = slot.published();
        SlotUndo undo = new SlotUndo(queuePair, intents, tables, host, slot, untilNanos);
        if (!undo.run()) {
            return false;
        }
        // Before the slot tells more than the dead one has published.
        observer.accept(
                new CleanedSlot(
                        slot.number(),
                        published,
                        slot.last(),
                        locks,
                        undo.undone(),
                        undo.claims()));
        undo.publish();
        Intents.clear(queuePair, intents, slot.number());
        slot.release();
        return true;
    }
}
