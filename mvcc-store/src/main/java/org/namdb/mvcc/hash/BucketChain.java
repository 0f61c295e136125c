package org.namdb.mvcc.hash;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.ViewScope;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.record.RecordHeader;

/// The directories of a home bucket and of its overflow areas, while the home bucket's latch is
/// held: read once, searched for any number of keys, and filled from the front. Belongs to one
/// thread.
final class BucketChain {
    private final QueuePair queuePair;
    private final RemoteAllocator allocator;
    private final NewAreas areas;
    private final EmptyBucket emptyBucket;

    /// Of chains of an index; null of a table's.
    private final @Nullable ChainCache cache;

    private HashTable table;
    private int first;
    private long[] addresses = new long[8];
    private long[] views = new long[8];
    private int length;
    private final ViewScope scope;
    private boolean otherPrefix;

    /// The last area that is read, as those behind it are cached; null to read all.
    private long lastArea;

    /// Whether the cache has the entries of the chain.
    private boolean isCached;

    /// A key that the chain had no neighbours of; null if that is not known of any.
    private @Nullable RecordRead absent;

    /// The newest area that the home bucket points to.
    private long newestLinked;

    /// Where the chain goes on, behind what is read of it; null at its end.
    private long next;

    /// Where the next directory lands; 0 if it is not on its way.
    private long postedView;

    /// Local memory for the directories of a long chain: with their views, it would land more than
    /// a batch.
    private long copies;

    private int copiesBytes;
    private int copied;

    /// Where the search for free entries goes on: all before are taken.
    private int freeBucket;

    private int freeEntry;

    private long foundHeader;
    private long foundAddress;
    private long foundBody;

    /// @param emptyBucket what new areas are written from
    /// @param cache of the chains of an index; null of a table
    @SuppressWarnings("NullAway.Init") // the table comes with each chain
    BucketChain(
            QueuePair queuePair,
            RemoteAllocator allocator,
            NewAreas areas,
            EmptyBucket emptyBucket,
            @Nullable ChainCache cache) {
        this.cache = cache;
        this.queuePair = queuePair;
        this.emptyBucket = emptyBucket;
        this.scope = new ViewScope(queuePair);
        this.allocator = allocator;
        this.areas = areas;
    }

    /// Turns to the home bucket of insert `newFirst`.
    void startHome(int newFirst) {
        first = newFirst;
        areas.startHome(newFirst);
    }

    /// Reads the chain, with the home bucket's areas that are not linked: a round trip for each
    /// overflow area.
    ///
    /// @param homeView of the home bucket's directory, read under the latch; or 0 to read it
    ///     now, under the latch
    /// @param newLastArea the last area that is read, as those behind it are cached; null to read
    ///     all
    void read(HashTable newTable, long home, long homeView, long newLastArea) {
        read(newTable, home, homeView, newLastArea, areas.newest());
    }

    /// Reads the chain that others see.
    void readLinked(HashTable newTable, long home, long homeView) {
        read(newTable, home, homeView, RemoteAddress.NULL, RemoteAddress.NULL);
    }

    private void read(HashTable newTable, long home, long homeView, long newLastArea, long newest) {
        begin(newTable, newLastArea);
        scope.open();
        newestLinked = append(home, homeView);
        next = RemoteAddress.isNull(newest) ? newestLinked : newest;
        readRest();
    }

    private void begin(HashTable newTable, long newLastArea) {
        table = newTable;
        lastArea = newLastArea;
        isCached = !RemoteAddress.isNull(newLastArea);
        length = 0;
        freeBucket = 0;
        freeEntry = 0;
        copied = 0;
        postedView = 0;
        absent = null;
        otherPrefix = false;
    }

    private void readRest() {
        while (!RemoteAddress.isNull(next)) {
            next = append(next, 0);
        }
    }

    /// Begins to read the chain together with others; its home bucket has no areas that are not
    /// linked. What is read lands in the caller's scope, which lasts until the chain is closed.
    ///
    /// @param homeView of the home bucket's directory, read under the latch
    /// @param newLastArea the last area that is read, as those behind it are cached; null to read
    ///     all
    void readAhead(HashTable newTable, long home, long homeView, long newLastArea) {
        begin(newTable, newLastArea);
        next = add(home, homeView);
        newestLinked = next;
    }

    /// Posts the READ of the next directory, if that lands no more than `capacity` bytes.
    ///
    /// @return how many bytes it lands; 0 if it would land more, or the chain is at its end
    int postAhead(int capacity) {
        if (RemoteAddress.isNull(next) || table.directoryBytes > capacity) {
            return 0;
        }
        postedView = queuePair.read(next, table.directoryBytes);
        return table.directoryBytes;
    }

