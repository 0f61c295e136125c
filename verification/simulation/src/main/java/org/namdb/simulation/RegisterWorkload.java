package org.namdb.simulation;

import java.util.SplittableRandom;

/// What the transactions of the register workload do.
///
/// @param keys how many registers there are
/// @param operations of a transaction
/// @param writeShare how many of these write, 0 to 1
public record RegisterWorkload(int keys, int operations, double writeShare) {
    public RegisterWorkload {
        if (keys < 1 || operations < 1 || !(writeShare >= 0 && writeShare <= 1)) {
            throw new IllegalArgumentException(
                    "at least one key and one operation, and a share of writes from 0 to 1");
        }
    }

    /// A register; a few of them are hot.
    long key(SplittableRandom random) {
        return random.nextInt(3) == 0 ? random.nextInt(Math.min(keys, 4)) : random.nextInt(keys);
    }

    boolean writes(SplittableRandom random) {
        return random.nextDouble() < writeShare;
    }
}
