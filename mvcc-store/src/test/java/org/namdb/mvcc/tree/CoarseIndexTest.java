package org.namdb.mvcc.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Threads;
import org.namdb.fabric.VerbCounters;
import org.namdb.mvcc.coarse.CoarseIndex;
import org.namdb.mvcc.coarse.HashPartitions;
import org.namdb.mvcc.index.ChangeBatch;
import org.namdb.mvcc.index.EntryChange;
import org.namdb.mvcc.index.OrderedCursor;
import org.namdb.mvcc.index.OrderedIndex;
import org.namdb.mvcc.tree.RequestedTreeTest.Servers;
import org.namdb.timestamp.snapshot.Snapshot;

/// What an ordered index costs whose entries are spread by hash, and what it does when a worker
/// leaves something to it.
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class CoarseIndexTest {
    private static OrderedIndex open(Servers servers, QueuePair queuePair) {
        return open(servers.trees, servers, queuePair);
    }

    private static OrderedIndex open(List<BLinkTree> trees, Servers servers, QueuePair queuePair) {
        return new CoarseIndex(
                queuePair, servers.allocator, new HashPartitions(trees), TreeFixture.owner(9));
    }

    private static List<List<Long>> rest(OrderedCursor cursor, int most) {
        List<List<Long>> found = new ArrayList<>();
        while (found.size() < most && cursor.next()) {
            found.add(List.of(cursor.word(0), cursor.word(1)));
        }
        return found;
    }

    @Test
    void aRangeAsksAllServersAtOnce() {
        try (Servers servers =
                new Servers(
                        RequestedTreeTest.Provider.LANDING.open(),
                        RequestedTreeTest.REGION_BYTES,
                        false)) {
            OrderedIndex index = open(servers, servers.queuePair);
            for (long i = 0; i < 3000; i++) {
                assertThat(index.insert(new long[] {1, i}, Snapshot.EVERYTHING)).isTrue();
            }
            OrderedCursor cursor = index.cursor();
            long before = servers.queuePair.counters().roundTrips();
            cursor.ascendFrom(new long[] {1, 500});
            cursor.expect(1000, new long[] {1, 1499});
            assertThat(rest(cursor, Integer.MAX_VALUE)).hasSize(1000);
            assertThat(servers.queuePair.counters().roundTrips()).isEqualTo(before + 1);
            cursor.ascendFrom(new long[] {1, 77});
            assertThat(cursor.isNextHere()).isFalse();
            assertThat(cursor.post()).isTrue();
            long word = servers.queuePair.read(servers.anchor(0), 8);
            servers.queuePair.await();
            assertThat(cursor.land()).isTrue();
            assertThat(LocalMemory.longAt(word)).isNotZero();
            assertThat(cursor.next()).isTrue();
            assertThat(cursor.word(1)).isEqualTo(77);
            assertThat(servers.queuePair.counters().roundTrips()).isEqualTo(before + 2);
        }
    }

    /// Cursors, and changes of several indexes, that are posted before one await.
    @Test
    void allThatIsAskedBeforeAnAwaitSharesRequests() {
        try (Servers servers =
                new Servers(
                        RequestedTreeTest.Provider.LANDING.open(),
                        RequestedTreeTest.REGION_BYTES,
                        false)) {
            OrderedIndex index = open(servers, servers.queuePair);
            OrderedIndex other = open(servers.moreTrees(), servers, servers.queuePair);
            for (long i = 0; i < 100; i++) {
                assertThat(index.insert(new long[] {1, i}, Snapshot.EVERYTHING)).isTrue();
                assertThat(other.insert(new long[] {2, i}, Snapshot.EVERYTHING)).isTrue();
            }
            OrderedCursor first = index.cursor();
            OrderedCursor second = other.cursor();
            first.ascendFrom(new long[] {1, 10});
            second.ascendFrom(new long[] {2, 20});
            VerbCounters counters = servers.queuePair.counters();
            long roundTrips = counters.roundTrips();
            long sends = counters.sends();
            assertThat(first.post()).isTrue();
            assertThat(second.post()).isTrue();
            servers.queuePair.await();
            assertThat(first.land()).isTrue();
            assertThat(second.land()).isTrue();
            assertThat(first.next()).isTrue();
            assertThat(first.word(1)).isEqualTo(10);
            assertThat(second.next()).isTrue();
            assertThat(second.word(1)).isEqualTo(20);
            assertThat(counters.roundTrips()).isEqualTo(roundTrips + 1);
            assertThat(counters.sends()).isEqualTo(sends + RequestedTreeTest.SERVERS);

            ChangeBatch batch = new ChangeBatch(servers.queuePair);
            for (int i = 0; i < ChangeBatch.MAX_CHANGES; i++) {
                EntryChange change = (i % 2 == 0 ? index : other).insertion();
                change.prepare(new long[] {3, i}, Snapshot.EVERYTHING);
                assertThat(batch.hasCapacityFor(change)).isTrue();
                batch.add(change);
            }
            batch.run();
            for (int i = 0; i < ChangeBatch.MAX_CHANGES; i++) {
                assertThat(batch.finish(i)).isTrue();
            }
            assertThat(counters.roundTrips()).isEqualTo(roundTrips + 2);
            assertThat(counters.sends()).isEqualTo(sends + 2 * RequestedTreeTest.SERVERS);
        }
    }

    /// What a cursor has posted may be awaited by whoever comes next; and what it wanted before it
    /// started again is not taken for what it wants now.
    @Test
    void whatACursorHasPostedIsItsOwn() {
        try (Servers servers =
                new Servers(
                        RequestedTreeTest.Provider.LANDING.open(),
                        RequestedTreeTest.REGION_BYTES,
                        false)) {
            OrderedIndex index = open(servers, servers.queuePair);
            for (long i = 0; i < 100; i++) {
                assertThat(index.insert(new long[] {1, i}, Snapshot.EVERYTHING)).isTrue();
            }
            OrderedCursor cursor = index.cursor();
            cursor.ascendFrom(new long[] {1, 10});
            assertThat(cursor.post()).isTrue();
            assertThat(index.insert(new long[] {1, 1000}, Snapshot.EVERYTHING)).isTrue();
            assertThat(cursor.next()).isTrue();
            assertThat(cursor.word(1)).isEqualTo(10);
            cursor.ascendFrom(new long[] {1, 30});
            assertThat(cursor.post()).isTrue();
            cursor.ascendFrom(new long[] {1, 50});
            assertThat(index.insert(new long[] {1, 1001}, Snapshot.EVERYTHING)).isTrue();
            assertThat(rest(cursor, Integer.MAX_VALUE)).hasSize(52);
        }
    }

    /// A latched leaf is left to its client, which waits until the latch is released.
    @Test
    void operationsThatAWorkerDeclinesAreDoneByVerbs() throws Exception {
        try (Servers servers =
                new Servers(
                        RequestedTreeTest.Provider.IN_PLACE.open(),
                        RequestedTreeTest.REGION_BYTES,
                        false)) {
            OrderedIndex index = open(servers, servers.queuePair);
            for (long i = 0; i < 2000; i += 2) {
                assertThat(index.insert(new long[] {1, i}, Snapshot.EVERYTHING)).isTrue();
            }
            try (QueuePair others = servers.fabric.connect(servers.regions)) {
                List<NodeView> latched = new ArrayList<>();
                for (int server = 0; server < RequestedTreeTest.SERVERS; server++) {
                    BLinkTree tree = servers.trees.get(server);
                    Descent descent = new Descent(others, tree, TreeFixture.owner(5), null);
                    descent.seek(new long[] {1, 1000}, 0);
                    assertThat(descent.node().latch(5)).isTrue();
                    latched.add(descent.node());
                }
                Threads.run(
                        2,
                        thread -> {
                            if (thread == 0) {
                                Thread.sleep(50);
                                for (NodeView node : latched) {
                                    others.writeWord(node.address(), node.header());
                                }
                                others.await();
                                return;
                            }
                            OrderedCursor cursor = index.cursor();
                            cursor.ascendFrom(new long[] {1, 800});
                            cursor.expect(300, new long[] {1, 1198});
                            assertThat(rest(cursor, Integer.MAX_VALUE)).hasSize(200);
                            assertThat(index.insert(new long[] {1, 1001}, Snapshot.EVERYTHING))
                                    .isTrue();
                        });
            }
        }
    }
}
