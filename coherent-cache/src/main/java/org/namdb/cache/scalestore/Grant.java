package org.namdb.cache.scalestore;

import org.jspecify.annotations.Nullable;

/// What a directory has granted: an ownership that it has recorded, and who had the page before.
///
/// @param number of the grant; those of a page ascend
/// @param source the node that has the page, or will have it before the new owner; or one of the
///     constants
/// @param others the nodes besides the source whose copies end by this grant, as bits
/// @param content of the page, if the source is the disk and it is not to be read
@SuppressWarnings("ArrayRecordComponent") // never compared
record Grant(long number, int source, long others, byte @Nullable [] content) {
    /// The source is the directory's disk.
    static final int DISK = -1;

    /// The new owner has the page already.
    static final int OWN_COPY = -2;

    /// There is no such page; nothing is granted.
    static final int NO_PAGE = -3;

    /// The grant has ended, as another node has got one since.
    static final int ENDED = -4;

    /// The node that had the page is gone, with changes that the disk lacks.
    static final int LOST = -5;

    /// A grant without the page's content.
    static Grant of(long number, int source, long others) {
        return new Grant(number, source, others, null);
    }
}
