package org.namdb.mvcc.tree;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.ViewScope;
import org.namdb.mvcc.index.OrderedIndex;
import org.namdb.mvcc.owner.LatchKind;
import org.namdb.mvcc.owner.LatchOwner;

/// One thread's descent of the tree: the root as it has cached it, and the nodes it last passed.
///
/// It takes no latch. Every arrival is checked, because the pointer may be old: the node must be of
/// the expected level and alive, and its low fence not above the key; else the descent begins again
/// at the root. A key that is above the node's range is found further right. So it does no harm
/// - when a node was split and the parent lacks the separator: the link leads there;
/// - when the node has died: its parent no longer has its separator, as both changed under latches;
/// - when the memory has become another node of this tree with a low fence that is not above the
///   key: from any such node of the level, the links lead to the right one.
final class Descent {
    /// After so many READs of a latched node, the descent begins again at the root: a pointer to a
    /// node may be so old that the node is never unlatched.
    private static final int MAX_LATCHED_READS = 64;

    /// After so many moves to the right from where a copy of an inner node has led, the descent
    /// begins again at the root: the copy may be so old that the node is another one, far away.
    static final int MOVES = 2;

    /// Where a share of a range's end is known no closer, it is unknown.
    private static final double MAX_UNKNOWN = 0.1;

    /// How full nodes are whose number of entries is unknown.
    private static final double FILLING = 0.7;

    private final QueuePair queuePair;
    private final long anchor;
    private final NodeView node;
    private final long[] bound;
    private final int capacity;
    private final LatchOwner cancellable;
    private final LatchOwner uncancellable;
    private final long[] path = new long[NodeHeader.MAX_LEVEL + 2];
    private final InnerNodes inner;

    /// In place of inner nodes, if the tree has none.
    private final @Nullable LeafDirectory directory;

    private final @Nullable LeafSearch search;

    /// Whether a separator has led to where the way is.
    private boolean isBySeparator;

    private final InnerNodes.Next step = new InnerNodes.Next();
    private long root;
    private int rootLevel;
    private long start;
    private int startLevel;

    /// Of the nodes since the operation began that goes down, only the one where the way ended is
    /// needed.
    private final ViewScope views;

    /// How the operation waits.
    private LatchOwner waiter;

    /// @param owner whose latches are taken where the ways end
    /// @param separators of the leaves, if the tree has no inner nodes; else null
    Descent(
            QueuePair queuePair,
            BLinkTree tree,
            LatchOwner owner,
            @Nullable OrderedIndex separators) {
        this.queuePair = queuePair;
        this.views = new ViewScope(queuePair);
        this.cancellable = owner;
        this.uncancellable = owner.uncancellable();
        this.waiter = owner;
        this.anchor = tree.anchor();
        this.node = new NodeView(queuePair, tree.layout());
        this.bound = new long[tree.layout().keyWords()];
        this.capacity = tree.layout().capacity(1);
        this.inner = tree.inner();
        this.directory =
                separators == null ? null : new LeafDirectory(separators, tree.layout().keyWords());
        this.search = directory == null ? null : directory.search();
        refreshRoot();
    }

    /// The node where the way ended.
    NodeView node() {
        return node;
    }

    /// What takes the place of inner nodes; null if the tree has these.
    @Nullable LeafDirectory directory() {
        return directory;
    }

    /// Whether the tree is one leaf, as far as this thread knows.
    boolean isOneLeaf() {
        return rootLevel == 0 && (directory == null || !directory.hasLeaves());
    }

    /// The root as it was when the anchor was last read. It may have got a parent since: then it is
    /// the leftmost node of its level, and leads to every key. Without inner nodes, it is the
    /// leftmost leaf.
    long root() {
        return root;
    }

    int rootLevel() {
        return rootLevel;
    }

    /// Begins a way to the node of `goal` in whose range `key` is, as far as the inner nodes that
    /// were read before lead: without a round trip.
    void begin(long[] key, int goal) {
        start = root;
        startLevel = rootLevel;
        path[rootLevel + 1] = RemoteAddress.NULL;
        int moves = 0;
        while (startLevel > goal && inner.follow(start, startLevel, key, step)) {
            if (!step.isRight()) {
                path[startLevel] = start;
                start = step.address();
                startLevel--;
            } else if (start == root || ++moves > MOVES) {
                return; // the root may have a parent now
            } else {
                inner.forget(path[startLevel + 1]);
                start = step.address();
            }
        }
    }

