package org.namdb.timestamp;

import java.util.Collection;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.ViewScope;

/// The owners of the slots, and the owner that recovers dead ones. An owner is a word:
/// ```
///  63   62   61               32 31                    0
/// | C  | D  |      process      |         count         |     0: none
/// ```
/// - The process is a number that each start of a compute server gets once, so that all slots of a
///   dead one are found; the count numbers its sessions.
/// - C: the slot's holder was dead, and the owner in the word recovers it, or has begun to: any
///   later recovery goes on.
/// - D: the holder is dead, though its process lives: a failed session whose connections have
///   ended. Its process sets the bit for all recoveries.
///
/// One recovery is active at a time: it has put its owner number into the recovery word. Belongs to
/// one thread. Source: this project's.
public final class SlotOwners {
    private static final long RECOVERING = 1L << 63;
    private static final long DEAD = 1L << 62;
    private static final int PROCESS_SHIFT = 32;
    private static final int OWNERS_PER_READ = 512;

    /// Whether an owner has died, and is fenced: none of its verbs takes effect any more.
    @FunctionalInterface
    public interface Fenced {
        /// Called with an owner, without C and D.
        boolean contains(long owner);
    }

    private final TimestampVectorLayout layout;
    private final QueuePair queuePair;

    public SlotOwners(TimestampVectorLayout layout, QueuePair queuePair) {
        this.layout = layout;
        this.queuePair = queuePair;
    }

    /// The owner with this count of a process.
    public static long of(int process, int count) {
        assert process >= 0 && process < 1 << 30 : "process " + process;
        return (long) process << PROCESS_SHIFT | count & 0xffff_ffffL;
    }

    /// The process of an owner.
    public static int process(long owner) {
        return (int) (holder(owner) >>> PROCESS_SHIFT);
    }

    /// The word of a slot that `owner` recovers.
    public static long recoveredBy(long owner) {
        return owner | RECOVERING;
    }

    /// The owner in a slot's word, which holds or recovers the slot.
    public static long holder(long word) {
        return word & ~(RECOVERING | DEAD);
    }

    /// Whether a slot's holder is dead and fenced, by its word: also if its recovery has begun. The
    /// one recovery that is active may take all of these over.
    public static boolean isDead(long word, Fenced fenced) {
        return word != 0 && ((word & (RECOVERING | DEAD)) != 0 || fenced.contains(holder(word)));
    }

    /// Marks the slots of these holders as dead: sessions of this process, none of whose verbs
    /// takes effect any more. Those that hold none are skipped.
    public void reportDead(Collection<Long> dead) {
        long[] words = read();
        try (ViewScope _ = queuePair.openViews()) {
            for (int slot = 0; slot < words.length; slot++) {
                if (dead.contains(words[slot])) {
                    long said = words[slot] | DEAD;
                    long _ = queuePair.compareAndSwap(layout.owner(slot), words[slot], said);
                }
            }
            queuePair.await();
        }
    }

    /// The words of the slots whose holders are dead and fenced, by number, and 0 for all others.
    /// Only recoveries change them.
    public long[] readDead(Fenced fenced) {
        long[] words = read();
        boolean isAny = false;
        for (int slot = 0; slot < words.length; slot++) {
            words[slot] = isDead(words[slot], fenced) ? words[slot] : 0;
            isAny |= words[slot] != 0;
        }
        // Read again: a holder may have released its slot, and been fenced only then.
        long[] again = isAny ? read() : words;
        for (int slot = 0; slot < words.length; slot++) {
            words[slot] = words[slot] == again[slot] ? words[slot] : 0;
        }
        return words;
    }

    /// The word of one slot, as it is now.
    public long word(int slot) {
        return queuePair.readWord(layout.owner(slot));
    }

    /// Whether a slot is free, or its holder dead and fenced.
    public boolean isGone(int slot, Fenced fenced) {
        long word = word(slot);
        return word == 0 || isDead(word, fenced);
    }

    /// How many slots are in use, or have been: a holder has raised it before it does anything.
    public int slotsInUse() {
        return (int) queuePair.readWord(layout.slotsInUse());
    }

    /// The words of all slots, by number; also of those that were just taken, and not used.
    public long[] read() {
        int slots = layout.maxSlots();
        long[] words = new long[slots];
        for (int first = 0; first < slots; first += OWNERS_PER_READ) {
            int count = Math.min(OWNERS_PER_READ, slots - first);
            try (ViewScope _ = queuePair.openViews()) {
                long owners = queuePair.read(layout.owner(first), Long.BYTES * count);
                queuePair.await();
                for (int i = 0; i < count; i++) {
                    words[first + i] = LocalMemory.longAcquire(owners + 8L * i);
                }
            }
        }
        return words;
    }

    /// The owner of the active recovery; 0 for none.
    public long recoverer() {
        return queuePair.readWord(layout.recovery());
    }

    /// Tries to become the active recovery; one that is dead and fenced is replaced.
    ///
    /// @param owner the recovery's owner; if it is active already, it stays so
    /// @return whether its recovery is the active one now
    public boolean beginRecovery(long owner, Fenced fenced) {
        long found = 0;
        while (true) {
            long before = queuePair.casWord(layout.recovery(), found, owner);
            if (before == found || before == owner) {
                return true;
            }
            if (before != 0 && !fenced.contains(before)) {
                return false;
            }
            found = before;
        }
    }

    /// Ends the active recovery.
    public void endRecovery(long owner) {
        long _ = queuePair.casWord(layout.recovery(), owner, 0);
    }
}
