package org.namdb.memory.server;

/// What a memory server is about to do with extents, in its region's head, for the next process
/// that opens the region after a crash.
/// ```
/// intent   0        8
///         | offset | bytes: 0 if there is none |
/// ```
/// The offset is written first. An intent means only that an extent is between two states; which of
/// them follows from whether the catalog has it. If it does, it is in use; else it is free, since
/// no client has got it, or none has it any more.
final class ExtentIntents {
    /// For an extent that is allocated or freed.
    static final int FIRST = 0;

    /// For the extent whose place the first one takes.
    static final int SECOND = 1;

    static final int COUNT = 2;

    private static final int BYTES = 16;

    private final RegionWords words;

    ExtentIntents(RegionWords words) {
        this.words = words;
    }

    void begin(int intent, long offset, long bytes) {
        assert bytes > 0 && bytes(intent) == 0 : "one at a time";
        words.put(at(intent), offset);
        words.put(at(intent) + Long.BYTES, bytes);
    }

    void end(int intent) {
        words.put(at(intent) + Long.BYTES, 0);
    }

    long offset(int intent) {
        return words.word(at(intent));
    }

    /// 0 if there is no intent.
    long bytes(int intent) {
        return words.word(at(intent) + Long.BYTES);
    }

    private static long at(int intent) {
        return RegionLayout.INTENTS_OFFSET + (long) intent * BYTES;
    }
}
