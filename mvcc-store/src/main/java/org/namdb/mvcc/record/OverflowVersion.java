package org.namdb.mvcc.record;

/// An old version in the overflow region; it never changes once a buffer or a younger one points
/// to it.
/// ```
/// 0       8        16         24
/// | from  | until  |  older   |   payload   |
/// ```
/// from, until: as in [OldVersionBuffer]. older: remote address of the record's next older version
/// here, or null.
public final class OverflowVersion {
    public static final int FROM_OFFSET = 0;
    public static final int UNTIL_OFFSET = 8;
    public static final int OLDER_OFFSET = 16;
    public static final int PAYLOAD_OFFSET = 24;

    private OverflowVersion() {}

    /// The bytes of a version.
    public static int bytes(int payloadBytes) {
        return PAYLOAD_OFFSET + payloadBytes;
    }
}
