package org.namdb.mvcc.hash;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.ViewScope;
import org.namdb.mvcc.RemoteAllocator;

/// Where the parts of split buckets are in one range of a table, as far as this process has read
/// them: a cache of some words of the levels that the range's [head][TableHead] points to. It is
/// filled from there, and from the words of buckets that were read; where a word is missing, it
/// leads to a bucket that has been split since, and a reader of that finds out by its growth word.
/// A bucket keeps its number and its place as long as the table exists, so no cached word is ever
/// wrong.
///
/// A lookup waits for one cache line: next to the levels there is the directory of extendible
/// hashing, an array whose index is the low bits of a hash, with about three entries for each
/// bucket. It says which hashes go on with the levels, as their buckets are deeper.
///
/// Shared by all threads. Lookups wait for no other thread; a thread that adds a bucket does.
///
/// Source: Fagin, Nievergelt, Pippenger and Strong, "Extendible Hashing", section 2.
final class BucketDirectory {
    private static final VarHandle LEVELS = MethodHandles.arrayElementVarHandle(int[][].class);
    private static final VarHandle UNITS = MethodHandles.arrayElementVarHandle(int[].class);

    /// A level is read in pieces of 4 KiB, when one of its words is wanted for the first time.
    private static final int SEGMENT_WORDS = 512;

    /// Addresses are kept by their offsets, in units of 64 bytes: 32 bits are enough for 256 GiB.
    private static final int UNIT_SHIFT = 6;

    /// In place of an offset: buckets for these hashes are in deeper levels than the entry shows.
    private static final int DEEPER = -1;

    private static final long MAX_UNIT = 0xffff_fffeL;

    /// A level is added when it has at most so many words for each bucket: a few buckets whose rows
    /// agree in many bits of their hashes are not split on and on.
    private static final long MAX_WORDS_PER_BUCKET = 8;

    /// There are as many entries at least, and less than twice as many.
    private static final long ENTRIES_PER_BUCKET = 2;

    /// A level lies in one piece of memory.
    private static final long MAX_LEVEL_WORDS = 1L << 27;

    private final long head;
    private final long roots;
    private final long firstAddress;

    /// The cached words, by level; an offset of 0 is one that is not cached.
    private final int @Nullable [][] units = new int[TableHead.MAX_DEPTH][];

    /// The segments that were read, by level.
    private final AtomicIntegerArray[] areRead = new AtomicIntegerArray[TableHead.MAX_DEPTH];

    private final long[] levels = new long[TableHead.MAX_DEPTH];

    /// How many parts there are, about: from the head, and those that were met since.
    private volatile long parts;

    /// How many parts there may be before there are to be more entries.
    private long maxParts;

    /// How many levels are known. Those below it are in `levels`, `units` and `areRead`.
    private volatile int depth;

    /// Null as long as no bucket was split.
    private volatile @Nullable Entries entries;

    /// @param roots how many first buckets there are
    BucketDirectory(long head, long roots) {
        this.head = head;
        this.roots = roots;
        this.firstAddress = RemoteAddress.of(RemoteAddress.server(head), 0);
    }

    /// The deepest bucket that is known for each value of the low bits of hashes, and for each
    /// root: its offset, and how many bits of a hash choose it.
    private static final class Entries {
        final int bits;
        final long mask;
        final int[] units;
        final byte[] depths;

        Entries(int bits, long mask, int[] units, byte[] depths) {
            this.bits = bits;
            this.mask = mask;
            this.units = units;
            this.depths = depths;
        }
    }

    /// Whether a bucket was split, as far as is known.
    boolean knowsSplits() {
        return depth > 0;
    }

    /// The deepest cached part of a root for a hash; null if only the root is.
    long find(long root, long hash) {
        int unit = entry(root, hash);
        return unit == DEEPER ? findInLevels(root, hash) : address(unit);
    }

    /// What [#find] looks at first, so that it is in the processor's cache then.
    int entry(long root, long hash) {
        Entries known = entries;
        return known == null
                ? 0
                : (int) UNITS.getOpaque(known.units, (int) ((hash & known.mask) * roots + root));
    }

    private long findInLevels(long root, long hash) {
        for (int level = depth - 1; level >= 0; level--) {
            if ((hash >>> level & 1) != 0) {
                long found = get(level, word(level, root, hash));
                if (!RemoteAddress.isNull(found)) {
                    return found;
                }
            }
        }
        return RemoteAddress.NULL;
    }

    /// A bucket was read, and its growth word is this.
    void learn(QueuePair queuePair, long root, long address, long growth) {
        long number = BucketLayout.number(growth);
        if (number == 0) {
            return;
        }
        int level = TableHead.level(number);
        long word = TableHead.word(number, root, roots);
        load(queuePair, level, word);
        if (put(level, word, address)) {
            countPart();
        }
    }

