package org.namdb.mvcc.tree;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.index.OrderedCursor;

/// A scan over the keys of a tree, up or down. It copies what it needs of a leaf in one validated
/// read, and goes on from there; so every leaf's part of the scan is as of one moment, and the
/// whole is not: a key that is there throughout is seen, once and in order, and one that comes or
/// goes meanwhile may or may not be.
///
/// A cursor is used again and again; it stands before the first key after [#ascendFrom] or
/// [#descendFrom]. Other operations of its client may come in between.
public final class TreeCursor implements OrderedCursor {
    private final NodeLayout layout;
    private final Descent descent;
    private final QueuePair queuePair;
    private final long copied;
    private final long[] live;
    private final long[] next;
    private final long[] bound;
    private boolean ascending;
    private boolean exhausted = true;
    private long nextLeaf;
    private int copiedFrom;
    private int index;
    private int end;

    /// The leaf that is [posted][#post], and the inner node that has led to it, if one has.
    private @Nullable NodeView posted;

    private long postedParent;

    TreeCursor(QueuePair queuePair, NodeLayout layout, Descent descent) {
        this.queuePair = queuePair;
        this.layout = layout;
        this.descent = descent;
        this.copied = queuePair.localMemory(layout.nodeBytes());
        this.live = new long[layout.deletedWords()];
        this.next = new long[layout.keyWords()];
        this.bound = new long[layout.keyWords()];
    }

    @Override
    public void ascendFrom(long[] key) {
        start(key, true);
    }

    @Override
    public void descendFrom(long[] key) {
        start(key, false);
    }

    private void start(long[] key, boolean up) {
        System.arraycopy(key, 0, next, 0, next.length);
        ascending = up;
        restart();
    }

    private void restart() {
        exhausted = false;
        nextLeaf = RemoteAddress.NULL;
        index = ascending ? -1 : 0;
        end = 0;
    }

    @Override
    public boolean isNextHere() {
        return ascending ? liveFrom(index + 1) < end : liveBelow(index) >= 0;
    }

    /// If the right sibling is known, or copies of inner nodes lead to a leaf, that is read.
    @Override
    public boolean post() {
        if (exhausted) {
            return false;
        }
        long address = nextLeaf;
        postedParent = RemoteAddress.NULL;
        if (address == RemoteAddress.NULL) {
            descent.begin(next, 0);
            if (descent.startLevel() > 0) {
                return false;
            }
            address = descent.start();
            postedParent = descent.startParent();
        }
        NodeView leaf = posted;
        if (leaf == null) {
            leaf = new NodeView(queuePair, layout);
            posted = leaf;
        }
        leaf.post(address);
        return true;
    }

    @Override
    public int landedBytes() {
        return layout.nodeBytes() + 2 * Long.BYTES;
    }

    @Override
    public boolean land() {
        NodeView leaf = Objects.requireNonNull(posted);
        leaf.land();
        if (!leaf.leadsTo(next, 0) || leaf.isBeyond(next)) {
            if (!NodeHeader.isLatched(leaf.header())) {
                descent.forget(postedParent);
            }
            return false;
        }
        copyLeaf(leaf);
        if (!leaf.isUnchanged()) {
            restart();
            return false;
        }
        leaveLeaf();
        return true;
    }

    @Override
    public boolean next() {
        do {
            index = ascending ? liveFrom(index + 1) : liveBelow(index);
            if (ascending ? index < end : index >= 0) {
                return true;
            }
        } while (copyNextLeaf());
        return false;
    }

    @Override
    public long word(int word) {
        assert word >= 0 && word < layout.keyWords() : "word " + word;
        assert index >= copiedFrom : "no current key";
        return LocalMemory.longAt(
                copied + (long) (index - copiedFrom) * layout.keyBytes() + 8L * word);
    }

    private boolean copyNextLeaf() {
        if (exhausted) {
            return false;
        }
        if (nextLeaf == RemoteAddress.NULL) {
            descent.seek(next, 0);
        } else {
            descent.seekFrom(nextLeaf, next);
        }
        NodeView leaf = descent.node();
        copyLeaf(leaf);
        while (!leaf.isUnchanged()) {
            descent.seekAgain(next, 0);
            copyLeaf(leaf);
        }
        descent.end();
        leaveLeaf();
        return true;
    }

    /// The leaf is copied, and what comes after it is behind its bound.
    private void leaveLeaf() {
        System.arraycopy(bound, 0, next, 0, next.length);
        exhausted = ascending ? nextLeaf == RemoteAddress.NULL : !decrement(next);
    }

    private void copyLeaf(NodeView leaf) {
        int count = leaf.count();
        for (int word = 0; word < live.length; word++) {
            live[word] = ~leaf.deletedWord(word);
        }
        int at = leaf.lowerBound(next);
        if (ascending) {
            end = count;
            index = at - 1;
            copiedFrom = liveFrom(at);
            nextLeaf = leaf.rightSibling();
            leaf.copyHighFence(bound);
        } else {
            end = leaf.isKeyAt(at, next) ? at + 1 : at;
            index = end;
            copiedFrom = 0;
            nextLeaf = RemoteAddress.NULL;
            leaf.copyLowFence(bound);
        }
        long bytes = (long) (end - copiedFrom) * layout.keyBytes();
        LocalMemory.copy(leaf.keyAt(copiedFrom), copied, bytes);
    }

    /// The first live entry from `from` on, or `end`.
    private int liveFrom(int from) {
        int at = from;
        while (at < end) {
            long rest = live[at >>> 6] >>> at;
            if (rest != 0) {
                return Math.min(at + Long.numberOfTrailingZeros(rest), end);
            }
            at = (at | 63) + 1;
        }
        return end;
    }

    /// The last live entry below `to`, or -1.
    private int liveBelow(int to) {
        int at = to - 1;
        while (at >= 0) {
            long rest = live[at >>> 6] << (63 - at);
            if (rest != 0) {
                return at - Long.numberOfLeadingZeros(rest);
            }
            at = (at & ~63) - 1;
        }
        return -1;
    }

    /// Makes `key` the next smaller one.
    ///
    /// @return whether there is one
    private static boolean decrement(long[] key) {
        for (int word = key.length - 1; word >= 0; word--) {
            if (key[word]-- != 0) {
                return true;
            }
        }
        return false;
    }
}
