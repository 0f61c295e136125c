package org.namdb.mvcc.tree;

import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;

/// Posts changes of a latched node that is not full, up to the header that unlatches it. Their
/// source buffers are this object's until the await.
final class NodeChange {
    private final QueuePair queuePair;
    private final NodeLayout layout;
    private final EntryBuffer entries;
    private final NodeFrame frame;

    NodeChange(QueuePair queuePair, NodeLayout layout) {
        this.queuePair = queuePair;
        this.layout = layout;
        this.entries = new EntryBuffer(queuePair, layout);
        this.frame = new NodeFrame(queuePair, layout);
    }

    /// Deletes an entry, by its bit.
    static void postDelete(QueuePair queuePair, NodeLayout layout, NodeView leaf, int at) {
        postBits(queuePair, layout, leaf, at >>> 6, leaf.deletedWord(at >>> 6) | 1L << at);
    }

    private static void postBits(
            QueuePair queuePair, NodeLayout layout, NodeView leaf, int word, long bits) {
        queuePair.writeWord(leaf.address() + layout.deleted() + 8L * word, bits);
        leaf.postHeader(
                NodeHeader.changed(leaf.header(), leaf.count(), NodeHeader.runEnd(leaf.header())));
    }

    /// Restores a deleted entry.
    void postUndelete(NodeView leaf, int at) {
        postBits(queuePair, layout, leaf, at >>> 6, leaf.deletedWord(at >>> 6) & ~(1L << at));
    }

    /// Adds entries to a leaf that they fit into, without deleted entries.
    ///
    /// @param added their keys, in order; none of them is there
    void postRun(NodeView leaf, long[][] added, int keys) {
        int first = leaf.lowerBound(added[0]);
        int from = first;
        entries.clear();
        for (int i = 0; i < keys; i++) {
            int at = leaf.lowerBound(added[i]);
            entries.append(leaf, from, at);
            entries.append(added[i], RemoteAddress.NULL);
            from = at;
        }
        int runEnd = first + entries.count();
        entries.append(leaf, from, leaf.count());
        entries.write(0, entries.count(), leaf.address(), 0, first);
        leaf.postHeader(NodeHeader.changed(leaf.header(), leaf.count() + keys, runEnd));
    }

    /// Adds an entry to a node that is not full: the entries behind it move up by one.
    void postEntry(NodeView node, int at, long[] key, long child) {
        int count = node.count();
        int level = node.level();
        entries.clear();
        entries.append(key, child);
        entries.append(node, at, count);
        entries.write(0, entries.count(), node.address(), level, at);
        if (level == 0) {
            frame.writeDeletedShifted(node, at);
        }
        node.postHeader(NodeHeader.changed(node.header(), count + 1, at + 1));
    }
}
