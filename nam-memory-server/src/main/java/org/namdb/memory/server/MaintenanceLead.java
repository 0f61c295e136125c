package org.namdb.memory.server;

import org.namdb.fabric.QueuePair;

/// The compute server that leads a memory server's [maintenance][VersionMaintenance]: one, as each
/// would read all records, and they would conflict. It is in a word of the memory server's head:
/// ```
///  63        32 31      0
/// |   leader   |  turns  |     0: none
/// ```
/// The leader is one more than a compute server's number, as that may be 0.
///
/// The leader sets it to the next turn by CAS before each step. The others read it; one that has
/// found it unchanged for many turns of its own takes the lead. Clocks are not compared, and
/// nothing relies on there being one leader only: a leader that was slow and has lost the lead
/// finds out at its next turn, and a step is safe concurrently with any other.
///
/// Belongs to one thread.
public final class MaintenanceLead {
    /// For how many turns of others a leader may stand still.
    public static final int MAX_UNCHANGED = 256;

    private static final int PROCESS_SHIFT = 32;
    private static final long NO_LEADER = 0;

    private final QueuePair queuePair;
    private final long address;
    private final long process;
    private long seen = NO_LEADER;
    private int unchanged;

    /// @param process the compute server as leader: one more than its number, which no other one
    ///     ever had
    public MaintenanceLead(QueuePair queuePair, int server, int process) {
        assert process > 0 : "0 is no process";
        this.queuePair = queuePair;
        this.address = RegionLayout.address(server, RegionLayout.LEAD_OFFSET);
        this.process = process;
    }

    /// Takes a turn: a round trip.
    ///
    /// @return whether this compute server leads
    public boolean take() {
        boolean tries = seen == NO_LEADER || leads() || unchanged >= MAX_UNCHANGED;
        long next = process << PROCESS_SHIFT | seen + 1 & 0xffff_ffffL;
        long found = tries ? queuePair.casWord(address, seen, next) : queuePair.readWord(address);
        boolean isWon = tries && found == seen;
        unchanged = found == seen && !isWon ? unchanged + 1 : 0;
        seen = isWon ? next : found;
        return isWon;
    }

    private boolean leads() {
        return seen >>> PROCESS_SHIFT == process;
    }

    /// Releases the lead, if it is this compute server's.
    public void release() {
        if (leads()) {
            long _ = queuePair.casWord(address, seen, NO_LEADER);
            seen = NO_LEADER;
        }
    }
}
