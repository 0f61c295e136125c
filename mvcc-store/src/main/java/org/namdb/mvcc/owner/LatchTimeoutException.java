package org.namdb.mvcc.owner;

import org.namdb.fabric.RemoteAddress;

/// A latch was not released within the time limit of a wait. Latches are held for a few round
/// trips, so its holder has stopped, or has died and is not recovered yet. The thread that waited
/// holds no latch.
public final class LatchTimeoutException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final LatchKind kind;
    private final long address;
    private final int holder;

    /// @param address the remote address of what is latched
    /// @param holder the slot that holds the latch, or [LatchOwner#UNKNOWN]
    /// @param waitedNanos how long it was waited for
    public LatchTimeoutException(LatchKind kind, long address, int holder, long waitedNanos) {
        super(
                "waited %d ms for the latch of %s %s, which %s"
                        .formatted(
                                waitedNanos / 1_000_000,
                                kind.label(),
                                RemoteAddress.describe(address),
                                holder == LatchOwner.UNKNOWN
                                        ? "changes all the time"
                                        : "slot " + holder + " holds"));
        this.kind = kind;
        this.address = address;
        this.holder = holder;
    }

    /// What is latched.
    public LatchKind kind() {
        return kind;
    }

    /// The remote address of what is latched.
    public long address() {
        return address;
    }

    /// The number of the slot that holds the latch, or [LatchOwner#UNKNOWN].
    public int holder() {
        return holder;
    }
}
