package org.namdb.mvcc.tree;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.ViewScope;
import org.namdb.mvcc.index.OrderedCursor;

/// A scan over the keys of a tree, up or down. It copies what it needs of a leaf in one validated
/// read, and goes on from there; so every leaf's part of the scan is as of one moment, and the
/// whole is not: a key that is there throughout is seen, once and in order, and one that comes or
/// goes meanwhile may or may not be.
///
/// Where many keys are [expected][#expect], the leaves that the copy of their parent names are read
/// together. The copy may be old, so each leaf must begin where its predecessor ended:
/// ```
/// copy of P   | .. a c .. |        P   | .. a b c .. |     A ends at b, and C begins at c: C is
///                  v v                      v v v          not taken, and the scan goes on by the
/// leaves           A>C                      A>B>C          link, or by a newer copy of P
/// ```
///
/// A cursor is reusable; it stands before the first key after [#ascendFrom] or [#descendFrom].
/// Other operations of its client may come in between.
///
/// Source: tree-index paper, section 4.2, which reads leaves ahead by head nodes.
public final class TreeCursor implements OrderedCursor {
    /// The most leaves that are read together.
    private static final int MAX_LEAVES = 32;

    /// How full leaves are by keys in no order, in percent.
    private static final int FILLING_PERCENT = 69;

    private final NodeLayout layout;
    private final Descent descent;
    private final QueuePair queuePair;
    private final ViewScope views;

    /// In place of inner nodes; null if there are any.
    private final @Nullable LeafSearch search;

    /// Whether it is posted, and how many leaves it has found that are not posted yet.
    private boolean isSearching;

    private int foundCount;
    private final int maxLeaves;
    private final long[] next;
    private final long[] bound;
    private final long[] last;
    private int expected;

    /// The keys that are here, live ones only, in ascending order: from `low` on, below `high`. The
    /// array grows up in an ascending scan, and down in a descending one.
    private long copied;

    private int capacity;
    private int low;
    private int high;
    private int index;

    private boolean ascending;
    private boolean exhausted = true;
    private long nextLeaf;

    /// The leaves that are posted, and the inner node that has led to them, if one has.
    private final List<NodeView> posted = new ArrayList<>();

    private final long[] addresses;
    private int postedCount;
    private long postedParent;

    TreeCursor(QueuePair queuePair, NodeLayout layout, Descent descent) {
        this.queuePair = queuePair;
        this.layout = layout;
        this.descent = descent;
        this.views = new ViewScope(queuePair);
        LeafDirectory directory = descent.directory();
        this.search = directory == null ? null : directory.search();
        this.maxLeaves = maxLeaves(queuePair, layout);
        this.addresses = new long[maxLeaves];
        this.next = new long[layout.keyWords()];
        this.bound = new long[layout.keyWords()];
        this.last = new long[layout.keyWords()];
        allocate(1);
    }

    /// How many leaves may be read together.
    static int maxLeaves(QueuePair queuePair, NodeLayout layout) {
        return Math.clamp(queuePair.batchBytes() / leafBytes(layout), 1, MAX_LEAVES);
    }

    private static int leafBytes(NodeLayout layout) {
        return layout.nodeBytes() + 2 * Long.BYTES;
    }

    /// Makes space for the keys of so many leaves.
    private void allocate(int leaves) {
        int keys = leaves * layout.capacity(0);
        copied = queuePair.localMemory((long) keys * layout.keyBytes());
        capacity = keys; // what fails leaves what is there
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
        expected = 1;
        restart();
    }

    private void restart() {
        exhausted = false;
        nextLeaf = RemoteAddress.NULL;
        isSearching = false;
        foundCount = 0;
        clear();
    }

    private void clear() {
        low = ascending ? 0 : capacity;
        high = low;
        index = ascending ? low - 1 : high;
    }

    @Override
    public void expect(int entries, long[] to) {
        expected = entries;
        System.arraycopy(to, 0, last, 0, last.length);
    }

