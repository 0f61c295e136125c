package org.namdb.compute.read;

import org.namdb.compute.commit.CommitOutcome;

/// What one session's transaction holds of the process's memory: memory of its own, and beyond that
/// what it has taken of the [MemoryBudget], in steps, so that a small transaction touches nothing
/// shared.
final class TransactionBudget {
    /// Rows, and chunks of images, in the session's own memory.
    static final int OWN_ROWS = 4096;

    static final int OWN_CHUNKS = 4;

    /// What a caller keeps of the heap is paid for in such steps; the first one is the session's.
    private static final long OWN_KEPT_BYTES = 64 << 10;

    private static final long STEP_KEPT_BYTES = 256 << 10;

    /// So many rows are paid for at once.
    private static final int STEP_ROWS = 1024;

    /// What a row costs of the heap, at the most: the objects for its read and its write, and its
    /// places in the tables of the transaction, of its savepoints and of its commit.
    private static final int ROW_BYTES = 1024;

    private final MemoryBudget budget;
    private final ReadGuard guard;
    private long taken;
    private long takenHeap;

    /// What this transaction may hold.
    private long largest = Long.MAX_VALUE;

    private boolean isOutgrown;

    /// What the transaction's caller keeps on the heap, and how much of that is paid for.
    private long kept;

    private long paidKept = OWN_KEPT_BYTES;

    /// Rows are paid for up to this number.
    private int paidRows = OWN_ROWS;

    TransactionBudget(MemoryBudget budget, ReadGuard guard) {
        this.budget = budget;
        this.guard = guard;
    }

    /// A transaction begins: it may hold as much as all may.
    void start() {
        largest = Long.MAX_VALUE;
        kept = 0;
    }

    /// From now on the transaction may hold `bytes`.
    void limit(long bytes) {
        largest = bytes;
    }

    /// Makes sure that there is memory for one more row.
    ///
    /// @param rows how many there are
    /// @throws TransactionAborted if there is none
    void takeRow(int rows) {
        if (rows >= paidRows) {
            takeHeap((long) STEP_ROWS * ROW_BYTES);
            paidRows += STEP_ROWS;
        }
    }

    /// The transaction's caller keeps so much more of the heap for it; less if that is negative.
    ///
    /// @throws TransactionAborted if there is not so much
    void keep(long bytes) {
        kept += bytes;
        while (kept > paidKept) {
            takeHeap(STEP_KEPT_BYTES);
            paidKept += STEP_KEPT_BYTES;
        }
    }

    /// Makes sure that there are `bytes` bytes of the heap.
    ///
    /// @throws TransactionAborted if there are not
    void takeHeap(long bytes) {
        take(bytes);
        if (!budget.takeHeap(bytes)) {
            throw guard.abort(
                    full(
                            CommitOutcome.MemoryFull.Where.HEAP,
                            bytes,
                            "transactions may hold %d KiB of the heap, and hold %d KiB"
                                    .formatted(
                                            budget.heapLimit() >> 10,
                                            budget.heapUsedBytes() >> 10)));
        }
        takenHeap += bytes;
    }

    /// Makes sure that there are `bytes` bytes.
    ///
    /// @throws TransactionAborted if there are not
    void take(long bytes) {
        if (bytes > largest - taken) {
            throw guard.abort(
                    full(
                            CommitOutcome.MemoryFull.Where.TRANSACTION,
                            bytes,
                            "it may hold %d KiB".formatted(largest >> 10)));
        }
        if (!budget.take(bytes)) {
            throw guard.abort(
                    full(
                            CommitOutcome.MemoryFull.Where.TRANSACTIONS,
                            bytes,
                            "transactionMemoryBytes = %d lets all transactions of the process hold"
                                            .formatted(budget.limit())
                                    + " %d KiB together, and %d KiB are taken"
                                            .formatted(
                                                    budget.limit() >> 10,
                                                    budget.usedBytes() >> 10)));
        }
        taken += bytes;
        isOutgrown = true;
    }

    /// Returns what was [taken][#take].
    void release(long bytes) {
        budget.release(bytes);
        taken -= bytes;
    }

    private CommitOutcome full(CommitOutcome.MemoryFull.Where where, long needed, String limit) {
        return new CommitOutcome.MemoryFull(
                where,
                "the transaction holds %d KiB and needs %d KiB more; %s"
                        .formatted(taken >> 10, needed >> 10, limit));
    }

    /// Whether the transaction has outgrown the session's own memory.
    boolean isOutgrown() {
        return isOutgrown;
    }

    /// The transaction has ended, and what it held beyond the session's own memory is free.
    void clear() {
        budget.release(taken);
        budget.releaseHeap(takenHeap);
        taken = 0;
        takenHeap = 0;
        isOutgrown = false;
        paidKept = OWN_KEPT_BYTES;
        paidRows = OWN_ROWS;
    }
}
