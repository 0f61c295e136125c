package org.namdb.cache.scalestore;

/// What a page is identified by: its directory's node, 8 bits, and where it lies in that node's
/// file, 56 bits (ScaleStore, section 3.3).
final class PageId {
    private static final int OFFSET_BITS = 56;
    private static final long OFFSET_MASK = (1L << OFFSET_BITS) - 1;

    private PageId() {}

    static long of(int directory, long offset) {
        return (long) directory << OFFSET_BITS | offset;
    }

    static int directory(long page) {
        return (int) (page >>> OFFSET_BITS);
    }

    static long offset(long page) {
        return page & OFFSET_MASK;
    }

    /// For people.
    static String describe(long page) {
        return "%d:%x".formatted(directory(page), offset(page));
    }
}
