package org.namdb.mvcc.tree;

import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.index.EntryInsertion;
import org.namdb.timestamp.snapshot.Snapshot;

/// An insert into a tree beside others of the same thread:
/// ```
/// DESCENDING   READ of a node; validated, then of the next one     1, and 1 for each unknown level
/// LATCHING     CAS of the leaf's header                            1
/// POSTED       WRITE of the entries that move, and of the header   with whatever comes next
/// ALONE        somebody is in the way, or the leaf is full: [TreeClient] does it
/// ```
/// It reads and changes nodes as [Descent] and [NodeInsertion] do, but tries nothing twice: a node
/// that is latched, or was changed while it was read, or a root that has a parent now, is left to
/// them.
final class TreeInsertion implements EntryInsertion {
    private enum State {
        DESCENDING,
        LATCHING,
        POSTED,
        THERE,
        ALONE
    }

    private final TreeClient client;
    private final NodeLayout layout;
    private final Descent descent;
    private final int slot;
    private final NodeView node;
    private final NodeChange change;
    private final long[] key;
    private State state = State.ALONE;
    private int level;

    /// The inner node that has led to the one that is read.
    private long parent;

    private int at;
    private boolean isPresent;

    TreeInsertion(QueuePair queuePair, TreeClient client, Descent descent, int slot) {
        this.client = client;
        this.layout = client.layout();
        this.descent = descent;
        this.slot = slot;
        this.node = new NodeView(queuePair, layout);
        this.change = new NodeChange(queuePair, layout);
        this.key = new long[layout.keyWords()];
    }

    /// What an insert lands in a tree of `height` levels: nodes with their guards, and a swap.
    static int landedBytes(NodeLayout layout, int height) {
        return (height + 1) * (layout.nodeBytes() + 2 * Long.BYTES) + Long.BYTES;
    }

    @Override
    public void prepare(long[] entry, Snapshot snapshot) {
        System.arraycopy(entry, 0, key, 0, key.length);
        state = State.ALONE;
    }

    @Override
    public int landedBytes() {
        return landedBytes(layout, descent.rootLevel() + 1);
    }

    @Override
    public boolean post() {
        state = State.DESCENDING;
        descent.begin(key, 0);
        level = descent.startLevel();
        parent = descent.startParent();
        node.post(descent.start());
        return true;
    }

    @Override
    public boolean advance() {
        return switch (state) {
            case DESCENDING -> descend();
            case LATCHING -> change();
            case POSTED, THERE, ALONE -> true;
        };
    }

    private boolean descend() {
        node.land();
        if (!node.leadsTo(key, level)) {
            descent.forget(parent);
            return leave();
        }
        if (node.isBeyond(key)) {
            descent.forget(parent);
            long right = node.rightSibling();
            return !node.isUnchanged() || node.address() == descent.root()
                    ? leave()
                    : goTo(right, level);
        }
        if (level > 0) {
            long child = node.child(node.childIndex(key));
            if (!node.isUnchanged()) {
                return leave();
            }
            descent.keep(node);
            parent = node.address();
            return goTo(child, level - 1);
        }
        return latch();
    }

    private boolean goTo(long next, int nextLevel) {
        level = nextLevel;
        node.post(next);
        return false;
    }

    private boolean latch() {
        at = node.lowerBound(key);
        isPresent = node.isKeyAt(at, key);
        boolean isLive = isPresent && !node.isDeleted(at);
        boolean isFull = !isPresent && node.isFull();
        if (!node.isUnchanged()) {
            return leave();
        }
        if (isLive) {
            state = State.THERE;
            return true;
        }
        if (isFull) {
            return leave();
        }
        node.postLatch(slot);
        state = State.LATCHING; // not before: if the swap can't be posted, it has no view
        return false;
    }

    private boolean change() {
        if (!node.isLatchWon()) {
            return leave();
        }
        state = State.POSTED;
        if (isPresent) {
            change.postUndelete(node, at);
        } else {
            change.postEntry(node, at, key, RemoteAddress.NULL);
        }
        return true;
    }

    private boolean leave() {
        state = State.ALONE;
        return true;
    }

    @Override
    public void abandon() {
        if (state == State.LATCHING && node.isLatchWon()) {
            node.postHeader(node.header()); // nothing was changed
        }
        state = State.ALONE;
    }

    @Override
    public boolean finish() {
        return switch (state) {
            case POSTED -> true;
            case THERE -> false;
            case DESCENDING, LATCHING, ALONE -> client.insert(key);
        };
    }
}
