package org.namdb.mvcc.tree;

import java.util.function.LongConsumer;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;

/// Finds the latched nodes of a tree that no session changes: for checks that no latch was left
/// behind.
public final class TreeLatches {
    private TreeLatches() {}

    /// Goes through all nodes.
    ///
    /// @param latched gets the remote address of each that is latched
    public static void find(QueuePair queuePair, BLinkTree tree, LongConsumer latched) {
        for (long leftmost : TreeLevels.leftmost(queuePair, tree)) {
            long node = leftmost;
            while (node != RemoteAddress.NULL) {
                if (NodeHeader.isLatched(queuePair.readWord(node + NodeLayout.HEADER))) {
                    latched.accept(node);
                }
                node = queuePair.readWord(node + NodeLayout.RIGHT_SIBLING);
            }
        }
    }
}
