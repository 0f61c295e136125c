package org.namdb.mvcc.tree;

import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.mvcc.owner.LatchTimeoutException;

/// Puts entries into nodes, and splits those that are full. While it holds a latch it waits for no
/// other, so there is no deadlock.
///
/// A split of A, which is full, with the new key n:
/// ```
///   parent   | .. a c ..  |      | .. a c ..  |      | .. a c ..  |      | .. a n c ..|
///                v v      1          v v      2          v v      3          v v v
///   leaves       A>C      ->     [B>]A>C      ->         A>B>C    ->         A>B>C
/// ```
/// 1. B is written with the upper entries, latched; there is no pointer to it, or, if its memory
///    was a node before, only an old one, that finds it dead or latched until it is linked.
/// 2. A, latched since before, gets B as its right sibling and a lower high fence, and is
///   unlatched. Then B is; not in the same batch, as on another server that could come first, and
///   if this process died there, an old pointer would lead into a B that nothing else leads to.
///   From here on the set has the key; a reader of A that looks for a key of B moves right.
/// 3. The parent gets the separator, in the same way, after a descent to the parent's level.
///
/// Between 2 and 3, B can be read, written and split, but it can not die, because only children of
/// a parent do ([NodeMerge]). So 3 never adds a dead child. A can: then its left neighbour leads to
/// B.
final class NodeInsertion {
    private final QueuePair queuePair;
    private final LatchOwner owner;
    private final BLinkTree tree;
    private final NodeLayout layout;
    private final Descent descent;
    private final FreeNodes freeNodes;
    private final NodeChange spare;
    private final EntryBuffer entries;
    private final NodeFrame frame;
    private final long[] separator;
    private final long[] smallestKey;

    NodeInsertion(
            QueuePair queuePair,
            BLinkTree tree,
            Descent descent,
            FreeNodes freeNodes,
            LatchOwner owner) {
        this.queuePair = queuePair;
        this.owner = owner;
        this.tree = tree;
        this.layout = tree.layout();
        this.descent = descent;
        this.freeNodes = freeNodes;
        this.spare = new NodeChange(queuePair, layout);
        this.entries = new EntryBuffer(queuePair, layout);
        this.frame = new NodeFrame(queuePair, layout);
        this.separator = new long[layout.keyWords()];
        this.smallestKey = new long[layout.keyWords()];
    }

    /// How many nodes an insert takes at most: one for every level, and a new root; or a leaf, if
    /// there are no inner nodes.
    int worstCaseNodes() {
        return descent.directory() == null ? descent.rootLevel() + 2 : 1;
    }

    /// Inserts `key` if it is not there.
    ///
    /// @return whether it was not there, or deleted
    boolean insert(long[] key) {
        descent.seek(key, 0);
        NodeView leaf = descent.node();
        while (true) {
            int at = leaf.lowerBound(key);
            boolean present = leaf.isKeyAt(at, key);
            boolean live = present && !leaf.isDeleted(at);
            boolean splits = !present && leaf.isFull() && leaf.liveCount() == leaf.count();
            if (leaf.isUnchanged()) {
                if (live) {
                    return false;
                }
                if (splits) {
                    // Before anything has changed: this may throw.
                    freeNodes.ensure(worstCaseNodes());
                }
                if (leaf.latch(owner.slot())) {
                    change(leaf, key, at, present, splits);
                    return true;
                }
            }
            descent.seekAgain(key, 0);
        }
    }

    private void change(NodeView leaf, long[] key, int at, boolean present, boolean splits) {
        if (present) {
            spare.postUndelete(leaf, at);
            queuePair.await();
        } else if (splits) {
            long right = split(leaf, at, key, RemoteAddress.NULL);
            descent.finishUncancelled();
            try {
                addSeparators(0, right);
            } catch (LatchTimeoutException e) {
                // The entry is in the set; without its separator, the new node is found by a move
                // to the right.
            }
            queuePair.await();
        } else if (leaf.isFull()) {
            compactWith(leaf, at, key);
        } else {
            spare.postEntry(leaf, at, key, RemoteAddress.NULL);
            queuePair.await();
        }
    }

    /// Adds an entry to a latched leaf that is full, but has deleted entries: they go.
    private void compactWith(NodeView leaf, int at, long[] key) {
        entries.clear();
        entries.appendLive(leaf, 0, at);
        int index = entries.count();
        entries.append(key, RemoteAddress.NULL);
        entries.appendLive(leaf, at, leaf.count());
        entries.write(0, entries.count(), leaf.address(), 0, 0);
        frame.writeNoneDeleted(leaf.address());
        leaf.postHeader(NodeHeader.changed(leaf.header(), entries.count(), index + 1));
        queuePair.await();
    }

