package org.namdb.timestamp.snapshot;

import java.lang.invoke.VarHandle;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.VerbForecast;
import org.namdb.timestamp.ChainBuffer;
import org.namdb.timestamp.ChainHead;
import org.namdb.timestamp.TimestampVectorLayout;

/// A thread's copy of a member of the snapshot chain, in memory that WRITEs can be posted from.
/// Members never change, so the copy serves for as long as the chain's head is what it was read by.
final class ChainMember {
    /// In place of a head: the vector is not that of a member.
    private static final long NONE = -1;

    private final TimestampVectorLayout layout;
    private final QueuePair queuePair;

    /// The native address of the vector. All words beyond the length are 0.
    private final long vector;

    private long head = NONE;
    private int length;

    private long bufferView;
    private long guardView;
    private int postedLength;

    ChainMember(TimestampVectorLayout layout, QueuePair queuePair) {
        this.layout = layout;
        this.queuePair = queuePair;
        this.vector = queuePair.localMemory(8L * layout.maxSlots());
    }

    long sequence() {
        return ChainHead.sequence(head);
    }

    /// Whether the vector is a member's.
    boolean isMember() {
        return head != NONE;
    }

    /// Whether it is the copy of the member that `wanted` points to.
    boolean isCopyOf(long wanted) {
        return head == wanted;
    }

    /// Whether the member sees timestamp `timestamp` of `slot`.
    boolean sees(int slot, long timestamp) {
        return timestamp <= LocalMemory.longAt(vector + 8L * slot);
    }

    /// Fills `into` with the member.
    void copyTo(Snapshot into) {
        assert head != NONE : "not a member";
        into.take(sequence(), vector, length);
    }

    /// Posts the READs of the member that `wanted` points to: its buffer, and then the guard.
    ///
    /// @param slotsInUse no less than the member's length, if it was read after `wanted`
    void post(long wanted, int slotsInUse) {
        long buffer = layout.chainBuffer(ChainHead.slot(wanted), ChainHead.buffer(wanted));
        postedLength = slotsInUse;
        bufferView = queuePair.read(buffer, ChainBuffer.bytes(slotsInUse));
        guardView = queuePair.read(buffer + ChainBuffer.GUARD_OFFSET, 8);
    }

    /// After the await: becomes the copy of the member, if its buffer still holds it, and all of it
    /// was read.
    ///
    /// @return false if not: the chain's head has moved, or more slots are in use
    boolean take(long wanted) {
        LocalMemory.copy(bufferView + ChainBuffer.VECTOR_OFFSET, vector, 8L * postedLength);
        VarHandle.acquireFence();
        long guard = LocalMemory.longAcquire(guardView);
        boolean taken =
                (ChainBuffer.sequence(guard) == ChainHead.sequence(wanted)
                                || PlantedFault.NO_CHAIN_RECHECK.isPlanted())
                        && ChainBuffer.length(guard) <= postedLength;
        head = taken ? wanted : NONE;
        length = taken ? ChainBuffer.length(guard) : 0;
        for (int slot = length; slot < postedLength; slot++) {
            LocalMemory.putLong(vector + 8L * slot, 0);
        }
        return taken;
    }

    /// Becomes the copy of the member that `wanted` points to: one round trip, or none if it is
    /// that already.
    ///
    /// @return false if it can't: the chain's head has moved, or more slots are in use
    boolean read(long wanted, int slotsInUse) {
        if (isCopyOf(wanted)) {
            return true;
        }
        post(wanted, slotsInUse);
        queuePair.await();
        return take(wanted);
    }

    /// Raises the vector to the element-wise maximum of itself and the timestamps at native address
    /// `timestamps`, each of which is loaded once. If that changes it, it is no member's any more.
    ///
    /// @return whether it did
    boolean raise(long timestamps, int slotsInUse) {
        assert slotsInUse >= length : "the number of slots in use only rises";
        boolean raised = false;
        for (int slot = 0; slot < slotsInUse; slot++) {
            long timestamp = LocalMemory.longAt(timestamps + 8L * slot);
            if (timestamp > LocalMemory.longAt(vector + 8L * slot)) {
                LocalMemory.putLong(vector + 8L * slot, timestamp);
                raised = true;
            }
        }
        if (raised) {
            head = NONE;
            length = slotsInUse;
        }
        return raised;
    }

    /// Posts the WRITEs of the raised vector as member `sequence` to the buffer at `address`.
    void postTo(long address, long sequence) {
        queuePair.writeWord(address + ChainBuffer.GUARD_OFFSET, ChainBuffer.UNDER_WRITE);
        queuePair.write(address + ChainBuffer.VECTOR_OFFSET, vector, 8 * length);
        long guard = ChainBuffer.guard(sequence, length);
        queuePair.writeWord(address + ChainBuffer.GUARD_OFFSET, guard);
    }

    /// Adds what [#postTo] posts of a vector of `slotsInUse` slots.
    static void forecastPost(int server, int slotsInUse, VerbForecast into) {
        into.write(server, 2, Long.BYTES);
        into.write(server, 1, 8.0 * slotsInUse);
    }

    /// The vector is that of the member that `newHead` points to.
    void became(long newHead) {
        head = newHead;
    }
}
