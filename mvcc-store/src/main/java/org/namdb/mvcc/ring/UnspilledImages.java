package org.namdb.mvcc.ring;

import java.util.Arrays;

/// Where in the rings a session's images lie that memory servers may still have to take. None of
/// them is overwritten before both have. Belongs to one thread.
final class UnspilledImages {
    private static final int FIRST_CAPACITY = 16;

    private int[] starts = new int[FIRST_CAPACITY];
    private int[] ends = new int[FIRST_CAPACITY];
    private long[] words = new long[FIRST_CAPACITY];

    /// How many images were posted, and how many of them each copy's server has taken.
    private long added;

    private final long[] taken = new long[ImageRings.COPIES];
    private int bytes;

    /// @param word what the rings' control words say when it is the last that was taken
    void add(int start, int end, long word) {
        long first = first();
        if (added - first == starts.length) {
            grow(first);
        }
        starts[index(added)] = start;
        ends[index(added)] = end;
        words[index(added)] = word;
        added++;
        bytes += end - start;
    }

    private void grow(long first) {
        int[] moreStarts = new int[2 * starts.length];
        int[] moreEnds = new int[2 * ends.length];
        long[] moreWords = new long[2 * words.length];
        for (long each = first; each < added; each++) {
            moreStarts[(int) (each & moreStarts.length - 1)] = starts[index(each)];
            moreEnds[(int) (each & moreEnds.length - 1)] = ends[index(each)];
            moreWords[(int) (each & moreWords.length - 1)] = words[index(each)];
        }
        words = moreWords;
        starts = moreStarts;
        ends = moreEnds;
    }

    private int index(long image) {
        return (int) (image & starts.length - 1);
    }

    private long first() {
        return Math.min(taken[0], taken[1]);
    }

    /// Whether one of them has bytes in a range.
    boolean overlaps(int from, int to) {
        for (long each = first(); each < added; each++) {
            if (starts[index(each)] < to && ends[index(each)] > from) {
                return true;
            }
        }
        return false;
    }

    /// How many bytes they have.
    int bytes() {
        return bytes;
    }

    /// A server has taken all up to the one of which its control word is; perhaps none of these.
    void taken(int copy, long word) {
        long first = first();
        for (long each = taken[copy]; each < added; each++) {
            if (words[index(each)] == word) {
                taken[copy] = each + 1;
                break;
            }
        }
        for (long each = first; each < first(); each++) {
            bytes -= ends[index(each)] - starts[index(each)];
        }
    }

    @Override
    public String toString() {
        return "%d images, of which the servers have taken %s"
                .formatted(added, Arrays.toString(taken));
    }
}