    /// About which share of all leaves lies between two keys, by the inner nodes that were read
    /// before: without a round trip.
    ///
    /// @return NaN if they are too few
    double share(long[] from, long[] to) {
        double[] leaves = leavesBelow();
        Arrays.fill(bound, -1L);
        double all = leavesBefore(bound, leaves) + 1;
        return (leavesBefore(to, leaves) - leavesBefore(from, leaves)) / all;
    }

    /// By level, how many leaves a node that does not grow any more is above. All nodes of a level
    /// are taken to have as many children as its first one; only the last one may have fewer, where
    /// keys ascend.
    private double[] leavesBelow() {
        double[] leaves = new double[rootLevel + 1];
        leaves[0] = 1;
        double[] children = new double[rootLevel + 1];
        Arrays.fill(children, FILLING * capacity);
        Arrays.fill(bound, 0);
        long at = root;
        for (int level = rootLevel; level > 0 && inner.follow(at, level, bound, step); level--) {
            children[level] = step.count();
            at = step.address();
        }
        for (int level = 1; level <= rootLevel; level++) {
            leaves[level] = children[level] * leaves[level - 1];
        }
        return leaves;
    }

    private double leavesBefore(long[] key, double[] leavesBelow) {
        double leaves = 0;
        long at = root;
        int level = rootLevel;
        while (level > 0 && inner.follow(at, level, key, step) && !step.isRight()) {
            level--;
            leaves += step.index() * leavesBelow[level];
            at = step.address();
        }
        boolean isTooLittle = leavesBelow[level] > MAX_UNKNOWN * leavesBelow[rootLevel];
        return isTooLittle ? Double.NaN : leaves + leavesBelow[level] / 2;
    }

    /// Where the way that was [begun][#begin] goes on.
    long start() {
        return start;
    }

    int startLevel() {
        return startLevel;
    }

    /// The node that has led there, null if none has.
    long startParent() {
        return path[startLevel + 1];
    }

    /// The leaves that the node that has led to a leaf names, from that of `key` to that of `last`;
    /// after [#begin]. As [InnerNodes#leaves].
    int leaves(long[] key, long[] last, boolean ascending, long[] into, int most) {
        return inner.leaves(startParent(), key, last, ascending, into, most);
    }

    /// Whether a way to a leaf leaves copies of the inner nodes that it comes through.
    boolean keepsCopies() {
        return inner.isOn();
    }

    /// A way has come through an inner node, as it was read.
    void keep(NodeView innerNode) {
        inner.keep(innerNode);
    }

    /// An inner node has led to a wrong leaf.
    void forget(long innerNode) {
        inner.forget(innerNode);
    }

    /// Goes to the node of `level` in whose range `key` is; one round trip, and one for each inner
    /// node on the way that is not cached.
    ///
    /// @throws org.namdb.mvcc.owner.LatchTimeoutException if a node on the way stays latched, as
    ///     for all ways
    void seek(long[] key, int level) {
        views.open();
        waiter = cancellable;
        begin(key, level);
        walk(search == null ? start : find(search, key), startLevel, key, level);
    }

    /// The same in a tree with inner nodes, by an operation that is not cancelled any more.
    void seekUncancelled(long[] key, int level) {
        views.open();
        waiter = uncancellable;
        begin(key, level);
        walk(start, startLevel, key, level);
    }

    /// Requests the leaf in whose range a key is.
    private long find(LeafSearch of, long[] key) {
        Objects.requireNonNull(directory).begin();
        of.start(key, key, false, 1);
        return bySeparator(of.first());
    }

    private long bySeparator(long leaf) {
        isBySeparator = true;
        return leaf == RemoteAddress.NULL ? root : leaf;
    }

    /// Begins an operation that needs what is above the leaf of `key` only, and is not cancelled.
    void open(long[] key) {
        views.open();
        waiter = uncancellable;
        begin(key, 0);
    }

