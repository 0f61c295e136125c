package org.namdb.mvcc.tree;

import org.jspecify.annotations.Nullable;
import org.namdb.fabric.LocalMemory;

/// Where everything is in a node, for keys of `keyWords` words and nodes of `nodeBytes` bytes. The
/// words of a key are compared as unsigned numbers, the first one first; K is `keyWords`.
/// ```
///  word 0      1               2            2+K         2+2K
///      +--------+---------------+------------+-----------+-------------------------+
/// leaf | header | right sibling | high fence | low fence | deleted bits | keys     |
///      +--------+---------------+------------+-----------+-------------------------+
/// inner| header | right sibling | high fence | low fence | separators | children   |
///      +--------+---------------+------------+-----------+-------------------------+
/// ```
/// - The low fence is inclusive; all zero bits, the smallest key, on the leftmost node of a level.
/// - The high fence is exclusive. A node without a right sibling has none: its range is open.
/// - A leaf has a bit per entry, in as few words as hold them: bit `i % 64` of word `i / 64` is set
///   when entry i is deleted.
/// - Child i is responsible for the keys from separator i on, up to separator i + 1 or the high
///   fence. Separator 0 is the low fence. Children are remote addresses, apart from the separators
///   so that a search touches no more cache lines than it must.
///
/// Source: tree-index paper, sections 3.1 and 4.1.
public final class NodeLayout {
    /// The most words that a key can have: those of a table's key, and a remote address.
    public static final int MAX_KEY_WORDS = 33;

    static final int HEADER = 0;
    static final int RIGHT_SIBLING = 8;
    static final int HIGH_FENCE = 16;

    /// Marks a word that encodes a layout.
    private static final long ENCODED = 0x4e4f_4445L << 32;

    private static final int MIN_ENTRIES = 3;
    private static final int MAX_NODE_BYTES = 8192;

    private final int keyWords;
    private final int keyBytes;
    private final int nodeBytes;
    private final int lowFence;
    private final int deleted;
    private final int deletedWords;
    private final int leafKeys;
    private final int leafCapacity;
    private final int innerCapacity;
    private final int children;

    /// @throws IllegalArgumentException if the numbers are out of range, or a node of this size
    ///     does not hold three entries
    public NodeLayout(int keyWords, int nodeBytes) {
        if (keyWords < 1 || keyWords > MAX_KEY_WORDS) {
            throw new IllegalArgumentException(
                    "a key of " + keyWords + " words: it has 1 to " + MAX_KEY_WORDS);
        }
        if (nodeBytes <= 0 || nodeBytes > MAX_NODE_BYTES || nodeBytes % 64 != 0) {
            throw new IllegalArgumentException(
                    "a node of %d bytes: it has a multiple of 64, up to %d"
                            .formatted(nodeBytes, MAX_NODE_BYTES));
        }
        this.keyWords = keyWords;
        this.keyBytes = 8 * keyWords;
        this.nodeBytes = nodeBytes;
        this.lowFence = HIGH_FENCE + keyBytes;
        this.deleted = lowFence + keyBytes;
        int spare = nodeBytes - deleted;
        this.innerCapacity = Math.min(spare / (keyBytes + 8), NodeHeader.MAX_COUNT);
        // A key costs its bytes and one bit, and the bits come in words.
        this.deletedWords = Math.ceilDiv(Math.max(spare, 0) * 8, 64 * (keyBytes * 8 + 1));
        this.leafCapacity = Math.min((spare - 8 * deletedWords) / keyBytes, 64 * deletedWords);
        this.leafKeys = deleted + 8 * deletedWords;
        this.children = deleted + innerCapacity * keyBytes;
        if (innerCapacity < MIN_ENTRIES || leafCapacity < MIN_ENTRIES) {
            throw new IllegalArgumentException(
                    "a node of %d bytes does not hold %d entries with keys of %d words"
                            .formatted(nodeBytes, MIN_ENTRIES, keyWords));
        }
    }

    /// The layout encoded in one word, which is marked as one.
    long encoded() {
        return ENCODED | (long) nodeBytes << 8 | keyWords;
    }

    /// The layout that is [encoded][#encoded] in a word; null if none is.
    static @Nullable NodeLayout decoded(long word) {
        int keyWords = (int) word & 0xff;
        int nodeBytes = (int) word >>> 8;
        if (word >>> 32 != ENCODED >>> 32) {
            return null;
        }
        try {
            return new NodeLayout(keyWords, nodeBytes);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /// Words per key.
    public int keyWords() {
        return keyWords;
    }

    /// Bytes per node.
    public int nodeBytes() {
        return nodeBytes;
    }

    /// How many entries a node of this level can hold.
    public int capacity(int level) {
        return level == 0 ? leafCapacity : innerCapacity;
    }

    int keyBytes() {
        return keyBytes;
    }

    int lowFence() {
        return lowFence;
    }

    /// Where the deleted bits of a leaf are.
    int deleted() {
        return deleted;
    }

    int deletedWords() {
        return deletedWords;
    }

    /// Where the keys of a node of this level are.
    int keys(int level) {
        return level == 0 ? leafKeys : deleted;
    }

    /// Where the children of an inner node are.
    int children() {
        return children;
    }

    /// The first of the `count` ascending keys from native address `keys` on that is not below
    /// `key`; `count` if there is none.
    int lowerBound(long keys, int count, long[] key) {
        int base = 0;
        int length = count;
        while (length > 1) {
            int half = length >>> 1;
            base = isBelow(keys + (long) (base + half - 1) * keyBytes, key) ? base + half : base;
            length -= half;
        }
        return length == 1 && isBelow(keys + (long) base * keyBytes, key) ? base + 1 : base;
    }

    /// Whether the key at native address `at` is below `key`. Nearly always the first word decides.
    boolean isBelow(long at, long[] key) {
        long first = LocalMemory.longAt(at);
        return first == key[0]
                ? keyWords > 1 && compareTail(at, key) < 0
                : first + Long.MIN_VALUE < key[0] + Long.MIN_VALUE;
    }

    /// Whether the key at native address `at` is `key` or below it.
    boolean isAtMost(long at, long[] key) {
        long first = LocalMemory.longAt(at);
        return first == key[0]
                ? keyWords == 1 || compareTail(at, key) <= 0
                : first + Long.MIN_VALUE < key[0] + Long.MIN_VALUE;
    }

    /// Whether the key at native address `at` is `key`.
    boolean isEqual(long at, long[] key) {
        return LocalMemory.longAt(at) == key[0] && (keyWords == 1 || compareTail(at, key) == 0);
    }

    private int compareTail(long at, long[] key) {
        for (int word = 1; word < keyWords; word++) {
            long found = LocalMemory.longAt(at + 8L * word);
            if (found != key[word]) {
                return Long.compareUnsigned(found, key[word]);
            }
        }
        return 0;
    }

    /// Copies the key at native address `at` out.
    void copyKey(long at, long[] key) {
        for (int word = 0; word < keyWords; word++) {
            key[word] = LocalMemory.longAt(at + 8L * word);
        }
    }

    /// Copies `key` to native address `at`.
    void putKey(long at, long[] key) {
        for (int word = 0; word < keyWords; word++) {
            LocalMemory.putLong(at + 8L * word, key[word]);
        }
    }
}
