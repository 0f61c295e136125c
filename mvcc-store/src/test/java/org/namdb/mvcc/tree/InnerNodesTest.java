package org.namdb.mvcc.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Seeds;

class InnerNodesTest {
    private static final int KEYS = 6000;
    private static final int ROUNDS = 300_000;

    /// A way through an inner node above the leaves.
    private record Way(long key, long from, long child) {
        long[] words() {
            return new long[] {key};
        }
    }

    private final SplittableRandom random = new SplittableRandom(Seeds.next());

    private static List<Way> ways(TreeFixture fixture, NodeLayout layout) {
        QueuePair queuePair = fixture.connect();
        Descent descent = new Descent(queuePair, fixture.foreignTree(), TreeFixture.owner(1), null);
        NodeView node = new NodeView(queuePair, layout);
        List<Way> ways = new ArrayList<>();
        for (long key = 0; key < KEYS; key += 7) {
            long[] words = {key};
            long address = descent.root();
            node.read(address);
            for (int level = descent.rootLevel(); level > 1; level--) {
                address = node.child(node.childIndex(words));
                node.read(address);
            }
            ways.add(new Way(key, address, node.child(node.childIndex(words))));
        }
        return ways;
    }

    private static TreeFixture filled(NodeLayout layout) {
        TreeFixture fixture = new TreeFixture(Fabrics.open(Fabrics.IN_PLACE), 2, layout);
        TreeClient client = fixture.client();
        for (long key = 0; key < KEYS; key++) {
            client.insert(new long[] {key});
        }
        return fixture;
    }

    @Test
    void sharesOfRangesAreKnownWithoutAVerb() {
        try (TreeFixture fixture = filled(new NodeLayout(1, 256))) {
            QueuePair queuePair = fixture.connect();
            TreeClient client =
                    new TreeClient(
                            queuePair, fixture.allocator(), fixture.tree(), TreeFixture.owner(2));
            for (long key = 0; key < KEYS; key++) {
                assertThat(client.contains(new long[] {key})).isTrue();
            }
            long before = queuePair.counters().roundTrips();
            for (int round = 0; round < 1000; round++) {
                long from = random.nextLong(KEYS);
                long to = from + random.nextLong(KEYS - from);
                double share = client.share(new long[] {from}, new long[] {to});
                assertThat(share).isCloseTo((double) (to - from) / KEYS, Offset.offset(0.1));
            }
            assertThat(client.share(new long[] {5}, new long[] {5})).isZero();
            assertThat(queuePair.counters().roundTrips()).isEqualTo(before);
        }
        try (TreeFixture fixture =
                new TreeFixture(Fabrics.open(Fabrics.IN_PLACE), 2, new NodeLayout(1, 256))) {
            assertThat(fixture.client().share(new long[] {5}, new long[] {7})).isNaN();
        }
    }

    @Test
    void allNodesThatFitAreCached() {
        NodeLayout layout = new NodeLayout(1, 256);
        try (TreeFixture fixture = filled(layout)) {
            InnerNodes inner = new InnerNodes(layout, BLinkTree.DEFAULT_CACHE_BYTES);
            NodeView node = new NodeView(fixture.connect(), layout);
            List<Way> ways = ways(fixture, layout);
            for (Way way : ways) {
                node.read(way.from());
                inner.keep(node);
            }
            InnerNodes.Next next = new InnerNodes.Next();
            for (Way way : ways) {
                assertThat(inner.follow(way.from(), 1, way.words(), next)).isTrue();
                assertThat(next.isRight()).isFalse();
                assertThat(next.address()).isEqualTo(way.child());
            }
            inner.forget(ways.getFirst().from());
            assertThat(inner.follow(ways.getFirst().from(), 1, new long[] {0}, next)).isFalse();
        }
    }

    /// A copy becomes another node's while it is followed: it leads to the node's own child then,
    /// or nowhere.
    @Test
    void aCopyIsNeverHalfOfAnother() throws Exception {
        NodeLayout layout = new NodeLayout(1, 256);
        try (TreeFixture fixture = filled(layout);
                ExecutorService threads = Executors.newCachedThreadPool()) {
            InnerNodes inner = new InnerNodes(layout, BLinkTree.DEFAULT_CACHE_BYTES);
            List<Way> ways = ways(fixture, layout);
            List<Future<?>> done = new ArrayList<>();
            for (int thread = 0; thread < 2; thread++) {
                NodeView node = new NodeView(fixture.connect(), layout);
                SplittableRandom own = random.split();
                done.add(threads.submit(() -> change(inner, node, ways, own)));
            }
            SplittableRandom own = random.split();
            Future<Integer> followed = threads.submit(() -> follow(inner, ways, own));
            for (Future<?> each : done) {
                each.get();
            }
            assertThat(followed.get()).isGreaterThan(ROUNDS / 100);
        }
    }

    private static void change(
            InnerNodes inner, NodeView node, List<Way> ways, SplittableRandom random) {
        for (int round = 0; round < ROUNDS; round++) {
            long address = ways.get(random.nextInt(ways.size())).from();
            if (random.nextBoolean()) {
                node.read(address);
                inner.keep(node);
            } else {
                inner.forget(address);
            }
        }
    }

    private static int follow(InnerNodes inner, List<Way> ways, SplittableRandom random) {
        InnerNodes.Next next = new InnerNodes.Next();
        int followed = 0;
        for (int round = 0; round < ROUNDS; round++) {
            Way way = ways.get(random.nextInt(ways.size()));
            if (inner.follow(way.from(), 1, way.words(), next)) {
                followed++;
                assertThat(next.isRight()).isFalse();
                assertThat(next.address()).as("key %s", way.key()).isEqualTo(way.child());
            }
        }
        return followed;
    }
}
