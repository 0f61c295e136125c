package org.namdb.checker;

/// Seeds of random tests: printed, and given again with `-Dnamdb.seed=N`.
final class Seeds {
    private static final String PROPERTY = "namdb.seed";

    private Seeds() {}

    static long next() {
        long seed = Long.getLong(PROPERTY, System.nanoTime());
        System.out.println("-D" + PROPERTY + "=" + seed);
        return seed;
    }
}
