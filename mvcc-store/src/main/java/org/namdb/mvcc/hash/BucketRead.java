package org.namdb.mvcc.hash;

import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.timestamp.snapshot.Snapshot;

/// Reads all records of a table, for scans: some home buckets at a time, with their overflow areas,
/// in pieces of the hash space. The pieces that are left are disjoint, and together with what was
/// read they are all of it, so every record is read once, though buckets are split meanwhile:
/// ```
/// a root, all its hashes:        READ it; its growth word has depth d
///                                those with hash mod 2^d = 0 are read
///                                left: parts 1 of depth 1, 2 of depth 2 .. 2^(d-1) of depth d
/// a part i of depth e:           READ its bucket, of depth d >= e; those with hash mod 2^d = i
///                                left: parts i + 2^e of depth e + 1 .. i + 2^(d-1) of depth d
/// ```
/// Of a [part][TablePart] of a table, pieces that don't meet it are left out, and buckets that it
/// shares with others are read, too.
///
/// A bucket's growth word is compared before and after its records, and again behind its areas: if
/// it has changed, it is read again. Belongs to one thread.
public final class BucketRead {
    /// In place of an overflow pointer: the bucket must be read again.
    private static final long AGAIN = 1;

    /// A validated read reads all thrice at most.
    private static final long READS = 3;

    private static final int CACHE_LINE_BYTES = 64;

    private final HashTable table;
    private final BucketRecords records = new BucketRecords(this::addUnfinished);
    private final BucketViews views = new BucketViews();

    /// The pieces that are left, but for roots from `nextRoot` on.
    private ScanPieces left = new ScanPieces();

    /// Those that are being read.
    private ScanPieces current = new ScanPieces();

    private long nextRoot;
    private TablePart part = TablePart.ALL;

    /// How much of the hash space was read, in roots.
    private double done;

    /// Of the pieces that are being read: their home buckets' views, growth and child.
    private BucketViews[] homeViews = new BucketViews[0];

    private long[] growths = new long[0];
    private long[] children = new long[0];

    /// The views of the areas in [#overflows].
    private @Nullable BucketViews[] areaViews = new @Nullable BucketViews[16];

    /// Buckets that must be read again.
    private long[] again = new long[16];

    private int[] againPieces = new int[16];
    private int againCount;

    /// Where chains go on, and whose they are.
    private long[] overflows = new long[16];

    private int[] overflowPieces = new int[16];

    /// Behind areas: where their home buckets' growth words land.
    private long[] growthViews = new long[16];

    /// Whether a bucket was split while its areas were read.
    private boolean isSplit;

    private RecordRead[] unfinished = new RecordRead[16];
    private int unfinishedCount;
    private long landedBefore;

    /// What [#prefetch] has loaded. Unused, but the compiler would drop loads whose values go
    /// nowhere.
    long prefetched;

    public BucketRead(HashTable table) {
        this.table = table;
    }

    /// Begins with the first bucket.
    public void start() {
        start(TablePart.of(table));
    }

    /// Begins with the first bucket of a part. Rows of others may come, too.
    public void start(TablePart ofTable) {
        part = ofTable;
        left.clear();
        nextRoot = ofTable.from();
        done = 0;
    }

    /// Whether all was read.
    public boolean isDone() {
        return left.count() == 0 && nextRoot == part.to();
    }

    /// How much of the table was read, from 0 to 1; of all of it, if it is read.
    public double progress() {
        return isDone() ? 1 : done / table.buckets();
    }

    /// Hands all records of the next home buckets and of their overflow areas to the sink: one
    /// round trip for the buckets, and then one for the newest overflow areas of all of them, one
    /// for the next older ones, and so on; more where they don't fit in the landing buffer.
    ///
    /// @param most how many home buckets at most
    public void readMore(QueuePair queuePair, Snapshot snapshot, int most, RecordSink sink) {
        int before = sink.provided();
        choose(most);
        do {
            sink.rollBack(before);
            isSplit = false;
            unfinishedCount = 0;
            landedBefore = queuePair.landed();
            postHomes(queuePair);
            takeHomes(queuePair, snapshot, sink);
        } while (isSplit);
        for (int i = 0; i < current.count(); i++) {
            done += 1.0 / (1L << BucketLayout.depth(growths[i]));
            left.addParts(current, i, growths[i], children[i], part);
        }
    }

