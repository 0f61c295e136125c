package org.namdb.mvcc.tree;

import org.jspecify.annotations.Nullable;
import org.namdb.fabric.RemoteAddress;

/// Copies of the inner nodes that a client has come through, so that most of its ways begin at a
/// leaf. Each is a state that the node once had; what it leads to is checked like every arrival
/// ([Descent]), and a copy that has led astray is forgotten:
/// ```
/// copy of P   | .. a c .. |        P   | .. a b c .. |      a way to b arrives at A, moves to B,
///                  v v                      v v v           and forgets the copy
/// leaves           A>C                      A>B>C
/// ```
/// That does no harm however old a copy is, because memory that was a node of a tree never becomes
/// anything but a node of the same tree ([FreeNodes]).
///
/// A copy gives way to another one in its place, which the node's address decides. Belongs to one
/// thread.
///
/// Source: tree-index paper, appendix A.4, which leaves open how copies are invalidated.
final class InnerNodes {
    private static final int PLACES = 128;
    private static final long MIX = 0x9e3779b97f4a7c15L;

    private final NodeLayout layout;
    private final int keyWords;
    private final long[] addresses = new long[PLACES];
    private final long[] @Nullable [] copies = new long[PLACES] @Nullable [];

    /// The copy that was found last.
    private long[] found = new long[0];

    InnerNodes(NodeLayout layout) {
        this.layout = layout;
        this.keyWords = layout.keyWords();
    }

    /// Finds the copy of a node of `level` that leads to a key: the key is in the node's range or
    /// further right.
    ///
    /// @return whether there is one
    boolean find(long address, int level, long[] key) {
        int place = place(address);
        long[] copy = copies[place];
        if (copy == null || addresses[place] != address) {
            return false;
        }
        found = copy;
        return NodeHeader.isOpenAt(copy[0], level)
                && compare(layout.lowFence() / Long.BYTES, key) <= 0;
    }

    /// Whether the key is above the range of the node that was found.
    boolean isBeyond(long[] key) {
        return rightSibling() != RemoteAddress.NULL
                && compare(NodeLayout.HIGH_FENCE / Long.BYTES, key) <= 0;
    }

    long rightSibling() {
        return found[NodeLayout.RIGHT_SIBLING / Long.BYTES];
    }

    /// The child of the node that was found, of which the key is in the range, as it was.
    long child(long[] key) {
        int keys = layout.keys(1) / Long.BYTES;
        int low = 0;
        int high = NodeHeader.count(found[0]);
        while (high - low > 1) {
            int middle = (low + high) >>> 1;
            if (compare(keys + middle * keyWords, key) <= 0) {
                low = middle;
            } else {
                high = middle;
            }
        }
        return found[layout.children() / Long.BYTES + low];
    }

    /// Keeps a copy of a node as it was read, if it has not changed since.
    void keep(NodeView node) {
        int place = place(node.address());
        long[] copy = copies[place];
        if (copy == null) {
            copy = new long[layout.nodeBytes() / Long.BYTES];
            copies[place] = copy;
        }
        addresses[place] = node.address();
        node.copyTo(copy);
        if (!node.isUnchanged()) {
            addresses[place] = RemoteAddress.NULL;
        }
    }

    void forget(long address) {
        int place = place(address);
        if (addresses[place] == address) {
            addresses[place] = RemoteAddress.NULL;
        }
    }

    private static int place(long address) {
        return (int) ((address * MIX) >>> 57);
    }

    /// Compares a key of the copy that was found with another one.
    private int compare(int at, long[] key) {
        for (int word = 0; word < keyWords; word++) {
            int order = Long.compareUnsigned(found[at + word], key[word]);
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }
}
