package org.namdb.tpcc.input;

import java.util.SplittableRandom;

/// One thread's random numbers and texts: fast, without allocation, the same for the same seed.
/// Texts are written as ASCII to an array of the caller.
public final class TpccRandom {
    private static final byte[] ALPHANUMERIC =
            ascii("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
    private static final byte[] DIGITS = ascii("0123456789");
    private static final byte[] ORIGINAL = ascii("ORIGINAL");
    private static final int ORIGINAL_PERCENT = 10;
    private static final int ZIP_RANDOM_DIGITS = 4;
    private static final int ZIP_LENGTH = 9;
    private static final int CHUNK_BITS = 16;
    private static final long STREAM_STEP = 0xD134_2543_DE82_EF95L;

    private final SplittableRandom random;

    public TpccRandom(long seed) {
        random = new SplittableRandom(seed);
    }

    /// A stream of its own for one of several threads or parts, all from one seed.
    public static TpccRandom stream(long seed, long stream) {
        // Drawn from a generator, not handed to it: two whose states differ by a multiple of its
        // own step would draw the same numbers, shifted.
        long start = new SplittableRandom(seed).nextLong() + stream * STREAM_STEP;
        return new TpccRandom(new SplittableRandom(start).nextLong());
    }

    /// 64 random bits.
    public long bits() {
        return random.nextLong();
    }

    /// A number of `least` to `most`, both included, each as likely as any other.
    public int uniform(int least, int most) {
        assert least <= most : "an empty range";
        long range = (long) most - least + 1;
        // The high half of the product: a bias of at most range / 2^32, and no division.
        return (int) (least + (((random.nextLong() >>> 32) * range) >>> 32));
    }

    /// True in so many of a hundred cases.
    public boolean chance(int percent) {
        return uniform(1, 100) <= percent;
    }

    /// NURand(a, least, most) of clause 2.1.6 with the run-time constant `c`.
    public int nuRand(int a, int c, int least, int most) {
        return ((uniform(0, a) | uniform(least, most)) + c) % (most - least + 1) + least;
    }

    /// A duration from the negative exponential distribution of clause 5.2.5.4: at most ten times
    /// the mean.
    public long exponentialNanos(long meanNanos) {
        double exponential = -Math.log(1 - random.nextDouble());
        return (long) (Math.min(exponential, 10) * meanNanos);
    }

    /// Writes an a-string of clause 4.3.2.2.
    ///
    /// @return its length
    public int alphanumeric(byte[] target, int least, int most) {
        int length = uniform(least, most);
        fill(target, length, ALPHANUMERIC);
        return length;
    }

    /// Writes an n-string of clause 4.3.2.2.
    ///
    /// @return its length
    public int numeric(byte[] target, int least, int most) {
        int length = uniform(least, most);
        fill(target, length, DIGITS);
        return length;
    }

    /// Writes a zip code of clause 4.3.2.7.
    ///
    /// @return its length
    public int zip(byte[] target) {
        fill(target, ZIP_RANDOM_DIGITS, DIGITS);
        for (int i = ZIP_RANDOM_DIGITS; i < ZIP_LENGTH; i++) {
            target[i] = '1';
        }
        return ZIP_LENGTH;
    }

    /// Writes the data of an item or a stock: an a-string that in ten of a hundred cases holds
    /// `ORIGINAL` somewhere (clause 4.3.3.1).
    ///
    /// @return its length
    public int brand(byte[] target, int least, int most) {
        int length = alphanumeric(target, least, most);
        if (chance(ORIGINAL_PERCENT)) {
            System.arraycopy(
                    ORIGINAL, 0, target, uniform(0, length - ORIGINAL.length), ORIGINAL.length);
        }
        return length;
    }

    /// Fills an array with a random order of the numbers from `first` on.
    public void permutation(int[] target, int first) {
        for (int i = 0; i < target.length; i++) {
            int j = uniform(0, i);
            target[i] = target[j];
            target[j] = first + i;
        }
    }

    /// Puts an array in a random order.
    public void shuffle(byte[] target) {
        for (int i = target.length - 1; i > 0; i--) {
            int j = uniform(0, i);
            byte swapped = target[i];
            target[i] = target[j];
            target[j] = swapped;
        }
    }

    private void fill(byte[] target, int length, byte[] alphabet) {
        long bits = 0;
        for (int i = 0; i < length; i++) {
            bits = (i & 3) == 0 ? random.nextLong() : bits >>> CHUNK_BITS;
            target[i] = alphabet[(int) (((bits & 0xFFFF) * alphabet.length) >>> CHUNK_BITS)];
        }
    }

    private static byte[] ascii(String text) {
        return text.getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    }
}
