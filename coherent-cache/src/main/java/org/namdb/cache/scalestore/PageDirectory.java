package org.namdb.cache.scalestore;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.disk.DiskException;

/// Who has the pages of this node's disk (ScaleStore, section 3.3). A page that no node has, and
/// that is written, has no entry.
///
/// A grant is recorded before the page moves, so pages move in the order of their grants. What a
/// node may evict is decided here, too: not a page that another node has been told to get there.
/// ```
/// node A, which may change page x    directory            node B
///                                    grant 6 to B: from A
/// evicts x, which it has by grant 5
///                                    declines: a conflict since
///                                                         request to A: gets x
/// ```
/// Thread-safe; nothing is waited for under a monitor.
final class PageDirectory {
    private static final int STRIPES = 64;
    private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;

    private final PageFile file;
    private final int node;
    private final Stripe[] stripes = new Stripe[STRIPES];

    private static final class Stripe {
        private final Map<Long, Entry> entries = new HashMap<>();
        private long grants;
    }

    private static final class Entry {
        /// Bits of nodes.
        private long owners;

        /// Whether the one owner may change it.
        private boolean isExclusive;

        private int primary;

        /// The last grant that was in conflict with the owners before.
        private long conflict;

        /// The first exclusive grant since the disk's content, or what is to be written, was the
        /// page's; 0 for none.
        private long unsavedSince;

        /// What is being written.
        private byte @Nullable [] unwritten;

        /// Whether that was evicted after its writing began.
        private boolean isReplaced;

        /// Called when everything is written.
        private List<Runnable> whenWritten = new ArrayList<>();
    }

    /// A request to evict a page.
    ///
    /// @param grant by which the node has it
    /// @param content of the page; null if the disk has the same
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Eviction(long page, long grant, byte @Nullable [] content) {}

    /// @param node the number of this one
    PageDirectory(PageFile file, int node) {
        this.file = file;
        this.node = node;
        for (int i = 0; i < STRIPES; i++) {
            stripes[i] = new Stripe();
        }
    }

    /// A new page of zeroes, which its allocating node has exclusively. One that is there already,
    /// as its identifier was guessed and requested just now, is not given to anyone.
    ///
    /// @return its grant, and its identifier as the second number
    long[] allocate(int owner) {
        while (true) {
            long page = PageId.of(node, file.incarnation(), file.allocate());
            Stripe stripe = stripe(page);
            synchronized (stripe) {
                Entry entry = new Entry();
                if (stripe.entries.putIfAbsent(page, entry) == null) {
                    entry.owners = 1L << owner;
                    entry.isExclusive = true;
                    entry.primary = owner;
                    entry.conflict = ++stripe.grants;
                    entry.unsavedSince = entry.conflict;
                    return new long[] {entry.conflict, page};
                }
            }
        }
    }

    /// Whether it is a page of this directory.
    boolean has(long page) {
        return PageId.directory(page) == node && file.has(page);
    }

    /// Grants a page. One that has it by what is recorded here, and requests it all the same, has
    /// not got it, as the node that had it before is gone.
    ///
    /// @param isExclusive whether the new owner may change it; it may be one that reads it already
    Grant request(int owner, long page, boolean isExclusive) {
        if (!has(page)) {
            return Grant.of(0, Grant.NO_PAGE, 0);
        }
        Stripe stripe = stripe(page);
        synchronized (stripe) {
            Entry entry = stripe.entries.computeIfAbsent(page, _ -> new Entry());
            long number = ++stripe.grants;
            return isExclusive ? exclusive(entry, owner, number) : shared(entry, owner, number);
        }
    }

    private static Grant shared(Entry entry, int owner, long number) {
        long bit = 1L << owner;
        if ((entry.owners & bit) != 0) {
            return Grant.of(number, Grant.LOST, 0);
        }
        Grant grant;
        if (entry.owners == 0) {
            entry.primary = owner;
            grant = new Grant(number, Grant.DISK, 0, entry.unwritten);
        } else {
            grant = Grant.of(number, entry.primary, 0);
            if (entry.isExclusive) {
                entry.isExclusive = false;
                entry.conflict = number;
            }
        }
        entry.owners |= bit;
        return grant;
    }

    private static Grant exclusive(Entry entry, int owner, long number) {
        long bit = 1L << owner;
        boolean isOwner = (entry.owners & bit) != 0;
        if (isOwner && entry.isExclusive) {
            return Grant.of(number, Grant.LOST, 0);
        }
        Grant grant;
        if (entry.owners == 0) {
            grant = new Grant(number, Grant.DISK, 0, entry.unwritten);
        } else if (isOwner) {
            grant = Grant.of(number, Grant.OWN_COPY, entry.owners & ~bit);
        } else {
            grant = Grant.of(number, entry.primary, entry.owners & ~(1L << entry.primary));
        }
        entry.owners = bit;
        entry.isExclusive = true;
        entry.primary = owner;
        entry.conflict = number;
        if (entry.unsavedSince == 0) {
            entry.unsavedSince = number;
        }
        return grant;
    }

