package org.namdb.fabric;

/// Seeds of random tests: printed, and given again with `-Dnamdb.seed=N`.
public final class Seeds {
    private static final String PROPERTY = "namdb.seed";

    private Seeds() {}

    /// The seed of one test.
    public static long next() {
        long seed = Long.getLong(PROPERTY, System.nanoTime());
        System.out.println("-D" + PROPERTY + "=" + seed);
        return seed;
    }
}
