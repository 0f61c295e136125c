package org.namdb.sql.language.type;

/// The seed of a random test: printed, and given again with `-Dnamdb.seed=N`.
final class Seeds {
    private Seeds() {}

    static long next() {
        long seed = Long.getLong("namdb.seed", System.nanoTime());
        System.out.println("-Dnamdb.seed=" + seed);
        return seed;
    }
}
