package org.namdb.fabric;

/// A word of remote memory, in 64 bits. Zeroed memory reads as the null address.
/// ```
///  63  62      56 55                                     0
/// | V |  server  |                offset                  |
/// ```
/// V is 1 for an address and 0 for null; server is the memory server's number, 0 to 127; offset
/// counts bytes from the start of that server's region.
///
/// Source: tree-index paper, section 4.1 (remote pointers).
public final class RemoteAddress {
    /// The address of nothing.
    public static final long NULL = 0L;

    /// How many memory servers an address can distinguish.
    public static final int MAX_SERVERS = 128;

    /// The first offset that an address can not hold.
    public static final long OFFSET_LIMIT = 1L << 56;

    private static final long VALID = 1L << 63;
    private static final int SERVER_SHIFT = 56;
    private static final long OFFSET_MASK = OFFSET_LIMIT - 1;

    private RemoteAddress() {}

    /// The address of byte `offset` in the region of memory server `server`.
    public static long of(int server, long offset) {
        assert server >= 0 && server < MAX_SERVERS : "server " + server;
        assert offset >= 0 && offset < OFFSET_LIMIT : "offset " + offset;
        return VALID | (long) server << SERVER_SHIFT | offset;
    }

    /// Whether this is the address of nothing.
    public static boolean isNull(long address) {
        return address == NULL;
    }

    /// The memory server's number.
    public static int server(long address) {
        return (int) (address >>> SERVER_SHIFT) & (MAX_SERVERS - 1);
    }

    /// The offset in the server's region, in bytes.
    public static long offset(long address) {
        return address & OFFSET_MASK;
    }

    /// The address in words that a person can read, as in `2:0x1f40`.
    public static String describe(long address) {
        return isNull(address)
                ? "null"
                : server(address) + ":0x" + Long.toHexString(offset(address));
    }
}
