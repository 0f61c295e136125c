package org.namdb.mvcc.owner;

import java.util.BitSet;

/// Timestamp slots whose processes are dead and fenced: none of their verbs takes effect any more.
/// What their latches protect can be repaired, and the latches released.
public final class DeadSlots {
    private final BitSet slots;

    private DeadSlots(BitSet slots) {
        this.slots = slots;
    }

    /// These slots.
    public static DeadSlots of(int... numbers) {
        BitSet slots = new BitSet();
        for (int number : numbers) {
            slots.set(number);
        }
        return new DeadSlots(slots);
    }

    /// Whether slot `slot` is one of them.
    public boolean contains(int slot) {
        return slots.get(slot);
    }

    @Override
    public String toString() {
        return "dead slots " + slots;
    }
}
