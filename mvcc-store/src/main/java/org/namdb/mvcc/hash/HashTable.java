package org.namdb.mvcc.hash;

import java.util.Arrays;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.record.OldVersionBuffer;
import org.namdb.mvcc.record.RecordHeader;
import org.namdb.mvcc.schema.KeyLayout;

/// Where the records of a table are: equal ranges of hash values on some memory servers, each with
/// its [head][TableHead], and the layouts. Immutable and shared by all threads.
///
/// A key's bucket is chosen by its first bytes, the *neighbour prefix*, so that keys which agree in
/// them share buckets. The range is chosen by the hash of the prefix and the number of ranges
/// alone, so that keys of two tables which agree in the prefix's bytes lie on the same memory
/// server where both tables have the same servers, however many buckets each has.
public final class HashTable {
    private static final long MIX_1 = 0xbf58476d1ce4e5b9L;
    private static final long MIX_2 = 0x94d049bb133111ebL;

    private final int id;
    private final BucketLayout layout;
    private final OldVersionBuffer oldVersions;

    /// The first buckets of each range.
    private final long[] arrays;

    private final long bucketsPerRange;

    /// The cached directory of each range's buckets that were split.
    private final BucketDirectory[] directories;

    /// Copies of the layout's fields, for the search.
    final int records;

    final int keyWords;
    final int entryBytes;
    final int directoryBytes;
    final int readBytes;
    final int bucketBytes;
    final boolean inlined;
    private final int prefixWords;
    private final long prefixMask;

    /// A table.
    ///
    /// @param id the table's number in the catalog
    /// @param key the key's layout
    /// @param neighbourColumns how many key columns choose the bucket
    /// @param layout the buckets' layout
    /// @param versions the length of old-version buffers
    /// @param heads the remote addresses of the ranges' [heads][TableHead], in order, each on
    ///     another memory server
    /// @param bucketsPerRange the first buckets of each range
    public HashTable(
            int id,
            KeyLayout key,
            int neighbourColumns,
            BucketLayout layout,
            int versions,
            long[] heads,
            long bucketsPerRange) {
        this.id = id;
        this.layout = layout;
        this.oldVersions = new OldVersionBuffer(versions, layout.payloadBytes());
        this.arrays = Arrays.stream(heads).map(TableHead::buckets).toArray();
        this.bucketsPerRange = bucketsPerRange;
        this.directories =
                Arrays.stream(heads)
                        .mapToObj(head -> new BucketDirectory(head, bucketsPerRange))
                        .toArray(BucketDirectory[]::new);
        this.records = layout.records();
        this.keyWords = layout.keyWords();
        this.entryBytes = layout.entryBytes();
        this.directoryBytes = layout.directoryBytes();
        this.readBytes = layout.readBytes();
        this.bucketBytes = layout.bucketBytes();
        this.inlined = layout.inlined();
        int prefixBytes = key.prefixBytes(neighbourColumns);
        this.prefixWords = prefixWords(prefixBytes);
        this.prefixMask = prefixMask(prefixBytes);
    }

    public int id() {
        return id;
    }

    public BucketLayout layout() {
        return layout;
    }

    public OldVersionBuffer oldVersions() {
        return oldVersions;
    }

    /// How many first buckets there are.
    public long buckets() {
        return bucketsPerRange * arrays.length;
    }

    /// The remote address of first bucket `bucket`, 0 to [#buckets()] - 1; neighbours in number are
    /// neighbours in memory, within a range.
    public long bucketAddress(long bucket) {
        return arrays[(int) (bucket / bucketsPerRange)] + bucket % bucketsPerRange * bucketBytes;
    }

    /// How many buckets splits have made, as far as this process has cached; no verb is posted.
    public long parts() {
        long parts = 0;
        for (BucketDirectory directory : directories) {
            parts += directory.parts();
        }
        return parts;
    }

    /// Reads how many buckets splits have made. A round trip for each memory server.
    public void countParts(QueuePair queuePair) {
        for (BucketDirectory directory : directories) {
            directory.readHead(queuePair);
        }
    }

    /// How many first buckets memory server `server` has: those of a range, or none.
    public long bucketsOn(int server) {
        return rangeOn(server) < 0 ? 0 : bucketsPerRange;
    }

    /// How many ranges there are, each on another memory server.
    public int ranges() {
        return arrays.length;
    }

    /// The head of a range.
    long head(int range) {
        return arrays[range] - TableHead.BYTES;
    }

    /// How many first buckets each range has.
    long roots() {
        return bucketsPerRange;
    }

    /// The remote address of a first bucket of a range.
    long rootAddress(int range, long root) {
        return arrays[range] + root * bucketBytes;
    }

    /// The home bucket that is part `number`, which is not 0, of a first bucket; null if no split
    /// has made it yet.
    long part(QueuePair queuePair, long bucket, long number) {
        return directories[(int) (bucket / bucketsPerRange)].part(
                queuePair, bucket % bucketsPerRange, number);
    }

    /// The range on a memory server, or -1.
    int rangeOn(int server) {
        for (int range = 0; range < arrays.length; range++) {
            if (RemoteAddress.server(arrays[range]) == server) {
                return range;
            }
        }
        return -1;
    }

    /// How many first buckets follow `bucket` in its range, itself included.
    public long bucketsInRange(long bucket) {
        return bucketsPerRange - bucket % bucketsPerRange;
    }

