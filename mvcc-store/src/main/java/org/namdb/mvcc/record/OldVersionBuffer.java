package org.namdb.mvcc.record;

/// The old versions of one record: a ring of `versions` headers and, apart from them, a ring of as
/// many payloads. A reader fetches all headers by one READ, then the one payload that it needs.
/// ```
/// 0          8           16                            16 + 16 * versions
/// |  next    | overflow  | from, until | from, until ...| payload | payload ... |
/// ```
/// - next: how many versions were ever put in; version `n` is in place `n % versions`. Written
///   under the record's lock.
/// - overflow: remote address of the newest [OverflowVersion], or null.
/// - from: the version's header; 0 while the place is being filled. until: the header of the
///   version that replaced it. So a snapshot needs the version exactly if it sees from and doesn't
///   see until, in whatever order versions are found, and none needs it once the low watermark sees
///   until.
///
/// A place is filled in this order: from = 0, payload, until, from. It is overwritten only when its
/// version was copied to the overflow region or no snapshot needs it.
///
/// Source: NAM-DB, section 5.1; keeping `until` with each version is this project's.
///
/// @param versions the places of the ring
/// @param payloadBytes the size of a payload
public record OldVersionBuffer(int versions, int payloadBytes) {
    public static final int NEXT_OFFSET = 0;
    public static final int OVERFLOW_OFFSET = 8;
    public static final int HEADERS_OFFSET = 16;
    public static final int FROM_OFFSET = 0;
    public static final int UNTIL_OFFSET = 8;

    private static final int PAIR_BYTES = 16;

    /// The bytes of the counter, the overflow pointer and all headers.
    public int headBytes() {
        return HEADERS_OFFSET + PAIR_BYTES * versions;
    }

    /// Where the header pair of place `place` starts.
    public int pairOffset(int place) {
        return HEADERS_OFFSET + PAIR_BYTES * place;
    }

    /// Where the payload of place `place` starts.
    public int payloadOffset(int place) {
        return headBytes() + payloadBytes * place;
    }

    /// The bytes of the whole buffer.
    public int bytes() {
        return payloadOffset(versions);
    }
}
