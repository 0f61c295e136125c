package org.namdb.sql.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.Host;

/// Which rows the open blocks of this process change, by their primary keys. A block that is about
/// to change such a row waits for the other block to end: else one of the two would lose at its
/// commit. Nothing depends on it but speed: claims are no locks, a wait is bounded, and what is not
/// claimed is found by the commit as ever.
///
/// A block does not wait for one that waits itself, so there is no deadlock.
final class RowClaims {
    /// How many rows a block claims.
    private static final int MAX_ROWS = 200;

    private final Host host;
    private final ConcurrentMap<RowKey, Block> claims = new ConcurrentHashMap<>();

    /// How long a block waits for another one. Tests wait longer.
    volatile long maxWaitNanos = 50_000_000;

    RowClaims(Host host) {
        this.host = host;
    }

    /// A row.
    ///
    /// @param table the number of its table
    private record RowKey(int table, List<@Nullable Object> key) {}

    /// The claims of a session's block; for its thread alone.
    final class Block {
        private final List<RowKey> own = new ArrayList<>();
        private volatile CountDownLatch ended = new CountDownLatch(1);
        private volatile boolean isWaiting;

        /// Until then the block that it waited for was to end, and did not.
        private @Nullable CountDownLatch missed;

        /// Claims a row, unless another block does.
        ///
        /// @param table the number of its table
        /// @param key its primary key
        /// @return whether it is claimed, or so many are that this one is not
        boolean claim(int table, @Nullable Object[] key) {
            return own.size() >= MAX_ROWS || holder(new RowKey(table, Arrays.asList(key))) == this;
        }

        private Block holder(RowKey row) {
            Block other = claims.putIfAbsent(row, this);
            if (other == null) {
                own.add(row);
                return this;
            }
            return other;
        }

        /// Claims a row, and waits a while for another block that does.
        void claimPatiently(int table, @Nullable Object[] key) {
            RowKey row = new RowKey(table, Arrays.asList(key));
            long end = host.nanoTime() + maxWaitNanos;
            isWaiting = true; // before it looks whether others are
            try {
                for (Block other = holder(row); other != this; other = holder(row)) {
                    CountDownLatch latch = other.ended;
                    long left = end - host.nanoTime();
                    if (left <= 0) {
                        missed = latch;
                    }
                    if (latch.equals(missed) || other.isWaiting) {
                        return;
                    }
                    if (claims.get(row) == other) { // else the latch is that of its next block
                        boolean _ = latch.await(left, TimeUnit.NANOSECONDS);
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                isWaiting = false;
            }
        }

        /// The block's transaction has ended.
        void end() {
            if (!own.isEmpty()) {
                own.forEach(row -> claims.remove(row, this));
                own.clear();
                CountDownLatch latch = ended;
                ended = new CountDownLatch(1);
                latch.countDown();
            }
        }
    }

    /// What a session needs for its blocks.
    Block block() {
        return new Block();
    }
}
