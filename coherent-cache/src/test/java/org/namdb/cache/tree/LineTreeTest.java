package org.namdb.cache.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.namdb.cache.selcc.LineCacheOptions;
import org.namdb.cache.selcc.LineCacheOptions.Flush;
import org.namdb.cache.selcc.LineSession;
import org.namdb.cache.selcc.LocalCaches;
import org.namdb.fabric.Threads;

/// A tree of lines against a map, by several threads of several compute servers.
class LineTreeTest {
    private static final LineCacheOptions SMALL =
            LineCacheOptions.DEFAULT.withLineBytes(128).withFrames(64);

    @ParameterizedTest
    @CsvSource({"128, 50", "128, 100000", "512, 1000", "2048, 100000"})
    void itDoesWhatAMapDoes(int lineBytes, int keys) {
        long seed = new SplittableRandom().nextLong();
        LineCacheOptions options = SMALL.withLineBytes(lineBytes);
        try (LocalCaches caches = new LocalCaches(options, 2);
                LineSession one = caches.cache(0).open();
                LineSession other = caches.cache(1).open()) {
            long root = LineTree.create(one);
            List<LineTree> trees = List.of(new LineTree(one, root), new LineTree(other, root));
            SplittableRandom random = new SplittableRandom(seed);
            NavigableMap<Long, Long> model = new TreeMap<>();
            for (int step = 0; step < 20_000; step++) {
                LineTree tree = trees.get(random.nextInt(100) < 95 ? step / 100 % 2 : step % 2);
                assertThat(step(tree, model, random, keys))
                        .as("seed %d, step %d", seed, step)
                        .isTrue();
            }
            assertThat(TreeCheck.missing(one, root)).as("seed %d", seed).isZero();
            assertThat(all(trees.get(1))).as("seed %d", seed).isEqualTo(model);
        }
    }

    /// An operation on the tree and on the model.
    ///
    /// @return whether both say the same
    private static boolean step(
            LineTree tree, NavigableMap<Long, Long> model, SplittableRandom random, int keys) {
        long key = random.nextInt(20) == 0 ? extreme(random) : random.nextInt(keys) - keys / 2;
        long value = random.nextLong();
        return switch (random.nextInt(9)) {
            case 0, 1, 2, 3 -> tree.insert(key, value) == (model.putIfAbsent(key, value) == null);
            case 4 -> {
                long expected = expected(model, random, key);
                yield tree.remove(key, expected) == model.remove(key, expected);
            }
            case 5 -> {
                long expected = expected(model, random, key);
                yield tree.replace(key, expected, value) == model.replace(key, expected, value);
            }
            case 6 -> tree.update(key, value) == (model.replace(key, value) != null);
            case 7 -> tree.find(key, -1) == model.getOrDefault(key, -1L);
            default -> {
                long to = random.nextInt(4) == 0 ? Long.MAX_VALUE : key + random.nextInt(keys);
                int most = random.nextInt(40);
                yield to < key || range(tree, key, to, most).equals(first(model, key, to, most));
            }
        };
    }

    /// Mostly the value of a key that is there.
    private static long expected(
            NavigableMap<Long, Long> model, SplittableRandom random, long key) {
        return random.nextInt(5) == 0 ? 0 : model.getOrDefault(key, 0L);
    }

    private static long extreme(SplittableRandom random) {
        return random.nextBoolean()
                ? Long.MIN_VALUE + random.nextInt(3)
                : Long.MAX_VALUE - random.nextInt(3);
    }

