package org.namdb.tpcc.input;

/// The seed of a random test: printed, and given again with `-Dnamdb.seed=N`.
public final class Seeds {
    private Seeds() {}

    public static long next() {
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        System.out.println("seed " + seed);
        return seed;
    }
}
