package org.namdb.compute.read;

import org.namdb.compute.commit.CommitOutcome;

/// What one session's transaction holds of the process's memory: a room of its own, and beyond that
/// what it has taken of the [MemoryBudget], in steps, so that a small transaction touches nothing
/// that others do.
final class TransactionRoom {
    /// Rows that are known, and chunks of images, in the session's own room.
    static final int OWN_ROWS = 4096;

    static final int OWN_CHUNKS = 4;

    /// So many rows are paid for at once.
    private static final int STEP_ROWS = 1024;

    /// What a row costs of the heap, at the most: the objects for its read and its write, and its
    /// places in the tables of the transaction, of its savepoints and of its commit.
    private static final int ROW_BYTES = 1024;

    private final MemoryBudget budget;
    private final ReadGuard guard;
    private long taken;
    private boolean isOutgrown;

    /// Rows are paid for up to this number.
    private int paidRows = OWN_ROWS;

    TransactionRoom(MemoryBudget budget, ReadGuard guard) {
        this.budget = budget;
        this.guard = guard;
    }

    /// Makes sure that there is room for one more row.
    ///
    /// @param rows how many there are
    /// @throws TransactionAborted if there is none
    void takeRow(int rows) {
        if (rows >= paidRows) {
            take((long) STEP_ROWS * ROW_BYTES);
            paidRows += STEP_ROWS;
        }
    }

    /// Makes sure that there is room for `bytes` bytes.
    ///
    /// @throws TransactionAborted if there is none
    void take(long bytes) {
        if (!budget.take(bytes)) {
            throw guard.abort(isFull(bytes));
        }
        taken += bytes;
        isOutgrown = true;
    }

    /// Gives back what was [taken][#take].
    void giveBack(long bytes) {
        budget.giveBack(bytes);
        taken -= bytes;
    }

    private CommitOutcome isFull(long needed) {
        return new CommitOutcome.MemoryFull(
                CommitOutcome.MemoryFull.Where.TRANSACTIONS,
                ("the transaction holds %d KiB and needs %d KiB more; transactionMemoryBytes ="
                                + " %d lets all transactions of the process hold %d KiB"
                                + " together, and %d KiB are taken")
                        .formatted(
                                taken >> 10,
                                needed >> 10,
                                budget.limit(),
                                budget.limit() >> 10,
                                budget.usedBytes() >> 10));
    }

    /// Whether the transaction has outgrown the session's own room.
    boolean isOutgrown() {
        return isOutgrown;
    }

    /// The transaction has ended, and what it held beyond the session's own room is free.
    void clear() {
        budget.giveBack(taken);
        taken = 0;
        isOutgrown = false;
        paidRows = OWN_ROWS;
    }
}
