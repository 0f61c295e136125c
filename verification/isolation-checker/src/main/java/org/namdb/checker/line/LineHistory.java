package org.namdb.checker.line;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What was read from one line and changed in it, and whether that is linearizable: as if each
/// access had happened at one moment between its begin and its end. If each line is, all of them
/// together are (Herlihy and Wing, 1990), and so no litmus test for sequential consistency can
/// fail.
///
/// A change holds the value that it has replaced, and no value is written twice. So the changes
/// form a chain, which leaves one order of them, each read is between two of them, and it remains
/// to check that nothing is before what had ended before it began. That takes n log n.
///
/// Not thread-safe.
public final class LineHistory {
    /// The end of an access of which its client never learned the end. It may have changed the
    /// line, or not.
    public static final long NEVER = Long.MAX_VALUE;

    /// What a line holds at first.
    public static final long INITIAL = 0;

    /// @param found the value that was read
    /// @param written the value that has replaced it; equal to `found` for a read
    private record Access(String client, long found, long written, long begin, long end) {
        boolean isChange() {
            return written != found;
        }

        @Override
        public String toString() {
            String what =
                    isChange()
                            ? "has replaced %d by %d".formatted(found, written)
                            : "has read %d".formatted(found);
            return "%s %s from %d to %s".formatted(client, what, begin, end == NEVER ? "?" : end);
        }
    }

    private final List<Access> accesses = new ArrayList<>();

    /// `value` was read.
    ///
    /// @param client for people
    public void read(String client, long value, long begin, long end) {
        accesses.add(new Access(client, value, value, begin, end));
    }

    /// `found` was read, and replaced by `written`, which no other change writes.
    ///
    /// @param client for people
    /// @param end or [#NEVER]
    public void change(String client, long found, long written, long begin, long end) {
        if (found == written || written == INITIAL) {
            throw new IllegalArgumentException("written values are unique, not " + written);
        }
        accesses.add(new Access(client, found, written, begin, end));
    }

    /// The value that the last change has left; meaningful only where [#check] finds nothing.
    public long last() {
        long last = INITIAL;
        Map<Long, Access> replaced = new HashMap<>();
        for (Access access : effective()) {
            if (access.isChange()) {
                replaced.put(access.found(), access);
            }
        }
        for (Access next = replaced.get(last); next != null; next = replaced.get(last)) {
            last = next.written();
        }
        return last;
    }

    /// How many accesses there are.
    public int size() {
        return accesses.size();
    }

    /// Finds what is not linearizable.
    ///
    /// @return what is wrong, or null
    public @Nullable String check() {
        List<Access> effective = effective();
        Map<Long, Access> replaced = new HashMap<>();
        Set<Long> written = new HashSet<>();
        for (Access access : effective) {
            if (access.isChange()) {
                Access other = replaced.putIfAbsent(access.found(), access);
                if (other != null) {
                    return "lost update: %s, and %s".formatted(other, access);
                }
                if (!written.add(access.written())) {
                    throw new IllegalArgumentException(access + ", as another one before");
                }
            }
        }
        Map<Long, Integer> positions = new HashMap<>();
        positions.put(INITIAL, 0);
        long last = INITIAL;
        for (Access next = replaced.get(last); next != null; next = replaced.get(last)) {
            last = next.written();
            positions.put(last, positions.size());
        }
        for (Access access : effective) {
            if (!positions.containsKey(access.found())) {
                return "%s, which was not there".formatted(access);
            }
        }
        return order(effective, positions);
    }

    /// Without the changes that may not have been made, and were not seen: of those, their reads
    /// count.
    private List<Access> effective() {
        Set<Long> seen = new HashSet<>();
        accesses.forEach(access -> seen.add(access.found()));
        List<Access> effective = new ArrayList<>();
        for (Access access : accesses) {
            boolean isMade =
                    !access.isChange() || access.end() != NEVER || seen.contains(access.written());
            effective.add(
                    isMade
                            ? access
                            : new Access(
                                    access.client(),
                                    access.found(),
                                    access.found(),
                                    access.begin(),
                                    NEVER));
        }
        return effective;
    }

    private static @Nullable String order(List<Access> accesses, Map<Long, Integer> positions) {
        List<Access> byBegin = new ArrayList<>(accesses);
        byBegin.sort(Comparator.comparingLong(Access::begin));
        List<Access> byEnd = new ArrayList<>(accesses);
        byEnd.sort(Comparator.comparingLong(Access::end));
        Access latest = null;
        int ended = 0;
        for (Access access : byBegin) {
            while (byEnd.get(ended).end() < access.begin()) {
                Access other = byEnd.get(ended++);
                if (latest == null || place(other, positions) > place(latest, positions)) {
                    latest = other;
                }
            }
            if (latest != null && place(latest, positions) > place(access, positions)) {
                return "%s, though before that %s".formatted(access, latest);
            }
        }
        return null;
    }

    /// Changes have even places, and the reads of what they have written the next one.
    private static int place(Access access, Map<Long, Integer> positions) {
        Integer position = positions.get(access.written());
        if (position == null) {
            throw new IllegalStateException(access + " is not in the chain");
        }
        return 2 * position + (access.isChange() ? 0 : 1);
    }
}
