package org.namdb.mvcc.hash;

import org.namdb.mvcc.record.RecordBody;

/// A bucket's bytes.
/// ```
/// 0        8          16                                    directoryBytes
/// | latch  | overflow | header, key, [body] | header, key ... | body | body ... | filled up to 64 bytes |
/// ```
/// - latch: of a home bucket, whose [Latch] it is while someone claims or frees one of its entries,
///   or of its overflow areas'; else 0.
/// - overflow: where the search goes on, or null. Of a home bucket, its newest overflow area; of a
///   bucket in an area, the next older area. The low 6 bits, which an aligned address leaves free,
///   hold the binary logarithm of the area's buckets.
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
    public static final int ENTRIES_OFFSET = 16;
    public static final int KEY_OFFSET = 8;

    private static final int ALIGNMENT = 64;
    private static final long LEVEL_MASK = ALIGNMENT - 1;

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

    /// The bytes of a record's bucket, and of its body where that is apart: by this, whoever looks
    /// up many records at a time keeps to the landing buffer.
    public int lookupBytes() {
        return bucketBytes() + (inlined ? 0 : bodyBytes());
    }

    /// The word that points to an overflow area of `1 << level` buckets.
    static long overflow(long area, int level) {
        assert (area & LEVEL_MASK) == 0 : "an area is aligned";
        return area | level;
    }

    /// The area's remote address.
    static long overflowArea(long overflow) {
        return overflow & ~LEVEL_MASK;
    }

    /// The binary logarithm of the area's buckets.
    static int overflowLevel(long overflow) {
        return (int) (overflow & LEVEL_MASK);
    }
}
