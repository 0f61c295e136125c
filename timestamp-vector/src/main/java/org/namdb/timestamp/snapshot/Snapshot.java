package org.namdb.timestamp.snapshot;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.LocalMemory;
import org.namdb.timestamp.CommitTimestamp;

/// A read timestamp: the vector `T_R = <t_1 .. t_n>`. A version `<slot, t>` is visible when
/// `t <= T_R[slot]`.
///
/// It is a reusable holder that its owner has filled: by a [SnapshotOracle], at the begin of every
/// transaction. Nothing is allocated but when the vector grows. A new one sees nothing. Belongs to
/// one thread. Source: NAM-DB, section 4.1.
public final class Snapshot {
    private static final int FIRST_CAPACITY = 16;

    /// In place of the timestamp of a slot beyond the length: sees nothing.
    private static final long NOTHING = -1;

    /// Sees every version there is, committed or about to be: for reads of a record's newest
    /// version. Immutable.
    public static final Snapshot EVERYTHING = everything();

    private long sequence;
    private int length;
    private @Nullable DurableCommits durable;
    private boolean hasShownUndurable;

    /// The vector, and [#NOTHING] after it, so that one comparison with the array's length will do.
    private long[] timestamps = new long[0];

    private static Snapshot everything() {
        Snapshot all = new Snapshot();
        all.resize(CommitTimestamp.MAX_SLOTS);
        Arrays.fill(all.timestamps, Long.MAX_VALUE);
        return all;
    }

    /// Has the snapshot note when it shows a commit that is not durable yet.
    public void watch(DurableCommits commits) {
        durable = commits;
    }

    /// Whether it has shown a commit, since [#forgetShown], that was not durable then. May be true
    /// of one that was only compared with.
    public boolean hasShownUndurable() {
        return hasShownUndurable;
    }

    /// What it has shown until now does not count.
    public void forgetShown() {
        hasShownUndurable = false;
    }

    /// Whether this snapshot sees the versions of the transaction with this commit timestamp. The
    /// word's low three bits are ignored, so that a record's header serves. Of slots beyond the
    /// length, nothing is seen.
    public boolean sees(long commitTimestamp) {
        long[] vector = timestamps;
        int slot = CommitTimestamp.slot(commitTimestamp);
        boolean isSeen =
                slot < vector.length && CommitTimestamp.timestamp(commitTimestamp) <= vector[slot];
        DurableCommits watched = durable;
        if (isSeen && watched != null && !watched.has(commitTimestamp)) {
            hasShownUndurable = true;
        }
        return isSeen;
    }

    /// The place in the snapshot chain: of this snapshot, if it is a member, or else of a member
    /// that it dominates.
    public long sequence() {
        return sequence;
    }

    /// How many slots the vector has.
    public int length() {
        return length;
    }

    /// The last timestamp of `slot` that is seen; 0 beyond the length.
    public long timestamp(int slot) {
        return slot < length ? timestamps[slot] : 0;
    }

    /// The vector, slot by slot.
    public long[] toArray() {
        return Arrays.copyOf(timestamps, length);
    }

    /// Becomes a copy of `other`.
    public void copyFrom(Snapshot other) {
        resize(other.length);
        System.arraycopy(other.timestamps, 0, timestamps, 0, other.length);
        sequence = other.sequence;
    }

    /// Whether this snapshot sees every commit that `other` sees.
    public boolean dominates(Snapshot other) {
        for (int slot = 0; slot < other.length; slot++) {
            if (timestamp(slot) < other.timestamps[slot]) {
                return false;
            }
        }
        return true;
    }

    /// Whether one of the two sees every commit that the other sees. Of one chain, any two are.
    public boolean isComparable(Snapshot other) {
        return dominates(other) || other.dominates(this);
    }

    @Override
    public String toString() {
        return "S" + sequence + Arrays.toString(toArray());
    }

    /// Becomes the vector of `newLength` timestamps at native address `source`, each of which is
    /// loaded once.
    void take(long newSequence, long source, int newLength) {
        resize(newLength);
        long[] vector = timestamps;
        for (int slot = 0; slot < newLength; slot++) {
            vector[slot] = LocalMemory.longAt(source + 8L * slot);
        }
        sequence = newSequence;
    }

    /// Shows a slot's commits up to `timestamp`: for a fault that tests plant; what comes of it is
    /// no snapshot.
    void raise(int slot, long timestamp) {
        if (slot < length) {
            timestamps[slot] = Math.max(timestamps[slot], timestamp);
        }
    }

    private void resize(int newLength) {
        if (newLength > timestamps.length) {
            int capacity = Math.max(FIRST_CAPACITY, Integer.highestOneBit(newLength - 1) << 1);
            int before = timestamps.length;
            timestamps = Arrays.copyOf(timestamps, capacity);
            Arrays.fill(timestamps, before, capacity, NOTHING);
        } else if (newLength < length) {
            Arrays.fill(timestamps, newLength, length, NOTHING);
        }
        length = newLength;
    }
}