    /// Splits a latched node that is full, adds an entry to one of the halves, and unlatches the
    /// left one; that the right one is unlatched is posted. The separator is in [#separator].
    ///
    /// @return the new right node
    private long split(NodeView node, int at, long[] key, long child) {
        int count = node.count();
        int level = node.level();
        entries.clear();
        entries.append(node, 0, at);
        entries.append(key, child);
        entries.append(node, at, count);
        int keep = splitPoint(node, at);
        entries.copyKey(keep, separator);

        long right = freeNodes.take();
        int rightRunEnd = at >= keep ? at - keep + 1 : 0;
        int rightCount = count + 1 - keep;
        long rightHeader =
                NodeHeader.renewed(freeNodes.takenHeader(), level, rightCount, rightRunEnd);
        frame.putLink(node);
        frame.putLowFence(separator);
        writeLatched(right, rightHeader, keep);

        frame.putRightSibling(right);
        frame.putHighFence(separator);
        frame.writeLink(node.address());
        entries.write(at, keep, node.address(), level, at);
        int runEnd = at < keep ? at + 1 : 0;
        node.postHeader(NodeHeader.changed(node.header(), keep, runEnd));
        queuePair.await();
        queuePair.writeWord(right, rightHeader); // with the first READ of what comes next
        return right;
    }

    /// How many of the entries, with the one that is added at `at`, stay on the left. Where an
    /// ascending run of keys is growing, the left node ends with the run and so stays as full as it
    /// is; the run goes on there or, if it filled the node, on the right. Else it is half of them.
    private static int splitPoint(NodeView node, int at) {
        int count = node.count();
        boolean last = at == count;
        boolean run =
                at == NodeHeader.runEnd(node.header())
                        || last && node.rightSibling() == RemoteAddress.NULL;
        return run ? last ? count : at + 1 : (count + 1) / 2;
    }

    /// Adds the separator of a node that a run has split off, of which nothing is latched any more.
    ///
    /// @param level the parent's
    /// @param key the node's low fence
    void addSeparatorAlone(int level, long[] key, long right) {
        System.arraycopy(key, 0, separator, 0, separator.length);
        descent.open(key);
        addSeparators(level - 1, right);
        descent.end();
    }

    /// Adds the separator of a split, to the parent level and as far up as that splits in turn.
    private void addSeparators(int splitLevel, long splitRight) {
        LeafDirectory directory = descent.directory();
        if (directory != null) {
            directory.add(separator, splitRight);
            return;
        }
        int level = splitLevel;
        long right = splitRight;
        while (right != RemoteAddress.NULL) {
            if (level < descent.rootLevel()) {
                right = addSeparator(level + 1, right);
                level++;
            } else if (!descent.refreshRoot() && growRoot(right)) {
                right = RemoteAddress.NULL;
            }
        }
    }

    /// Adds the separator and its child to the node of `level` that it belongs to.
    ///
    /// @return the new node if this one was split; else null
    private long addSeparator(int level, long child) {
        descent.seekAgain(separator, level);
        NodeView parent = descent.node();
        while (true) {
            int at = parent.lowerBound(separator);
            boolean present = parent.isKeyAt(at, separator);
            boolean splits = parent.isFull();
            if (parent.isUnchanged()) {
                if (present) {
                    throw new IllegalStateException(
                            "two nodes with one low fence: "
                                    + RemoteAddress.describe(child)
                                    + ", "
                                    + RemoteAddress.describe(parent.child(at)));
                }
                if (splits && !hasNode()) {
                    return RemoteAddress.NULL;
                }
                if (parent.latch(owner.slot())) {
                    if (splits) {
                        return split(parent, at, separator, child);
                    }
                    spare.postEntry(parent, at, separator, child);
                    queuePair.await();
                    return RemoteAddress.NULL;
                }
            }
            descent.seekAgain(separator, level);
        }
    }

    /// Puts a new root above the cached one, with the separator and `right` beside it.
    ///
    /// @return whether this is done; if not, another session has made a root
    private boolean growRoot(long right) {
        if (!hasNode()) {
            return true;
        }
        int level = descent.rootLevel() + 1;
        long root = freeNodes.take();
        long header = NodeHeader.renewed(freeNodes.takenHeader(), level, 2, 2);
        frame.putRightSibling(RemoteAddress.NULL);
        frame.putLowFence(smallestKey);
        entries.clear();
        entries.append(smallestKey, descent.root());
        entries.append(separator, right);
        writeLatched(root, header, 0);

        long found = queuePair.compareAndSwap(tree.anchor(), descent.root(), root);
        queuePair.await();
        boolean won = LocalMemory.longAt(found) == descent.root();
        queuePair.writeWord(root, won ? header : NodeHeader.dead(header));
        queuePair.await();
        if (!won) {
            freeNodes.give(root, NodeHeader.dead(header));
        }
        descent.refreshRoot();
        return won;
    }

    /// Writes a new node: its frame, the entries from index `from` on, and last its header,
    /// latched.
    private void writeLatched(long node, long header, int from) {
        int level = NodeHeader.level(header);
        frame.writeAll(node, level);
        entries.write(from, entries.count(), node, level, 0);
        queuePair.writeWord(node, NodeHeader.latch(header, owner.slot()));
        queuePair.await();
    }

    /// Whether there is memory for one more node. Without it, the separator is left out: the tree
    /// got higher since the memory for this insert was set aside, and now there is none; the entry
    /// is in the set, and found by a move to the right.
    private boolean hasNode() {
        if (freeNodes.isEmpty()) {
            try {
                freeNodes.ensure(1);
            } catch (MemoryFullException full) {
                return false;
            }
        }
        return true;
    }
}
