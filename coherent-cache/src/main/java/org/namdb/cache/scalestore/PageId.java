package org.namdb.cache.scalestore;

/// What a page is identified by: its directory's node, 8 bits; the incarnation of that node's file,
/// 16 bits; and where it lies in it, 40 bits (ScaleStore, section 3.3, where the last two are one).
/// A file is emptied when it is opened, and no page of it shall be taken for one that it had
/// before.
final class PageId {
    static final long MAX_FILE_BYTES = 1L << 40;

    private static final int DIRECTORY_SHIFT = 56;
    private static final int INCARNATION_SHIFT = 40;
    private static final int INCARNATION_MASK = 0xffff;

    private PageId() {}

    static long of(int directory, int incarnation, long offset) {
        return (long) directory << DIRECTORY_SHIFT
                | (long) (incarnation & INCARNATION_MASK) << INCARNATION_SHIFT
                | offset;
    }

    static int directory(long page) {
        return (int) (page >>> DIRECTORY_SHIFT);
    }

    static int incarnation(long page) {
        return (int) (page >>> INCARNATION_SHIFT) & INCARNATION_MASK;
    }

    static long offset(long page) {
        return page & MAX_FILE_BYTES - 1;
    }

    /// For people.
    static String describe(long page) {
        return "%d:%d:%x".formatted(directory(page), incarnation(page), offset(page));
    }
}
