package org.namdb.sql.engine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.Host;

/// Which rows the open blocks of this process change, by their primary keys. A block that is about
/// to change such a row waits for the other block to end: else one of the two would lose at its
/// commit. Blocks that wait for a row get it in their order. Nothing depends on it but speed:
/// claims are no locks, a wait for a block that does not end is bounded, and what is not claimed is
/// found by the commit as ever.
///
/// A block does not wait where others wait for it, from one to the next, so there is no deadlock:
/// ```
/// A  has 1                 waits for 2
/// B  has 2    waits for 3
/// C  has 3                             wants 1: goes on without
/// ```
final class RowClaims {
    /// How many rows a block claims.
    private static final int MAX_ROWS = 200;

    /// How far a chain of blocks is followed, each of which waits for the next.
    private static final int MAX_CHAIN = 100;

    private final Host host;
    private final ConcurrentMap<RowKey, Claim> claims = new ConcurrentHashMap<>();

    /// How long a block waits for another one. Tests wait longer.
    volatile long maxWaitNanos = 50_000_000;

    RowClaims(Host host) {
        this.host = host;
    }

    /// A row.
    ///
    /// @param table the number of its table
    private record RowKey(int table, List<@Nullable Object> key) {
        static RowKey of(int table, @Nullable Object[] key) {
            return new RowKey(table, Arrays.asList(key));
        }
    }

    /// A row that is claimed. Changed only within the map's operations on its key.
    private static final class Claim {
        private volatile Block holder;
        private final Deque<Block> waiting = new ArrayDeque<>(0);

        Claim(Block holder) {
            this.holder = holder;
        }
    }

    /// The claims of a session's block; for its thread alone.
    final class Block {
        private final List<RowKey> own = new ArrayList<>();

        /// Another object for each transaction.
        private volatile Object transaction = new Object();

        private volatile @Nullable Thread thread;

        /// What it waits for; null from the moment that it is its own.
        private volatile @Nullable Claim awaited;

        /// The transaction that it waited for was to end before, and did not.
        private @Nullable Object missed;

        /// Claims a row, unless another block does.
        ///
        /// @param table the number of its table
        /// @param key its primary key
        /// @return whether it is claimed, or so many are that this one is not
        boolean claim(int table, @Nullable Object[] key) {
            if (own.size() >= MAX_ROWS) {
                return true;
            }
            RowKey row = RowKey.of(table, key);
            Claim there = claims.putIfAbsent(row, new Claim(this));
            if (there == null) {
                own.add(row);
                return true;
            }
            return there.holder == this;
        }

        /// Claims a row that is not its own, and waits a while for the other blocks that do.
        ///
        /// @param whileWaiting called repeatedly; what it throws ends the wait
        void claimPatiently(int table, @Nullable Object[] key, Runnable whileWaiting) {
            RowKey row = RowKey.of(table, key);
            thread = Thread.currentThread();
            Claim claim = claims.compute(row, (_, there) -> enqueue(there));
            try {
                await(claim, whileWaiting);
            } finally {
                claims.computeIfPresent(row, (_, there) -> dequeue(there));
                if (claim.holder == this) {
                    own.add(row);
                }
            }
        }

        private Claim enqueue(@Nullable Claim there) {
            if (there == null) {
                return new Claim(this);
            }
            there.waiting.add(this);
            awaited = there; // before it follows what others wait for
            return there;
        }

        private Claim dequeue(Claim there) {
            if (awaited != null) {
                there.waiting.remove(this);
                awaited = null;
            }
            return there;
        }

        private void await(Claim claim, Runnable whileWaiting) {
            Object other = claim.holder.transaction;
            long end = host.nanoTime() + maxWaitNanos;
            while (awaited != null && !other.equals(missed) && !leadsBack(claim)) {
                long left = end - host.nanoTime();
                if (left > 0) {
                    host.sleep(left);
                    whileWaiting.run();
                } else if (claim.holder.transaction.equals(other)) {
                    missed = other;
                } else {
                    other = claim.holder.transaction;
                    end = host.nanoTime() + maxWaitNanos;
                }
                if (Thread.currentThread().isInterrupted()) {
                    return;
                }
            }
        }

        /// Whether the block that has a claim waits for this one.
        private boolean leadsBack(Claim claim) {
            Block block = claim.holder;
            for (int i = 0; i < MAX_CHAIN; i++) {
                Claim next = block.awaited;
                if (next == null) {
                    return false;
                }
                block = next.holder;
                if (block == this) {
                    return true;
                }
            }
            return true;
        }

        /// The block's transaction has ended: each row goes to the first that waits for it.
        void end() {
            if (!own.isEmpty()) {
                transaction = new Object();
                own.forEach(row -> claims.computeIfPresent(row, (_, claim) -> handOver(claim)));
                own.clear();
            }
        }

        private static @Nullable Claim handOver(Claim claim) {
            Block next = claim.waiting.poll();
            if (next == null) {
                return null;
            }
            claim.holder = next;
            next.awaited = null;
            LockSupport.unpark(next.thread);
            return claim;
        }
    }

    /// What a session needs for its blocks.
    Block block() {
        return new Block();
    }
}
