package org.namdb.mvcc.tree;

import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;

/// What surrounds the entries of a node, right sibling, fences and deleted bits, put together in
/// local memory to be written. A WRITE reads it until the await.
final class NodeFrame {
    private final QueuePair queuePair;
    private final NodeLayout layout;
    private final long memory;

    NodeFrame(QueuePair queuePair, NodeLayout layout) {
        this.queuePair = queuePair;
        this.layout = layout;
        memory = queuePair.localMemory(layout.nodeBytes());
    }

    void putRightSibling(long node) {
        LocalMemory.putLong(memory + NodeLayout.RIGHT_SIBLING, node);
    }

    void putHighFence(long[] key) {
        layout.putKey(memory + NodeLayout.HIGH_FENCE, key);
    }

    void putLowFence(long[] key) {
        layout.putKey(memory + layout.lowFence(), key);
    }

    /// Takes right sibling and high fence from a node.
    void putLink(NodeView node) {
        LocalMemory.copy(node.link(), memory + NodeLayout.RIGHT_SIBLING, linkBytes());
    }

    /// Posts the WRITE of all to a new node, with no entry deleted. The entries of a leaf are zero
    /// until they are written: what the memory held before is never mistaken for one
    /// ([TreeRepair]).
    void writeAll(long node, int level) {
        LocalMemory.zero(memory + layout.deleted(), 8L * layout.deletedWords());
        int end = level == 0 ? layout.nodeBytes() : layout.deleted();
        write(node, NodeLayout.RIGHT_SIBLING, end - NodeLayout.RIGHT_SIBLING);
    }

    /// Posts the WRITE of right sibling and high fence.
    void writeLink(long node) {
        write(node, NodeLayout.RIGHT_SIBLING, linkBytes());
    }

    /// Posts the WRITE of the low fence.
    void writeLowFence(long node) {
        write(node, layout.lowFence(), layout.keyBytes());
    }

    /// Posts the WRITE that makes no entry of a leaf deleted.
    void writeNoneDeleted(long leaf) {
        LocalMemory.zero(memory + layout.deleted(), 8L * layout.deletedWords());
        write(leaf, layout.deleted(), 8 * layout.deletedWords());
    }

    /// Posts the WRITE of a leaf's deleted bits with a clear one put in at `index`, if that changes
    /// any.
    void writeDeletedShifted(NodeView leaf, int index) {
        long carry = 0;
        long all = 0;
        for (int word = 0; word < layout.deletedWords(); word++) {
            long bits = leaf.deletedWord(word);
            all |= bits;
            long stay = word < index >>> 6 ? -1L : word > index >>> 6 ? 0 : (1L << index) - 1;
            LocalMemory.putLong(
                    memory + layout.deleted() + 8L * word,
                    stay == -1L ? bits : bits & stay | (bits & ~stay) << 1 | carry);
            carry = stay == -1L ? 0 : bits >>> 63;
        }
        if (all != 0) {
            write(leaf.address(), layout.deleted(), 8 * layout.deletedWords());
        }
    }

    private int linkBytes() {
        return 8 + layout.keyBytes();
    }

    private void write(long node, int offset, int bytes) {
        queuePair.write(node + offset, memory + offset, bytes);
    }
}
