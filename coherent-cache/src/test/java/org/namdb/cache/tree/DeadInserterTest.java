package org.namdb.cache.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.namdb.cache.selcc.LineCache;
import org.namdb.cache.selcc.LineCacheOptions;
import org.namdb.cache.selcc.LineSession;
import org.namdb.cache.selcc.LocalCaches;
import org.namdb.fabric.Fabric;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.ForwardingFabric;
import org.namdb.fabric.ForwardingQueuePair;
import org.namdb.fabric.Host;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.Region;
import org.namdb.fabric.peer.PeerFabric;

/// A compute server that dies at each verb of inserts that split nodes. Others go on.
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeadInserterTest {
    private static final int DEAD = 7;
    private static final LineCacheOptions OPTIONS =
            LineCacheOptions.DEFAULT.withLineBytes(128).withFrames(64);

    /// How many verbs take effect before it dies; far below 0 once it is dead.
    private final AtomicInteger left = new AtomicInteger();

    @Test
    void aTreeIsWholeWhereverItsInserterDies() {
        int missing = 0;
        boolean isDead = true;
        for (int verbs = 0; isDead; verbs++) {
            try (LocalCaches caches = new LocalCaches(OPTIONS, 2)) {
                long root;
                NavigableMap<Long, Long> model = new TreeMap<>();
                try (LineSession session = caches.cache(0).open()) {
                    root = LineTree.create(session);
                    for (long key = 0; key < 400; key += 10) {
                        insert(new LineTree(session, root), model, key);
                    }
                }
                isDead = insertAndDie(caches, root, model, verbs);
                while (!caches.cache(0).clear(Set.of(DEAD))
                        || !caches.cache(1).clear(Set.of(DEAD))) {
                    Host.MACHINE.sleep(1_000_000); // the test's limit ends it
                }
                try (LineSession session = caches.cache(1).open()) {
                    LineTree tree = new LineTree(session, root);
                    NavigableMap<Long, Long> found = LineTreeTest.all(tree);
                    found.keySet().removeIf(key -> key % 10 == 5 && !model.containsKey(key));
                    assertThat(found).as("%d verbs", verbs).isEqualTo(model);
                    missing += TreeCheck.missing(session, root);
                    for (long key = 1; key < 400; key += 2) {
                        if (key % 10 != 5) {
                            insert(tree, model, key);
                        }
                    }
                    assertThat(TreeCheck.missing(session, root)).as("%d verbs", verbs).isZero();
                }
            }
        }
        assertThat(missing).as("separators that were missing").isPositive();
    }

    private static void insert(LineTree tree, NavigableMap<Long, Long> model, long key) {
        assertThat(tree.insert(key, -key)).isTrue();
        model.put(key, -key);
    }

    /// Inserts keys that end with 5, which split leaves and an inner node.
    ///
    /// @return whether it has died meanwhile; it may have inserted one more than the model has
    private boolean insertAndDie(
            LocalCaches caches, long root, NavigableMap<Long, Long> model, int verbs) {
        left.set(Integer.MAX_VALUE);
        PeerFabric peers = caches.joinPeers(DEAD);
        LineCache cache = caches.join(OPTIONS, peers, this::dying);
        LineSession session = cache.open();
        LineTree tree = new LineTree(session, root);
        try {
            session.free(session.allocate()); // its area is there before it can die
            left.set(verbs);
            for (long key = 205; key < 300; key += 10) {
                insert(tree, model, key);
            }
            left.set(Integer.MAX_VALUE);
            session.close();
            cache.close();
            return false;
        } catch (FabricException e) {
            peers.close();
            return true;
        }
    }

    private Fabric dying(Fabric fabric) {
        return new ForwardingFabric(fabric) {
            @Override
            public QueuePair connect(List<Region> regions) {
                return new ForwardingQueuePair(actual.connect(regions)) {
                    private void live() {
                        if (left.getAndDecrement() <= 0) {
                            left.set(0);
                            throw new FabricException(FabricException.Kind.FENCED, "it is dead");
                        }
                    }

                    @Override
                    protected long postRead(long address, int bytes) {
                        live();
                        return super.postRead(address, bytes);
                    }

                    @Override
                    protected void postWrite(long address, long source, int bytes) {
                        live();
                        super.postWrite(address, source, bytes);
                    }

                    @Override
                    protected long postCompareAndSwap(long address, long expected, long desired) {
                        live();
                        return super.postCompareAndSwap(address, expected, desired);
                    }

                    @Override
                    protected long postFetchAndAdd(long address, long delta) {
                        live();
                        return super.postFetchAndAdd(address, delta);
                    }
                };
            }
        };
    }
}
