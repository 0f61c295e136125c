package org.namdb.mvcc.recovery;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
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

/// The recovery of dead and fenced sessions: releases and undoes what they held, while the others
/// go on; then their slots are free.
/// ```
/// become the active one      one recovery at a time; CAS of its word
/// release latches            LatchRepair, of all dead slots: a waiter for one may hold locks that
///                            the release of any dead slot's locks waits for
/// take all slots over        CAS of their owner words; announcements withdrawn
/// finish commits             by their images, all of them: before any dead slot's lock is released
/// then for some slots at a time:
///   release locks            LockRelease, of all of them: an undo may wait for another one's lock
///   undo                     SlotUndo, slot by slot: versions, claims
///   free the slots           WRITE that the attempt is over, WRITE owner = 0
/// ```
/// A slot that is not known to be dead may hold a node's latch for long. What is behind that latch
/// waits for the next run. Everything else goes on, except that no slot is freed: its next holder
/// would seem to hold the latches that the dead one has left.
///
/// **Why all commits are finished first.** A record that d has locked may be listed by another dead
/// slot, too, whose locks are released as those of a slot that is gone:
/// ```
/// d  locks r, its image is whole, dies              r = h|L
/// c  lists r with h, its CAS fails, dies            r = h|L, d's
/// X  releases c's locks: d is dead, r is free       r = h
/// e  overwrites r                                   d's commit can't be finished any more
/// ```
/// For the same reason a slot that has died since the run began is not gone where there are images.
///
/// Every step may be the last: the next recovery finds what is left from memory alone. A slot that
/// can't be finished, because another session is in the way that may or may not be dead, is left to
/// the next recovery, by this process or another.
///
/// A recovery needs no slot of its own, so it works when dead sessions hold all of them: it undoes
/// in the dead slots, and takes latches of tree nodes in the name of one of them.
///
/// Belongs to one thread at a time.
public final class SlotRecovery {
    /// So many slots are recovered before others are begun: a failure in the middle costs no more
    /// than these.
    private static final int SLOTS_AT_ONCE = 8;

    private final QueuePair queuePair;
    private final TimestampVectorLayout vector;
    private final IntentLayout intents;
    private final Tables tables;
    private final Host host;
    private final long owner;
    private final long timeoutNanos;
    private final SlotOwners owners;
    private final @Nullable Predicate<TimestampSlot> finishCommit;

    /// @param finishCommit finishes and publishes the last commit of a dead slot that was taken
    ///     over, if its image is whole and it is not published; nothing that a dead slot has locked
    ///     was released. Returns whether nothing is left to finish; if not, the slot's locks stay.
    ///     Null where commits leave no images
    /// @param owner the recovery's owner, another one for each [SlotRecovery]
    /// @param timeoutNanos the timeout of a wait for another session
    public SlotRecovery(
            QueuePair queuePair,
            TimestampVectorLayout vector,
            IntentLayout intents,
            Tables tables,
            @Nullable Predicate<TimestampSlot> finishCommit,
            Host host,
            long owner,
            long timeoutNanos) {
        this.queuePair = queuePair;
        this.vector = vector;
        this.intents = intents;
        this.tables = tables;
        this.finishCommit = finishCommit;
        this.host = host;
        this.owner = owner;
        this.timeoutNanos = timeoutNanos;
        this.owners = new SlotOwners(vector, queuePair);
    }

