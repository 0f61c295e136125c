package org.namdb.mvcc.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;

/// Whether a reader notices that a node changes while it is read.
final class NodeViewTest {
    private static final NodeLayout SMALL = new NodeLayout(1, 256);

    /// In place, a change after the header was taken shows in the header.
    @Test
    void aChangeWhileTheViewIsUsedIsSeen() {
        try (TreeFixture fixture = new TreeFixture(Fabrics.open(Fabrics.IN_PLACE), 1, SMALL)) {
            NodeView root = new NodeView(fixture.connect(), SMALL);
            root.read(rootOf(fixture));
            assertThat(root.isUnchanged()).isTrue();
            fixture.client().insert(new long[] {5});
            assertThat(root.isUnchanged()).isFalse();
            assertThat(root.latch(3)).isFalse();
            root.read(rootOf(fixture));
            assertThat(root.isUnchanged()).isTrue();
            assertThat(root.latch(3)).isTrue();
            assertThat(root.isUnchanged()).as("latched").isFalse();
        }
    }

    /// Where views are landed, a change between the READs of one batch shows, whichever two it
    /// comes between.
    @Test
    void aChangeWhileTheNodeIsReadIsSeen() {
        for (int change = 1; change <= 5; change++) {
            try (TreeFixture fixture = new TreeFixture(Fabrics.open(Fabrics.LANDING), 1, SMALL)) {
                TreeClient other = fixture.client();
                int at = change;
                AtomicInteger stops = new AtomicInteger();
                Runnable insert =
                        () -> {
                            if (stops.incrementAndGet() == at) {
                                other.insert(new long[] {5});
                            }
                        };
                NodeView root =
                        new NodeView(new PausingQueuePair(fixture.connect(), insert), SMALL);
                root.read(rootOf(fixture));
                boolean torn = change == 2 || change == 3;
                assertThat(root.isUnchanged()).as("change at stop %d", change).isEqualTo(!torn);
            }
        }
    }

    /// A node's version goes on from life to life: a session that has read it before it died can't
    /// mistake the next life for the same.
    @Test
    void versionsGoOnAfterDeath() {
        try (TreeFixture fixture = new TreeFixture(Fabrics.open(Fabrics.IN_PLACE), 1, SMALL)) {
            TreeClient client = fixture.client();
            for (long key = 0; key < 100; key++) {
                client.insert(new long[] {key});
            }
            NodeView leaf = new NodeView(fixture.connect(), SMALL);
            leaf.read(rootOf(fixture));
            leaf.read(leaf.child(1));
            long version = NodeHeader.version(leaf.header());
            long[] key = new long[1];
            leaf.copyLowFence(key);
            long end = key[0] + leaf.count();
            for (; key[0] < end; key[0]++) {
                client.delete(key);
            }
            leaf.read(leaf.address());
            assertThat(NodeHeader.isDead(leaf.header())).isTrue();
            for (long again = 1000; NodeHeader.isDead(leaf.header()); again++) {
                client.insert(new long[] {again});
                leaf.read(leaf.address());
            }
            assertThat(NodeHeader.version(leaf.header())).isGreaterThan(version);
        }
    }

    private static long rootOf(TreeFixture fixture) {
        QueuePair queuePair = fixture.connect();
        long word = queuePair.read(fixture.tree().anchor(), 8);
        queuePair.await();
        return LocalMemory.longAt(word);
    }
}