    private synchronized void countPart() {
        parts++;
        if (parts > maxParts) {
            makeEntries();
        }
    }

    /// How many buckets splits have made, by the cached words.
    long parts() {
        return parts;
    }

    /// Reads where the parts of a root are that may be for a hash: those of `first` and the higher
    /// levels. Two round trips, and one for each segment that is not cached.
    void read(QueuePair queuePair, long root, long hash, int first) {
        readHead(queuePair);
        int end = depth;
        try (ViewScope _ = queuePair.openViews()) {
            long[] views = new long[end];
            for (int level = first; level < end; level++) {
                if ((hash >>> level & 1) != 0) {
                    long word = word(level, root, hash);
                    load(queuePair, level, word);
                    views[level] = queuePair.read(levels[level] + Long.BYTES * word, Long.BYTES);
                }
            }
            queuePair.await();
            for (int level = first; level < end; level++) {
                if (views[level] != 0) {
                    long address = LocalMemory.longAcquire(views[level]);
                    put(level, word(level, root, hash), address);
                }
            }
        }
    }

    /// The remote address of a part of a root that is no root itself; null if there is none yet. A
    /// round trip if its word is not cached.
    long part(QueuePair queuePair, long root, long number) {
        int level = TableHead.level(number);
        long word = TableHead.word(number, root, roots);
        load(queuePair, level, word);
        long known = get(level, word);
        if (!RemoteAddress.isNull(known) || level >= depth) {
            return known;
        }
        long address = queuePair.readWord(levels[level] + Long.BYTES * word);
        put(level, word, address);
        return address;
    }

    /// Where the address of part `number` of a root is to be written, which no root is itself; null
    /// if its level is not there yet. A round trip if that is not cached.
    long place(QueuePair queuePair, long root, long number) {
        int level = TableHead.level(number);
        if (level >= depth) {
            readHead(queuePair);
        }
        return level >= depth
                ? RemoteAddress.NULL
                : levels[level] + Long.BYTES * TableHead.word(number, root, roots);
    }

    /// Adds the next level, if there are buckets enough for it. Any number of sessions may try, and
    /// die at that: the level becomes one by the CAS of its address, and the depth follows.
    ///
    /// @param zeroes local memory
    /// @param zeroBytes how much
    /// @return whether there is a level more, this one or another session's
    /// @throws org.namdb.mvcc.MemoryFullException if there is no memory for it
    boolean addLevel(QueuePair queuePair, RemoteAllocator allocator, long zeroes, int zeroBytes) {
        int known = depth;
        readHead(queuePair);
        if (depth > known) {
            return true;
        }
        long words = TableHead.words(known, roots);
        long buckets = roots + queuePair.readWord(head + TableHead.SPLITS_OFFSET);
        if (known == TableHead.MAX_DEPTH
                || words > MAX_WORDS_PER_BUCKET * buckets
                || words > MAX_LEVEL_WORDS) {
            return false;
        }
        int bytes = (int) words * Long.BYTES;
        long level = allocator.allocate(RemoteAddress.server(head), bytes);
        for (int at = 0; at < bytes; at += zeroBytes) {
            queuePair.write(level + at, zeroes, Math.min(zeroBytes, bytes - at));
        }
        queuePair.await();
        long word = head + TableHead.levelOffset(known);
        if (queuePair.casWord(word, RemoteAddress.NULL, level) != RemoteAddress.NULL) {
            allocator.free(level, bytes);
        }
        long _ = queuePair.casWord(head + TableHead.DEPTH_OFFSET, known, known + 1L);
        readHead(queuePair);
        return true;
    }

    private long word(int level, long root, long hash) {
        return TableHead.word(hash & (2L << level) - 1, root, roots);
    }

    private long get(int level, long word) {
        int[] known = units(level);
        return address(known == null ? 0 : (int) UNITS.getOpaque(known, (int) word));
    }

    private long address(int unit) {
        return unit == 0
                ? RemoteAddress.NULL
                : firstAddress + (Integer.toUnsignedLong(unit) << UNIT_SHIFT);
    }

    /// Returns whether the address was not known.
    private boolean put(int level, long word, long address) {
        return !RemoteAddress.isNull(address)
                && RemoteAddress.isNull(get(level, word))
                && putNew(level, (int) word, unit(address));
    }