    /// Roots that lie behind each other, or pieces that are left.
    private void choose(int most) {
        current.clear();
        if (left.count() > 0) {
            left.moveTo(current, most);
        } else {
            long roots = Math.min(table.bucketsInRange(nextRoot), part.to() - nextRoot);
            roots = Math.min(most, roots);
            for (int i = 0; i < roots; i++) {
                current.add(nextRoot++, 0, 0, RemoteAddress.NULL);
            }
        }
        int count = current.count();
        if (homeViews.length < count) {
            homeViews = new BucketViews[count];
            Arrays.setAll(homeViews, i -> new BucketViews());
            growths = new long[count];
            children = new long[count];
            if (overflows.length < count) {
                overflows = new long[count];
                overflowPieces = new int[count];
            }
        }
    }

    private void postHomes(QueuePair queuePair) {
        int count = current.count();
        if (current.isRoot(0)) {
            current.setAddresses(table);
            views.post(queuePair, current.address(0), count * table.bucketBytes);
            for (int i = 0; i < count; i++) {
                homeViews[i].set(views);
                views.skip(table.bucketBytes);
            }
        } else {
            current.findAddresses(table, queuePair);
            for (int i = 0; i < count; i++) {
                homeViews[i].post(queuePair, current.address(i), table.bucketBytes);
            }
        }
        queuePair.await();
        prefetch(queuePair);
    }

    /// Loads the home buckets into the processor's cache, if they are read in place, with many
    /// cache misses at a time, as none waits for another.
    ///
    /// Source: Chen, Ailamaki, Gibbons and Mowry, "Improving Hash Join Performance through
    /// Prefetching", section 4 (group prefetching).
    private void prefetch(QueuePair queuePair) {
        if (!queuePair.readsInPlace(HashTable.serverOf(current.address(0)))) {
            return;
        }
        for (int i = 0; i < current.count(); i++) {
            long bucket = homeViews[i].body;
            for (int line = 0; line < table.bucketBytes; line += CACHE_LINE_BYTES) {
                prefetched += LocalMemory.longAt(bucket + line);
            }
        }
    }

    private void takeHomes(QueuePair queuePair, Snapshot snapshot, RecordSink sink) {
        int count = current.count();
        for (int i = 0; i < count; i++) {
            int mark = sink.provided();
            int unfinishedMark = unfinishedCount;
            overflows[i] =
                    LocalMemory.longAcquire(homeViews[i].body + BucketLayout.OVERFLOW_OFFSET);
            if (!takeHome(queuePair, snapshot, i, homeViews[i], sink)) {
                sink.rollBack(mark);
                unfinishedCount = unfinishedMark;
                overflows[i] = AGAIN;
            }
        }
        int chains = 0;
        for (int i = 0; i < count && !isSplit; i++) {
            long overflow = overflows[i];
            if (overflow == AGAIN) {
                overflow = readHome(queuePair, snapshot, i, sink);
            }
            if (!RemoteAddress.isNull(overflow)) {
                overflows[chains] = overflow;
                overflowPieces[chains++] = i;
            }
        }
        readChains(queuePair, snapshot, chains, sink);
    }

    /// Takes the records of a piece's home bucket.
    ///
    /// @return false if it must be read again
    private boolean takeHome(
            QueuePair queuePair, Snapshot snapshot, int piece, BucketViews home, RecordSink sink) {
        long growth = LocalMemory.longAcquire(home.leading + BucketLayout.GROWTH_OFFSET);
        growths[piece] = growth;
        children[piece] = LocalMemory.longAcquire(home.leading + BucketLayout.CHILD_OFFSET);
        if (!current.isAt(piece, growth)) {
            current.forgetChild(piece);
            isSplit = true; // a child that is not this piece's
        }
        boolean isTaken =
                records.take(
                        table,
                        queuePair,
                        snapshot,
                        current.address(piece),
                        home,
                        growth,
                        null,
                        sink);
        VarHandle.loadLoadFence();
        return isTaken
                && LocalMemory.longAcquire(home.trailing + BucketLayout.GROWTH_OFFSET) == growth;
    }

    /// Returns where the search goes on.
    private long readHome(QueuePair queuePair, Snapshot snapshot, int piece, RecordSink sink) {
        int mark = sink.provided();
        int unfinishedMark = unfinishedCount;
        while (true) {
            finishInTime(queuePair, snapshot, READS * table.readBytes);
            unfinishedMark = Math.min(unfinishedMark, unfinishedCount);
            views.post(queuePair, current.address(piece), table.readBytes);
            queuePair.await();
            if (takeHome(queuePair, snapshot, piece, views, sink)) {
                return LocalMemory.longAcquire(views.body + BucketLayout.OVERFLOW_OFFSET);
            }
            sink.rollBack(mark);
            unfinishedCount = unfinishedMark;
        }
    }

