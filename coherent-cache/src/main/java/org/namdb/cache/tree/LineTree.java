package org.namdb.cache.tree;

import java.util.Arrays;
import org.namdb.cache.frame.Guard;
import org.namdb.cache.frame.GuardSession;

/// A thread's access to a B-link tree of words, whose nodes are lines: keys in ascending order,
/// each with a value. A node is searched and changed under its guard; no thread has two nodes
/// latched, but for one that it has just allocated. A tree is identified by its root, whose line
/// stays the same.
///
/// An insert that finds a node full splits it: what belongs on the right goes to a new node, then
/// the node is bounded, and then the parent gets the new one's separator.
/// ```
/// this thread                                    others
/// writes the new node, not linked yet
/// node: count, right, high key, by one WRITE     find what has moved by the right sibling
/// parent: separator                              find it by the parent
/// ```
/// If it dies in between, the separator is missing. The tree is whole all the same: a search that
/// comes to the node moves right. An insert that has to move right inserts the separator that it
/// has missed, unless it is there. Nodes are neither merged nor freed, as in the paper: an address
/// stays that of a node of the same level, or of the root.
///
/// Operations are linearizable, but for ranges, of which each leaf is read at one moment.
public final class LineTree {
    private static final int MAX_LEVELS = 32;

    private final GuardSession session;
    private final long root;
    private final TreeNode nodes;

    /// The nodes of a descent, by their levels.
    private final long[] path = new long[MAX_LEVELS];

    /// Of a descent that has moved right, by levels: the last node that it has come to so, and the
    /// least key of that.
    private final long[] unknown = new long[MAX_LEVELS];

    private final long[] separators = new long[MAX_LEVELS];

    /// @param root of a tree that was [made][#create] by a session of lines of the same size
    public LineTree(GuardSession session, long root) {
        this.session = session;
        this.root = root;
        this.nodes = new TreeNode(session.lineBytes());
        if (nodes.capacity() < 4) {
            throw new IllegalArgumentException(
                    "lines of %d bytes are too short for the nodes of a tree, which need 128: give the cluster a larger compute.line-bytes"
                            .formatted(session.lineBytes()));
        }
    }

    /// Makes an empty tree.
    ///
    /// @return its root
    /// @throws org.namdb.mvcc.MemoryFullException if there is no memory for a line
    public static long create(GuardSession session) {
        long line = session.allocate();
        try (Guard node = session.exclusive(line)) {
            TreeNode.head(node, 0, 0);
            TreeNode.bound(node, TreeNode.NONE, 0);
        }
        return line;
    }

    /// The root's address.
    public long root() {
        return root;
    }

    /// Finds the value of a key.
    ///
    /// @return `absent` if the key is not there
    public long find(long key, long absent) {
        try (Guard leaf = leaf(key, false)) {
            int index = TreeNode.indexOf(leaf, key);
            return TreeNode.has(leaf, index, key) ? TreeNode.value(leaf, index) : absent;
        }
    }

    /// Reads entries in ascending order of their keys, from `from` to `to`, both included: as many
    /// as the arrays have space for.
    ///
    /// @return how many
    public int range(long from, long to, long[] keys, long[] values) {
        int count = 0;
        Guard next = leaf(from, false);
        while (true) {
            long right;
            try (Guard leaf = next) {
                int end = TreeNode.count(leaf);
                int index = TreeNode.indexOf(leaf, from);
                while (index < end && count < keys.length && TreeNode.key(leaf, index) <= to) {
                    keys[count] = TreeNode.key(leaf, index);
                    values[count++] = TreeNode.value(leaf, index++);
                }
                right = TreeNode.right(leaf);
                if (count == keys.length || right == TreeNode.NONE || TreeNode.high(leaf) > to) {
                    return count;
                }
            }
            next = session.shared(right);
        }
    }

    /// Sets the value of a key that is there.
    ///
    /// @return whether it is
    public boolean update(long key, long value) {
        try (Guard leaf = leaf(key, true)) {
            int index = TreeNode.indexOf(leaf, key);
            boolean isThere = TreeNode.has(leaf, index, key);
            if (isThere) {
                TreeNode.value(leaf, index, value);
            }
            return isThere;
        }
    }

    /// Replaces the value of a key, if it has the expected one.
    ///
    /// @return whether it has
    public boolean replace(long key, long expected, long value) {
        try (Guard leaf = leaf(key, true)) {
            int index = TreeNode.indexOf(leaf, key);
            boolean isThere = isThere(leaf, index, key, expected);
            if (isThere) {
                TreeNode.value(leaf, index, value);
            }
            return isThere;
        }
    }

    /// Removes a key, if it has the expected value.
    ///
    /// @return whether it had
    public boolean remove(long key, long expected) {
        try (Guard leaf = leaf(key, true)) {
            int index = TreeNode.indexOf(leaf, key);
            boolean isThere = isThere(leaf, index, key, expected);
            if (isThere) {
                nodes.remove(leaf, index);
            }
            return isThere;
        }
    }