    /// Takes the directory that was posted, if one was.
    void takeAhead() {
        if (postedView != 0) {
            next = add(next, postedView);
            postedView = 0;
        }
    }

    /// Reads what is left of the chain, a round trip for each overflow area.
    void resume() {
        scope.open();
        readRest();
    }

    /// Whether there are no areas.
    boolean isHomeOnly() {
        return length == 1;
    }

    /// Releases the views; the chain is not read any more. Until then it lands no more than a batch
    /// and one directory.
    void close() {
        scope.close();
    }

    /// Adds the entries of an index's chain to the cache, if the chain is long and gets many more:
    /// then a [search][#find] does not go through them.
    ///
    /// @param key one that is going to be [found][#find]
    void cacheEntries(RecordRead key) {
        boolean isShort = length <= 2;
        if (cache == null || isCached || isShort || !cache.hasCapacityFor(length * table.records)) {
            return;
        }
        expectNeighbours(key);
        for (int bucket = 0; bucket < length; bucket++) {
            int offset = BucketLayout.ENTRIES_OFFSET;
            for (int entry = 0; entry < table.records; entry++, offset += table.entryBytes) {
                if (LocalMemory.longAcquire(views[bucket] + offset) != RecordHeader.FREE) {
                    cache.add(views[bucket] + offset + BucketLayout.KEY_OFFSET, table.keyWords);
                }
            }
        }
        isCached = true;
    }

    /// Caches the chain, when all inserts have their entries.
    void cacheChain() {
        if (cache == null || !isCached) {
            return;
        }
        cache.put(addresses[0], newestLinked, RemoteAddress.isNull(lastArea));
        for (int bucket = Math.max(1, freeBucket); bucket < length; bucket++) {
            if (addresses[bucket] != newestLinked
                    && free(bucket, bucket == freeBucket ? freeEntry : 0) > 0) {
                cache.addFree(addresses[0], addresses[bucket]);
            }
        }
    }

    /// Looks for neighbours of a key that several are going to be [found][#find] of: if there are
    /// none, that does not go through the entries again for each. What is claimed here since does
    /// not count.
    void expectNeighbours(RecordRead key) {
        if (isCached) {
            return;
        }
        otherPrefix = false;
        absent = key;
        for (int bucket = 0; bucket < length; bucket++) {
            int offset = BucketLayout.ENTRIES_OFFSET;
            for (int entry = 0; entry < table.records; entry++, offset += table.entryBytes) {
                if (LocalMemory.longAcquire(views[bucket] + offset) != RecordHeader.FREE) {
                    boolean isOther =
                            isOtherPrefix(key, views[bucket] + offset + BucketLayout.KEY_OFFSET);
                    otherPrefix |= isOther;
                    absent = isOther ? absent : null;
                }
            }
        }
    }

    /// Looks for a record with this key, deleted ones included.
    boolean find(RecordRead key) {
        if (cache != null && isCached && !cache.mayContain(key.key, table.keyWords)) {
            return false;
        }
        if (absent != null && table.neighbours(absent.key, key.key)) {
            return false;
        }
        otherPrefix = false;
        for (int bucket = 0; bucket < length; bucket++) {
            int offset = BucketLayout.ENTRIES_OFFSET;
            for (int entry = 0; entry < table.records; entry++, offset += table.entryBytes) {
                long header = LocalMemory.longAcquire(views[bucket] + offset);
                if (header != RecordHeader.FREE
                        && isKeyAt(key, views[bucket] + offset + BucketLayout.KEY_OFFSET)) {
                    foundHeader = header;
                    foundAddress = addresses[bucket] + offset;
                    foundBody = bodyOf(bucket, entry);
                    return true;
                }
            }
        }
        return false;
    }

    long foundHeader() {
        return foundHeader;
    }

    /// The remote address of the entry that was found or taken.
    long foundAddress() {
        return foundAddress;
    }

    /// The remote address of its body; null if it is not inlined and the entry was just taken.
    long foundBody() {
        return foundBody;
    }

    /// Takes the next free entry; adds an overflow area if there is none.
    ///
    /// @throws org.namdb.mvcc.MemoryFullException if there is no memory for an area; nothing
    ///     has changed
    void takeFree() {
        while (!takeFreeOfRead()) {
            long area =
                    cache == null || RemoteAddress.isNull(lastArea)
                            ? RemoteAddress.NULL
                            : cache.takeFree(addresses[0]);
            if (RemoteAddress.isNull(area)) {
                addArea();
            } else {
                long _ = append(area, 0);
            }
        }
    }

