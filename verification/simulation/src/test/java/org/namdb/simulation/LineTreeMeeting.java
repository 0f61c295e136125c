package org.namdb.simulation;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.namdb.cache.selcc.LineSession;
import org.namdb.cache.tree.LineTree;
import org.namdb.simulated.SimHost;
import org.namdb.simulated.SimTrace;

/// A meeting at a tree of cached lines: each thread inserts, finds and removes keys of its own,
/// which lie among those of the others, and all insert some in common, each of which one alone can
/// have.
final class LineTreeMeeting extends CachedLineMeeting {
    private static final int OWN_KEYS = 30;
    private static final int COMMON_KEYS = 20;
    private static final int THREADS = 100;
    private static final int FRAMES = 12;

    private final TreeMap<Long, Long> expected = new TreeMap<>();
    private boolean isBegun;
    private long root;
    private int clients;

    private LineTreeMeeting(long seed) {
        super(seed, SimTrace.off(), FRAMES);
    }

    /// Has them meet.
    ///
    /// @return what is wrong, or null
    static @Nullable String of(long seed) {
        try (LineTreeMeeting meeting = new LineTreeMeeting(seed)) {
            return meeting.run();
        }
    }

    @Override
    void run(LineClient client, SimHost host, int server, SplittableRandom own) {
        LineSession session = ((CachedLines) client).session();
        int number = clients++;
        if (!isBegun) {
            isBegun = true;
            root = LineTree.create(session);
        }
        while (root == 0) {
            host.sleep(1_000);
        }
        LineTree tree = new LineTree(session, root);
        for (int i = 0; i < OWN_KEYS; i++) {
            long key = (long) i * THREADS + number;
            require(tree.insert(key, number), "has not inserted a key of its own");
            require(tree.find(key, -1) == number, "does not find what it has inserted");
            if (own.nextInt(3) == 0) {
                require(tree.remove(key, number), "has not removed what it has inserted");
                require(tree.find(key, -1) == -1, "finds what it has removed");
            } else {
                expected.put(key, (long) number);
            }
            long common = -own.nextInt(COMMON_KEYS) - 1L;
            if (tree.insert(common, number)) {
                require(
                        expected.put(common, (long) number) == null,
                        "has inserted a key that was there");
            } else {
                require(tree.find(common, -1) != -1, "does not find what was there");
            }
        }
    }

    private void require(boolean isRight, String otherwise) {
        if (!isRight) {
            wrong(Thread.currentThread().getName() + " " + otherwise);
        }
    }

    @Override
    void settle(SimHost host, int number) {
        try (LineSession session = caches.get(number).open()) {
            long[] keys = new long[expected.size() + 1];
            long[] values = new long[keys.length];
            int found =
                    new LineTree(session, root).range(Long.MIN_VALUE, Long.MAX_VALUE, keys, values);
            long[] present = expected.keySet().stream().mapToLong(Long::longValue).toArray();
            require(
                    Arrays.equals(Arrays.copyOf(keys, found), present),
                    "finds other keys in the end");
        }
        super.settle(host, number);
    }
}
