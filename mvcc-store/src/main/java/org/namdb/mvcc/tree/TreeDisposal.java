package org.namdb.mvcc.tree;

import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.RemoteAllocator;

/// Frees all of a dropped tree: its nodes, level by level, the dead ones on its stack, and the
/// anchor. No session uses the tree any more, and its clients have [discarded][TreeClient#discard]
/// theirs.
public final class TreeDisposal {
    private TreeDisposal() {}

    /// Gives the tree's memory to `allocator`.
    public static void dispose(QueuePair queuePair, RemoteAllocator allocator, BLinkTree tree) {
        for (long first : TreeLevels.leftmost(queuePair, tree)) {
            freeAll(queuePair, allocator, tree, first);
        }
        long stack = queuePair.readWord(tree.anchor() + FreeNodes.HEAD);
        freeAll(queuePair, allocator, tree, stack);
        allocator.free(tree.anchor(), BLinkTree.ANCHOR_BYTES);
    }

    /// Frees the nodes from `first` on, along their links to the right: a level, or the stack of
    /// dead nodes.
    private static void freeAll(
            QueuePair queuePair, RemoteAllocator allocator, BLinkTree tree, long first) {
        long node = first;
        while (node != RemoteAddress.NULL) {
            long next = queuePair.readWord(node + NodeLayout.RIGHT_SIBLING);
            allocator.free(node, tree.layout().nodeBytes());
            node = next;
        }
    }
}