    /// The node that a reader was to copy a page from has it no more. If it was evicted there, the
    /// disk has it: nobody has changed it since, as the reader's copy has not ended. Else an
    /// exclusive grant has ended that copy, and this reader's, too; or the node is gone with it.
    ///
    /// @param number of the reader's grant
    /// @return the source is the disk, or [Grant#ENDED] or [Grant#LOST]
    Grant again(int owner, long page, long number) {
        Stripe stripe = stripe(page);
        synchronized (stripe) {
            Entry entry = stripe.entries.get(page);
            if (entry != null
                    && (entry.unsavedSince == 0
                            || number < entry.unsavedSince
                            || PlantedFault.PAGE_ENDED_READER_SERVED.isPlanted())) {
                return new Grant(number, Grant.DISK, 0, entry.unwritten);
            }
            boolean isOwner = entry != null && (entry.owners & 1L << owner) != 0;
            return Grant.of(number, isOwner ? Grant.LOST : Grant.ENDED, 0);
        }
    }

    /// Decides on an eviction. What is accepted and has a content that the disk lacks is to be
    /// [written][#write].
    ///
    /// @param whenWritten called when the disk has it, if it is to be written
    /// @return whether the node has the page no more, and whether it is to be written
    Verdict evict(int owner, Eviction eviction, Runnable whenWritten) {
        Stripe stripe = stripe(eviction.page);
        long bit = 1L << owner;
        synchronized (stripe) {
            Entry entry = stripe.entries.get(eviction.page);
            if (entry == null || (entry.owners & bit) == 0 || eviction.grant < entry.conflict) {
                return Verdict.DECLINED;
            }
            entry.owners &= ~bit;
            entry.isExclusive = false;
            if (entry.primary == owner) {
                entry.primary = Long.numberOfTrailingZeros(entry.owners);
            }
            boolean isUnsaved = entry.unsavedSince != 0 && eviction.content != null;
            entry.unsavedSince = 0;
            if (!isUnsaved) {
                removeIfIdle(stripe, eviction.page, entry);
                return Verdict.ACCEPTED;
            }
            boolean isBeingWritten = entry.unwritten != null;
            entry.unwritten = eviction.content;
            entry.isReplaced = true;
            entry.whenWritten.add(whenWritten);
            return isBeingWritten ? Verdict.QUEUED : Verdict.TO_WRITE;
        }
    }

    /// What becomes of an eviction.
    enum Verdict {
        /// The node keeps the page, as another one is about to get it there.
        DECLINED,
        /// The node has the page no more.
        ACCEPTED,
        /// Accepted; the thread that is writing the page writes this, too.
        QUEUED,
        /// Accepted; the caller must have it written.
        TO_WRITE
    }

    /// Writes what was evicted of a page, until all is written.
    ///
    /// @throws DiskException if the disk is full, or fails
    void write(long page) {
        Stripe stripe = stripe(page);
        boolean isWritten = false;
        while (!isWritten) {
            byte[] content;
            synchronized (stripe) {
                Entry entry = Objects.requireNonNull(stripe.entries.get(page));
                content = Objects.requireNonNull(entry.unwritten);
                entry.isReplaced = false;
            }
            file.write(PageId.offset(page), content);
            List<Runnable> done = List.of();
            synchronized (stripe) {
                Entry entry = Objects.requireNonNull(stripe.entries.get(page));
                isWritten = !entry.isReplaced;
                if (isWritten) {
                    entry.unwritten = null;
                    done = entry.whenWritten;
                    entry.whenWritten = new ArrayList<>();
                    removeIfIdle(stripe, page, entry);
                }
            }
            done.forEach(Runnable::run);
        }
    }

    /// Reads a page from the disk.
    ///
    /// @throws DiskException if it fails
    byte[] read(long page) {
        return file.read(PageId.offset(page));
    }

    private static void removeIfIdle(Stripe stripe, long page, Entry entry) {
        if (entry.owners == 0 && entry.unwritten == null) {
            stripe.entries.remove(page);
        }
    }

    private Stripe stripe(long page) {
        return stripes[
                (int) (page * GOLDEN >>> Long.SIZE - Integer.numberOfTrailingZeros(STRIPES))];
    }

    /// The nodes that have a page, as bits, for checks.
    long owners(long page) {
        Stripe stripe = stripe(page);
        synchronized (stripe) {
            Entry entry = stripe.entries.get(page);
            return entry == null ? 0 : entry.owners;
        }
    }
}