    private static boolean isThere(Guard leaf, int index, long key, long value) {
        return TreeNode.has(leaf, index, key) && TreeNode.value(leaf, index) == value;
    }

    /// Inserts a key.
    ///
    /// @return false if it is there already, and stays as it is
    /// @throws org.namdb.mvcc.MemoryFullException if there is no memory for a node; if that is one
    ///     above the leaf, the key is inserted all the same
    public boolean insert(long key, long value) {
        Arrays.fill(unknown, TreeNode.NONE);
        boolean isInserted = insert(leaf(key, true), key, value);
        for (int level = 0; level < MAX_LEVELS; level++) {
            if (unknown[level] != TreeNode.NONE) {
                link(level + 1, separators[level], unknown[level]);
            }
        }
        return isInserted;
    }

    /// Inserts an entry into a node, which it closes; splits it, and inserts the new node's
    /// separator, if it is full.
    private boolean insert(Guard latched, long key, long value) {
        long separator;
        long right;
        int level;
        try (Guard node = latched) {
            int index = TreeNode.indexOf(node, key);
            if (TreeNode.has(node, index, key)) {
                return false;
            }
            if (TreeNode.count(node) < nodes.capacity()) {
                nodes.insert(node, index, key, value);
                return true;
            }
            if (node.line() == root) {
                growRoot(node, key, value);
                return true;
            }
            level = TreeNode.level(node);
            int kept = kept(node, index);
            separator = TreeNode.key(node, kept);
            right = session.allocate();
            try (Guard sibling = session.exclusive(right)) {
                nodes.fill(sibling, node, kept, TreeNode.count(node));
                TreeNode.bound(sibling, TreeNode.right(node), TreeNode.high(node));
                if (key >= separator) {
                    nodes.insert(sibling, index - kept, key, value);
                }
            }
            TreeNode.head(node, level, kept);
            TreeNode.bound(node, right, separator);
            if (key < separator) {
                nodes.insert(node, index, key, value);
            }
        }
        link(level + 1, separator, right);
        return true;
    }

    /// How many entries of a full node stay on the left: half of them, but nearly all if keys come
    /// in ascending order.
    private int kept(Guard node, int index) {
        return index == TreeNode.count(node) && TreeNode.right(node) == TreeNode.NONE
                ? nodes.capacity() - 1
                : nodes.capacity() / 2;
    }

    /// The root is full: its entries go to two new nodes, and it becomes their parent.
    private void growRoot(Guard node, long key, long value) {
        int level = TreeNode.level(node);
        if (level + 1 == MAX_LEVELS) {
            throw new IllegalStateException("a tree of more than %d levels".formatted(MAX_LEVELS));
        }
        int index = TreeNode.indexOf(node, key);
        int kept = kept(node, index);
        long separator = TreeNode.key(node, kept);
        long left = session.allocate();
        long right = session.allocate();
        try (Guard half = session.exclusive(right)) {
            nodes.fill(half, node, kept, TreeNode.count(node));
            TreeNode.bound(half, TreeNode.NONE, 0);
            if (key >= separator) {
                nodes.insert(half, index - kept, key, value);
            }
        }
        try (Guard half = session.exclusive(left)) {
            nodes.fill(half, node, 0, kept);
            TreeNode.bound(half, right, separator);
            if (key < separator) {
                nodes.insert(half, index, key, value);
            }
        }
        TreeNode.head(node, level + 1, 0);
        nodes.insert(node, 0, Long.MIN_VALUE, left);
        nodes.insert(node, 1, separator, right);
    }

    /// Inserts the separator of a node, unless it is there.
    ///
    /// @param level of the parent
    private void link(int level, long separator, long child) {
        boolean _ = insert(node(level, separator, true, path[level]), separator, child);
    }

    private Guard leaf(long key, boolean isExclusive) {
        return node(0, key, isExclusive, root);
    }

    /// Latches the node of a level that a key belongs to.
    ///
    /// @param from where to begin: a node on the left of it or above it
    private Guard node(int level, long key, boolean isExclusive, long from) {
        long line = from;
        boolean latchesExclusive = false;
        while (true) {
            Guard node = latchesExclusive ? session.exclusive(line) : session.shared(line);
            boolean isFound = false;
            try {
                int found = TreeNode.level(node);
                if (!TreeNode.isNode(node) || found < level) {
                    throw new IllegalStateException(
                            "line %x is no node of level %d of the tree".formatted(line, level));
                }
                if (TreeNode.isBelow(node, key)) {
                    line = TreeNode.right(node);
                    unknown[found] = line;
                    separators[found] = TreeNode.high(node);
                } else if (found == level && isExclusive == latchesExclusive) {
                    isFound = true;
                    path[found] = line;
                    return node;
                } else if (found == level) {
                    latchesExclusive = true; // the root is the only node of that level, or was
                } else {
                    path[found] = line;
                    line = TreeNode.child(node, key);
                    latchesExclusive = isExclusive && found == level + 1;
                }
            } finally {
                if (!isFound) {
                    node.close();
                }
            }
        }
    }
}
