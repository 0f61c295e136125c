package org.namdb.cache.line;

import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.ViewScope;
import org.namdb.memory.server.RegionLayout;

/// The stations: numbers from 1 to 58 under which compute servers hold lines. Server 0 has a word
/// for each, in the head of its region:
/// ```
///  63        40 39                      8 7     0
/// |  process   |       generation        | state |    state: 0 free, 1 taken,
///                                                    64 + s: cleared away by station s
/// ```
/// The generation counts how often the station was taken.
public final class Stations {
    /// How many stations there are: the bits that a [LatchWord] has for readers.
    public static final int MAX = 58;

    private static final int PROCESS_SHIFT = 40;
    private static final int MAX_PROCESS = (1 << 24) - 1;
    private static final long GENERATION = 1L << 8;
    private static final long GENERATIONS = (1L << PROCESS_SHIFT) - GENERATION;
    private static final long STATE = GENERATION - 1;
    private static final long TAKEN = 1;

    /// With the station of the compute server that clears this one away.
    private static final long CLEARED = 1L << 6;

    private Stations() {}

    /// Takes a station for a compute server.
    ///
    /// @param process the compute server's number, 0 to 2^24 - 1, which no other one ever has
    /// @return the station
    /// @throws IllegalStateException if all are taken
    public static int take(QueuePair queuePair, int process) {
        if (process < 0 || process > MAX_PROCESS) {
            throw new IllegalArgumentException("process " + process);
        }
        long[] words = read(queuePair);
        for (int station = 1; station <= MAX; station++) {
            long found = words[station];
            while ((found & STATE) == 0) {
                long expected = found;
                long taken =
                        (long) process << PROCESS_SHIFT
                                | (found & GENERATIONS) + GENERATION & GENERATIONS
                                | TAKEN;
                found = queuePair.casWord(address(station), expected, taken);
                if (found == expected) {
                    return station;
                }
            }
        }
        throw new IllegalStateException(
                "%d compute servers cache lines already, and no more can: stop one of them"
                        .formatted(MAX));
    }

    /// Frees a station whose compute server holds no line any more. Several may do that at a time.
    ///
    /// @param process the compute server that has it
    public static void release(QueuePair queuePair, int station, int process) {
        long word = queuePair.readWord(address(station));
        if (isTaken(word) && process(word) == process) {
            long _ = queuePair.casWord(address(station), word, word & GENERATIONS);
        }
    }

    /// All words, by station; the first one is not used.
    public static long[] read(QueuePair queuePair) {
        long[] words = new long[MAX + 1];
        try (ViewScope _ = queuePair.openViews()) {
            long view = queuePair.read(address(1), MAX * Long.BYTES);
            queuePair.await();
            for (int station = 1; station <= MAX; station++) {
                words[station] = LocalMemory.longAt(view + (station - 1L) * Long.BYTES);
            }
        }
        return words;
    }

    /// Whether a station is taken; also while it is cleared away.
    public static boolean isTaken(long word) {
        return (word & STATE) != 0;
    }

    /// The station of the compute server that clears a station away; 0 if none does.
    public static int clearedBy(long word) {
        return (word & CLEARED) == 0 ? 0 : (int) (word & STATE & CLEARED - 1);
    }

    /// Has a station cleared away by one compute server alone.
    ///
    /// @param word what it was when it was read
    /// @param by the station of the one that clears it away
    /// @return whether that one may do so
    public static boolean beginToClear(QueuePair queuePair, int station, long word, int by) {
        long claimed = word & ~STATE | CLEARED | by;
        return word == claimed || queuePair.casWord(address(station), word, claimed) == word;
    }

    /// The compute server that has a station that is taken.
    public static int process(long word) {
        return (int) (word >>> PROCESS_SHIFT);
    }

    private static long address(int station) {
        return RegionLayout.address(0, RegionLayout.STATIONS_OFFSET + (station - 1L) * Long.BYTES);
    }
}
