package org.namdb.cache.tree;

import org.namdb.cache.frame.Guard;

/// Where what is in a node of a tree, which is a line:
/// ```
/// 0                       8       16         24
/// | magic | level | count | right | high key | key | value | key | value | ...
/// ```
/// Keys ascend, and are below the high key, where there is a node on the right; the keys of that
/// one are not. A leaf has level 0. The values of other nodes are the addresses of children: each
/// has the keys from its own on, up to the next one's. What bounds a node and its number of entries
/// lie together, so that a split changes them by one WRITE of 24 bytes.
///
/// A thread's view of one node at a time: the one that a guard has latched.
final class TreeNode {
    /// The right sibling of the last node of a level.
    static final long NONE = 0;

    private static final long MAGIC = 0x424cL << 48;
    private static final long MAGIC_MASK = 0xffffL << 48;
    private static final int LEVEL_SHIFT = 32;
    private static final int LEVEL_MASK = 0xffff;
    private static final int RIGHT_OFFSET = 8;
    private static final int HIGH_OFFSET = 16;
    private static final int ENTRIES_OFFSET = 24;
    private static final int ENTRY_BYTES = 16;

    private final int capacity;
    private final byte[] moved;

    TreeNode(int lineBytes) {
        capacity = (lineBytes - ENTRIES_OFFSET) / ENTRY_BYTES;
        moved = new byte[lineBytes];
    }

    /// How many entries a node has at the most.
    int capacity() {
        return capacity;
    }

    static boolean isNode(Guard node) {
        return (node.longAt(0) & MAGIC_MASK) == MAGIC;
    }

    static int level(Guard node) {
        return (int) (node.longAt(0) >>> LEVEL_SHIFT) & LEVEL_MASK;
    }

    static int count(Guard node) {
        return (int) node.longAt(0);
    }

    static void head(Guard node, int level, int count) {
        node.putLong(0, MAGIC | (long) level << LEVEL_SHIFT | count);
    }

    static long right(Guard node) {
        return node.longAt(RIGHT_OFFSET);
    }

    static long high(Guard node) {
        return node.longAt(HIGH_OFFSET);
    }

    /// Bounds a node by its right sibling.
    static void bound(Guard node, long right, long high) {
        node.putLong(RIGHT_OFFSET, right);
        node.putLong(HIGH_OFFSET, high);
    }

    /// Whether a key is not in the node, but further on the right.
    static boolean isBelow(Guard node, long key) {
        return right(node) != NONE && key >= high(node);
    }

    static long key(Guard node, int index) {
        return node.longAt(ENTRIES_OFFSET + index * ENTRY_BYTES);
    }

    static long value(Guard node, int index) {
        return node.longAt(ENTRIES_OFFSET + index * ENTRY_BYTES + Long.BYTES);
    }

    static void value(Guard node, int index, long value) {
        node.putLong(ENTRIES_OFFSET + index * ENTRY_BYTES + Long.BYTES, value);
    }

    /// The first entry whose key is not less than `key`; as many as there are, if none is.
    static int indexOf(Guard node, long key) {
        int low = 0;
        int end = count(node);
        while (low < end) {
            int middle = (low + end) >>> 1;
            if (key(node, middle) < key) {
                low = middle + 1;
            } else {
                end = middle;
            }
        }
        return low;
    }

    /// Whether the entry at `index` is there and has this key.
    static boolean has(Guard node, int index, long key) {
        return index < count(node) && key(node, index) == key;
    }

    /// The child whose subtree has a key, or leads to it by right siblings.
    static long child(Guard node, long key) {
        int index = indexOf(node, key);
        return value(node, has(node, index, key) ? index : Math.max(0, index - 1));
    }

    /// Inserts an entry at `index` of a node that has space for it.
    void insert(Guard node, int index, long key, long value) {
        int count = count(node);
        int from = ENTRIES_OFFSET + index * ENTRY_BYTES;
        int bytes = (count - index) * ENTRY_BYTES;
        node.get(from, moved, 0, bytes);
        node.put(from + ENTRY_BYTES, moved, 0, bytes);
        node.putLong(from, key);
        node.putLong(from + Long.BYTES, value);
        head(node, level(node), count + 1);
    }

    void remove(Guard node, int index) {
        int count = count(node);
        int from = ENTRIES_OFFSET + index * ENTRY_BYTES;
        int bytes = (count - index - 1) * ENTRY_BYTES;
        node.get(from + ENTRY_BYTES, moved, 0, bytes);
        node.put(from, moved, 0, bytes);
        head(node, level(node), count - 1);
    }

    /// Makes a node of the entries of another one, from `first` to `end`, on the same level.
    void fill(Guard node, Guard source, int first, int end) {
        int bytes = (end - first) * ENTRY_BYTES;
        source.get(ENTRIES_OFFSET + first * ENTRY_BYTES, moved, 0, bytes);
        node.put(ENTRIES_OFFSET, moved, 0, bytes);
        head(node, level(source), end - first);
    }
}
