package org.namdb.mvcc.owner;

import org.namdb.fabric.RemoteAddress;

/// Where the intents of all slots lie: on each memory server an array of areas, one for each slot.
/// ```
/// area      0          8                  32                                2048
///           | attempt  | not used         | entry | entry | ...  | last entry |
///
/// entry     0          8          16         24         32
///           | address  | header   | what     | check    |
///
/// what      63   60 59    56 55               32 31                          0
///           | kind |   0    |   table's number   |   body offset in words     |
/// ```
/// - attempt: even while the locks of an attempt may be held, odd when they have been released, and
///   0 before the first. None is used twice, also when the slot changes its holder.
/// - kind LOCK: the record whose header is at `address` is about to be locked, and has `header`.
///   The body offset is the distance from the header to its body; 0 where it is not in the bucket.
/// - kind BUCKET: the slot is about to latch the home bucket at `address`, and may claim entries in
///   it or in its overflow areas. Kind INDEX: the same in a hashed index, whose number is the
///   table's.
/// - kind SPLIT: the slot is about to latch the home bucket at `address` and to move the records of
///   one half to a new bucket, whose address is `header`. In place of the body offset: the depth of
///   the bucket before (bits 0..5) and the number of its root (bits 6..31). Kind INDEX SPLIT: the
///   same in a hashed index.
/// - kind EXTENT: the list goes on in an array of entries at `address`, of `header` bytes. Only the
///   last entry of an area or an extent is one.
/// - check: a hash of the attempt and of the entry's words. An entry counts if its check is that of
///   the area's attempt: one that was written only in part, or belongs to an earlier attempt, is
///   none. So no WRITE of intents has to be atomic.
public final class IntentLayout {
    /// The bytes of an area.
    public static final int AREA_BYTES = 2048;

    static final int ATTEMPT_OFFSET = 0;
    static final int ENTRIES_OFFSET = 32;
    static final int ENTRY_BYTES = 32;
    static final int ADDRESS_OFFSET = 0;
    static final int HEADER_OFFSET = 8;
    static final int WHAT_OFFSET = 16;
    static final int CHECK_OFFSET = 24;

    /// The entries of an area.
    static final int AREA_ENTRIES = (AREA_BYTES - ENTRIES_OFFSET) / ENTRY_BYTES;

    static final int LOCK = 1;
    static final int BUCKET = 2;
    static final int INDEX = 3;
    static final int EXTENT = 4;
    static final int SPLIT = 5;
    static final int INDEX_SPLIT = 6;

    /// Buckets can be split whose root has a smaller number.
    public static final long MAX_SPLIT_ROOTS = 1L << 26;

    private static final int ROOT_SHIFT = 6;
    private static final int DEPTH_MASK = (1 << ROOT_SHIFT) - 1;

    private static final int KIND_SHIFT = 60;
    private static final int TABLE_SHIFT = 32;
    private static final int TABLE_MASK = (1 << 24) - 1;
    private static final long MIX_1 = 0xbf58476d1ce4e5b9L;
    private static final long MIX_2 = 0x94d049bb133111ebL;

    private final long[] addresses;

    /// @param addresses the remote address of the first area, by memory server
    public IntentLayout(long... addresses) {
        this.addresses = addresses.clone();
    }

    /// The bytes that each memory server needs for the intents of `slots` slots.
    public static long bytes(int slots) {
        return (long) AREA_BYTES * slots;
    }

    /// The remote address of a slot's area on a memory server.
    public long area(int server, int slot) {
        return addresses[server] + (long) slot * AREA_BYTES;
    }

    /// How many memory servers there are.
    public int servers() {
        return addresses.length;
    }

    static long what(int kind, int table, long bodyOffset) {
        assert table >= 0 && table <= TABLE_MASK : "table " + table;
        assert bodyOffset >= 0 && (bodyOffset & 7) == 0 && bodyOffset >>> 35 == 0
                : "offset " + bodyOffset;
        return (long) kind << KIND_SHIFT | (long) table << TABLE_SHIFT | bodyOffset >>> 3;
    }

    static int kind(long what) {
        return (int) (what >>> KIND_SHIFT);
    }

    static int table(long what) {
        return (int) (what >>> TABLE_SHIFT) & TABLE_MASK;
    }

    static long bodyOffset(long what) {
        return (what & 0xffff_ffffL) << 3;
    }

    static long whatSplit(int kind, int table, int depth, long root) {
        assert depth >= 0 && depth <= DEPTH_MASK : "depth " + depth;
        assert root >= 0 && root < MAX_SPLIT_ROOTS : "root " + root;
        return what(kind, table, 0) | root << ROOT_SHIFT | depth;
    }

    static int splitDepth(long what) {
        return (int) what & DEPTH_MASK;
    }

    static long splitRoot(long what) {
        return (what & 0xffff_ffffL) >>> ROOT_SHIFT;
    }

    static long check(long attempt, long address, long header, long what) {
        return mix(mix(mix(mix(attempt) ^ address) ^ header) ^ what);
    }

    /// Whether locks of the attempt may be held.
    static boolean isUnderWay(long attempt) {
        return attempt != 0 && (attempt & 1) == 0;
    }

    static int server(long address) {
        return RemoteAddress.server(address);
    }

    /// Where the holder of a slot starts to count.
    static long firstAttempt(long owner) {
        return mix(owner + 1) & -2;
    }

    private static long mix(long word) {
        long mixed = (word ^ word >>> 30) * MIX_1;
        mixed = (mixed ^ mixed >>> 27) * MIX_2;
        return mixed ^ mixed >>> 31;
    }
}