    @Override
    public boolean isNextHere() {
        return ascending ? index + 1 < high : index > low;
    }

    /// If cached inner nodes lead to leaves, or the right sibling is cached, these are read.
    @Override
    public boolean post() {
        if (exhausted) {
            return false;
        }
        postedCount = 0;
        postedParent = RemoteAddress.NULL;
        int wanted = leavesExpected();
        if (search != null && (wanted > 1 || nextLeaf == RemoteAddress.NULL)) {
            return postFound(search);
        }
        if (wanted > 1 || nextLeaf == RemoteAddress.NULL) {
            descent.begin(next, 0);
            if (descent.startLevel() == 0) {
                postKnown(wanted);
                return true;
            }
        }
        if (nextLeaf != RemoteAddress.NULL) {
            postLeaf(nextLeaf);
        }
        return postedCount > 0;
    }

    /// Posts the leaves that a search has found; or, if none was made, that search.
    private boolean postFound(LeafSearch by) {
        if (foundCount > 0) {
            postLeaves(foundCount);
            foundCount = 0;
            return true;
        }
        startSearch(by);
        isSearching = by.post();
        return isSearching;
    }

    /// The leaf where the scan goes on, and those that follow it.
    private void startSearch(LeafSearch by) {
        int most = Math.max(1, leavesExpected());
        by.start(next, most > 1 ? last : next, ascending, most);
    }

    /// Posts the leaf that copies of inner nodes have led to, and those that follow it.
    private void postKnown(int wanted) {
        postedParent = descent.startParent();
        int known = wanted > 1 ? descent.leaves(next, last, ascending, addresses, wanted) : 0;
        if (known <= 1) {
            postLeaf(descent.start());
            return;
        }
        postLeaves(known);
    }

    /// Posts the first leaves of those whose addresses are known.
    private void postLeaves(int known) {
        if (known > 1 && capacity < maxLeaves * layout.capacity(0)) {
            allocate(maxLeaves);
            clear();
        }
        for (int leaf = 0; leaf < known; leaf++) {
            postLeaf(addresses[leaf]);
        }
    }

    private void postLeaf(long address) {
        if (postedCount == posted.size()) {
            posted.add(new NodeView(queuePair, layout));
        }
        posted.get(postedCount++).post(address);
    }

    @Override
    public int landedBytes() {
        return Math.max(1, leavesExpected()) * leafBytes(layout);
    }

    /// A search has found leaves, which are to be posted.
    private boolean landSearch(LeafSearch by) {
        isSearching = false;
        boolean isLanded = by.land();
        if (isLanded) {
            foundCount = by.take(descent.root(), addresses);
        }
        return isLanded;
    }

    @Override
    public boolean land() {
        if (isSearching) {
            return landSearch(Objects.requireNonNull(search));
        }
        clear();
        int taken = 0;
        while (taken < postedCount && !exhausted && landLeaf(posted.get(taken))) {
            taken++;
        }
        return taken > 0;
    }

    /// Takes a leaf that was read, if the scan goes on in it.
    private boolean landLeaf(NodeView leaf) {
        leaf.land();
        boolean isNext =
                !leaf.isBeyond(next)
                        && (PlantedFault.FENCE_NOT_COMPARED.isPlanted()
                                ? NodeHeader.isOpenAt(leaf.header(), 0)
                                : leaf.leadsTo(next, 0));
        if (!isNext) {
            if (!NodeHeader.isLatched(leaf.header())) {
                descent.forget(postedParent);
            }
            return false;
        }
        return takeLeaf(leaf);
    }

    @Override
    public boolean next() {
        while (!isNextHere()) {
            if (exhausted) {
                index = ascending ? high : low - 1;
                return false;
            }
            clear();
            if (!readTogether()) {
                readLeaf();
            }
        }
        index += ascending ? 1 : -1;
        return true;
    }

    @Override
    public long word(int word) {
        assert word >= 0 && word < layout.keyWords() : "word " + word;
        assert index >= low && index < high : "no current key";
        return LocalMemory.longAt(keyAt(index) + 8L * word);
    }

