package org.namdb.mvcc.gc;

import java.util.Arrays;

/// A queue of garbage to collect, as words in a ring that grows up to a limit.
/// ```
/// | kind, table, index | header | header address | body address |
/// ```
/// The words of index entries, which few items have, are in a ring of their own in the same order:
/// the kind has their number.
final class GarbageRing {
    static final int KIND = 0;
    static final int HEADER = 1;
    static final int HEADER_ADDRESS = 2;
    static final int BODY_ADDRESS = 3;
    static final int ITEM_WORDS = 4;

    private static final int KIND_MASK = 3;
    private static final int LENGTH_SHIFT = 2;
    private static final int LENGTH_MASK = 63;
    private static final int TABLE_SHIFT = 8;
    private static final int TABLE_MASK = (1 << 24) - 1;
    private static final int INDEX_SHIFT = 32;
    private static final int INDEX_MASK = (1 << 24) - 1;
    private static final int TRIES_SHIFT = 56;
    private static final int TRIES_MASK = 127;

    private static final int FIRST_ITEMS = 1 << 10;
    private static final int MAX_ITEMS = 1 << 21;
    private static final int MAX_ENTRY_WORDS = 1 << 24;

    private long[] words;
    private int capacity;
    private long head;
    private long tail;
    private long dropped;

    private long[] entries;
    private long entryHead;
    private long entryTail;

    GarbageRing() {
        this(FIRST_ITEMS);
    }

    /// @param items the initial capacity, a power of two
    GarbageRing(int items) {
        capacity = items;
        words = new long[items * ITEM_WORDS];
        entries = new long[items];
    }

    /// The first word of an item.
    ///
    /// @param kind what it is, 0 to 3
    /// @param table the table's number
    /// @param index the index's number, if it has an entry
    /// @param entryWords how many words the entry has
    static long kind(int kind, int table, int index, int entryWords) {
        return kind
                | (long) entryWords << LENGTH_SHIFT
                | (long) table << TABLE_SHIFT
                | (long) index << INDEX_SHIFT;
    }

    static int kindOf(long kind) {
        return (int) kind & KIND_MASK;
    }

    static int entryWordsOf(long kind) {
        return (int) (kind >>> LENGTH_SHIFT) & LENGTH_MASK;
    }

    static int tableOf(long kind) {
        return (int) (kind >>> TABLE_SHIFT) & TABLE_MASK;
    }

    static int indexOf(long kind) {
        return (int) (kind >>> INDEX_SHIFT) & INDEX_MASK;
    }

    /// How often an item has failed.
    static int triesOf(long kind) {
        return (int) (kind >>> TRIES_SHIFT) & TRIES_MASK;
    }

    /// The first word of an item that has failed once more.
    static long triedAgain(long kind) {
        return triesOf(kind) == TRIES_MASK ? kind : kind + (1L << TRIES_SHIFT);
    }

    /// Whether an item goes by itself.
    static boolean isAlone(long kind) {
        return kind < 0;
    }

    /// The first word of an item that goes by itself from now on.
    static long alone(long kind) {
        return kind | Long.MIN_VALUE;
    }

    /// How many items wait.
    long size() {
        return tail - head;
    }

    /// How many items did not fit.
    long dropped() {
        return dropped;
    }

    /// Adds an item; it is left to the sweep if the ring is as large as it may be and full.
    ///
    /// @param entry the index entry's words, as many as in the kind
    void add(long kind, long header, long headerAddress, long bodyAddress, long[] entry) {
        int length = entryWordsOf(kind);
        if (tail - head == capacity && !grow() || !hasCapacity(length)) {
            dropped++;
            return;
        }
        int at = index(tail++);
        words[at + KIND] = kind;
        words[at + HEADER] = header;
        words[at + HEADER_ADDRESS] = headerAddress;
        words[at + BODY_ADDRESS] = bodyAddress;
        for (int word = 0; word < length; word++) {
            entries[(int) (entryTail++ & entries.length - 1)] = entry[word];
        }
    }

    /// Where the words of the oldest item start.
    int first() {
        return index(head);
    }

    /// Takes the oldest item out.
    ///
    /// @param entry gets its index entry's words
    void removeFirst(long[] entry) {
        int length = entryWordsOf(words[index(head++)]);
        for (int word = 0; word < length; word++) {
            entry[word] = entries[(int) (entryHead++ & entries.length - 1)];
        }
    }

    /// Takes the oldest item out, and puts it behind all others again if it is to be kept: after as
    /// many calls as there are items, those that were kept are in their order.
    ///
    /// @param scratch for an entry's words
    void rotate(boolean isKept, long[] scratch) {
        int at = first();
        long kind = words[at + KIND];
        long header = words[at + HEADER];
        long headerAddress = words[at + HEADER_ADDRESS];
        long bodyAddress = words[at + BODY_ADDRESS];
        removeFirst(scratch);
        if (isKept) {
            add(kind, header, headerAddress, bodyAddress, scratch);
        }
    }

    long word(int at) {
        return words[at];
    }

    private int index(long item) {
        return (int) (item & capacity - 1) * ITEM_WORDS;
    }

    private boolean grow() {
        if (capacity == MAX_ITEMS) {
            return false;
        }
        words = doubled(words, index(head));
        tail -= head;
        head = 0;
        capacity *= 2;
        return true;
    }

    private boolean hasCapacity(int length) {
        while (entryTail - entryHead + length > entries.length) {
            if (entries.length == MAX_ENTRY_WORDS) {
                return false;
            }
            entries = doubled(entries, (int) (entryHead & entries.length - 1));
            entryTail -= entryHead;
            entryHead = 0;
        }
        return true;
    }

    /// A ring of twice the size that starts at 0.
    private static long[] doubled(long[] ring, int first) {
        long[] larger = Arrays.copyOfRange(ring, first, first + 2 * ring.length);
        System.arraycopy(ring, 0, larger, ring.length - first, first);
        return larger;
    }
}
