package org.namdb.mvcc.hash;

import java.util.Arrays;
import java.util.function.IntToLongFunction;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.ViewScope;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.owner.IntentLayout;
import org.namdb.mvcc.owner.Intents;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.schema.KeyLayout;
import org.namdb.timestamp.CommitTimestamp;
import org.namdb.timestamp.snapshot.Snapshot;

/// Splits home buckets while others use their tables: bucket A, which is for the hashes with
/// `hash mod 2^d = i`, keeps those with `hash mod 2^(d+1) = i`, and the rows of the others, of
/// number `j = i + 2^d`, move to a new bucket B. Some buckets are split together, each by itself:
/// ```
/// 1  WRITE intents SPLIT(A, B); CAS A's latch; READ A         and its areas, one after the other
/// 2  CAS h -> h|L of all rows that move; READ their bodies, or where these are; READ V[slot of h]
/// 3  WRITE B: rows at h|L, latched
///    WRITE A's child = B                                     the split is committed
///    WRITE A's growth = (i, d+1)
///    WRITE the directory's word for j = B
///    WRITE header 0 of all rows that have moved, in A
///    WRITE B's entries: rows at h; WRITE B's latch 0; WRITE A's latch 0; WRITE attempt ended
/// ```
/// Three round trips. A row moves only if its version is published and it is not locked, and all
/// rows move or none, so that neighbours stay together: else the bucket is deferred. In a hashed
/// index no entry is ever locked; there is no step 2.
///
/// **Why in this order.** All verbs of step 3 go to one memory server, and take effect in the order
/// in which they are posted.
/// ```
/// B's rows unlocked before A's are freed:  a writer updates a row in B, while a reader that has
///                                          an old picture finds h in A, and reads an old version
/// A's rows freed before B can be found:    a reader finds the row nowhere
/// A's rows freed before A's growth:        the same; a reader takes A's growth word after it has
///                                          looked for the row, and accepts that it is not there
///                                          only if A is for its hash
/// growth before child:                     A leads no reader to B until the directory does
/// bodies read before the lock:             a collector frees the row's ring, and restores the same
///                                          header; B's body points to a ring that is another row's
/// bodies' addresses read before the lock:  of a row that is installed meanwhile, a READ that is
///                                          torn has the new header and the former address
/// a version moved that is not published:   should its writer die, its undo looks for it in A
/// ```
/// **Why new memory.** A session that has the address of a row, and changes its header there by
/// CAS, must never meet another row with that header. Rows of one transaction share a header. An
/// entry that was vacated is filled by new claims only, so a row moves to where no row has ever
/// been.
///
/// **If the session dies.** Up to the child, nothing has changed but locks: [SplitRepair] rolls
/// back. From the child on it rolls forward: another session may have followed it to B.
///
/// Reusable; belongs to one thread.
public final class BucketSplit {
    /// What has become of a bucket.
    public enum Outcome {
        /// It is split.
        SPLIT,
        /// A row is locked or not published, the bucket latched, or the memory full: try again.
        PUT_OFF,
        /// It was split since it was read.
        STALE,
        /// Its rows all have the same hash, or the table has too few buckets for one so deep.
        IMPOSSIBLE
    }

    /// So many buckets are split together at most.
    static final int MAX_TOGETHER = 16;

    private static final int ZERO_BYTES = 16 << 10;

    final QueuePair queuePair;
    final RemoteAllocator allocator;
    final LatchOwner owner;
    private final Intents intents;
    private final IntToLongFunction publishedWords;
    private final ViewScope scope;
    private final SplitBucket[] buckets = new SplitBucket[MAX_TOGETHER];
    private int count;
    private int landing;

    private MovedRows rows = new MovedRows();
    private final long[] key = new long[KeyLayout.MAX_WORDS];

    private final SplitImages images;
    private long zeroes;
    private @Nullable Throwable fatalFailure;

