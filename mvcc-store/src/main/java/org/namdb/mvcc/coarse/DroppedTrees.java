package org.namdb.mvcc.coarse;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/// The trees of a memory server that were dropped while it ran: by this its workers find that what
/// they have cached of a tree is void. Shared by all of them.
public final class DroppedTrees {
    /// By anchor, how many trees there that were dropped: another tree may have the same anchor
    /// later.
    private final Map<Long, Integer> dropped = new ConcurrentHashMap<>();

    private final AtomicInteger count = new AtomicInteger();

    void drop(long anchor) {
        int _ = dropped.merge(anchor, 1, Integer::sum);
        count.incrementAndGet();
    }

    /// How many were dropped.
    int count() {
        return count.get();
    }

    /// How many with this anchor were dropped.
    int count(long anchor) {
        return dropped.getOrDefault(anchor, 0);
    }
}
