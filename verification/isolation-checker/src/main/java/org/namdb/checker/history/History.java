package org.namdb.checker.history;

import java.util.List;

/// All transactions that were attempted in a run. Made by [HistoryBuilder] or [HistoryReader].
public final class History {
    private final List<Transaction> transactions;
    private final List<Snapshot> snapshots;
    private final WriteTable writes;
    private final int slots;
    private final int keys;

    History(
            List<Transaction> transactions,
            List<Snapshot> snapshots,
            WriteTable writes,
            int slots,
            int keys) {
        this.transactions = transactions;
        this.snapshots = snapshots;
        this.writes = writes;
        this.slots = slots;
        this.keys = keys;
    }

    /// An empty history to add transactions to.
    public static HistoryBuilder builder() {
        return new HistoryBuilder();
    }

    /// The transactions, as they were given.
    public List<Transaction> transactions() {
        return transactions;
    }

    /// The different snapshots that they have used, by number.
    public List<Snapshot> snapshots() {
        return snapshots;
    }

    /// What they have written.
    public WriteTable writes() {
        return writes;
    }

    /// How many slots the commit timestamps and snapshots speak of.
    public int slots() {
        return slots;
    }

    /// How many different keys were read or written.
    public int keys() {
        return keys;
    }
}
