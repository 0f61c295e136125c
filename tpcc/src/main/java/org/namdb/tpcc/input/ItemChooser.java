package org.namdb.tpcc.input;

import org.namdb.tpcc.ItemSkew;

/// Draws the items of order lines. Threads may share it.
public sealed interface ItemChooser {
    /// An item's id, from 1.
    int next(TpccRandom random);

    /// The chooser of a skew.
    static ItemChooser of(ItemSkew skew, int items, NuRandConstants constants) {
        return switch (skew) {
            case ItemSkew.Standard() -> new Standard(items, constants.item());
            case ItemSkew.Uniform() -> new Uniform(items);
            case ItemSkew.Zipf(double alpha) -> new Zipf(items, alpha);
        };
    }

    /// NURand(8191, 1, items).
    record Standard(int items, int c) implements ItemChooser {
        @Override
        public int next(TpccRandom random) {
            return random.nuRand(NuRandConstants.ITEM_A, c, 1, items);
        }
    }

    /// Each item as likely as any other.
    record Uniform(int items) implements ItemChooser {
        @Override
        public int next(TpccRandom random) {
            return random.uniform(1, items);
        }
    }

    /// Item i with a probability proportional to `1 / i^alpha`, by Walker's alias method: one table
    /// lookup for any exponent.
    /// ```
    ///  63            32 31             0
    /// |  keep, of 2^31 |     alias      |
    /// ```
    /// Column i gives item i + 1 if a coin of 31 bits is below `keep`, else item alias + 1.
    final class Zipf implements ItemChooser {
        private static final int COIN_BITS = 31;

        private final long[] columns;

        Zipf(int items, double alpha) {
            columns = columns(shares(items, alpha));
        }

        @Override
        public int next(TpccRandom random) {
            long bits = random.bits();
            int column = (int) (((bits >>> 32) * columns.length) >>> 32);
            long entry = columns[column];
            long coin = bits & (1L << COIN_BITS) - 1;
            return (coin < entry >>> 32 ? column : (int) entry) + 1;
        }

        /// The probabilities times the number of items, so that their mean is 1.
        private static double[] shares(int items, double alpha) {
            double[] shares = new double[items];
            double sum = 0;
            for (int i = 0; i < items; i++) {
                shares[i] = Math.pow(i + 1, -alpha);
                sum += shares[i];
            }
            for (int i = 0; i < items; i++) {
                shares[i] *= items / sum;
            }
            return shares;
        }

        /// Fills up each column that has less than 1 from one that has more.
        private static long[] columns(double[] shares) {
            int count = shares.length;
            long[] columns = new long[count];
            int[] open = new int[count]; // those below 1 from the front, the others from the back
            int poor = 0;
            int rich = count;
            for (int i = 0; i < count; i++) {
                open[shares[i] < 1 ? poor++ : --rich] = i;
            }
            while (poor > 0 && rich < count) {
                int column = open[--poor];
                int donor = open[rich];
                columns[column] = column(shares[column], donor);
                shares[donor] -= 1 - shares[column];
                if (shares[donor] < 1) {
                    rich++;
                    open[poor++] = donor;
                }
            }
            fill(columns, open, 0, poor);
            fill(columns, open, rich, count);
            return columns;
        }

        /// What is left open is full except for rounding.
        private static void fill(long[] columns, int[] open, int from, int end) {
            for (int i = from; i < end; i++) {
                columns[open[i]] = column(1, open[i]);
            }
        }

        private static long column(double keep, int alias) {
            return (long) (keep * (1L << COIN_BITS)) << 32 | alias;
        }
    }
}