    /// @return whether a bucket that has been read had one
    private boolean takeFreeOfRead() {
        for (; freeBucket < length; freeBucket++, freeEntry = 0) {
            while (freeEntry < table.records) {
                int entry = freeEntry++;
                long offset = BucketLayout.ENTRIES_OFFSET + (long) entry * table.entryBytes;
                if (LocalMemory.longAcquire(views[freeBucket] + offset) == RecordHeader.FREE) {
                    foundAddress = addresses[freeBucket] + offset;
                    foundBody = table.inlined ? bodyOf(freeBucket, entry) : RemoteAddress.NULL;
                    return true;
                }
            }
        }
        return false;
    }

    /// How many entries of the home bucket are free behind those that were taken.
    int freeInHome() {
        return free(0, freeBucket == 0 ? freeEntry : table.records);
    }

    private int free(int bucket, int firstEntry) {
        int free = 0;
        for (int entry = firstEntry; entry < table.records; entry++) {
            long at = views[bucket] + table.layout().entryOffset(entry);
            free += LocalMemory.longAcquire(at) == RecordHeader.FREE ? 1 : 0;
        }
        return free;
    }

    /// Whether the last search has met a record that is no neighbour of the one it was for.
    boolean hasOtherPrefix() {
        return otherPrefix;
    }

    private long bodyOf(int bucket, int entry) {
        return table.inlined
                ? addresses[bucket] + table.layout().bodyOffset(entry)
                : LocalMemory.longAt(
                        views[bucket]
                                + table.layout().entryOffset(entry)
                                + table.layout().bodyPointerOffset());
    }

    private boolean isKeyAt(RecordRead key, long at) {
        boolean same = true;
        for (int word = 0; word < table.keyWords; word++) {
            same &= LocalMemory.longAt(at + 8L * word) == key.key[word];
        }
        otherPrefix |= !same && !otherPrefix && isOtherPrefix(key, at);
        return same;
    }

    private boolean isOtherPrefix(RecordRead key, long at) {
        int last = table.prefixWords() - 1;
        boolean isOther =
                ((LocalMemory.longAt(at + 8L * last) ^ key.key[last]) & table.prefixMask()) != 0;
        for (int word = 0; word < last; word++) {
            isOther |= LocalMemory.longAt(at + 8L * word) != key.key[word];
        }
        return isOther;
    }

    /// Returns where the chain goes on.
    private long append(long address, long viewOfIt) {
        if (scope.landed() > queuePair.batchBytes()) {
            copyViews();
        }
        long view = viewOfIt;
        if (view == 0) {
            view = queuePair.read(address, table.directoryBytes);
            queuePair.await();
        }
        return add(address, view);
    }

    /// Returns where the chain goes on.
    private long add(long address, long view) {
        if (length == addresses.length) {
            addresses = Arrays.copyOf(addresses, 2 * length);
            views = Arrays.copyOf(views, 2 * length);
        }
        addresses[length] = address;
        views[length] = view;
        length++;
        return address == lastArea
                ? RemoteAddress.NULL
                : LocalMemory.longAt(view + BucketLayout.OVERFLOW_OFFSET);
    }

    private void copyViews() {
        int bytes = length * table.directoryBytes;
        if (bytes > copiesBytes) {
            long larger = queuePair.localMemory(2L * bytes);
            LocalMemory.copy(copies, larger, (long) copied * table.directoryBytes);
            for (int i = 0; i < copied; i++) {
                views[i] = larger + (long) i * table.directoryBytes;
            }
            copies = larger;
            copiesBytes = 2 * bytes;
        }
        for (; copied < length; copied++) {
            long copy = copies + (long) copied * table.directoryBytes;
            LocalMemory.copy(views[copied], copy, table.directoryBytes);
            views[copied] = copy;
        }
        scope.giveUp();
    }

    /// Adds an overflow area. It becomes the first that a reader searches after the home bucket; to
    /// this chain it is the last. No round trip is needed: under the latch, the chain has all of
    /// it.
    private void addArea() {
        long home = addresses[0];
        long newest = newestArea();
        emptyBucket.awaitUse();
        long area = allocator.allocate(HashTable.serverOf(home), table.bucketBytes);
        long empty = emptyBucket.prepare(table, newest);
        queuePair.write(area, empty, table.directoryBytes);
        if (areas.isLinkedAtOnce(table.bucketBytes)) {
            queuePair.writeWord(home + BucketLayout.OVERFLOW_OFFSET, area);
            newestLinked = area;
        } else {
            areas.add(table, first, area, newest);
        }
        long _ = append(area, empty);
    }

    private long newestArea() {
        return RemoteAddress.isNull(areas.newest()) ? newestLinked : areas.newest();
    }
}
