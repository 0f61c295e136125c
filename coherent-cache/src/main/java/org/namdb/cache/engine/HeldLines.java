package org.namdb.cache.engine;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.selcc.LineGuard;
import org.namdb.cache.selcc.LineSession;

/// The lines that a transaction has latched, with their guards.
final class HeldLines {
    private final LineSession session;
    private long[] lines = new long[16];
    private LineGuard[] guards = new LineGuard[16];
    private int count;

    HeldLines(LineSession session) {
        this.session = session;
    }

    /// The guard of a line; null if it is not held.
    @Nullable LineGuard find(long line) {
        for (int i = 0; i < count; i++) {
            if (lines[i] == line) {
                return guards[i];
            }
        }
        return null;
    }

    /// Latches a line, unless it is held; does not wait for its current holder.
    ///
    /// @throws ConflictException if others are using it
    LineGuard hold(long line, boolean isExclusive) {
        LineGuard held = find(line);
        if (held == null) {
            LineGuard guard = isExclusive ? session.tryExclusive(line) : session.tryShared(line);
            if (guard == null) {
                throw ConflictException.CONFLICT;
            }
            return add(line, guard);
        }
        if (isExclusive && !held.isExclusive() && !session.tryUpgrade(held)) {
            remove(line);
            throw ConflictException.CONFLICT;
        }
        return held;
    }

    /// The guard of a line that is held.
    LineGuard guard(long line) {
        return Objects.requireNonNull(find(line), "the line is not latched");
    }

    LineGuard add(long line, LineGuard guard) {
        if (count == lines.length) {
            lines = Arrays.copyOf(lines, 2 * count);
            guards = Arrays.copyOf(guards, 2 * count);
        }
        lines[count] = line;
        guards[count++] = guard;
        return guard;
    }

    private void remove(long line) {
        int index = 0;
        while (lines[index] != line) {
            index++;
        }
        count--;
        lines[index] = lines[count];
        guards[index] = guards[count];
    }

    /// Releases all of them: what was changed is in memory by one round trip for each 16 lines,
    /// unless the cache is lazy.
    void release() {
        int all = count;
        count = 0;
        session.close(guards, all);
    }
}
