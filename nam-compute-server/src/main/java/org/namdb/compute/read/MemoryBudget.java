package org.namdb.compute.read;

import java.util.concurrent.atomic.AtomicLong;

/// What the open transactions of a process may hold of its own memory, heap and local memory
/// together: the rows that they know, and their images. A transaction that fits in its session's
/// [own room][TransactionRoom] takes nothing of it.
public final class MemoryBudget {
    private final long limit;
    private final AtomicLong used = new AtomicLong();

    /// @param limit in bytes
    public MemoryBudget(long limit) {
        this.limit = limit;
    }

    /// Takes `bytes` of it.
    ///
    /// @return whether there are so many left; else nothing is taken
    boolean take(long bytes) {
        long before = used.get();
        while (before + bytes <= limit) {
            if (used.compareAndSet(before, before + bytes)) {
                return true;
            }
            before = used.get();
        }
        return false;
    }

    void giveBack(long bytes) {
        used.addAndGet(-bytes);
    }

    /// How much is taken.
    public long usedBytes() {
        return used.get();
    }

    long limit() {
        return limit;
    }
}