    private long keyAt(int at) {
        return copied + (long) at * layout.keyBytes();
    }

    /// How many leaves have the keys that are expected, half of the first one's apart.
    private int leavesExpected() {
        int keys = Math.max(1, layout.capacity(0) * FILLING_PERCENT / 100);
        return (int) Math.min(((long) expected + keys / 2) / keys, maxLeaves);
    }

    /// Reads several leaves by one round trip, if that many are expected and cached.
    ///
    /// @return whether there is one among them that the scan goes on in
    private boolean readTogether() {
        isSearching = false;
        if (leavesExpected() <= 1 && foundCount == 0) {
            return false;
        }
        postedCount = 0;
        descent.begin(next, 0);
        if (descent.startLevel() > 0) {
            if (descent.keepsCopies()) {
                nextLeaf = RemoteAddress.NULL; // the way to it finds the parent, which names others
            }
            return false;
        }
        views.open();
        if (search != null) {
            find(search);
            postLeaves(foundCount);
            foundCount = 0;
        } else {
            postKnown(leavesExpected());
        }
        queuePair.await();
        boolean isTaken = land();
        views.close();
        return isTaken;
    }

    /// Waits for a search, unless its leaves are known.
    private void find(LeafSearch by) {
        if (foundCount == 0) {
            startSearch(by);
            if (by.post()) {
                queuePair.await();
                boolean _ = by.land();
            }
            foundCount = by.take(descent.root(), addresses);
        }
    }

    private void readLeaf() {
        if (nextLeaf == RemoteAddress.NULL) {
            descent.seek(next, 0);
        } else {
            descent.seekFrom(nextLeaf, next);
        }
        while (!takeLeaf(descent.node())) {
            descent.seekAgain(next, 0);
        }
        descent.end();
    }

    /// Adds the keys of a leaf, and goes behind it.
    ///
    /// @return false if the leaf has changed meanwhile; then nothing has happened
    private boolean takeLeaf(NodeView leaf) {
        int lowBefore = low;
        int highBefore = high;
        int at = leaf.lowerBound(next);
        long right = RemoteAddress.NULL;
        if (ascending) {
            addUp(leaf, at);
            right = leaf.rightSibling();
            leaf.copyHighFence(bound);
        } else {
            addDown(leaf, leaf.isKeyAt(at, next) ? at + 1 : at);
            leaf.copyLowFence(bound);
        }
        if (!leaf.isUnchanged()) {
            low = lowBefore;
            high = highBefore;
            return false;
        }
        if (highBefore == lowBefore) {
            index = ascending ? low - 1 : high;
        }
        nextLeaf = right;
        System.arraycopy(bound, 0, next, 0, next.length);
        exhausted = ascending ? right == RemoteAddress.NULL : !decrement(next);
        return true;
    }

    /// Adds the live keys from entry `from` on, behind those that are here.
    private void addUp(NodeView leaf, int from) {
        int count = leaf.count();
        int at = from;
        while (at < count) {
            int end = leaf.runEnd(at, count);
            if (end > at) {
                LocalMemory.copy(
                        leaf.keyAt(at), keyAt(high), (long) (end - at) * layout.keyBytes());
                high += end - at;
            }
            at = Math.max(end, at + 1);
        }
    }

    /// Adds the live keys below entry `to`, before those that are here.
    private void addDown(NodeView leaf, int to) {
        int live = 0;
        int at = 0;
        while (at < to) {
            int end = leaf.runEnd(at, to);
            live += end - at;
            at = Math.max(end, at + 1);
        }
        low -= live;
        int place = low;
        at = 0;
        while (at < to && live > 0) {
            int end = Math.min(leaf.runEnd(at, to), at + live); // it may be changing
            if (end > at) {
                LocalMemory.copy(
                        leaf.keyAt(at), keyAt(place), (long) (end - at) * layout.keyBytes());
                place += end - at;
                live -= end - at;
            }
            at = Math.max(end, at + 1);
        }
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
