package org.namdb.compute.read;

import java.util.concurrent.atomic.AtomicLong;

/// What the open transactions of a process may hold of its own memory, heap and native memory
/// together, and what they may hold of the heap: their rows and images. A transaction that fits in
/// its session's [own memory][TransactionBudget] takes nothing of it.
public final class MemoryBudget {
    private final long limit;
    private final long heapLimit;
    private final AtomicLong used = new AtomicLong();
    private final AtomicLong heapUsed = new AtomicLong();

    /// @param limit in bytes
    /// @param heapLimit how much of that may be of the heap
    public MemoryBudget(long limit, long heapLimit) {
        this.limit = limit;
        this.heapLimit = heapLimit;
    }

    /// Takes `bytes` of it.
    ///
    /// @return whether there are so many left; else nothing is taken
    boolean take(long bytes) {
        return take(used, bytes, limit);
    }

    /// Takes `bytes` of the heap, in addition to what is [taken][#take].
    ///
    /// @return whether there are so many left; else nothing is taken
    boolean takeHeap(long bytes) {
        return take(heapUsed, bytes, heapLimit);
    }

    private static boolean take(AtomicLong used, long bytes, long limit) {
        long before = used.get();
        while (before + bytes <= limit) {
            if (used.compareAndSet(before, before + bytes)) {
                return true;
            }
            before = used.get();
        }
        return false;
    }

    void release(long bytes) {
        used.addAndGet(-bytes);
    }

    void releaseHeap(long bytes) {
        heapUsed.addAndGet(-bytes);
    }

    /// How much is taken.
    public long usedBytes() {
        return used.get();
    }

    /// How much of that is of the heap.
    public long heapUsedBytes() {
        return heapUsed.get();
    }

    long limit() {
        return limit;
    }

    long heapLimit() {
        return heapLimit;
    }
}