    /// @param allocator where new buckets come from
    /// @param owner whose latches it takes
    /// @param intents the slot's intents; no attempt is under way
    /// @param publishedWords where the last published timestamp of each slot is
    public BucketSplit(
            QueuePair queuePair,
            RemoteAllocator allocator,
            LatchOwner owner,
            Intents intents,
            IntToLongFunction publishedWords) {
        this.queuePair = queuePair;
        this.allocator = allocator;
        this.owner = owner;
        this.intents = intents;
        this.publishedWords = publishedWords;
        this.scope = new ViewScope(queuePair);
        this.images = new SplitImages(queuePair, owner.slot());
        Arrays.setAll(buckets, SplitBucket::new);
    }

    /// Removes all buckets.
    public void clear() {
        count = 0;
        landing = 0;
    }

    /// Frees the memory for many rows.
    void shrink() {
        rows = new MovedRows();
    }

    /// How many buckets there are.
    public int count() {
        return count;
    }

    /// Whether a bucket of this table is one too many for now.
    public boolean isFull(HashTable table) {
        return count == MAX_TOGETHER
                || count > 0 && landing + table.directoryBytes > queuePair.batchBytes();
    }

    /// Adds a home bucket, which is not there yet.
    ///
    /// @param isOfIndex whether the table is a hashed index
    /// @param hash one that led to the bucket
    /// @param growth its growth word; if it has changed since, the bucket is left as it is
    /// @param isAhead whether rows with different hashes are about to be inserted, so that it is
    ///     split whatever rows it has
    public void add(
            HashTable table,
            boolean isOfIndex,
            long hash,
            long home,
            long growth,
            boolean isAhead) {
        SplitBucket bucket = buckets[count++];
        bucket.table = table;
        bucket.isOfIndex = isOfIndex;
        bucket.hash = hash;
        bucket.home = home;
        bucket.growth = growth;
        bucket.isAhead = isAhead;
        bucket.outcome = Outcome.IMPOSSIBLE;
        landing += table.directoryBytes;
    }

    /// What has become of bucket `bucket`.
    public Outcome outcome(int bucket) {
        return buckets[bucket].outcome;
    }

    /// Bucket `bucket`: which bucket rows have moved to, and how many.
    SplitBucket bucket(int bucket) {
        return buckets[bucket];
    }

    /// The failure after which it is unknown what is latched, locked or moved: the session's slot
    /// must be recovered. Null if there was none.
    public @Nullable Throwable fatalFailure() {
        return fatalFailure;
    }

    /// Splits the buckets, as far as that can be done now.
    ///
    /// @param published shows only versions that are published; may be old
    /// @return how many were split
    /// @throws org.namdb.fabric.FabricException if the connection is lost; see [#fatalFailure]
    public int run(Snapshot published) {
        rows.clear();
        boolean isAny = false;
        for (int i = 0; i < count; i++) {
            isAny |= prepare(buckets[i]);
        }
        if (!isAny) {
            return 0;
        }
        try {
            latch();
            for (int i = 0; i < count; i++) {
                if (buckets[i].isLatched) {
                    choose(buckets[i]);
                }
            }
            scope.close();
            makeImages();
            lock(published);
            install();
            return learn();
        } catch (Throwable e) {
            fatalFailure = e;
            throw e;
        }
    }

    /// Allocates the bucket to move rows to, and the word that points to it.
    private boolean prepare(SplitBucket bucket) {
        HashTable table = bucket.table();
        bucket.isLatched = false;
        bucket.isPublished = true;
        bucket.outcome = Outcome.IMPOSSIBLE;
        bucket.child = RemoteAddress.NULL;
        bucket.firstRow = 0;
        bucket.endRow = 0;
        long root = table.root(bucket.hash);
        if (bucket.depth() == BucketLayout.MAX_DEPTH || root >= IntentLayout.MAX_SPLIT_ROOTS) {
            return false;
        }
        BucketDirectory directory = table.directory(table.range(bucket.hash));
        long number = bucket.childNumber();
        try {
            bucket.place = directory.place(queuePair, root, number);
            if (RemoteAddress.isNull(bucket.place)
                    && directory.addLevel(queuePair, allocator, zeroes(), ZERO_BYTES)) {
                bucket.place = directory.place(queuePair, root, number);
            }
            if (RemoteAddress.isNull(bucket.place)) {
                return false;
            }
            bucket.child = allocator.allocate(HashTable.serverOf(bucket.home), table.bucketBytes);
            if (!BucketDirectory.isInReach(bucket.child)) {
                freeChild(bucket);
                return false;
            }
            bucket.outcome = Outcome.PUT_OFF;
            return true;
        } catch (MemoryFullException e) {
            bucket.outcome = Outcome.PUT_OFF;
            return false;
        }
    }