    private static NavigableMap<Long, Long> range(LineTree tree, long from, long to, int most) {
        long[] keys = new long[most];
        long[] values = new long[most];
        int count = tree.range(from, to, keys, values);
        NavigableMap<Long, Long> found = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            assertThat(i == 0 || keys[i] > keys[i - 1]).isTrue();
            found.put(keys[i], values[i]);
        }
        return found;
    }

    private static NavigableMap<Long, Long> first(
            NavigableMap<Long, Long> model, long from, long to, int most) {
        NavigableMap<Long, Long> found = new TreeMap<>();
        model.subMap(from, true, to, true).entrySet().stream()
                .limit(most)
                .forEach(entry -> found.put(entry.getKey(), entry.getValue()));
        return found;
    }

    static NavigableMap<Long, Long> all(LineTree tree) {
        return range(tree, Long.MIN_VALUE, Long.MAX_VALUE, 1 << 16);
    }

    /// Each thread inserts keys of its own among those of the others, and removes half of them; all
    /// insert the same ones, too, and each of those only one.
    @ParameterizedTest
    @EnumSource
    void threadsOfTwoComputeServersInsertAtOnce(Flush flush) throws Exception {
        int threads = 4;
        int each = 1_500;
        try (LocalCaches caches = new LocalCaches(SMALL.withFrames(256).withFlush(flush), 2)) {
            long root;
            try (LineSession session = caches.cache(0).open()) {
                root = LineTree.create(session);
            }
            List<List<Long>> won = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                won.add(new ArrayList<>());
            }
            Threads.run(
                    threads,
                    thread -> {
                        try (LineSession session = caches.cache(thread % 2).open()) {
                            LineTree tree = new LineTree(session, root);
                            insert(tree, thread, threads, each, won.get(thread));
                        }
                    });
            try (LineSession session = caches.cache(1).open()) {
                NavigableMap<Long, Long> expected = new TreeMap<>();
                for (int thread = 0; thread < threads; thread++) {
                    for (int i = 1; i < each; i += 2) {
                        expected.put((long) i * threads + thread, (long) thread);
                    }
                    for (long key : won.get(thread)) {
                        assertThat(expected.put(key, (long) thread)).isNull();
                    }
                }
                assertThat(all(new LineTree(session, root))).isEqualTo(expected);
                assertThat(won.stream().mapToInt(List::size).sum()).isEqualTo(each);
                int _ = TreeCheck.missing(session, root);
            }
        }
    }

    private static void insert(LineTree tree, int thread, int threads, int each, List<Long> won) {
        for (int i = 0; i < each; i++) {
            long key = (long) i * threads + thread;
            assertThat(tree.insert(key, thread)).isTrue();
            if (tree.insert(-i - 1, thread)) {
                won.add((long) -i - 1);
            }
            assertThat(tree.find(key, -1)).isEqualTo(thread);
            if (i % 2 == 0) {
                assertThat(tree.remove(key, thread)).isTrue();
            }
        }
    }

    @Test
    void ascendingKeysFillTheirNodes() {
        try (LocalCaches caches = new LocalCaches(SMALL, 1);
                LineSession session = caches.cache(0).open()) {
            LineTree tree = new LineTree(session, LineTree.create(session));
            for (long key = 0; key < 1_000; key++) {
                assertThat(tree.insert(key, key)).isTrue();
            }
            long before = session.counters().verbs();
            int leaves = 0;
            for (long key = 0; key < 1_000; ) {
                long[] keys = new long[new TreeNode(128).capacity() - 1];
                key += tree.range(key, Long.MAX_VALUE, keys, new long[keys.length]);
                leaves++;
            }
            assertThat(leaves).isEqualTo(1_000 / (new TreeNode(128).capacity() - 1));
            assertThat(before).isPositive();
        }
    }

    /// What is in the cache costs no verb.
    @Test
    void aSearchOfCachedNodesPostsNothing() {
        try (LocalCaches caches = new LocalCaches(SMALL.withFrames(1_000), 1);
                LineSession session = caches.cache(0).open()) {
            LineTree tree = new LineTree(session, LineTree.create(session));
            for (long key = 0; key < 1_000; key++) {
                assertThat(tree.insert(key, -key)).isTrue();
            }
            long before = session.counters().verbs();
            for (long key = 0; key < 1_000; key++) {
                assertThat(tree.find(key, 1)).isEqualTo(-key);
            }
            assertThat(session.counters().verbs()).isEqualTo(before);
        }
    }

    @Test
    void whatIsNoTreeIsRefused() {
        try (LocalCaches caches = new LocalCaches(SMALL.withLineBytes(64), 1);
                LineSession session = caches.cache(0).open()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new LineTree(session, 0))
                    .withMessageContaining("need 128");
        }
        try (LocalCaches caches = new LocalCaches(SMALL, 1);
                LineSession session = caches.cache(0).open()) {
            LineTree tree = new LineTree(session, session.allocate());
            assertThatIllegalStateException().isThrownBy(() -> tree.find(1, 0));
        }
    }
}
