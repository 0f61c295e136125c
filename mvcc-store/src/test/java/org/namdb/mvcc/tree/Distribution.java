package org.namdb.mvcc.tree;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.coarse.CoarseIndex;
import org.namdb.mvcc.coarse.Partitions;
import org.namdb.mvcc.index.OrderedIndex;
import org.namdb.mvcc.owner.LatchOwner;

/// How the entries of an ordered index are distributed over memory servers.
enum Distribution {
    FINE,
    COARSE,
    COARSE_BY_RANGE,
    HYBRID,
    HYBRID_BY_RANGE;

    /// Where the second of two ranges begins: among the entries of both tests.
    private static final long[] BOUND = {7, 3000};

    boolean isCoarse() {
        return this == COARSE || this == COARSE_BY_RANGE;
    }

    boolean isHybrid() {
        return this == HYBRID || this == HYBRID_BY_RANGE;
    }

    /// The trees of an empty index.
    List<BLinkTree> create(
            QueuePair queuePair,
            RemoteAllocator allocator,
            NodeLayout layout,
            List<Integer> servers) {
        return switch (this) {
            case FINE -> List.of(tree(queuePair, allocator, layout, servers));
            case COARSE, COARSE_BY_RANGE ->
                    servers.stream()
                            .map(server -> tree(queuePair, allocator, layout, List.of(server)))
                            .toList();
            case HYBRID, HYBRID_BY_RANGE -> {
                NodeLayout separators = new NodeLayout(layout.keyWords() + 1, layout.nodeBytes());
                List<BLinkTree> trees = new ArrayList<>();
                trees.add(tree(queuePair, allocator, layout, servers));
                for (int server : this == HYBRID ? List.of(servers.getLast()) : servers) {
                    trees.add(tree(queuePair, allocator, separators, List.of(server)));
                }
                yield trees;
            }
        };
    }

    private static BLinkTree tree(
            QueuePair queuePair,
            RemoteAllocator allocator,
            NodeLayout layout,
            List<Integer> servers) {
        return BLinkTree.create(queuePair, allocator, servers.getFirst(), layout, servers);
    }

    OrderedIndex open(
            List<BLinkTree> trees,
            QueuePair queuePair,
            RemoteAllocator allocator,
            LatchOwner owner) {
        return switch (this) {
            case FINE -> new TreeClient(queuePair, allocator, trees.getFirst(), owner);
            case COARSE, COARSE_BY_RANGE -> coarse(trees, queuePair, allocator, owner);
            case HYBRID, HYBRID_BY_RANGE ->
                    new TreeClient(
                            queuePair,
                            allocator,
                            trees.getFirst(),
                            owner,
                            coarse(trees.subList(1, trees.size()), queuePair, allocator, owner));
        };
    }

    private OrderedIndex coarse(
            List<BLinkTree> trees,
            QueuePair queuePair,
            RemoteAllocator allocator,
            LatchOwner owner) {
        boolean isByRange = this == COARSE_BY_RANGE || this == HYBRID_BY_RANGE;
        Partitions parts =
                isByRange
                        ? byRange(trees, Arrays.copyOf(BOUND, isHybrid() ? 3 : 2))
                        : Partitions.byHash(trees);
        return new CoarseIndex(queuePair, allocator, parts, owner);
    }

    /// Trees that are divided by ranges.
    ///
    /// @param least the least entries of all but the first one
    static Partitions byRange(List<BLinkTree> trees, long[]... least) {
        double[] shares = new double[trees.size()];
        Arrays.fill(shares, 1.0 / trees.size());
        return Partitions.byRange(trees, List.of(least), shares);
    }
}