    /// Reads all overflow areas of the first `chains` in [#overflows]: the newest area of each,
    /// then the next older one of each, and so on.
    private void readChains(QueuePair queuePair, Snapshot snapshot, int chains, RecordSink sink) {
        int open = chains;
        while (open > 0 && !isSplit) {
            int older = 0;
            int from = 0;
            while (from < open) {
                int to = postAreas(queuePair, snapshot, from, open);
                queuePair.await();
                againCount = 0;
                for (int i = from; i < to; i++) {
                    int piece = overflowPieces[i];
                    overflows[older] = takeArea(queuePair, snapshot, i, sink);
                    overflowPieces[older] = piece;
                    older += RemoteAddress.isNull(overflows[older]) ? 0 : 1;
                }
                for (int i = 0; i < againCount; i++) {
                    readAgain(queuePair, snapshot, againPieces[i], again[i], sink);
                }
                from = to;
            }
            open = older;
        }
    }

    /// Posts the reads of the areas from number `from` on, as many as the landing buffer takes; of
    /// one at least.
    ///
    /// @return how far it got
    private int postAreas(QueuePair queuePair, Snapshot snapshot, int from, int end) {
        if (areaViews.length < end) {
            areaViews = Arrays.copyOf(areaViews, end);
            growthViews = Arrays.copyOf(growthViews, end);
        }
        long bytes = READS * table.readBytes;
        long most = Math.max(1, queuePair.batchBytes() / 2 / bytes);
        int to = (int) Math.min(end, from + most);
        finishInTime(queuePair, snapshot, bytes * (to - from));
        for (int i = from; i < to; i++) {
            BucketViews posted = areaViews[i];
            if (posted == null) {
                posted = new BucketViews();
                areaViews[i] = posted;
            }
            posted.post(queuePair, overflows[i], table.readBytes);
            growthViews[i] =
                    queuePair.read(
                            current.address(overflowPieces[i]) + BucketLayout.GROWTH_OFFSET,
                            Long.BYTES);
        }
        return to;
    }

    /// Returns where the search goes on. An area that must be read again is put aside.
    private long takeArea(QueuePair queuePair, Snapshot snapshot, int number, RecordSink sink) {
        BucketViews area = java.util.Objects.requireNonNull(areaViews[number]);
        long address = overflows[number];
        long older = LocalMemory.longAcquire(area.body + BucketLayout.OVERFLOW_OFFSET);
        int piece = overflowPieces[number];
        int mark = sink.provided();
        int unfinishedMark = unfinishedCount;
        if (!records.take(table, queuePair, snapshot, address, area, growths[piece], null, sink)) {
            sink.rollBack(mark);
            unfinishedCount = unfinishedMark;
            if (againCount == again.length) {
                again = Arrays.copyOf(again, 2 * againCount);
                againPieces = Arrays.copyOf(againPieces, 2 * againCount);
            }
            againPieces[againCount] = piece;
            again[againCount++] = address;
        }
        VarHandle.loadLoadFence();
        isSplit |= LocalMemory.longAcquire(growthViews[number]) != growths[piece];
        return older;
    }

    private void readAgain(
            QueuePair queuePair, Snapshot snapshot, int piece, long area, RecordSink sink) {
        int mark = sink.provided();
        int unfinishedMark = unfinishedCount;
        while (true) {
            finishInTime(queuePair, snapshot, READS * table.readBytes);
            unfinishedMark = Math.min(unfinishedMark, unfinishedCount);
            views.post(queuePair, area, table.readBytes);
            queuePair.await();
            if (records.take(table, queuePair, snapshot, area, views, growths[piece], null, sink)) {
                long word = current.address(piece) + BucketLayout.GROWTH_OFFSET;
                isSplit |= queuePair.readWord(word) != growths[piece];
                return;
            }
            sink.rollBack(mark);
            unfinishedCount = unfinishedMark;
        }
    }

    /// Before `bytes` more are read: a chain may be longer than the landing buffer, so this
    /// finishes the records whose views would be overwritten.
    private void finishInTime(QueuePair queuePair, Snapshot snapshot, long bytes) {
        long landed = queuePair.landed() - landedBefore;
        if (landed + bytes <= queuePair.batchBytes()) {
            return;
        }
        while (unfinishedCount > 0) {
            queuePair.await();
            int left = 0;
            for (int i = 0; i < unfinishedCount; i++) {
                if (!unfinished[i].advance(queuePair, snapshot)) {
                    unfinished[left++] = unfinished[i];
                }
            }
            unfinishedCount = left;
        }
        landedBefore = queuePair.landed();
    }

    private void addUnfinished(RecordRead record) {
        if (unfinishedCount == unfinished.length) {
            unfinished = Arrays.copyOf(unfinished, 2 * unfinishedCount);
        }
        unfinished[unfinishedCount++] = record;
    }
}