    /// Recovers all dead sessions.
    ///
    /// @param fenced the processes that are dead and fenced on every memory server
    /// @param observer gets each slot that is done except for its release; from two recoveries, if
    ///     the first one dies in between
    /// @return whether nothing is left; if not, a retry is worthwhile
    /// @throws org.namdb.fabric.FabricException if a memory server can't be reached; another run
    ///     goes on
    public boolean run(SlotOwners.Fenced fenced, Consumer<RecoveredSlot> observer) {
        if (!owners.beginRecovery(owner, fenced)) {
            return false;
        }
        long[] words = owners.readDead(fenced);
        int[] slots = IntStream.range(0, words.length).filter(slot -> words[slot] != 0).toArray();
        DeadSlots dead = DeadSlots.of(slots);
        boolean isDone = slots.length == 0 || repairTrees(slots[0], words, dead);
        boolean mayRelease = isDone;
        repairBuckets(slots, dead);
        BitSet left = new BitSet();
        IntStream.of(slots).forEach(left::set);
        Predicate<TimestampSlot> finishing = finishCommit;
        BitSet unfinished = new BitSet();
        List<TimestampSlot> taken = new ArrayList<>();
        for (int slot : slots) {
            TimestampSlot each = takeOver(slot, words);
            if (finishing == null || finishing.test(each)) {
                taken.add(each);
            } else {
                unfinished.set(slot);
            }
        }
        isDone &= unfinished.isEmpty();
        IntPredicate isGone =
                slot ->
                        left.get(slot)
                                ? !unfinished.get(slot)
                                : finishing == null
                                        ? owners.isGone(slot, fenced)
                                        : owners.word(slot) == 0;
        for (int from = 0; from < taken.size(); from += SLOTS_AT_ONCE) {
            int to = Math.min(from + SLOTS_AT_ONCE, taken.size());
            isDone &= recover(taken.subList(from, to), left, isGone, mayRelease, observer);
        }
        owners.endRecovery(owner);
        return isDone;
    }

    /// Takes a slot over, once.
    private TimestampSlot takeOver(int slot, long[] words) {
        long word = words[slot];
        words[slot] = SlotOwners.recoveredBy(owner);
        return TimestampSlot.takeOver(vector, queuePair, slot, word, words[slot]);
    }

    /// In the name of a dead slot: should this recovery die, the next one finds a dead slot's
    /// latch.
    private boolean repairTrees(int slot, long[] words, DeadSlots dead) {
        if (PlantedFault.LATCHES_UNREPAIRED.isPlanted()) {
            return true;
        }
        TimestampSlot _ = takeOver(slot, words);
        LatchOwner latches =
                new LatchOwner(slot, host, timeoutNanos, LatchOwner.Cancellation.NEVER);
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

    /// Recovers some slots.
    ///
    /// @param isGone which slots' locks are not waited for
    /// @param left these, and all others that are dead and not released: a slot that was released
    ///     may be another session's, whose locks are waited for
    /// @param mayRelease whether none of them holds the latch of a tree's node any more
    private boolean recover(
            List<TimestampSlot> taken,
            BitSet left,
            IntPredicate isGone,
            boolean mayRelease,
            Consumer<RecoveredSlot> observer) {
        long untilNanos = host.nanoTime() + timeoutNanos;
        long[] locks = new long[taken.size()];
        for (int i = 0; i < locks.length; i++) {
            LockRelease release =
                    new LockRelease(queuePair, intents, tables, host, owners::slotsInUse, isGone);
            boolean released = release.release(taken.get(i).number(), untilNanos);
            locks[i] = released ? release.released() : -1;
        }
        boolean isDone = true;
        for (int i = 0; i < locks.length; i++) {
            TimestampSlot slot = taken.get(i);
            boolean isReleased = locks[i] >= 0 && finish(slot, locks[i], mayRelease, observer);
            left.set(slot.number(), !isReleased);
            isDone &= isReleased;
        }
        return isDone;
    }

    private boolean finish(
            TimestampSlot slot, long locks, boolean mayRelease, Consumer<RecoveredSlot> observer) {
        long published = slot.published();
        SlotUndo undo = new SlotUndo(queuePair, intents, tables, host, slot, timeoutNanos);
        if (!undo.run()) {
            return false;
        }
        // Before the slot shows more than the dead session has published.
        observer.accept(
                new RecoveredSlot(
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
