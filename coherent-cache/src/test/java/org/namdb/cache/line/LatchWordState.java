package org.namdb.cache.line;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// A state of a [LatchWordModel], by its bytes: those of each station, of each pair of stations,
/// and the rest.
final class LatchWordState {
    /// The numbers of the stations: two neighbours, and the one beside the writer.
    static final int[] NUMBERS = {1, 2, Stations.MAX};

    static final int COUNT = 3;
    static final int MORTAL = COUNT - 1;
    static final int NO_STATION = COUNT;
    static final int IMPATIENT = 0;

    // Frames.
    static final int INVALID = 0;
    static final int ANNOUNCED = 1;
    static final int SHARED = 2;
    static final int MODIFIED = 3;

    // What a thread does next.
    static final int IDLE = 0;
    static final int SHARE = 1;
    static final int SHARE_READ = 2;
    static final int SHARE_OWN = 3;
    static final int SHARE_WAIT = 4;
    static final int SHARE_RETRY = 5;
    static final int TAKE = 6;
    static final int TAKE_READ = 7;
    static final int TAKE_WAIT = 8;
    static final int UPGRADE = 9;
    static final int UPGRADE_WAIT = 10;
    static final int WRITE = 11;

    // Requests, and what a handler does for them.
    static final int REQUEST_SHARED = 1;
    static final int REQUEST_EXCLUSIVE = 2;
    static final int REQUEST_INVALIDATE = 3;
    static final int RELINQUISH = 4;
    static final int AWAITED = 8;

    // A handler's verb is posted, or has taken effect.
    static final int POSTED = 1;
    static final int DONE = 2;

    // Answers: the last two with the line.
    static final int NOTHING = 1;
    static final int STALE = 2;
    static final int FRESH = 3;

    // The course of the mortal station's death.
    static final int ALIVE = 0;
    static final int DEAD = 1;
    static final int SWEPT = 2;
    static final int REBORN = 3;

    // Where what is in a state: a station's part, one for each pair of stations, and the rest.
    static final int FRAME = 0;
    static final int IS_FRESH = 1;
    static final int NEXT = 2;
    static final int SEEN = 3;
    static final int HANDLING = 4;
    static final int ACTION = 5;
    static final int REQUESTER = 6;
    static final int COPY = 7;
    static final int FORGOTTEN = 8;
    static final int STATION = 9;
    static final int REQUEST = COUNT * STATION;
    static final int LATER = 1;
    static final int WAITS = 2;
    static final int ANSWER = 3;
    static final int PAIR = 4;
    static final int MEMORY = REQUEST + COUNT * COUNT * PAIR;
    static final int DEATH = MEMORY + 1;
    static final int ABANDONED = DEATH + 1;
    static final int WORD = ABANDONED + 1;
    static final int BYTES = WORD + Long.BYTES;

    private final byte[] bytes;
    private final String step;

    private LatchWordState(byte[] bytes, String step) {
        this.bytes = bytes;
        this.step = step;
    }

    /// The first one: the line is free.
    static LatchWordState first() {
        LatchWordState first = new LatchWordState(new byte[BYTES], "");
        first.set(MEMORY, 1);
        return first;
    }

    /// One that is to be changed by a step.
    LatchWordState next(String newStep) {
        return new LatchWordState(bytes.clone(), newStep);
    }

    /// The step that has led to it.
    String step() {
        return step;
    }

    int get(int index) {
        return bytes[index];
    }

    void set(int index, int value) {
        bytes[index] = (byte) value;
    }

    int of(int station, int what) {
        return bytes[station * STATION + what];
    }

    void put(int station, int what, int value) {
        bytes[station * STATION + what] = (byte) value;
    }

    static int pair(int requester, int requested) {
        return REQUEST + (requester * COUNT + requested) * PAIR;
    }

    long word() {
        long word = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            word = word << Byte.SIZE | bytes[WORD + i] & 0xFF;
        }
        return word;
    }

    void word(long word) {
        for (int i = 0; i < Long.BYTES; i++) {
            bytes[WORD + i] = (byte) (word >>> (Long.BYTES - 1 - i) * Byte.SIZE);
        }
    }

    void add(long delta) {
        word(word() + delta);
    }

    /// The writer: a station, or [#NO_STATION].
    int writerSeen() {
        int number = LatchWord.writerOf(word());
        for (int station = 0; station < COUNT; station++) {
            if (NUMBERS[station] == number) {
                return station;
            }
        }
        return NO_STATION;
    }

    boolean acts(int station) {
        return station != MORTAL || get(DEATH) == ALIVE || get(DEATH) == REBORN;
    }

    /// What no state may show.
    @Nullable String wrong() {
        long word = word();
        long all = 0;
        for (int station = 0; station < COUNT; station++) {
            all |= reader(station);
        }
        int number = LatchWord.writerOf(word);
        if ((LatchWord.readers(word) & ~all) != 0 || number != 0 && writerSeen() == NO_STATION) {
            return "a carry: " + LatchWord.describe(word);
        }
        for (int station = 0; station < COUNT; station++) {
            boolean isMoving = of(station, HANDLING) == DONE;
            int frame = of(station, FRAME);
            if (isMoving || !acts(station) || frame == INVALID) {
                continue;
            }
            boolean isHeld =
                    frame == MODIFIED
                            ? number == NUMBERS[station]
                            : LatchWord.hasReader(word, NUMBERS[station]);
            if (!isHeld) {
                return "station %d has lost the line: %s"
                        .formatted(station, LatchWord.describe(word));
            }
            if (frame != ANNOUNCED && of(station, IS_FRESH) == 0) {
                return "station %d has an old copy".formatted(station);
            }
        }
        return null;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof LatchWordState state && Arrays.equals(bytes, state.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    static long reader(int station) {
        return LatchWord.reader(NUMBERS[station]);
    }

    static long writer(int station) {
        return LatchWord.writer(NUMBERS[station]);
    }
}
