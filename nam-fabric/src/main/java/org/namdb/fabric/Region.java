package org.namdb.fabric;

/// A memory server's registered memory, as a peer needs it: the server, its size, and the key that
/// opens it. Exchanged out of band when a queue pair is opened.
///
/// @param server the memory server's number, 0 to 127
/// @param bytes the region's size; may exceed 2 GiB
/// @param key the region key (rkey); a verb with another one is refused
public record Region(int server, long bytes, int key) {
    public Region {
        if (server < 0 || server >= RemoteAddress.MAX_SERVERS) {
            throw new IllegalArgumentException(
                    "memory server number " + server + " is not in 0 to 127");
        }
        if (bytes <= 0 || bytes > RemoteAddress.OFFSET_LIMIT) {
            throw new IllegalArgumentException(
                    "a region of " + bytes + " bytes can't be addressed");
        }
    }
}