    /// Goes to the node of `level` in whose range `key` is, from the one of this level that the
    /// last way went through, if there is one. Views of other nodes since the operation began may
    /// be overwritten.
    void seekAgain(long[] key, int level) {
        views.giveUp();
        isBySeparator = false;
        long start = path[level];
        if (start == RemoteAddress.NULL) {
            walk(root, rootLevel, key, level);
        } else {
            walk(start, level, key, level);
        }
    }

    /// What the operation was for is done: what it still does is not cancelled.
    void finishUncancelled() {
        waiter = uncancellable;
    }

    /// The operation that began with [#seek] or [#seekFrom] needs no node any more, and has nothing
    /// latched.
    void end() {
        views.close();
        if (directory != null) {
            directory.repairSeparators();
        }
    }

    /// Goes to the leaf in whose range `key` is, from the leaf `start`.
    void seekFrom(long start, long[] key) {
        views.open();
        waiter = cancellable;
        isBySeparator = false;
        if (directory != null) {
            directory.begin();
        }
        walk(start, 0, key, 0);
    }

    /// Reads the anchor. Root nodes never die, so the level that one is found to have stays true.
    ///
    /// @return whether the root is another one than before
    boolean refreshRoot() {
        long found = queuePair.readWord(anchor);
        if (found == root) {
            return false;
        }
        rootLevel = NodeHeader.level(queuePair.readWord(found));
        root = found;
        return true;
    }

    private void walk(long from, int fromLevel, long[] key, int goal) {
        long address = from;
        int level = fromLevel;
        int latchedReads = 0;
        int movesLeft = fromLevel < rootLevel ? MOVES : Integer.MAX_VALUE;
        boolean hasMoved = false;
        waiter.startWait();
        while (true) {
            node.read(address);
            boolean leads = node.leadsTo(key, level);
            boolean beyond = leads && node.isBeyond(key);
            long next = leads ? nextNode(beyond, key, level, goal) : RemoteAddress.NULL;
            if (!leads) {
                boolean isLatched = NodeHeader.isLatched(node.header());
                if (!isLatched) {
                    inner.forget(path[level + 1]);
                }
                pause(node.header());
                if (!isLatched || ++latchedReads % MAX_LATCHED_READS == 0) {
                    address = search == null ? root : findAgain(search, key, isLatched);
                    level = rootLevel;
                    movesLeft = Integer.MAX_VALUE;
                    hasMoved = false;
                }
            } else if (!node.isUnchanged()) {
                pause(node.trailingHeader());
            } else if (!beyond) {
                path[level] = address;
                if (level == goal) {
                    inner.forget(address); // who goes to an inner node changes it
                    arrived(hasMoved);
                    return;
                }
                inner.keep(node);
                address = next;
                level--;
            } else if (search == null && address == root && refreshRoot() || movesLeft-- == 0) {
                address = root;
                level = rootLevel;
                movesLeft = Integer.MAX_VALUE;
            } else {
                inner.forget(path[level + 1]);
                passed();
                hasMoved = true;
                address = next;
            }
            views.giveUp();
        }
    }

    /// The way has come to a wrong node: searches once more; or, if a separator has led right
    /// there, goes by the one before it. A node that is only latched may be the right one.
    private long findAgain(LeafSearch of, long[] key, boolean isLatched) {
        if (!of.hasFound(node.address())) {
            return find(of, key);
        }
        LeafDirectory hints = Objects.requireNonNull(directory);
        hints.markWrong(of);
        if (!isLatched) {
            hints.repairSeparators();
        }
        return bySeparator(of.before());
    }

    private void passed() {
        if (directory != null) {
            directory.visited(node);
        }
    }

    private void arrived(boolean hasMoved) {
        passed();
        if (directory != null && hasMoved && isBySeparator) {
            directory.missed(node);
        }
    }

    private long nextNode(boolean beyond, long[] key, int level, int goal) {
        if (beyond) {
            return node.rightSibling();
        }
        return level == goal ? RemoteAddress.NULL : node.child(node.childIndex(key));
    }

    /// Waits for a writer: it is about to unlatch, unless its thread has been descheduled, or is
    /// dead.
    private void pause(long header) {
        waiter.pause(
                LatchKind.TREE_NODE,
                node.address(),
                NodeHeader.isLatched(header) ? NodeHeader.holder(header) : LatchOwner.UNKNOWN);
    }
}
