package org.namdb.mvcc.cleanup;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.namdb.fabric.Host;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.owner.DeadSlots;
import org.namdb.mvcc.owner.IntentLayout;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.timestamp.SlotOwners;
import org.namdb.timestamp.TimestampSlot;
import org.namdb.timestamp.TimestampVectorLayout;

/// Releases and undoes what sessions held that are dead and fenced, while the others go on; then
/// their slots are free.
/// ```
/// become the cleaner         one at a time; CAS of the cleaner's word
/// release latches            LatchRepair, of all dead slots: who waits for one may hold locks that
///                            the release of any dead slot's locks waits for
/// then for some slots at a time:
///   take them over           CAS of their owner words; announcements withdrawn
///   give back locks          LockRelease, of all of them: an undo may wait for another one's lock
///   undo                     SlotUndo, slot by slot: versions, claims
///   give the slots back      WRITE that the attempt is over, WRITE owner = 0
/// ```
/// A slot that is not known to be dead may hold a node's latch for long. What is behind that latch
/// has to wait for the next time. Everything else goes on, except that no slot is released: its
/// next holder would be taken for the holder of latches that the dead one has left.
///
/// Every step may be the last: what is left is found by the next cleaner, from the memory alone. A
/// slot that can't be finished, because somebody is in the way who may or may not be dead, is left
/// to the next cleaner, this one or another.
///
/// A cleaner needs no slot of its own, so it can work when all are taken by the dead: it undoes in
/// the dead slots, and takes latches of tree nodes in the name of one of them.
///
/// Belongs to one thread at a time.
public final class CleanUp {
    /// So many slots are brought to an end before others are begun with: what goes wrong in the
    /// middle costs no more than these.
    private static final int SLOTS_AT_ONCE = 8;

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
    /// @param observer is told of each slot that is done except for its release; by two cleaners,
    ///     if the first one dies at that
    /// @return whether nothing is left; if not, it is worth another try
    /// @throws org.namdb.fabric.FabricException if a memory server can't be reached; another run
    ///     goes on
    public boolean run(SlotOwners.Fenced fenced, Consumer<CleanedSlot> observer) {
        if (!owners.becomeCleaner(owner, fenced)) {
            return false;
        }
        long[] words = owners.readDead(fenced);
        int[] slots = IntStream.range(0, words.length).filter(slot -> words[slot] != 0).toArray();
        DeadSlots dead = DeadSlots.of(slots);
        boolean isDone = slots.length == 0 || repairTrees(slots[0], words, dead);
        boolean mayRelease = isDone;
        repairBuckets(slots, dead);
        for (int from = 0; from < slots.length; from += SLOTS_AT_ONCE) {
            int to = Math.min(from + SLOTS_AT_ONCE, slots.length);
            List<TimestampSlot> taken = new ArrayList<>();
            for (int slot : Arrays.copyOfRange(slots, from, to)) {
                taken.add(takeOver(slot, words));
            }
            isDone &= cleanUp(taken, dead, fenced, mayRelease, observer);
        }
        owners.leaveCleaning(owner);
        return isDone;
    }

    /// Takes a slot over, once.
    private TimestampSlot takeOver(int slot, long[] words) {
        long word = words[slot];
        words[slot] = SlotOwners.cleanedBy(owner);
        return TimestampSlot.takeOver(vector, queuePair, slot, word, words[slot]);
    }

    /// In the name of a dead slot: should this cleaner die, the next one finds a dead slot's latch.
    private boolean repairTrees(int slot, long[] words, DeadSlots dead) {
        if (PlantedFault.LATCHES_UNREPAIRED.isPlanted()) {
            return true;
        }
        TimestampSlot _ = takeOver(slot, words);
        LatchOwner latches =
                new LatchOwner(slot, host, patienceNanos, LatchOwner.Cancellation.NEVER);
        return new LatchRepair(queuePair, intents, tables, dead).repairTrees(latches);
    }

    private void repairBuckets(int[] slots, DeadSlots dead) {
        if (!PlantedFault.LATCHES_UNREPAIRED.isPlanted()) {
            LatchRepair repair = new LatchRepair(queuePair, intents, tables, dead);
            for (int slot : slots) {
                repair.repairBuckets(slot);
            }
        }
    }

    /// Cleans up some slots.
    ///
    /// @param dead these, and all others that are
    /// @param mayRelease whether none of them holds the latch of a tree's node any more
    private boolean cleanUp(
            List<TimestampSlot> taken,
            DeadSlots dead,
            SlotOwners.Fenced fenced,
            boolean mayRelease,
            Consumer<CleanedSlot> observer) {
        long untilNanos = host.nanoTime() + patienceNanos;
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
        boolean isDone = true;
        for (int i = 0; i < locks.length; i++) {
            isDone &=
                    locks[i] >= 0
                            && finish(taken.get(i), locks[i], untilNanos, mayRelease, observer);
        }
        return isDone;
    }

    private boolean finish(
            TimestampSlot slot,
            long locks,
            long untilNanos,
            boolean mayRelease,
            Consumer<CleanedSlot> observer) {
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
        if (mayRelease) {
            slot.release();
        }
        return mayRelease;
    }
}
