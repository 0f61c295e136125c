package org.namdb.sql.engine.copy;

/// What PostgreSQL's binary format of COPY consists of, in addition to the values.
/// ```
/// header: | signature: 11 bytes | flags: int32 | length of the extension: int32 | extension |
/// row:    | fields: int16 | values.. |
/// value:  | length, -1 of NULL: int32 | bytes.. |
/// end:    | -1: int16 |
/// ```
final class BinaryCopy {
    /// Set if rows have OIDs, which there are none of.
    static final int HAS_OIDS = 1 << 16;

    /// From this one on, flags are critical: a reader refuses those that it does not know.
    static final int CRITICAL_SHIFT = 16;

    static final int NULL = -1;
    static final int END = -1;

    private static final byte[] SIGNATURE = {
        'P', 'G', 'C', 'O', 'P', 'Y', '\n', (byte) 0xff, '\r', '\n', 0
    };

    private BinaryCopy() {}

    static byte[] signature() {
        return SIGNATURE.clone();
    }
}
