package org.namdb.mvcc.tree;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.RemoteAddress;

/// A cache of the inner nodes that the clients of a tree in this process have passed, so that most
/// of their descents begin at a leaf. Each copy is a state that the node once had; what it leads to
/// is checked like every arrival ([Descent]), and a stale copy is evicted:
/// ```
/// copy of P   | .. a c .. |        P   | .. a b c .. |      a descent to b reaches A, moves to B,
///                  v v                      v v v           and evicts the copy
/// leaves           A>C                      A>B>C
/// ```
/// That does no harm however old a copy is, because memory that was a node of a tree never becomes
/// anything but a node of the same tree ([FreeNodes]).
///
/// A node's address decides in which four places its copy may be. If all are taken, twice as many
/// places are made; when there are as many as the cache's size allows, a copy is evicted. Without a
/// cache, every descent begins at the root, as in the paper.
///
/// Shared by all threads, without waits: a copy counts its changes, and a reader that sees that it
/// has changed meanwhile drops what it has read.
///
/// Source: tree-index paper, appendix A.4, which leaves open how copies are invalidated.
final class InnerNodes {
    private static final int MIN_PLACES = 64;

    /// So many places a node's copy may be in.
    private static final int WAYS = 4;

    private static final int MAX_PLACES = 1 << 26;
    private static final long MIX = 0x9e3779b97f4a7c15L;

    private final NodeLayout layout;
    private final int maxPlaces;
    private volatile AtomicReferenceArray<@Nullable Copy> copies;

    /// @param cacheBytes what the copied nodes may take, all together
    InnerNodes(NodeLayout layout, long cacheBytes) {
        this.layout = layout;
        long nodes = Math.clamp(cacheBytes / layout.nodeBytes(), 0, MAX_PLACES);
        this.maxPlaces = nodes < WAYS ? 0 : (int) Long.highestOneBit(nodes);
        this.copies = new AtomicReferenceArray<>(Math.min(MIN_PLACES, maxPlaces));
    }

    /// Whether there is memory for copies.
    boolean isOn() {
        return maxPlaces > 0;
    }

    /// Where a copy leads to.
    static final class Next {
        private long address;
        private boolean isRight;
        private int index;
        private int count;

        long address() {
            return address;
        }

        /// Whether it is the right sibling, as the key is above the range of the copied node; else
        /// a child.
        boolean isRight() {
            return isRight;
        }

        /// Which child it is.
        int index() {
            return index;
        }

        /// How many children the copied node has.
        int count() {
            return count;
        }
    }

    /// A state of an inner node, or none.
    private static final class Copy {
        private static final VarHandle CHANGES = changes();

        private final NodeLayout layout;
        private final int keyWords;
        private final int most;
        private final long[] words;

        /// Of none, null.
        private long address;

        /// Odd while it is being changed.
        private long changes;

        Copy(NodeLayout layout) {
            this.layout = layout;
            this.keyWords = layout.keyWords();
            this.most = layout.capacity(1);
            this.words = new long[layout.nodeBytes() / Long.BYTES];
        }

