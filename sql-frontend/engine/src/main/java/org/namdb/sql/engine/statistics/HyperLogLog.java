package org.namdb.sql.engine.statistics;

/// Estimates how many different values there are among those that were added, in 4 KB, to some 1.6
/// percent.
///
/// Source: Flajolet, Fusy, Gandouet, Meunier, "HyperLogLog: the analysis of a near-optimal
/// cardinality estimation algorithm", AofA 2007. Hashes have 64 bits, so that large numbers need no
/// correction; small ones are counted linearly.
final class HyperLogLog {
    private static final int INDEX_BITS = 12;
    private static final int REGISTERS = 1 << INDEX_BITS;
    private static final double ALPHA = 0.7213 / (1 + 1.079 / REGISTERS);

    /// Up to here the registers that are still empty estimate better.
    private static final double MAX_LINEAR = 2.5 * REGISTERS;

    private final byte[] registers = new byte[REGISTERS];

    /// Adds a value.
    ///
    /// @param hash of the value; any function of it that rarely gives the same
    void add(long hash) {
        long mixed = mix(hash);
        int register = (int) (mixed >>> Long.SIZE - INDEX_BITS);
        // A bit behind the others bounds the rank.
        long rest = mixed << INDEX_BITS | 1L << INDEX_BITS - 1;
        int rank = Long.numberOfLeadingZeros(rest) + 1;
        if (rank > registers[register]) {
            registers[register] = (byte) rank;
        }
    }

    /// About how many different values were added.
    double estimate() {
        double sum = 0;
        int empty = 0;
        for (byte register : registers) {
            sum += 1.0 / (1L << register);
            empty += register == 0 ? 1 : 0;
        }
        double estimate = ALPHA * REGISTERS * REGISTERS / sum;
        return estimate <= MAX_LINEAR && empty > 0
                ? REGISTERS * Math.log((double) REGISTERS / empty)
                : estimate;
    }

    /// The finalizer of SplittableRandom's generator: each bit of the result depends on all.
    private static long mix(long hash) {
        long z = hash + 0x9e3779b97f4a7c15L;
        z = (z ^ z >>> 30) * 0xbf58476d1ce4e5b9L;
        z = (z ^ z >>> 27) * 0x94d049bb133111ebL;
        return z ^ z >>> 31;
    }
}
