package org.namdb.mvcc.tree;

import org.jspecify.annotations.Nullable;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.owner.LatchOwner;

/// Takes nodes out that are no longer needed: it moves what a node B holds into its left neighbour
/// A, of the same parent, and B dies. All three are latched, so to all others it is one step:
/// ```
///   parent  | .. a b c .. |      | .. a c .. |
///                v v v       ->       v v
///   nodes        A>B>C               AB>C            B is dead
/// ```
/// It is optional work. All latches are tried at once, and it does not wait while holding one: if a
/// CAS fails, because another session inserts into B, splits A or changes the parent meanwhile, the
/// others are released and nothing has changed. What can meet it:
/// - a split of A, whose new node is not in the parent yet: then A's right sibling is not B, and
///   the merge is given up;
/// - a session with a pointer to B, from the parent or from A as they were, finds it dead, or, as
///   another node of the tree, checks it as in any descent ([Descent]); the way from the root leads
///   to A;
/// - an ascending scan that has copied A as it was goes on at A's old high fence, and finds that in
///   A now; a descending one that has copied B goes on below B's low fence, in A. A scan that has
///   copied A as it is now does not see B's part again, as it goes on at A's new high fence;
/// - the parent is split before: it changed, so the CAS of its latch fails; after: no effect.
///
/// The leftmost node of a level is never a B, so it never dies, and a root that is no longer the
/// top is always a good place to begin.
///
/// Where a [LeafDirectory] takes the place of inner nodes, the pair is latched alone, and the
/// separator removed when B is dead.
///
/// A parent that has no second child takes one, or all, from a neighbour first. So an index used as
/// a queue (inserts at one end, deletes at the other) stays as small as what is in it.
final class NodeMerge {
    private final QueuePair queuePair;
    private final LatchOwner owner;
    private final NodeLayout layout;
    private final Descent descent;
    private final FreeNodes freeNodes;
    private final NodeView left;
    private final NodeView right;
    private final EntryBuffer entries;
    private final EntryBuffer parentEntries;
    private final NodeFrame frame;
    private final long[] separator;

    /// In place of parents; null if there are inner nodes.
    private final @Nullable LeafDirectory directory;

    private final @Nullable LeafSearch search;
    private final long[] pair = new long[2];
    private final long[] smallestKey;
    private int rightIndex;

    NodeMerge(
            QueuePair queuePair,
            NodeLayout layout,
            Descent descent,
            FreeNodes freeNodes,
            LatchOwner owner) {
        this.queuePair = queuePair;
        this.owner = owner;
        this.layout = layout;
        this.descent = descent;
        this.freeNodes = freeNodes;
        this.left = new NodeView(queuePair, layout);
        this.right = new NodeView(queuePair, layout);
        this.entries = new EntryBuffer(queuePair, layout);
        this.parentEntries = new EntryBuffer(queuePair, layout);
        this.frame = new NodeFrame(queuePair, layout);
        this.separator = new long[layout.keyWords()];
        this.smallestKey = new long[layout.keyWords()];
        this.directory = descent.directory();
        this.search = directory == null ? null : directory.search();
    }

    /// Merges the node of `level` in whose range `key` is with its left neighbour, or, if it is its
    /// parent's first child, its right one with it. Inner nodes are merged if one can hold both;
    /// leaves, which are to keep free space, if one is empty, or both fill half a leaf.
    ///
    /// @return the merged node's live entries; -1 if it was not possible or not now
    int merge(long[] key, int level) {
        if (search == null ? !choosePair(key, level) : !choosePair(key, search)) {
            return -1;
        }
        int live = left.liveCount() + right.liveCount();
        boolean empty = live == left.liveCount() || live == right.liveCount();
        int most = level > 0 || empty ? layout.capacity(level) : layout.capacity(0) / 2;
        if (live > most || !latchAll()) {
            return -1;
        }
        if (level == 0) {
            mergeLeaves();
        } else {
            mergeInner();
        }
        if (directory == null) {
            removeSeparator();
        }
        long dead = NodeHeader.dead(right.header());
        right.postHeader(dead);
        queuePair.await();
        freeNodes.give(right.address(), dead);
        if (directory != null) {
            directory.remove(separator, right.address());
        }
        return live;
    }

    /// Finds the parent of the node of `level` that has `key` in its range, and reads the pair.
    private boolean choosePair(long[] key, int level) {
        if (level >= descent.rootLevel() && !descent.refreshRoot()) {
            return false;
        }
        NodeView parent = descent.node();
        descent.seekAgain(key, level + 1);
        if (parent.count() == 1) {
            if (!widen(key, level + 1)) {
                return false;
            }
            descent.seekAgain(key, level + 1);
        }
        if (parent.count() < 2) {
            return false;
        }
        rightIndex = Math.max(parent.childIndex(key), 1);
        long leftNode = parent.child(rightIndex - 1);
        long rightNode = parent.child(rightIndex);
        layout.copyKey(parent.keyAt(rightIndex), separator);
        return parent.isUnchanged() && readPair(leftNode, rightNode, level);
    }

    /// Finds the leaf that has `key` in its range, and the one before it, or behind the leftmost
    /// one; reads them.
    private boolean choosePair(long[] key, LeafSearch by) {
        by.start(key, smallestKey, false, 2);
        boolean hasLeft = by.take(descent.root(), pair) > 1;
        long leftLeaf = pair[hasLeft ? 1 : 0];
        long rightLeaf =
                hasLeft ? pair[0] : queuePair.readWord(leftLeaf + NodeLayout.RIGHT_SIBLING);
        return rightLeaf != RemoteAddress.NULL && readPair(leftLeaf, rightLeaf, 0);
    }

