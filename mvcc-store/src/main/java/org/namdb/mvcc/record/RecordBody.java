package org.namdb.mvcc.record;

/// What lies behind a current version's header: in its bucket, or in a block of its own.
/// ```
/// 0              8
/// |   versions   |   payload   |
/// ```
/// versions: the remote address of the [OldVersionBuffer], null until the first update. It is
/// written under the record's lock.
public final class RecordBody {
    public static final int VERSIONS_OFFSET = 0;
    public static final int PAYLOAD_OFFSET = 8;

    private RecordBody() {}

    /// The bytes of a body.
    public static int bytes(int payloadBytes) {
        return PAYLOAD_OFFSET + payloadBytes;
    }
}
