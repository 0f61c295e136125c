package org.namdb.mvcc.tree;

import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.index.OrderedIndex;
import org.namdb.mvcc.owner.LatchTimeoutException;
import org.namdb.timestamp.snapshot.Snapshot;

/// Says where the leaves of a tree are that has no inner nodes: an index of *separators* takes
/// their place. Its entries are the low fences of leaves, each with the leaf's remote address
/// behind it; the leftmost leaf, which never dies, has none, as the anchor leads there.
/// ```
/// separators  | a A | c C | ..     any ordered index
///                  |     |
/// leaves     L >   A  >  C >       linked from the left to the right
/// ```
/// A separator is a hint. A descent checks the leaf that it points to ([Descent]): it is alive,
/// unlatched, and its low fence is not above the key; from there the links lead to the right leaf.
/// So whatever separators there are, what is found is right; and they are changed when nothing is
/// latched:
/// - a leaf is split, and then gets a separator. Until it has it, or if the session that splits
///   dies, it is found by a move to the right; who made that move adds it;
/// - a leaf is merged away, and then loses its separator. Until it has, or if the session that
///   merges dies, it leads to what is dead, latched forever, or another leaf by now; a descent that
///   arrives there goes to the separator before it, and in the end to the leftmost leaf, and
///   removes it. Should the leaf have come back with this low fence meanwhile, that one has no
///   separator now.
///
/// Belongs to one thread.
final class LeafDirectory {
    private final OrderedIndex separators;
    private final int keyWords;
    private final long[] entry;
    private boolean hasLeaves;

    /// The entry that has led to a wrong leaf on this way, if one has.
    private final long[] wrong;

    private boolean isWrong;

    /// The entry that was missing on this way, if one was.
    private final long[] missing;

    private boolean isMissing;

    /// @param keyWords of the leaves' keys; the separators have one word more
    LeafDirectory(OrderedIndex separators, int keyWords) {
        this.separators = separators;
        this.keyWords = keyWords;
        this.entry = new long[keyWords + 1];
        this.wrong = new long[keyWords + 1];
        this.missing = new long[keyWords + 1];
    }

    OrderedIndex separators() {
        return separators;
    }

    /// Whether there is more than the leftmost leaf, as far as searches have found.
    boolean hasLeaves() {
        return hasLeaves;
    }

    /// A search has found a separator.
    void found() {
        hasLeaves = true;
    }

    /// A search, to be used again and again.
    LeafSearch search() {
        return new LeafSearch(this, keyWords);
    }

    /// Adds the separator of a leaf, if it can be done; nothing is latched.
    void add(long[] lowFence, long leaf) {
        insert(separator(lowFence, leaf));
    }

    /// Removes the separator of a leaf, if it can be done; nothing is latched.
    void remove(long[] lowFence, long leaf) {
        remove(separator(lowFence, leaf));
    }

    private long[] separator(long[] lowFence, long leaf) {
        System.arraycopy(lowFence, 0, entry, 0, keyWords);
        entry[keyWords] = leaf;
        return entry;
    }

    private void insert(long[] separator) {
        try {
            boolean _ = separators.insert(separator, Snapshot.EVERYTHING);
        } catch (LatchTimeoutException | MemoryFullException e) {
            // The leaf is found by a move to the right.
        }
    }

    private void remove(long[] separator) {
        try {
            separators.remove(separator);
        } catch (LatchTimeoutException e) {
            // A descent that arrives at the leaf does it.
        }
    }

    // ---- what a way has met

    /// A way begins.
    void begin() {
        isWrong = false;
        isMissing = false;
    }

    /// A search's separator has led to a wrong leaf, unless the way still comes to its leaf.
    void markWrong(LeafSearch search) {
        search.copyFound(wrong);
        isWrong = true;
    }

    /// A way has come to a leaf, which leads on.
    void visited(NodeView leaf) {
        isWrong = isWrong && wrong[keyWords] != leaf.address();
    }

    /// A way ends in a leaf to which it has come by a link, and not by its separator.
    void missed(NodeView leaf) {
        leaf.copyLowFence(missing);
        missing[keyWords] = leaf.address();
        isMissing = leaf.isUnchanged();
    }

    /// Nothing is latched: changes the separators as the way has shown.
    void repairSeparators() {
        if (isWrong) {
            isWrong = false;
            remove(wrong);
        }
        if (isMissing) {
            isMissing = false;
            insert(missing);
        }
    }
}
