package org.namdb.mvcc.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableSet;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// One thread's operations, random ones, against a `TreeSet`.
final class BLinkTreeTest {
    private static final int STEPS = 8000;

    record Shape(String fabric, int keyWords, int nodeBytes, int servers) {}

    static Stream<Shape> shapes() {
        List<Shape> shapes = new ArrayList<>();
        for (String fabric : Fabrics.NAMES) {
            for (int keyWords : new int[] {1, 2, 5}) {
                for (int nodeBytes : new int[] {256, 512, 1024}) {
                    shapes.add(new Shape(fabric, keyWords, nodeBytes, keyWords == 2 ? 4 : 1));
                }
            }
        }
        return shapes.stream();
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void behavesAsASortedSet(Shape shape) {
        SplittableRandom random = Seeds.random();
        NodeLayout layout = new NodeLayout(shape.keyWords(), shape.nodeBytes());
        try (TreeFixture fixture =
                new TreeFixture(Fabrics.open(shape.fabric()), shape.servers(), layout)) {
            TreeClient client = fixture.client();
            TreeCursor cursor = client.cursor();
            NavigableSet<long[]> model = new TreeSet<>(Arrays::compareUnsigned);
            for (int phase = 0; phase < 4; phase++) {
                int insertPercent = phase % 2 == 0 ? 80 : 20;
                for (int step = 0; step < STEPS / 4; step++) {
                    change(random, client, model, insertPercent, shape.keyWords());
                    if (step % 50 == 0) {
                        compareScan(random, cursor, model, shape.keyWords());
                    }
                }
                assertThat(fixture.check().live()).isEqualTo(model.size());
                compareAll(cursor, model, shape.keyWords());
            }
            client.collect();
            TreeChecker.Shape found = fixture.check();
            assertThat(found.entries()).as("collected").isEqualTo(model.size());
            compareAll(cursor, model, shape.keyWords());
        }
    }

    private static void change(
            SplittableRandom random,
            TreeClient client,
            NavigableSet<long[]> model,
            int insertPercent,
            int keyWords) {
        long[] key = randomKey(random, keyWords);
        assertThat(client.contains(key)).isEqualTo(model.contains(key));
        if (random.nextInt(100) < insertPercent) {
            assertThat(client.insert(key)).as("insert").isEqualTo(model.add(key));
        } else {
            long[] victim = model.isEmpty() || random.nextInt(4) == 0 ? key : near(model, key);
            assertThat(client.delete(victim)).as("delete").isEqualTo(model.remove(victim));
        }
    }

    private static long[] near(NavigableSet<long[]> model, long[] key) {
        long[] above = model.ceiling(key);
        return above == null ? model.last() : above;
    }

    /// Keys with equal leading words, at both ends of the range of unsigned words.
    private static long[] randomKey(SplittableRandom random, int keyWords) {
        long[] key = new long[keyWords];
        for (int word = 0; word < keyWords; word++) {
            key[word] = random.nextInt(-3, 3);
        }
        key[keyWords - 1] = random.nextInt(-2000, 2000);
        return key;
    }

    private static void compareScan(
            SplittableRandom random, TreeCursor cursor, NavigableSet<long[]> model, int keyWords) {
        long[] from = randomKey(random, keyWords);
        int most = random.nextInt(300);
        cursor.ascendFrom(from);
        compare(cursor, model.tailSet(from, true).iterator(), most, keyWords);
        cursor.descendFrom(from);
        compare(cursor, model.headSet(from, true).descendingIterator(), most, keyWords);
    }

    private static void compareAll(TreeCursor cursor, NavigableSet<long[]> model, int keyWords) {
        long[] smallest = new long[keyWords];
        long[] largest = new long[keyWords];
        Arrays.fill(largest, -1L);
        cursor.ascendFrom(smallest);
        compare(cursor, model.iterator(), Integer.MAX_VALUE, keyWords);
        cursor.descendFrom(largest);
        compare(cursor, model.descendingIterator(), Integer.MAX_VALUE, keyWords);
    }

    private static void compare(
            TreeCursor cursor, Iterator<long[]> expected, int most, int keyWords) {
        for (int i = 0; i < most; i++) {
            assertThat(cursor.next()).isEqualTo(expected.hasNext());
            if (!expected.hasNext()) {
                assertThat(cursor.next()).as("stays at the end").isFalse();
                return;
            }
            long[] key = expected.next();
            for (int word = 0; word < keyWords; word++) {
                assertThat(cursor.word(word)).isEqualTo(key[word]);
            }
        }
    }
}
