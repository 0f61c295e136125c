package org.namdb.mvcc.gc;

import org.namdb.mvcc.schema.KeyLayout;

/// A queue of what is to be taken away, as words in a ring that grows up to a limit.
/// ```
/// | kind, table, index | header | header address | body address | entry's words ... |
/// ```
/// An item takes [#ITEM_WORDS] words whatever its kind.
final class GarbageRing {
    static final int KIND = 0;
    static final int HEADER = 1;
    static final int HEADER_ADDRESS = 2;
    static final int BODY_ADDRESS = 3;
    static final int ENTRY = 4;
    static final int ITEM_WORDS = ENTRY + KeyLayout.MAX_WORDS;

    private static final int FIRST_ITEMS = 1 << 10;
    private static final int MOST_ITEMS = 1 << 21;

    private long[] words = new long[FIRST_ITEMS * ITEM_WORDS];
    private int capacity = FIRST_ITEMS;
    private long head;
    private long tail;
    private long dropped;

    /// How many items wait.
    long size() {
        return tail - head;
    }

    /// How many items found no room.
    long dropped() {
        return dropped;
    }

    /// Adds an item; it is left to the sweep if the ring is as large as it may be and full.
    ///
    /// @return where its words start, or -1
    int add(long kind, long header, long headerAddress, long bodyAddress) {
        if (tail - head == capacity && !grow()) {
            dropped++;
            return -1;
        }
        int at = index(tail++);
        words[at + KIND] = kind;
        words[at + HEADER] = header;
        words[at + HEADER_ADDRESS] = headerAddress;
        words[at + BODY_ADDRESS] = bodyAddress;
        return at;
    }

    /// Where the words of the oldest item start.
    int first() {
        return index(head);
    }

    void removeFirst() {
        head++;
    }

    long word(int at) {
        return words[at];
    }

    /// The ring's words, to copy an entry to or from.
    long[] words() {
        return words;
    }

    private int index(long item) {
        return (int) (item & capacity - 1) * ITEM_WORDS;
    }

    private boolean grow() {
        if (capacity == MOST_ITEMS) {
            return false;
        }
        long[] larger = new long[2 * words.length];
        int first = index(head);
        System.arraycopy(words, first, larger, 0, words.length - first);
        System.arraycopy(words, 0, larger, words.length - first, first);
        words = larger;
        tail -= head;
        head = 0;
        capacity *= 2;
        return true;
    }
}
