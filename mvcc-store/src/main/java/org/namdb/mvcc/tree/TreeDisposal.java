package org.namdb.mvcc.tree;

import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.RemoteAllocator;

/// Gives back all of a dropped tree: its nodes, level by level, the dead ones on its stack, and the anchor. Nobody uses the tree any more, and its clients
/// have [discarded][TreeClient#discard] theirs.
public final class TreeDisposal {
    private TreeDisposal() {}

    /// Gives the tree's memory to `allocator`.
    public static void dispose(QueuePair queuePair, RemoteAllocator allocator, BLinkTree tree) {
        Descent descent = new Descent(queuePair, tree);
        long[] lowest = new long[tree.layout().keyWords()];
        long[] leftmost = new long[descent.rootLevel() + 1];
        for (int level = descent.rootLevel(); level >= 0; level--) {
            descent.seek(lowest, level);
            leftmost[level] = descent.node().address();
            descent.end();
        }
        for (long first : leftmost) {
            freeAll(queuePair, allocator, tree, first);
        }
        freeAll(queuePair, allocator, tree, word(queuePair, tree.anchor() + FreeNodes.HEAD));
        allocator.free(tree.anchor(), BLinkTree.ANCHOR_BYTES);
    }

    /// Frees the nodes from `first` on, along their links to the right: a level, or the stack of dead nodes.
    private static void freeAll(
            QueuePair queuePair, RemoteAllocator allocator, BLinkTree tree, long first) {
        long node = first;
        while (node != RemoteAddress.NULL) {
            long next = word(queuePair, node + NodeLayout.RIGHT_SIBLING);
            allocator.free(node, tree.layout().nodeBytes());
            node = next;
        }
    }

    private static long word(QueuePair queuePair, long address) {
        long mark = queuePair.landed();
        long view = queuePair.read(address, Long.BYTES);
        queuePair.await();
        long word = LocalMemory.longAcquire(view);
        queuePair.giveUpViews(mark);
        return word;
    }
}