        private static VarHandle changes() {
            try {
                return MethodHandles.lookup().findVarHandle(Copy.class, "changes", long.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        /// Whether it is the node's, as far as can be seen.
        boolean isOf(long node) {
            return address == node;
        }

        /// Takes a state of a node, if no other thread changes the copy, and the node is not
        /// changed meanwhile.
        ///
        /// @param expected whose copy it is now
        void take(NodeView node, long expected) {
            if (begin(expected)) {
                node.copyTo(words);
                end(node.isUnchanged() ? node.address() : RemoteAddress.NULL);
            }
        }

        /// Becomes none, if it is still the node's.
        void forget(long node) {
            if (begin(node)) {
                end(RemoteAddress.NULL);
            }
        }

        private boolean begin(long expected) {
            long before = (long) CHANGES.getAcquire(this);
            boolean isMine =
                    (before & 1) == 0
                            && address == expected
                            && CHANGES.compareAndSet(this, before, before + 1);
            VarHandle.storeStoreFence();
            return isMine;
        }

        private void end(long newAddress) {
            address = newAddress;
            CHANGES.setRelease(this, changes + 1);
        }

        /// Follows it from the node at `from`, of `level`, to the child with the key in its range,
        /// as it was, or to the right.
        ///
        /// @return whether it has led anywhere
        boolean follow(long from, int level, long[] key, Next next) {
            long before = (long) CHANGES.getAcquire(this);
            boolean leads =
                    address == from
                            && NodeHeader.isOpenAt(words[0], level)
                            && compare(layout.lowFence() / Long.BYTES, key) <= 0;
            if (leads) {
                long right = words[NodeLayout.RIGHT_SIBLING / Long.BYTES];
                next.isRight =
                        right != RemoteAddress.NULL
                                && compare(NodeLayout.HIGH_FENCE / Long.BYTES, key) <= 0;
                next.index = childIndex(key);
                next.count = NodeHeader.count(words[0]);
                next.address =
                        next.isRight ? right : words[layout.children() / Long.BYTES + next.index];
            }
            VarHandle.loadLoadFence();
            return leads && (before & 1) == 0 && (long) CHANGES.getOpaque(this) == before;
        }

        /// Writes down the children whose ranges follow each other from that of `key` to that of
        /// `last`, up or down.
        ///
        /// @return how many, as many as fit; 0 if it leads nowhere
        int children(long from, long[] key, long[] last, boolean ascending, long[] into, int most) {
            long before = (long) CHANGES.getAcquire(this);
            int found = 0;
            if (address == from
                    && NodeHeader.isOpenAt(words[0], 1)
                    && compare(layout.lowFence() / Long.BYTES, key) <= 0) {
                int keys = layout.keys(1) / Long.BYTES;
                int count = Math.min(NodeHeader.count(words[0]), this.most); // it may be changing
                int at = childIndex(key);
                boolean isLast = false;
                while (found < most && at >= 0 && at < count && !isLast) {
                    into[found++] = words[layout.children() / Long.BYTES + at];
                    int end = ascending ? at + 1 : at; // of what comes next, or of this one
                    isLast =
                            end < count
                                    && (ascending
                                            ? compare(keys + end * keyWords, last) > 0
                                            : compare(keys + end * keyWords, last) <= 0);
                    at += ascending ? 1 : -1;
                }
            }
            VarHandle.loadLoadFence();
            boolean isWhole = (before & 1) == 0 && (long) CHANGES.getOpaque(this) == before;
            return isWhole ? found : 0;
        }

        private int childIndex(long[] key) {
            int keys = layout.keys(1) / Long.BYTES;
            int low = 0;
            int high = Math.min(NodeHeader.count(words[0]), most); // it may be changing
            while (high - low > 1) {
                int middle = (low + high) >>> 1;
                if (compare(keys + middle * keyWords, key) <= 0) {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            return low;
        }

        /// Compares a key of the copy with another one.
        private int compare(int at, long[] key) {
            for (int word = 0; word < keyWords; word++) {
                int order = Long.compareUnsigned(words[at + word], key[word]);
                if (order != 0) {
                    return order;
                }
            }
            return 0;
        }
    }

    /// Follows the copy of the node at `address`, of `level`, on a way to a key: to a child, or to
    /// the right.
    ///
    /// @return whether there is such a copy
    boolean follow(long address, int level, long[] key, Next next) {
        if (maxPlaces == 0) {
            return false;
        }
        AtomicReferenceArray<@Nullable Copy> known = copies;
        for (int way = 0; way < WAYS; way++) {
            Copy copy = known.getAcquire(place(address, way, known));
            if (copy != null && copy.isOf(address)) {
                return copy.follow(address, level, key, next);
            }
        }
        return false;
    }

    /// Writes down the leaves that the copy of the inner node at `address` names, from that of
    /// `key` to that of `last`, up or down.
    ///
    /// @return how many, `most` of them at most; 0 if there is no such copy
    int leaves(long address, long[] key, long[] last, boolean ascending, long[] into, int most) {
        if (maxPlaces == 0) {
            return 0;
        }
        AtomicReferenceArray<@Nullable Copy> known = copies;
        for (int way = 0; way < WAYS; way++) {
            Copy copy = known.getAcquire(place(address, way, known));
            if (copy != null && copy.isOf(address)) {
                return copy.children(address, key, last, ascending, into, most);
            }
        }
        return 0;
    }

    /// Keeps a copy of a node as it was read, if it has not changed since.
    void keep(NodeView node) {
        if (maxPlaces == 0) {
            return;
        }
        AtomicReferenceArray<@Nullable Copy> known = copies;
        while (!put(node, known)) {
            makePlaces(known);
            known = copies;
        }
    }

    /// Puts a node in the place of its older copy, or in an empty one.
    ///
    /// @return false if there is none, and there can be more
    private boolean put(NodeView node, AtomicReferenceArray<@Nullable Copy> places) {
        int free = -1;
        for (int way = 0; way < WAYS; way++) {
            int place = place(node.address(), way, places);
            Copy copy = places.getAcquire(place);
            if (copy != null && copy.isOf(node.address())) {
                copy.take(node, node.address());
                return true;
            }
            if (copy == null || copy.isOf(RemoteAddress.NULL)) {
                free = place;
            }
        }
        if (free < 0 && places.length() < maxPlaces) {
            return false;
        }
        int place = free < 0 ? place(node.address(), 0, places) : free;
        Copy copy = places.getAcquire(place);
        if (copy == null) {
            copy = new Copy(layout);
            copy.take(node, RemoteAddress.NULL);
            places.setRelease(place, copy);
        } else {
            copy.take(node, copy.address);
        }
        return true;
    }

    /// Doubles the capacity, unless another thread has; what others keep meanwhile may be lost.
    private synchronized void makePlaces(AtomicReferenceArray<@Nullable Copy> known) {
        if (copies.length() != known.length()) {
            return;
        }
        AtomicReferenceArray<@Nullable Copy> more = new AtomicReferenceArray<>(2 * known.length());
        for (int i = 0; i < known.length(); i++) {
            Copy copy = known.getAcquire(i);
            for (int way = 0; copy != null && way < WAYS; way++) {
                int place = place(copy.address, way, more);
                if (more.getAcquire(place) == null) {
                    more.setRelease(place, copy);
                    copy = null;
                }
            }
        }
        copies = more;
    }

    void forget(long address) {
        if (maxPlaces == 0) {
            return;
        }
        AtomicReferenceArray<@Nullable Copy> known = copies;
        for (int way = 0; way < WAYS; way++) {
            Copy copy = known.getAcquire(place(address, way, known));
            if (copy != null && copy.isOf(address)) {
                copy.forget(address);
            }
        }
    }

    private static int place(long address, int way, AtomicReferenceArray<?> places) {
        long mixed = address * MIX;
        mixed = (mixed ^ mixed >>> 29) * MIX;
        return ((int) (mixed >>> 32) & places.length() - WAYS) + way;
    }
}
