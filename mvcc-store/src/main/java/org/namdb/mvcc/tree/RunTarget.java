package org.namdb.mvcc.tree;

import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.index.EntryRun;

/// A node that entries of a run go to, and what becomes of it: if they do not fit, it is divided
/// into *pieces*, of which it stays the first one.
/// ```
/// a run that ascends   | head  run run | run run run | run    | tail |   all full but two
/// any keys             | .. n ..  | .. .. n | n .. ..|                   three quarters full
/// ```
/// Such a run goes on where it has ended, or at the end of the tree; or it is half a node long. The
/// entries behind it stay apart, so that it can go on.
final class RunTarget {
    /// How far it has come.
    enum State {
        /// The run changes nothing here, or not now.
        IDLE,
        /// It is to be latched.
        PLANNED,
        /// The CAS is posted.
        LATCHING,
        /// It is latched, and as it was.
        LATCHED,
        /// It is changed and unlatched, or that is posted.
        POSTED
    }

    private final NodeLayout layout;
    private final long[] lowFence;

    /// The node as it was read.
    final NodeView node;

    private State state = State.IDLE;
    private long address;

    /// The inner node that has led to it; null if unknown.
    long parent;

    /// Which entries of the run go to it.
    int from;

    int to;

    /// The image of its first piece.
    int image;

    private int total;
    private int pieces;

    /// How many entries the pieces have that the run fills, and how many pieces those are; 0 if the
    /// entries are divided evenly.
    private int inRun;

    private int runPieces;

    // ---- while the images are made

    private int piece;
    private int inPiece;
    private int put;

    /// The piece with the last entry of the run, and the index behind that.
    private int endPiece;

    private int endIndex;

    RunTarget(QueuePair queuePair, NodeLayout layout) {
        this.layout = layout;
        this.node = new NodeView(queuePair, layout);
        this.lowFence = new long[layout.keyWords()];
    }

    /// How full pieces are that get any keys.
    static int filling(int capacity) {
        return Math.max(2, 3 * capacity / 4);
    }

    /// Becomes one for another node.
    void choose(long node, long newParent, int newFrom, int newTo) {
        state = State.IDLE;
        address = node;
        parent = newParent;
        from = newFrom;
        to = newTo;
    }

    /// Posts the READ.
    void post() {
        node.post(address);
    }

    /// Takes the node, and leaves out the entries that are beyond it.
    ///
    /// @return whether it is the one for the first entry
    boolean land(EntryRun run, int level) {
        node.land();
        if (!node.leadsTo(run.entry(from), level) || node.isBeyond(run.entry(from))) {
            return false;
        }
        int end = from + 1;
        while (end < to && !node.isBeyond(run.entry(end))) {
            end++;
        }
        to = end;
        return true;
    }

    /// Plans the pieces. What it takes from the view is validated here.
    ///
    /// @return false if the node has changed since it was read
    boolean plan(EntryRun run, int level) {
        int missing = 0;
        int first = 0;
        int last = 0;
        boolean isChild = false;
        for (int i = from; i < to; i++) {
            int at = node.lowerBound(run.entry(i));
            boolean isThere = node.isKeyAt(at, run.entry(i));
            isChild |= isThere && level > 0;
            if (!(isThere && isLive(at, level)) && !run.isRepeated(i)) {
                first = missing == 0 ? at : first;
                last = at;
                missing++;
            }
        }
        int count = node.count();
        int head = first;
        for (int i = 0; i < first && level == 0 && node.liveCount() < count; i++) {
            head -= node.isDeleted(i) ? 1 : 0;
        }
        total = node.liveCount() + missing;
        int capacity = layout.capacity(level);
        boolean goesOn =
                first == NodeHeader.runEnd(node.header())
                        || first == count && node.rightSibling() == RemoteAddress.NULL;
        boolean ascends = first == last && (goesOn || missing > capacity / 2);
        if (!node.isUnchanged()) {
            return false;
        }
        if (isChild) {
            throw new IllegalStateException(
                    "two nodes with one low fence, below "
                            + RemoteAddress.describe(node.address()));
        }
        inRun = head + missing;
        runPieces = ascends ? Math.ceilDiv(inRun, capacity) : 0;
        if (total <= capacity) {
            pieces = 1;
        } else if (ascends) {
            pieces = runPieces + (total > inRun ? 1 : 0);
        } else {
            pieces = Math.max(2, Math.ceilDiv(total, filling(capacity)));
        }
        state = missing > 0 ? State.PLANNED : State.IDLE;
        return true;
    }

