package org.namdb.mvcc.tree;

import java.util.Arrays;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.ViewScope;
import org.namdb.mvcc.owner.DeadSlots;
import org.namdb.mvcc.owner.LatchKind;
import org.namdb.mvcc.owner.LatchOwner;

/// Puts an inner node together again from its children, whose level is repaired already; a part of
/// [TreeRepair].
///
/// While it holds the node's latch, no child of the node can die, as that takes the parent's latch.
/// So it may wait for writers of children: they hold a latch for their change, and wait for none
/// meanwhile.
final class InnerRepair {
    private final QueuePair queuePair;
    private final NodeLayout layout;
    private final LatchOwner owner;
    private final DeadSlots dead;
    private final NodeView child;
    private final EntryBuffer entries;
    private final NodeFrame frame;
    private final long[] low;
    private final long[] high;
    private final long[] key;
    private long childNext;

    /// The children that the node points to, and what stands behind them, which may be some whose
    /// count was not written.
    private final long[] pointers;

    private final boolean[] met;
    private int count;
    private boolean isLast;

    /// The separators beside the pointers: behind the count, a pointer counts only if its separator
    /// is the child's low fence.
    private final long[][] separators;

    InnerRepair(QueuePair queuePair, NodeLayout layout, LatchOwner owner, DeadSlots dead) {
        this.queuePair = queuePair;
        this.layout = layout;
        this.owner = owner;
        this.dead = dead;
        this.child = new NodeView(queuePair, layout);
        this.entries = new EntryBuffer(queuePair, layout);
        this.frame = new NodeFrame(queuePair, layout);
        this.low = new long[layout.keyWords()];
        this.high = new long[layout.keyWords()];
        this.key = new long[layout.keyWords()];
        this.separators = new long[layout.capacity(1)][layout.keyWords()];
        this.pointers = new long[layout.capacity(1)];
        this.met = new boolean[layout.capacity(1)];
    }

    /// Posts what makes `node` whole and unlatches it.
    ///
    /// @param node as it was read; this thread holds its latch
    /// @param leftmost the first node of the level below
    void repair(NodeView node, long leftmost) {
        long address = node.address();
        long header = node.header();
        int level = node.level();
        long right = node.rightSibling();
        isLast = right == RemoteAddress.NULL;
        takePointers(node);
        node.copyLowFence(low);
        node.copyHighFence(high);
        boolean shrinks = !isLast && takeLowFence(right);
        if (!collectChildren(pointers[0], level - 1) && !collectChildren(leftmost, level - 1)) {
            throw new IllegalStateException(
                    "no child of " + RemoteAddress.describe(address) + " begins where it does");
        }
        buryUnmet();
        if (shrinks) {
            frame.putRightSibling(right);
            frame.putHighFence(high);
            frame.writeLink(address);
        }
        entries.write(0, entries.count(), address, level, 0);
        queuePair.writeWord(address, NodeHeader.changed(header, entries.count(), 0));
    }

    private void takePointers(NodeView node) {
        count = node.count();
        Arrays.fill(met, false);
        for (int i = 0; i < pointers.length; i++) {
            pointers[i] = node.child(i);
            layout.copyKey(node.keyAt(i), separators[i]);
        }
    }

    /// Where a share was cut off, the ranges of the node and of its right sibling overlap, and both
    /// have the children: the node ends where its sibling begins. No other operation leaves them
    /// so.
    ///
    /// @return whether the high fence is another one than before
    private boolean takeLowFence(long right) {
        try (ViewScope _ = queuePair.openViews()) {
            long view = queuePair.read(right + layout.lowFence(), layout.keyBytes());
            queuePair.await();
            layout.copyKey(view, key);
        }
        boolean shrinks = Arrays.compareUnsigned(key, high) < 0;
        if (shrinks) {
            System.arraycopy(key, 0, high, 0, key.length);
        }
        return shrinks;
    }

    /// Goes to the right from `start`, and collects the nodes in the range that are pointed to, and
    /// that at the low fence, whether it is or not.
    ///
    /// @return false if it has met a dead node, or none at the low fence
    private boolean collectChildren(long start, int level) {
        entries.clear();
        long at = start;
        while (at != RemoteAddress.NULL && entries.count() < layout.capacity(1)) {
            if (!readStable(at, level)) {
                return false;
            }
            if (!isLast && Arrays.compareUnsigned(key, high) >= 0) {
                break;
            }
            int order = Arrays.compareUnsigned(key, low);
            boolean isPointedTo = isPointedTo(at);
            if (order == 0 || order > 0 && entries.count() > 0 && isPointedTo) {
                entries.append(key, at);
            }
            at = childNext;
        }
        return entries.count() > 0;
    }

    /// Reads low fence and right sibling of a child, to [#key] and [#childNext].
    ///
    /// @return false if it is dead, or of another level
    private boolean readStable(long at, int level) {
        owner.startWait();
        while (true) {
            long header;
            try (ViewScope _ = queuePair.openViews()) {
                child.read(at);
                header = child.header();
                if (NodeHeader.isOpenAt(header, level)) {
                    child.copyLowFence(key);
                    childNext = child.rightSibling();
                    if (child.isUnchanged()) {
                        return true;
                    }
                }
            }
            if (!NodeHeader.isLatched(header) && !NodeHeader.isOpenAt(header, level)) {
                return false;
            }
            owner.pause(
                    LatchKind.TREE_NODE,
                    at,
                    NodeHeader.isLatched(header) ? NodeHeader.holder(header) : LatchOwner.UNKNOWN);
        }
    }

    private boolean isPointedTo(long at) {
        for (int i = 0; i < count; i++) {
            if (pointers[i] == at) {
                met[i] = true;
                return true;
            }
        }
        for (int i = count; i < pointers.length; i++) {
            if (pointers[i] == at && Arrays.equals(separators[i], key)) {
                return true;
            }
        }
        return false;
    }

    /// What the node pointed to and is still latched by a dead slot, though its level is repaired,
    /// was merged away. It dies, so that a session with an old pointer to it does not wait.
    private void buryUnmet() {
        for (int i = 0; i < count; i++) {
            if (!met[i] && pointers[i] != RemoteAddress.NULL) { // a split leaves none there
                long header = queuePair.readWord(pointers[i]);
                if (NodeHeader.isLatched(header) && dead.contains(NodeHeader.holder(header))) {
                    long _ = queuePair.casWord(pointers[i], header, NodeHeader.dead(header));
                }
            }
        }
    }
}
