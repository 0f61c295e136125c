package org.namdb.mvcc.tree;

import java.util.List;
import org.namdb.fabric.QueuePair;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.coarse.CoarseIndex;
import org.namdb.mvcc.coarse.HashPartitions;
import org.namdb.mvcc.index.OrderedIndex;
import org.namdb.mvcc.owner.LatchOwner;

/// How the entries of an ordered index are distributed over memory servers.
enum Distribution {
    FINE,
    COARSE,
    HYBRID;

    /// The trees of an empty index.
    List<BLinkTree> create(
            QueuePair queuePair,
            RemoteAllocator allocator,
            NodeLayout layout,
            List<Integer> servers) {
        return switch (this) {
            case FINE -> List.of(tree(queuePair, allocator, layout, servers));
            case COARSE ->
                    servers.stream()
                            .map(server -> tree(queuePair, allocator, layout, List.of(server)))
                            .toList();
            case HYBRID -> {
                NodeLayout separators = new NodeLayout(layout.keyWords() + 1, layout.nodeBytes());
                yield List.of(
                        tree(queuePair, allocator, layout, servers),
                        tree(queuePair, allocator, separators, List.of(servers.getLast())));
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
            case COARSE -> coarse(trees, queuePair, allocator, owner);
            case HYBRID ->
                    new TreeClient(
                            queuePair,
                            allocator,
                            trees.getFirst(),
                            owner,
                            coarse(List.of(trees.getLast()), queuePair, allocator, owner));
        };
    }

    private static OrderedIndex coarse(
            List<BLinkTree> trees,
            QueuePair queuePair,
            RemoteAllocator allocator,
            LatchOwner owner) {
        return new CoarseIndex(queuePair, allocator, new HashPartitions(trees), owner);
    }
}