    /// The hash of a key's neighbour prefix.
    public long hash(long[] words) {
        return hash(words, prefixWords, prefixMask);
    }

    /// The hash of a key of any table with this layout, wherever it is.
    public static long hash(KeyLayout key, int neighbourColumns, long[] words) {
        int prefixBytes = key.prefixBytes(neighbourColumns);
        return hash(words, prefixWords(prefixBytes), prefixMask(prefixBytes));
    }

    private static long hash(long[] words, int prefixWords, long prefixMask) {
        int last = prefixWords - 1;
        long hash = 0;
        for (int i = 0; i < last; i++) {
            hash = mix(hash ^ words[i]);
        }
        return mix(hash ^ words[last] & prefixMask);
    }

    private static int prefixWords(int prefixBytes) {
        return prefixBytes + 7 >>> 3;
    }

    /// Of the last word.
    private static long prefixMask(int prefixBytes) {
        int last = prefixBytes & 7;
        return last == 0 ? -1L : ~(-1L >>> (last << 3));
    }

    /// The remote address of the home bucket for a hash, as far as this process has cached it; it
    /// may have been split since, which its growth word shows.
    public long home(long hash) {
        int range = range(hash);
        long root = root(hash);
        long part = directories[range].find(root, hash);
        return RemoteAddress.isNull(part) ? rootAddress(range, root) : part;
    }

    /// Loads what [#home] looks at into the processor's cache.
    ///
    /// @return anything
    int prefetchHome(long hash) {
        return directories[range(hash)].entry(root(hash), hash);
    }

    /// Which range a hash leads to.
    int range(long hash) {
        return arrays.length == 1 ? 0 : (int) Math.unsignedMultiplyHigh(hash, arrays.length);
    }

    /// The cached directory of a range.
    BucketDirectory directory(int range) {
        return directories[range];
    }

    /// Which first bucket of its range a hash leads to.
    long root(long hash) {
        return Math.unsignedMultiplyHigh(hash * arrays.length, bucketsPerRange);
    }

    /// Caches the words of a home bucket that was reached by a hash.
    void learn(QueuePair queuePair, long hash, long bucket, long growth) {
        directories[range(hash)].learn(queuePair, root(hash), bucket, growth);
    }

    /// Where to look instead of a home bucket that [is not for][BucketLayout#isFor] a hash: it was
    /// split. What is found there may have been split, too.
    /// ```
    /// the hash left it in its last split    its child: nothing is read
    /// in an earlier one                     the directory's word
    /// ```
    /// The child may be another one than the growth word's, as no READ of two words is atomic; then
    /// it is not for the hash either, nor is it one that the hash has come through, and the next
    /// step goes to the directory.
    ///
    /// @param growth the bucket's growth word
    /// @param child its child, as it was read with the growth word or before; null if unknown
    long route(QueuePair queuePair, long hash, long bucket, long growth, long child) {
        learn(queuePair, hash, bucket, growth);
        int left = Long.numberOfTrailingZeros(hash ^ BucketLayout.number(growth));
        boolean isOnTheWay = left >= TableHead.level(BucketLayout.number(growth)) + 1;
        long known = home(hash);
        if (isOnTheWay && known != bucket) {
            return known;
        }
        if (left == BucketLayout.depth(growth) - 1 && !RemoteAddress.isNull(child)) {
            return child;
        }
        directories[range(hash)].read(queuePair, root(hash), hash, left);
        return home(hash);
    }

    /// Where the home bucket for a hash is, after the latch of the one that it was thought to be
    /// was taken.
    ///
    /// @param bucket whose latch is held
    /// @param directory the native address of what was read of it then, up to its entries at least
    /// @return `bucket`, or the one to go on with
    public long homeBehind(QueuePair queuePair, long hash, long bucket, long directory) {
        long growth = LocalMemory.longAcquire(directory + BucketLayout.GROWTH_OFFSET);
        return BucketLayout.isFor(growth, hash)
                ? bucket
                : route(
                        queuePair,
                        hash,
                        bucket,
                        growth,
                        LocalMemory.longAcquire(directory + BucketLayout.CHILD_OFFSET));
    }

    /// Whether a record may be in another place than it was read at, going by the header that is
    /// there now: in a bucket that was split off.
    ///
    /// @param found neither the header that was read nor that with a lock
    public boolean mayHaveMoved(long found) {
        if (found == RecordHeader.FREE || RecordHeader.isClaimed(found)) {
            return true;
        }
        for (BucketDirectory directory : directories) {
            if (directory.knowsSplits()) {
                return true;
            }
        }
        return false;
    }

    /// Whether two keys agree in the neighbour prefix.
    public boolean neighbours(long[] a, long[] b) {
        int last = prefixWords - 1;
        for (int i = 0; i < last; i++) {
            if (a[i] != b[i]) {
                return false;
            }
        }
        return ((a[last] ^ b[last]) & prefixMask) == 0;
    }

    int prefixWords() {
        return prefixWords;
    }

    long prefixMask() {
        return prefixMask;
    }

    /// The memory server that holds `address`; what hangs off a record is put there too.
    static int serverOf(long address) {
        return RemoteAddress.server(address);
    }

    private static long mix(long word) {
        long mixed = (word ^ word >>> 30) * MIX_1;
        mixed = (mixed ^ mixed >>> 27) * MIX_2;
        return mixed ^ mixed >>> 31;
    }
}
