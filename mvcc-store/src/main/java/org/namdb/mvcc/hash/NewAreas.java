package org.namdb.mvcc.hash;

import java.util.Arrays;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.RemoteAllocator;

/// The overflow areas that the inserts of one commit have got, and that no bucket points to yet. No
/// other session can see them, so they can be freed at once if the commit fails; an area that
/// readers may be in can't be.
///
/// The first few are linked at once, which saves a round trip, and is all that a failed commit
/// leaves in its tables: empty, for the next inserts. Belongs to one thread.
final class NewAreas {
    private final long atOnceBytes;
    private long atOnce;
    private int count;

    /// Their addresses, those of a home bucket one behind the other, oldest first; null once they
    /// are linked.
    private long[] addresses = new long[16];

    /// What each points to: the next older area.
    private long[] olders = new long[16];

    private int[] bucketBytes = new int[16];

    /// The first insert of the home bucket that each belongs to.
    private int[] firsts = new int[16];

    /// By that insert: its home bucket's oldest area here.
    private int[] oldest = new int[16];

    /// The newest area of the home bucket at hand, or null.
    private long newest;

    /// @param atOnceBytes how many bytes of a commit's areas are linked at once
    NewAreas(long atOnceBytes) {
        this.atOnceBytes = atOnceBytes;
    }

    /// Drops all areas: they are linked, or freed.
    void clear() {
        count = 0;
        atOnce = 0;
        newest = RemoteAddress.NULL;
    }

    boolean isEmpty() {
        return count == 0;
    }

    /// The home bucket of insert `first` is at hand; it has no area here.
    void startHome(int first) {
        newest = RemoteAddress.NULL;
        if (first >= oldest.length) {
            oldest = Arrays.copyOf(oldest, Math.max(first + 1, 2 * oldest.length));
        }
        oldest[first] = count;
    }

    /// The newest area of the home bucket at hand that is not linked; null if there is none.
    long newest() {
        return newest;
    }

    /// Whether the next area of the home bucket at hand, one of `bytes`, is to be linked at once.
    boolean isLinkedAtOnce(long bytes) {
        if (!RemoteAddress.isNull(newest) || atOnce + bytes > atOnceBytes) {
            return false;
        }
        atOnce += bytes;
        return true;
    }

    /// Adds an area of the home bucket at hand, that of insert `first`.
    ///
    /// @param older what it points to
    void add(HashTable table, int first, long area, long older) {
        if (count == addresses.length) {
            addresses = Arrays.copyOf(addresses, 2 * count);
            olders = Arrays.copyOf(olders, 2 * count);
            bucketBytes = Arrays.copyOf(bucketBytes, 2 * count);
            firsts = Arrays.copyOf(firsts, 2 * count);
        }
        addresses[count] = area;
        olders[count] = older;
        bucketBytes[count] = table.bucketBytes;
        firsts[count] = first;
        count++;
        newest = area;
    }

    /// How many there are.
    int count() {
        return count;
    }

    /// Whether an area is the oldest one here of its home bucket.
    boolean isOldest(int area) {
        return oldest[firsts[area]] == area;
    }

    /// The first insert of the home bucket that an area belongs to.
    int firstInsert(int area) {
        return firsts[area];
    }

    /// Whether the entry at `address` is in an area of insert `first`'s home bucket.
    boolean contains(int first, long address) {
        for (int i = oldest[first]; i < count && firsts[i] == first; i++) {
            long offset = address - addresses[i];
            if (offset >= 0 && offset < bucketBytes[i]) {
                return true;
            }
        }
        return false;
    }

    /// Posts the links to the areas of insert `first`'s home bucket, whose latch is held.
    ///
    /// @param overflow the newest area of others
    void postLinks(QueuePair queuePair, int first, long home, long overflow) {
        int eldest = oldest[first];
        if (olders[eldest] != overflow) {
            queuePair.writeWord(addresses[eldest] + BucketLayout.OVERFLOW_OFFSET, overflow);
        }
        long link = RemoteAddress.NULL;
        for (int i = eldest; i < count && firsts[i] == first; i++) {
            link = addresses[i];
            addresses[i] = RemoteAddress.NULL; // from here on they may be seen
        }
        queuePair.writeWord(home + BucketLayout.OVERFLOW_OFFSET, link);
    }

    /// Frees those that are not linked. Nothing is on its way to them any more.
    void freeUnused(RemoteAllocator allocator) {
        for (int i = 0; i < count; i++) {
            long area = addresses[i];
            if (!RemoteAddress.isNull(area)) {
                addresses[i] = RemoteAddress.NULL;
                allocator.free(area, bucketBytes[i]);
            }
        }
        clear();
    }
}
