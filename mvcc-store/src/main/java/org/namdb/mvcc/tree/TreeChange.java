package org.namdb.mvcc.tree;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.index.EntryChange;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.timestamp.snapshot.Snapshot;

/// A change of one leaf, concurrently with others of the same thread:
/// ```
/// FINDING      a search of the [LeafDirectory], if there is one    1
/// DESCENDING   READ of a node; validated, then of the next one     1, and 1 for each unknown level
/// FOLLOWING    none: another change of the batch is on its way to  0
///              the same leaf, and makes this one along
/// LATCHING     CAS of the leaf's header                            1
/// POSTED       WRITEs of what changes, and of the header           with whatever comes next
/// NOTHING      the leaf is as it shall be; read once more if it was read ahead
/// ALONE        a latch is in the way, or it is more than one leaf's change: [TreeClient] does it
/// ```
/// It reads nodes as [Descent] does, but tries nothing twice: a node that is latched, or was
/// changed while it was read, a root that has a parent now, or a descent that goes far to the
/// right, is left to the client.
abstract class TreeChange implements EntryChange {
    /// How far it has come.
    enum State {
        FINDING,
        DESCENDING,
        FOLLOWING,
        LATCHING,
        POSTED,
        NOTHING,
        ALONE
    }

    private final NodeLayout layout;
    private final Descent descent;
    private final LatchOwner owner;

    /// Where inner nodes would lead to the leaf; null if there are any.
    private final @Nullable LeafSearch search;

    private State state = State.ALONE;
    private int level;
    private int movesLeft;

    /// Whether what is read may be of a time before the change was certain.
    private boolean isAhead;

    /// Whether it is one of a batch that is under way, and not finished.
    private boolean isInBatch;

    /// The inner node that has led to the one that is read.
    private long parent;

    /// The node that is read, and in the end the leaf.
    final NodeView node;

    /// The entry.
    final long[] key;

    TreeChange(QueuePair queuePair, NodeLayout layout, Descent descent, LatchOwner owner) {
        this.layout = layout;
        this.descent = descent;
        this.owner = owner;
        LeafDirectory directory = descent.directory();
        this.search = directory == null ? null : directory.search();
        this.node = new NodeView(queuePair, layout);
        this.key = new long[layout.keyWords()];
    }

    /// What a change lands in a tree of `height` levels: nodes with their guards, and a CAS.
    static int landedBytes(NodeLayout layout, int height) {
        return (height + 1) * (layout.nodeBytes() + 2 * Long.BYTES) + Long.BYTES;
    }

    /// Searches the leaf, which is not validated yet, for the key.
    ///
    /// @return [State#LATCHING] if it is to be changed, [State#NOTHING] if not, [State#ALONE] if
    ///     that can't be done here
    abstract State searchLeaf();

    /// Posts the change of the latched leaf, up to its header.
    abstract void postChange();

    @Override
    public final void prepare(long[] entry, Snapshot snapshot) {
        System.arraycopy(entry, 0, key, 0, key.length);
        state = State.ALONE;
        isInBatch = false;
    }

    @Override
    public final int landedBytes() {
        return landedBytes(layout, descent.rootLevel() + 1)
                + (search == null ? 0 : search.landedBytes());
    }

    @Override
    public final boolean postAhead() {
        boolean isPosted = post();
        isAhead = true;
        return isPosted;
    }

    @Override
    public final boolean post() {
        isAhead = false;
        isInBatch = true;
        if (search != null) {
            search.start(key, key, false, 1);
            boolean isPosted = search.post();
            state = isPosted ? State.FINDING : State.ALONE;
            return isPosted;
        }
        state = State.DESCENDING;
        descent.begin(key, 0);
        level = descent.startLevel();
        parent = descent.startParent();
        movesLeft = Descent.MOVES;
        if (level == 0 && isLed(descent.start())) {
            state = State.FOLLOWING;
            return false;
        }
        node.post(descent.start());
        return true;
    }

    /// Whether another change of the batch is on its way to a leaf, and makes this one along.
    boolean isLed(long leaf) {
        return false;
    }

    /// Whether it is on its way to this leaf, and has not changed it yet.
    final boolean leadsTo(long leaf) {
        boolean isUnderWay = state == State.DESCENDING || state == State.LATCHING;
        return isInBatch && isUnderWay && level == 0 && node.address() == leaf;
    }

    @Override
    public final boolean advance() {
        return switch (state) {
            case FINDING -> find(Objects.requireNonNull(search));
            case DESCENDING -> descend();
            case LATCHING -> change();
            case FOLLOWING, POSTED, NOTHING, ALONE -> true;
        };
    }

    /// The separator leads to the leaf, or is left to the client, which repairs it.
    private boolean find(LeafSearch of) {
        if (!of.land()) {
            return leave();
        }
        long leaf = of.first();
        parent = RemoteAddress.NULL;
        movesLeft = 0;
        state = State.DESCENDING;
        return goTo(leaf == RemoteAddress.NULL ? descent.root() : leaf, 0);
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
            return !node.isUnchanged() || node.address() == descent.root() || movesLeft-- == 0
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
        State found = searchLeaf();
        if (!node.isUnchanged() || found == State.ALONE) {
            return leave();
        }
        if (found == State.NOTHING && isAhead) {
            isAhead = false; // another session may have removed the entry since
            return goTo(node.address(), 0);
        }
        if (found == State.LATCHING) {
            node.postLatch(owner.slot());
        }
        state = found; // not before: if the CAS can't be posted, it has no view
        return found != State.LATCHING;
    }

    private boolean change() {
        if (!node.isLatchWon()) {
            return leave();
        }
        state = State.POSTED; // if half of it is posted, the latch stays for the repair of the leaf
        postChange();
        return true;
    }

    private boolean leave() {
        state = State.ALONE;
        return true;
    }

    @Override
    public final void abandon() {
        if (state == State.LATCHING && node.isLatchWon()) {
            node.postHeader(node.header()); // nothing was changed
        }
        if (state != State.POSTED) {
            state = State.ALONE;
        }
    }

    /// How far it has come.
    final State state() {
        return state;
    }

    /// Whether it has given up running with the others of its batch, and is not finished.
    final boolean isLeftOver() {
        return isInBatch && (state == State.ALONE || state == State.FOLLOWING);
    }

    /// It was finished alone.
    final void finished(boolean isChanged) {
        state = isChanged ? State.POSTED : State.NOTHING;
    }

    @Override
    public final void forget() {
        isInBatch = false;
    }

    /// Whether it has come to a leaf, the latch of which another change of the batch has won, or
    /// has been led to some leaf.
    final boolean isWaitingFor(NodeView leaf) {
        return isInBatch && state == State.FOLLOWING
                || (state == State.LATCHING || isLeftOver()) && node.address() == leaf.address();
    }

    /// Another change, which has the latch, makes this one along with its own.
    final void takenAlong() {
        state = State.POSTED;
    }
}
