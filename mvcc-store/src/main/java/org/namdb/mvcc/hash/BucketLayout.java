package org.namdb.mvcc.hash;

import org.namdb.mvcc.record.RecordBody;

/// A bucket's bytes.
/// ```
/// 0        8          16       24      32                                    directoryBytes
/// | latch  | overflow | growth | child | header, key, [body] | header, key ... | body | body ... | filled up to 64 bytes |
/// ```
/// - latch: of a home bucket, its [Latch], held while one of its entries, or of its overflow
///   areas', is claimed or freed; else 0.
/// - overflow: where the search goes on, or null. Of a home bucket, its newest overflow area, a
///   bucket like it; of an area, the next older one.
/// - growth: of a home bucket, which hashes it is for: of those that led to its
///   [root][TableHead], the ones with `hash mod 2^d = i`.
///   ```
///    63        58 57             40 39                  0
///   | depth d    | 0               | number i            |
///   ```
///   0, as in memory that is new: all. Of an overflow area, 0.
/// - child: of a home bucket, the bucket that its last split has made, number `i + 2^(d-1)`; null
///   if it was never split.
/// - header: the record's [header][org.namdb.mvcc.record.RecordHeader], 0 for a free entry; then
///   the key's words; then, where records are not inlined, the remote address of the body. Inlined
///   bodies follow the directory, in the order of the entries.
///
/// @param records the entries of a bucket
/// @param keyWords the words of a key
/// @param payloadBytes the bytes of a payload
/// @param inlined whether the bodies are in the bucket
public record BucketLayout(int records, int keyWords, int payloadBytes, boolean inlined) {
    public static final int LATCH_OFFSET = 0;
    public static final int OVERFLOW_OFFSET = 8;
    public static final int GROWTH_OFFSET = 16;
    public static final int CHILD_OFFSET = 24;
    public static final int ENTRIES_OFFSET = 32;
    public static final int KEY_OFFSET = 8;

    private static final int ALIGNMENT = 64;

    /// How often a bucket can be split.
    static final int MAX_DEPTH = 40;

    private static final int DEPTH_SHIFT = 58;
    private static final long NUMBER_MASK = (1L << MAX_DEPTH) - 1;

    /// The bytes of an entry.
    public int entryBytes() {
        return KEY_OFFSET + 8 * keyWords + (inlined ? 0 : 8);
    }

    /// Where entry `entry` starts in the bucket: its header.
    public int entryOffset(int entry) {
        return ENTRIES_OFFSET + entry * entryBytes();
    }

    /// Where the body's address is in an entry, if it is not inlined.
    public int bodyPointerOffset() {
        return KEY_OFFSET + 8 * keyWords;
    }

    /// The bytes up to the last entry.
    public int directoryBytes() {
        return entryOffset(records);
    }

    /// The bytes of a body.
    public int bodyBytes() {
        return RecordBody.bytes(payloadBytes);
    }

    /// Where the inlined body of entry `entry` starts in the bucket.
    public int bodyOffset(int entry) {
        return directoryBytes() + entry * bodyBytes();
    }

    /// The bytes of a bucket that a lookup reads.
    public int readBytes() {
        return inlined ? bodyOffset(records) : directoryBytes();
    }

    /// The bytes of a bucket.
    public int bucketBytes() {
        return readBytes() + ALIGNMENT - 1 & -ALIGNMENT;
    }

    /// The bytes that a read of a bucket lands of which all records may be wanted: its headers and
    /// keys come before it and after it, too.
    public int neighbourBytes() {
        return readBytes() + 2 * directoryBytes();
    }

    /// The bytes of a record's bucket, and of its body where that is apart: by this, a lookup of
    /// many records keeps to the landing buffer.
    public int lookupBytes() {
        return bucketBytes() + (inlined ? 0 : bodyBytes());
    }

    /// The growth word of bucket `number` among those of depth `depth`.
    static long growth(int depth, long number) {
        assert depth >= 0 && depth <= MAX_DEPTH : "depth " + depth;
        assert number >>> depth == 0 : "number " + number + " at depth " + depth;
        return (long) depth << DEPTH_SHIFT | number;
    }

    /// How many bits of a hash choose the bucket.
    static int depth(long growth) {
        return (int) (growth >>> DEPTH_SHIFT);
    }

    /// The bits of a hash that choose the bucket.
    static long number(long growth) {
        return growth & NUMBER_MASK;
    }

    /// Whether a home bucket with this growth word is the one for a hash.
    static boolean isFor(long growth, long hash) {
        return (hash & (1L << depth(growth)) - 1) == number(growth);
    }
}