    private boolean readPair(long leftNode, long rightNode, int level) {
        left.post(leftNode);
        right.post(rightNode);
        queuePair.await();
        left.land();
        right.land();
        if (directory != null) {
            right.copyLowFence(separator);
        }
        return NodeHeader.isOpenAt(left.header(), level)
                && NodeHeader.isOpenAt(right.header(), level)
                && left.rightSibling() == rightNode
                && right.isLowFence(separator)
                && left.isUnchanged()
                && right.isUnchanged();
    }

    /// Latches the parent, if there is one, and the pair as they were read, or none of them.
    private boolean latchAll() {
        NodeView parent = directory == null ? descent.node() : null;
        if (parent != null) {
            parent.postLatch(owner.slot());
        }
        left.postLatch(owner.slot());
        right.postLatch(owner.slot());
        queuePair.await();
        if ((parent == null || parent.isLatchWon()) && left.isLatchWon() && right.isLatchWon()) {
            return true;
        }
        if (parent != null) {
            freeUnused(parent);
        }
        freeUnused(left);
        freeUnused(right);
        queuePair.await();
        return false;
    }

    /// Unlatches a node that has not been changed, so that its version stays.
    private static void freeUnused(NodeView node) {
        if (node.isLatchWon()) {
            node.postHeader(node.header());
        }
    }

    /// Before the left leaf gets the right one's range, it has its entries and their count, all on
    /// one server and so in this order: should this process die in between, the entries are in one
    /// of them.
    private void mergeLeaves() {
        frame.putLink(right);
        if (right.liveCount() == 0) {
            frame.writeLink(left.address());
            left.postHeader(
                    NodeHeader.changed(
                            left.header(), left.count(), NodeHeader.runEnd(left.header())));
            return;
        }
        entries.clear();
        entries.appendLive(left, 0, left.count());
        entries.appendLive(right, 0, right.count());
        entries.write(0, entries.count(), left.address(), 0, 0);
        left.postHeader(NodeHeader.latch(left.header(), entries.count(), owner.slot()));
        frame.writeNoneDeleted(left.address());
        frame.writeLink(left.address());
        left.postHeader(
                NodeHeader.changed(left.header(), entries.count(), runEndMerged(entries.count())));
    }

    /// Where the right leaf's run goes on, if that was at its end.
    private int runEndMerged(int count) {
        return NodeHeader.runEnd(right.header()) == right.count() ? count : 0;
    }

    private void mergeInner() {
        entries.clear();
        entries.append(right, 0, right.count());
        entries.write(0, entries.count(), left.address(), left.level(), left.count());
        int count = left.count() + right.count();
        left.postHeader(NodeHeader.latch(left.header(), count, owner.slot()));
        frame.putLink(right);
        frame.writeLink(left.address());
        left.postHeader(NodeHeader.changed(left.header(), count, runEndMerged(count)));
    }

    private void removeSeparator() {
        NodeView parent = descent.node();
        int count = parent.count();
        parentEntries.clear();
        parentEntries.append(parent, rightIndex + 1, count);
        parentEntries.write(0, parentEntries.count(), parent.address(), parent.level(), rightIndex);
        int runEnd = NodeHeader.runEnd(parent.header());
        parent.postHeader(
                NodeHeader.changed(
                        parent.header(), count - 1, runEnd > rightIndex ? runEnd - 1 : runEnd));
    }

    /// Gives the inner node of `level` that has `key` in its range, and only one child, more of
    /// them: it merges with a neighbour, or they share what they have.
    private boolean widen(long[] key, int level) {
        if (merge(key, level) >= 0) {
            return true;
        }
        if (!choosePair(key, level)
                || left.count() + right.count() <= layout.capacity(level)
                || !latchAll()) {
            return false;
        }
        share();
        return true;
    }

    /// Divides the children of the latched pair evenly: the range of one grows, that of the other
    /// shrinks. First the one grows, then the other shrinks, then the parent is changed, and all
    /// are unlatched. So the ranges overlap for a while, but should this process die, every key is
    /// in one of them, and the parent leads no descent past its leaf.
    private void share() {
        NodeView parent = descent.node();
        entries.clear();
        entries.append(left, 0, left.count());
        entries.append(right, 0, right.count());
        int total = entries.count();
        int keep = total / 2;
        entries.copyKey(keep, separator);
        frame.putRightSibling(right.address());
        frame.putHighFence(separator);
        frame.putLowFence(separator);
        if (keep > left.count()) {
            growLeft(keep);
            queuePair.await();
            frame.writeLowFence(right.address());
            writeRight(keep, total);
        } else {
            writeRight(keep, total);
            frame.writeLowFence(right.address());
            queuePair.await();
            frame.writeLink(left.address());
        }
        queuePair.await();
        parentEntries.clear();
        parentEntries.append(separator, right.address());
        parentEntries.write(0, 1, parent.address(), parent.level(), rightIndex);
        parent.postHeader(
                NodeHeader.changed(
                        parent.header(), parent.count(), NodeHeader.runEnd(parent.header())));
        left.postHeader(NodeHeader.changed(left.header(), keep, 0));
        right.postHeader(NodeHeader.changed(right.header(), total - keep, 0));
        queuePair.await();
    }

    private void growLeft(int keep) {
        entries.write(left.count(), keep, left.address(), left.level(), left.count());
        left.postHeader(NodeHeader.latch(left.header(), keep, owner.slot()));
        frame.writeLink(left.address());
    }

    private void writeRight(int keep, int total) {
        entries.write(keep, total, right.address(), right.level(), 0);
        right.postHeader(NodeHeader.latch(right.header(), total - keep, owner.slot()));
    }
}
