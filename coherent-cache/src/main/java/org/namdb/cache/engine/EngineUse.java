package org.namdb.cache.engine;

import org.jspecify.annotations.Nullable;
import org.namdb.cache.line.Stations;
import org.namdb.cache.selcc.LineSession;
import org.namdb.cache.selcc.UncachedLine;

/// What the lines of an engine are used for. At a time, all sessions of all compute servers have
/// the same use: transactions with one kind of control, or checks. The engine's line has a word for
/// each station:
/// ```
///  63        40 39        8 7    0
/// |  process   |  sessions  | use |
/// ```
/// A session is counted, and then reads the words of the others, so that of two with different uses
/// at least one notices:
/// ```
/// A, with locks             B, optimistic              C, checks
/// CAS own word
///                           CAS own word
///                           READ all: A; CAS back
///                           refused
///                                                      CAS own word
///                                                      READ all: A; CAS back; waits
/// CAS back
///                                                      CAS own word; READ all: none
/// ```
/// A check that waits is not counted: a process that has opened one session opens more of them
/// before it begins. Words of processes that have died don't count: they lose their station when
/// they are cleared away.
final class EngineUse {
    /// How long transactions wait for checks, and checks for them.
    static final long WAIT_NANOS = 60_000_000_000L;

    /// How long another kind of control is tried: two that begin at once may refuse each other.
    /// They pause for different times.
    private static final long RETRY_NANOS = 100_000_000;

    private static final long PAUSE_NANOS = 1_000_000;
    private static final int CHECK = ConcurrencyControl.values().length;
    private static final int PROCESS_SHIFT = 40;
    private static final long ONE = 1L << 8;
    private static final long COUNT = (1L << PROCESS_SHIFT) - ONE;
    private static final long USE = ONE - 1;

    private final LineSession lines;
    private final UncachedLine line;
    private final int use;
    private final int station;
    private final int process;
    private boolean isCounted;

    /// @param line the engine's
    /// @param control what transactions are run with; null for a check
    EngineUse(LineSession lines, UncachedLine line, @Nullable ConcurrencyControl control) {
        this.lines = lines;
        this.line = line;
        this.use = control == null ? CHECK : control.ordinal();
        this.station = lines.station();
        this.process = Stations.process(lines.stations()[station]);
    }

    /// Begins it.
    ///
    /// @param waitNanos how long transactions and checks wait for each other
    /// @throws EngineInUseException if another kind of control is in use, or if the wait is over
    void begin(long waitNanos) {
        long begin = lines.host().nanoTime();
        for (long other = tryBegin(); other != 0; other = tryBegin()) {
            boolean isOtherKind = use != CHECK && (other & USE) != CHECK;
            long waited = lines.host().nanoTime() - begin;
            if (waited >= (isOtherKind ? RETRY_NANOS : waitNanos)) {
                throw new EngineInUseException(isOtherKind ? refusal(other) : timeout(other));
            }
            lines.host().sleep(station * PAUSE_NANOS);
        }
    }

    private String refusal(long other) {
        ConcurrencyControl[] controls = ConcurrencyControl.values();
        return "compute server %d runs transactions with %s on these lines, and %s can't be mixed with it: use the same kind, or wait for its end"
                .formatted(other >>> PROCESS_SHIFT, controls[(int) (other & USE)], controls[use]);
    }

    private static String timeout(long other) {
        return "compute server %d %s: try again when it has ended, or was declared dead"
                .formatted(
                        other >>> PROCESS_SHIFT,
                        (other & USE) == CHECK
                                ? "is checking these lines still"
                                : "runs transactions on these lines still");
    }

    /// @return 0 if it has begun, else the word of a process with another use
    private long tryBegin() {
        long own = change(1);
        if (own != 0) {
            return own;
        }
        isCounted = true;
        long other = other();
        if (other != 0) {
            end();
        }
        return other;
    }

    /// Ends it.
    void end() {
        if (isCounted) {
            long _ = change(-1);
            isCounted = false;
        }
    }

    /// Adds to the number of this process's sessions.
    ///
    /// @return 0, or the word of this process if it has sessions of another use
    private long change(int delta) {
        while (true) {
            long word = line.words(offset(station), 1)[0];
            boolean isOwn = word >>> PROCESS_SHIFT == process && (word & COUNT) != 0;
            if (isOwn && (word & USE) != use) {
                return word;
            }
            long count = (isOwn ? word & COUNT : 0) + delta * ONE;
            long changed = (long) process << PROCESS_SHIFT | count | use;
            if (line.compareAndSwap(offset(station), word, changed) == word) {
                return 0;
            }
        }
    }

    /// The word of another process with another use; 0 if there is none.
    private long other() {
        long[] words = line.words(0, Stations.MAX + 1);
        long[] stations = lines.stations();
        for (int number = 1; number <= Stations.MAX; number++) {
            long word = words[number];
            boolean isThere =
                    (word & COUNT) != 0
                            && Stations.isTaken(stations[number])
                            && Stations.process(stations[number]) == word >>> PROCESS_SHIFT;
            if (isThere && number != station && (word & USE) != use) {
                return word;
            }
        }
        return 0;
    }

    private static int offset(int number) {
        return number * Long.BYTES;
    }
}