    private boolean isLive(int index, int level) {
        return level > 0 || !node.isDeleted(index);
    }

    /// How many nodes it will be.
    int pieces() {
        return pieces;
    }

    /// How many entries there are before a piece.
    private int start(int number, int level) {
        if (number == pieces) {
            return total;
        }
        return runPieces == 0
                ? total * number / pieces
                : Math.min(number * layout.capacity(level), inRun);
    }

    /// Makes the images of the latched node's pieces, apart from links and headers.
    void makeImages(EntryRun run, NodeImages images, int level) {
        for (int i = 0; i < pieces; i++) {
            images.clear(image + i);
        }
        node.copyLowFence(lowFence);
        images.putLowFence(image, lowFence);
        piece = 0;
        inPiece = 0;
        put = 0;
        int count = node.count();
        int at = 0;
        int next = from;
        while (at < count || next < to) {
            if (at < count && (next == to || layout.isBelow(node.keyAt(at), run.entry(next)))) {
                if (isLive(at, level)) {
                    LocalMemory.copy(node.keyAt(at), nextKey(images, level), layout.keyBytes());
                    putNext(images, level, level > 0 ? node.child(at) : RemoteAddress.NULL);
                }
                at++;
            } else if (node.isKeyAt(at, run.entry(next)) && !isLive(at, level)) {
                at++;
            } else if (node.isKeyAt(at, run.entry(next)) || run.isRepeated(next)) {
                next++;
            } else {
                layout.putKey(nextKey(images, level), run.entry(next));
                putNext(images, level, run.number(next));
                run.setAdded(next);
                endPiece = piece;
                endIndex = inPiece;
                next++;
            }
        }
        assert put == total : put + " entries, not " + total;
    }

    private long nextKey(NodeImages images, int level) {
        if (put == start(piece + 1, level)) {
            piece++;
            inPiece = 0;
        }
        return images.keyAt(image + piece, level, inPiece);
    }

    private void putNext(NodeImages images, int level, long child) {
        if (level > 0) {
            images.putChild(image + piece, inPiece, child);
        }
        if (inPiece == 0 && piece > 0) {
            images.divide(image + piece - 1, level);
        }
        inPiece++;
        put++;
    }

    /// How many entries a piece has.
    int count(int number, int level) {
        return start(number + 1, level) - start(number, level);
    }

    /// The index behind the last entry of the run, for a piece's header.
    int runEnd(int number) {
        return number == endPiece ? endIndex : 0;
    }

    boolean isPlanned() {
        return state == State.PLANNED;
    }

    /// It is not changed now.
    void leave() {
        state = State.IDLE;
    }

    /// Posts the CAS of the latch.
    void postLatch(int holder) {
        node.postLatch(holder);
        state = State.LATCHING; // not before: if the CAS can't be posted, it has no view
    }

    boolean isLatching() {
        return state == State.LATCHING;
    }

    /// Takes the result of the CAS.
    ///
    /// @return whether the node is latched
    boolean takeLatch() {
        state = node.isLatchWon() ? State.LATCHED : State.IDLE;
        return isLatched();
    }

    boolean isLatched() {
        return state == State.LATCHED;
    }

    /// Its change is posted next.
    void posted() {
        state = State.POSTED;
    }

    boolean isPosted() {
        return state == State.POSTED;
    }

    /// After a failure, when what was posted was awaited: releases the latch, if nothing was
    /// changed under it.
    void abandon() {
        if (isLatched() || isLatching() && node.isLatchWon()) {
            node.postHeader(node.header());
        }
        state = State.IDLE;
    }
}