    private long zeroes() {
        if (zeroes == 0) {
            zeroes = queuePair.localMemory(ZERO_BYTES);
        }
        return zeroes;
    }

    /// Step 1.
    private void latch() {
        intents.start();
        for (int i = 0; i < count; i++) {
            SplitBucket bucket = buckets[i];
            bucket.view = 0;
            if (hasChild(bucket)) {
                HashTable table = bucket.table();
                intents.addSplit(
                        bucket.home,
                        bucket.child,
                        table.id(),
                        bucket.isOfIndex,
                        bucket.depth(),
                        table.root(bucket.hash));
            }
        }
        intents.post();
        scope.open();
        for (int i = 0; i < count; i++) {
            SplitBucket bucket = buckets[i];
            if (hasChild(bucket)) {
                bucket.latchView = Latch.postTry(queuePair, bucket.home, owner);
                bucket.view = queuePair.read(bucket.home, bucket.table().directoryBytes);
            }
        }
        queuePair.await();
        for (int i = 0; i < count; i++) {
            SplitBucket bucket = buckets[i];
            if (hasChild(bucket)) {
                bucket.isLatched = Latch.isWon(LocalMemory.longAt(bucket.latchView));
                if (!bucket.isLatched) {
                    freeChild(bucket);
                }
            }
        }
    }

    private static boolean hasChild(SplitBucket bucket) {
        return bucket.outcome == Outcome.PUT_OFF && !RemoteAddress.isNull(bucket.child);
    }

    /// Finds the rows that move.
    private void choose(SplitBucket bucket) {
        HashTable table = bucket.table();
        bucket.firstRow = rows.count();
        bucket.endRow = rows.count();
        bucket.firstWord = rows.wordCount();
        long growth = LocalMemory.longAcquire(bucket.view + BucketLayout.GROWTH_OFFSET);
        long overflow = LocalMemory.longAcquire(bucket.view + BucketLayout.OVERFLOW_OFFSET);
        if (growth != bucket.growth) {
            giveUp(bucket, Outcome.STALE);
            bucket.endRow = rows.count();
            return;
        }
        bucket.clearHashes();
        boolean isSettled = take(bucket, bucket.home, bucket.view);
        while (!RemoteAddress.isNull(overflow) && isSettled) {
            try (ViewScope _ = queuePair.openViews()) {
                long view = queuePair.read(overflow, table.directoryBytes);
                queuePair.await();
                isSettled = take(bucket, overflow, view);
                overflow = LocalMemory.longAcquire(view + BucketLayout.OVERFLOW_OFFSET);
            }
        }
        if (!isSettled) {
            giveUp(bucket, Outcome.PUT_OFF);
        } else if (!bucket.hasSeveralHashes() && !bucket.isAhead) {
            giveUp(bucket, Outcome.IMPOSSIBLE);
        }
        bucket.endRow = rows.count();
    }

    /// Takes the rows that move from a bucket.
    ///
    /// @return false if one of them can't be moved now
    private boolean take(SplitBucket bucket, long address, long view) {
        HashTable table = bucket.table();
        for (int entry = 0; entry < table.records; entry++) {
            int offset = table.layout().entryOffset(entry);
            long header = LocalMemory.longAcquire(view + offset);
            if (header == RecordHeader.FREE) {
                continue;
            }
            for (int word = 0; word < table.keyWords; word++) {
                key[word] = LocalMemory.longAt(view + offset + BucketLayout.KEY_OFFSET + 8L * word);
            }
            long hash = table.hash(key);
            bucket.noteHash(hash);
            if ((hash >>> bucket.depth() & 1) == 0) {
                continue;
            }
            if (!isSettled(bucket, header)) {
                return false;
            }
            rows.add(bucket.number, table, address, entry, view + offset, header);
        }
        return true;
    }

