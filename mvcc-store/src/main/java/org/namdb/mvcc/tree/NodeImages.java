package org.namdb.mvcc.tree;

import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;

/// Whole nodes that are put together in local memory, to be written. A WRITE reads them until the
/// await.
final class NodeImages {
    private final QueuePair queuePair;
    private final NodeLayout layout;
    private final int count;
    private final long memory;

    /// @param count how many nodes there are at a time
    NodeImages(QueuePair queuePair, NodeLayout layout, int count) {
        this.queuePair = queuePair;
        this.layout = layout;
        this.count = count;
        this.memory = queuePair.localMemory((long) count * layout.nodeBytes());
    }

    int count() {
        return count;
    }

    /// The native address of an image.
    long at(int image) {
        return memory + (long) image * layout.nodeBytes();
    }

    /// Makes an image that of a node without entries and fences. Behind its entries, a leaf is
    /// zero: what its memory held before is never mistaken for one ([TreeRepair]).
    void clear(int image) {
        LocalMemory.zero(at(image), layout.nodeBytes());
    }

    /// Where the key of an entry is.
    long keyAt(int image, int level, int index) {
        return at(image) + layout.keys(level) + (long) index * layout.keyBytes();
    }

    void putChild(int image, int index, long child) {
        LocalMemory.putLong(at(image) + layout.children() + 8L * index, child);
    }

    /// The smallest key of a node's range is that of its first entry, and where the range of the
    /// one before it ends.
    void divide(int left, int level) {
        long separator = keyAt(left + 1, level, 0);
        LocalMemory.copy(separator, at(left + 1) + layout.lowFence(), layout.keyBytes());
        LocalMemory.copy(separator, at(left) + NodeLayout.HIGH_FENCE, layout.keyBytes());
    }

    void putLowFence(int image, long[] key) {
        layout.putKey(at(image) + layout.lowFence(), key);
    }

    void copyLowFence(int image, long[] key) {
        layout.copyKey(at(image) + layout.lowFence(), key);
    }

    void putRightSibling(int image, long right) {
        LocalMemory.putLong(at(image) + NodeLayout.RIGHT_SIBLING, right);
    }

    /// Takes right sibling and high fence from a node.
    void putLink(int image, NodeView node) {
        LocalMemory.copy(node.link(), at(image) + NodeLayout.RIGHT_SIBLING, 8 + layout.keyBytes());
    }

    /// Sets the header that the node will have, unlatched.
    void putHeader(int image, long header) {
        LocalMemory.putLong(at(image) + NodeLayout.HEADER, header);
    }

    long header(int image) {
        return LocalMemory.longAt(at(image) + NodeLayout.HEADER);
    }

    /// Posts the WRITE of all but the header.
    void postBody(int image, long node) {
        queuePair.write(
                node + NodeLayout.RIGHT_SIBLING,
                at(image) + NodeLayout.RIGHT_SIBLING,
                layout.nodeBytes() - NodeLayout.RIGHT_SIBLING);
    }
}
