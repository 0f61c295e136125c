package org.namdb.mvcc.tree;

import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;

/// Entries that are put together in local memory, to be written to nodes of one level. A WRITE
/// reads them until the await.
final class EntryBuffer {
    private final QueuePair queuePair;
    private final NodeLayout layout;
    private final long keys;
    private final long children;
    private int count;

    EntryBuffer(QueuePair queuePair, NodeLayout layout) {
        this.queuePair = queuePair;
        this.layout = layout;
        int most = 2 * Math.max(layout.capacity(0), layout.capacity(1));
        keys = queuePair.localMemory((long) most * layout.keyBytes());
        children = queuePair.localMemory(8L * most);
    }

    void clear() {
        count = 0;
    }

    int count() {
        return count;
    }

    void append(long[] key, long child) {
        layout.putKey(keyAt(count), key);
        LocalMemory.putLong(children + 8L * count, child);
        count++;
    }

    /// Appends the entries from index `from` up to `to`, exclusive, deleted ones too.
    void append(NodeView node, int from, int to) {
        int length = to - from;
        if (length > 0) {
            LocalMemory.copy(node.keyAt(from), keyAt(count), (long) length * layout.keyBytes());
            if (node.level() > 0) {
                LocalMemory.copy(node.childAt(from), children + 8L * count, 8L * length);
            }
            count += length;
        }
    }

    /// Appends the entries of a leaf from index `from` up to `to`, exclusive, that are not deleted.
    void appendLive(NodeView leaf, int from, int to) {
        for (int index = from; index < to; index++) {
            if (!leaf.isDeleted(index)) {
                append(leaf, index, index + 1);
            }
        }
    }

    /// Copies a key out.
    void copyKey(int index, long[] key) {
        layout.copyKey(keyAt(index), key);
    }

    /// Posts the WRITEs of the entries from index `from` up to `to`, exclusive, to a node of
    /// `level`, as its entries from `target` on.
    void write(int from, int to, long node, int level, int target) {
        int length = to - from;
        if (length > 0) {
            queuePair.write(
                    node + layout.keys(level) + (long) target * layout.keyBytes(),
                    keyAt(from),
                    length * layout.keyBytes());
            if (level > 0) {
                queuePair.write(
                        node + layout.children() + 8L * target, children + 8L * from, 8 * length);
            }
        }
    }

    private long keyAt(int index) {
        return keys + (long) index * layout.keyBytes();
    }
}