    private static boolean isSettled(SplitBucket bucket, long header) {
        return bucket.isOfIndex
                ? header == HashIndex.ENTRY
                : !RecordHeader.isClaimed(header) && !RecordHeader.isLocked(header);
    }

    /// Posts the release of a latched bucket that is not going to be split; of its rows, none is
    /// locked.
    private void giveUp(SplitBucket bucket, Outcome outcome) {
        Latch.postRelease(queuePair, bucket.home);
        bucket.isLatched = false;
        freeChild(bucket);
        bucket.outcome = outcome;
    }

    /// Nothing was written to it.
    private void freeChild(SplitBucket bucket) {
        allocator.free(bucket.child, bucket.table().bucketBytes);
        bucket.child = RemoteAddress.NULL;
        for (long area : bucket.areas) {
            allocator.free(area, bucket.table().bucketBytes);
        }
        bucket.areas = new long[0];
    }

    /// Gets the memory for what does not fit in the children, and makes what is written first.
    private void makeImages() {
        for (int i = 0; i < count; i++) {
            if (buckets[i].isLatched) {
                allocateAreas(buckets[i]);
            }
        }
        images.make(buckets, count, rows);
    }

    /// What does not fit in the child.
    private void allocateAreas(SplitBucket bucket) {
        HashTable table = bucket.table();
        int areas = Math.max(1, Math.ceilDiv(bucket.moved(), table.records)) - 1;
        long[] allocated = new long[areas];
        for (int i = 0; i < areas; i++) {
            try {
                allocated[i] =
                        allocator.allocate(HashTable.serverOf(bucket.home), table.bucketBytes);
            } catch (MemoryFullException e) {
                bucket.areas = Arrays.copyOf(allocated, i);
                Latch.postRelease(queuePair, bucket.home);
                bucket.isLatched = false;
                freeChild(bucket);
                return;
            }
        }
        bucket.areas = allocated;
    }

    /// Step 2: locks the rows that move, takes their bodies, and finds out whether their versions
    /// are published, as many at a time as the landing buffer takes.
    private void lock(Snapshot published) {
        int from = 0;
        while (from < rows.count()) {
            try (ViewScope _ = queuePair.openViews()) {
                int to = postLocks(from, published);
                queuePair.await();
                for (int row = from; row < to; row++) {
                    takeLock(row);
                }
                from = to;
            }
        }
        for (int i = 0; i < count; i++) {
            if (buckets[i].isLatched && !(buckets[i].isPublished && isLocked(buckets[i]))) {
                unlock(buckets[i]);
            }
        }
    }

    private boolean isToLock(int row) {
        SplitBucket bucket = buckets[rows.owners[row]];
        return bucket.isLatched && !bucket.isOfIndex;
    }

    private int postLocks(int from, Snapshot published) {
        int landed = 0;
        int row = from;
        for (; row < rows.count(); row++) {
            if (!isToLock(row)) {
                continue;
            }
            HashTable table = buckets[rows.owners[row]].table();
            int bodyBytes = table.inlined ? table.layout().bodyBytes() : Long.BYTES;
            int bytes = 2 * Long.BYTES + bodyBytes;
            if (landed > 0 && landed + bytes > queuePair.batchBytes()) {
                break;
            }
            landed += bytes;
            rows.views[row] =
                    queuePair.compareAndSwap(
                            rows.addresses[row],
                            rows.headers[row],
                            RecordHeader.lock(rows.headers[row]));
            rows.bodyViews[row] = queuePair.read(rows.bodies[row], bodyBytes);
            rows.publishedViews[row] = 0;
            if (!published.sees(rows.headers[row]) && !PlantedFault.SPLIT_UNPUBLISHED.isPlanted()) {
                int slot = CommitTimestamp.slot(rows.headers[row]);
                rows.publishedViews[row] =
                        queuePair.read(publishedWords.applyAsLong(slot), Long.BYTES);
            }
        }
        return row;
    }