    /// Of two threads that add buckets for the same hashes, the second sees what the first has.
    private synchronized boolean putNew(int level, int word, int unit) {
        int[] known = units(level);
        if (known == null || (int) UNITS.getOpaque(known, word) != 0) {
            return false;
        }
        UNITS.setOpaque(known, word, unit);
        if (entries != null) {
            enter(entries, level, word, unit);
        }
        return true;
    }

    /// Enters a bucket wherever no deeper one is known.
    private void enter(Entries into, int level, int word, int unit) {
        int root = (int) (word % roots);
        long number = (1L << level) + word / roots;
        if (level >= into.bits) {
            UNITS.setOpaque(into.units, (int) ((number & into.mask) * roots + root), DEEPER);
            return;
        }
        for (; number <= into.mask; number += 2L << level) {
            int entry = (int) (number * roots + root);
            if (into.depths[entry] <= level && into.units[entry] != DEEPER) {
                into.depths[entry] = (byte) (level + 1);
                UNITS.setOpaque(into.units, entry, unit);
            }
        }
    }

    /// Makes the entries anew, at least two for each bucket, once there are more buckets.
    private void makeEntries() {
        long wanted = ENTRIES_PER_BUCKET * (roots + parts);
        int bits = 0;
        while (bits < depth && roots << bits < Math.min(wanted, MAX_LEVEL_WORDS)) {
            bits++;
        }
        maxParts = Math.max(parts, (roots << bits) / ENTRIES_PER_BUCKET - roots);
        if (entries != null && entries.bits == bits) {
            return;
        }
        int count = (int) (roots << bits);
        Entries more = new Entries(bits, (1L << bits) - 1, new int[count], new byte[count]);
        for (int level = 0; level < depth; level++) {
            int[] known = units(level);
            for (int word = 0; known != null && word < known.length; word++) {
                int unit = (int) UNITS.getOpaque(known, word);
                if (unit != 0) {
                    enter(more, level, word, unit);
                }
            }
        }
        entries = more;
    }

    private int @Nullable [] units(int level) {
        return (int[]) LEVELS.getAcquire(units, level);
    }

    private static int unit(long address) {
        assert isInReach(address) : "address " + address;
        return (int) (RemoteAddress.offset(address) >>> UNIT_SHIFT);
    }

    /// Whether a copy can hold the address of a new bucket. Beyond the first 256 GiB of a memory
    /// server there are none that splits have made.
    static boolean isInReach(long address) {
        return RemoteAddress.offset(address) >>> UNIT_SHIFT <= MAX_UNIT;
    }

    /// Reads the segment of a word, if it was not read.
    private void load(QueuePair queuePair, int level, long word) {
        if (level >= depth) {
            readHead(queuePair);
        }
        int segment = (int) (word / SEGMENT_WORDS);
        if (level >= depth || areRead[level].get(segment) != 0) {
            return;
        }
        if (units(level) == null) {
            allocate(level);
        }
        long first = word - word % SEGMENT_WORDS;
        int words = (int) Math.min(SEGMENT_WORDS, TableHead.words(level, roots) - first);
        int maxWords = Math.max(1, queuePair.batchBytes() / Long.BYTES);
        try (ViewScope views = queuePair.openViews()) {
            for (int from = 0; from < words; from += maxWords) {
                int count = Math.min(maxWords, words - from);
                long view =
                        queuePair.read(
                                levels[level] + Long.BYTES * (first + from), Long.BYTES * count);
                queuePair.await();
                for (int i = 0; i < count; i++) {
                    put(level, first + from + i, LocalMemory.longAcquire(view + 8L * i));
                }
                views.giveUp();
            }
        }
        areRead[level].set(segment, 1);
    }

    private synchronized void allocate(int level) {
        if (units(level) == null) {
            LEVELS.setRelease(units, level, new int[(int) TableHead.words(level, roots)]);
        }
    }

    private synchronized void takeLevels(long view) {
        int known = depth;
        long[] read = new long[TableHead.MAX_DEPTH];
        int there = TableHead.levels(view, read);
        for (int level = known; level < there; level++) { // of those before, some may be missing
            long count = Math.ceilDiv(TableHead.words(level, roots), SEGMENT_WORDS);
            areRead[level] = new AtomicIntegerArray((int) count);
            levels[level] = read[level];
        }
        parts = Math.max(parts, LocalMemory.longAcquire(view + TableHead.SPLITS_OFFSET));
        depth = Math.max(known, there);
        if (depth > known || parts > maxParts) {
            makeEntries();
        }
    }

    /// Reads how many levels there are, and how many buckets splits have made.
    void readHead(QueuePair queuePair) {
        try (ViewScope _ = queuePair.openViews()) {
            long view = queuePair.read(head, TableHead.BYTES);
            queuePair.await();
            takeLevels(view);
        }
    }
}
