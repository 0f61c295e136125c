package org.namdb.checker.history;

import java.util.List;

/// An attempted transaction, as its client saw it.
public final class Transaction {
    /// Slot and timestamp of a transaction that has none, or of which they aren't known.
    public static final int UNKNOWN = -1;

    private final int index;
    private final long tid;
    private final String session;
    private final Status status;
    private final int slot;
    private final long timestamp;
    private final long beginNanos;
    private final long endNanos;
    private final Snapshot snapshot;
    private final boolean usedSnapshot;
    private final List<Operation> operations;

    Transaction(
            int index,
            long tid,
            String session,
            Status status,
            int slot,
            long timestamp,
            long beginNanos,
            long endNanos,
            Snapshot snapshot,
            boolean usedSnapshot,
            List<Operation> operations) {
        this.index = index;
        this.tid = tid;
        this.session = session;
        this.status = status;
        this.slot = slot;
        this.timestamp = timestamp;
        this.beginNanos = beginNanos;
        this.endNanos = endNanos;
        this.snapshot = snapshot;
        this.usedSnapshot = usedSnapshot;
        this.operations = operations;
    }

    /// Its place in the history, from 0 on.
    public int index() {
        return index;
    }

    /// The number that the history gives it.
    public long tid() {
        return tid;
    }

    /// What a report calls it, as in `T12`.
    public String name() {
        return "T" + tid;
    }

    /// The session that ran it.
    public String session() {
        return session;
    }

    /// How it ended.
    public Status status() {
        return status;
    }

    /// The slot of its commit timestamp, or [#UNKNOWN].
    public int slot() {
        return slot;
    }

    /// Its commit timestamp within the slot, from 1 on, or [#UNKNOWN].
    public long timestamp() {
        return timestamp;
    }

    /// Whether its commit timestamp counts: it is known, and the transaction has not failed.
    public boolean hasTimestamp() {
        return slot != UNKNOWN && status != Status.FAIL;
    }

    /// Its commit timestamp for a reader, as in `<3, 57>`.
    public String commitTimestamp() {
        return "<" + slot + ", " + timestamp + ">";
    }

    /// When its client began it, by the clock of the history.
    public long beginNanos() {
        return beginNanos;
    }

    /// When its client had the result, or gave up waiting.
    public long endNanos() {
        return endNanos;
    }

    /// The snapshot it used.
    public Snapshot snapshot() {
        return snapshot;
    }

    /// Whether it used its snapshot. One that isn't ok, was given without a single element of a
    /// snapshot, and has read nothing, ended before it had got one.
    public boolean usedSnapshot() {
        return usedSnapshot;
    }

    /// Its reads and writes in program order.
    public List<Operation> operations() {
        return operations;
    }

    @Override
    public String toString() {
        return name();
    }
}
