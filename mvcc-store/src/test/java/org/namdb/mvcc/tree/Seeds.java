package org.namdb.mvcc.tree;

import java.util.SplittableRandom;

/// Seeds of random tests: printed, and replayed by `-Dnamdb.seed`.
final class Seeds {
    private Seeds() {}

    static SplittableRandom random() {
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        System.out.println("replay with -Dnamdb.seed=" + seed);
        return new SplittableRandom(seed);
    }
}
