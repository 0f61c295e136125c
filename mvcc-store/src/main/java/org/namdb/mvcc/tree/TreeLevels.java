package org.namdb.mvcc.tree;

import org.namdb.fabric.QueuePair;

/// Where the levels of a tree begin. The leftmost node of a level never dies, and the first child
/// of the leftmost inner node never becomes another one, so this can be read whatever is latched.
final class TreeLevels {
    private TreeLevels() {}

    /// The leftmost node of each level, leaves first.
    static long[] leftmost(QueuePair queuePair, BLinkTree tree) {
        long node = queuePair.readWord(tree.anchor());
        int height = NodeHeader.level(queuePair.readWord(node + NodeLayout.HEADER)) + 1;
        long[] leftmost = new long[height];
        for (int level = height - 1; level > 0; level--) {
            leftmost[level] = node;
            node = queuePair.readWord(node + tree.layout().children());
        }
        leftmost[0] = node;
        return leftmost;
    }
}