    private void takeLock(int row) {
        if (!isToLock(row)) {
            return;
        }
        rows.views[row] = LocalMemory.longAt(rows.views[row]);
        SplitBucket bucket = buckets[rows.owners[row]];
        bucket.isPublished &=
                rows.publishedViews[row] == 0
                        || LocalMemory.longAcquire(rows.publishedViews[row])
                                >= CommitTimestamp.timestamp(rows.headers[row]);
        images.setBody(bucket, row - bucket.firstRow, rows.bodyViews[row]);
    }

    private boolean isLocked(int row) {
        return rows.views[row] == rows.headers[row];
    }

    private boolean isLocked(SplitBucket bucket) {
        boolean isLocked = true;
        for (int row = bucket.firstRow; row < bucket.endRow; row++) {
            isLocked &= bucket.isOfIndex || isLocked(row);
        }
        return isLocked;
    }

    /// One of the rows is locked by another session, or not published.
    private void unlock(SplitBucket bucket) {
        for (int row = bucket.firstRow; row < bucket.endRow; row++) {
            if (isLocked(row)) {
                queuePair.writeWord(rows.addresses[row], rows.headers[row]);
            }
        }
        Latch.postRelease(queuePair, bucket.home);
        bucket.isLatched = false;
        freeChild(bucket);
    }

    /// Step 3.
    private void install() {
        for (int i = 0; i < count; i++) {
            if (buckets[i].isLatched) {
                postInstall(buckets[i]);
            }
        }
        intents.postEnd();
        queuePair.await();
    }

    private void postInstall(SplitBucket bucket) {
        HashTable table = bucket.table();
        for (int i = bucket.areas.length; i >= 0; i--) {
            int bodyBytes = table.inlined ? bucket.rowsOf(i) * table.layout().bodyBytes() : 0;
            queuePair.write(bucket.address(i), bucket.image(i), table.directoryBytes + bodyBytes);
        }
        if (PlantedFault.SPLIT_FREED_EARLY.isPlanted()) {
            postFree(bucket);
        }
        queuePair.writeWord(bucket.home + BucketLayout.CHILD_OFFSET, bucket.child);
        queuePair.writeWord(
                bucket.home + BucketLayout.GROWTH_OFFSET,
                BucketLayout.growth(bucket.depth() + 1, BucketLayout.number(bucket.growth)));
        queuePair.writeWord(bucket.place, bucket.child);
        if (!PlantedFault.SPLIT_FREED_EARLY.isPlanted()) {
            postFree(bucket);
        }
        for (int i = 0; i <= bucket.areas.length && !bucket.isOfIndex; i++) {
            int bytes = bucket.rowsOf(i) * table.entryBytes;
            if (bytes > 0) {
                queuePair.write(
                        bucket.address(i) + BucketLayout.ENTRIES_OFFSET,
                        bucket.lastImage(i) + BucketLayout.ENTRIES_OFFSET,
                        bytes);
            }
        }
        Latch.postRelease(queuePair, bucket.child);
        Latch.postRelease(queuePair, bucket.home);
        long head = table.head(table.range(bucket.hash));
        long _ = queuePair.fetchAndAdd(head + TableHead.SPLITS_OFFSET, 1);
    }

    private void postFree(SplitBucket bucket) {
        for (int row = bucket.firstRow; row < bucket.endRow; row++) {
            queuePair.writeWord(rows.addresses[row], RecordHeader.FREE);
        }
    }

    private int learn() {
        int split = 0;
        for (int i = 0; i < count; i++) {
            SplitBucket bucket = buckets[i];
            if (bucket.isLatched) {
                bucket.isLatched = false;
                bucket.outcome = Outcome.SPLIT;
                bucket.areas = new long[0];
                split++;
                bucket.table().learn(queuePair, bucket.hash, bucket.child, bucket.childGrowth());
            }
        }
        return split;
    }
}
