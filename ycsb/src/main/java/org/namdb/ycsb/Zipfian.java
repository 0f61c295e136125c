package org.namdb.ycsb;

import java.util.SplittableRandom;

/// Draws ranks from 0 on, rank `i` with a probability proportional to `1 / (i + 1)^theta`, in
/// constant time for each. The number of ranks may grow. Belongs to one thread.
///
/// Source: Gray, Sundaresan, Englert, Baclawski, Weinberger: Quickly Generating Billion-Record
/// Synthetic Databases. SIGMOD 1994, figure 2. Ranks 0 and 1 are exact, the others are drawn from a
/// power law.
public final class Zipfian {
    private final double theta;
    private final double alpha;
    private final double zetaOfTwo;
    private long ranks;
    private double zeta;
    private double eta;

    /// @param ranks at least 2
    /// @param theta over 0, and not 1
    public Zipfian(long ranks, double theta) {
        this.theta = theta;
        this.alpha = 1 / (1 - theta);
        this.zetaOfTwo = 1 + Math.pow(0.5, theta);
        grow(ranks);
    }

    private Zipfian(Zipfian other) {
        theta = other.theta;
        alpha = other.alpha;
        zetaOfTwo = other.zetaOfTwo;
        ranks = other.ranks;
        zeta = other.zeta;
        eta = other.eta;
    }

    /// The same for another thread, without the sum over all ranks.
    public Zipfian copy() {
        return new Zipfian(this);
    }

    /// Draws from so many ranks from now on; not fewer than before.
    void grow(long count) {
        for (long rank = ranks; rank < count; rank++) {
            zeta += 1 / Math.pow((double) (rank + 1), theta);
        }
        ranks = Math.max(ranks, count);
        eta = (1 - Math.pow(2.0 / ranks, 1 - theta)) / (1 - zetaOfTwo / zeta);
    }

    /// The next rank.
    public long next(SplittableRandom random) {
        double u = random.nextDouble();
        double share = u * zeta;
        if (share < 1) {
            return 0;
        }
        if (share < zetaOfTwo) {
            return 1;
        }
        return Math.min((long) (ranks * Math.pow(eta * u - eta + 1, alpha)), ranks - 1);
    }
}
