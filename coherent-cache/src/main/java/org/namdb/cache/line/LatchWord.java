package org.namdb.cache.line;

/// The word of a line that is its latch and its directory in one: which compute server may change
/// the line, and which hold copies of it (SELCC, section 4.3.1).
/// ```
///  63      58 57                          0
/// |  writer  |          readers            |    writer: station 1..58, 0 for none
/// ```
/// Station `s` has the bit `s - 1` of the readers. A station's own bit, and its number as writer,
/// are set and cleared by itself alone, until it hands a line over; so it always has their values,
/// and a fetch-and-add never carries into a neighbour. A reader's bit next to a writer is
/// *announced*: that station waits until the writer leaves.
public final class LatchWord {
    /// No station has the line.
    public static final long FREE = 0;

    private static final int WRITER_SHIFT = Stations.MAX;
    private static final long READERS = (1L << WRITER_SHIFT) - 1;

    private LatchWord() {}

    /// The station that may change the line; 0 for none.
    public static int writerOf(long word) {
        return (int) (word >>> WRITER_SHIFT);
    }

    /// The bits of the stations that hold copies, or wait for one.
    public static long readers(long word) {
        return word & READERS;
    }

    /// The word of a line that only `station` reads; what a fetch-and-add adds to read.
    public static long reader(int station) {
        assert isStation(station) : "station " + station;
        return 1L << station - 1;
    }

    /// The word of a line that only `station` has, to change it.
    public static long writer(int station) {
        assert isStation(station) : "station " + station;
        return (long) station << WRITER_SHIFT;
    }

    /// Whether `station` has a copy, or waits for one.
    public static boolean hasReader(long word, int station) {
        return (word & reader(station)) != 0;
    }

    /// The readers other than `station`.
    public static long otherReaders(long word, int station) {
        return readers(word) & ~reader(station);
    }

    /// The word without what `station` has of it.
    public static long without(long word, int station) {
        long rest = word & ~reader(station);
        return writerOf(rest) == station ? readers(rest) : rest;
    }

    /// The station of the lowest bit of `readers`, which are not none.
    public static int firstReader(long readers) {
        assert readers != 0 && readers(readers) == readers : "no bits of readers";
        return Long.numberOfTrailingZeros(readers) + 1;
    }

    private static boolean isStation(int station) {
        return station >= 1 && station <= Stations.MAX;
    }

    /// For people.
    public static String describe(long word) {
        StringBuilder text =
                new StringBuilder("writer ").append(writerOf(word)).append(", readers");
        for (long left = readers(word); left != 0; left &= left - 1) {
            text.append(' ').append(firstReader(left));
        }
        return text.toString();
    }
}
