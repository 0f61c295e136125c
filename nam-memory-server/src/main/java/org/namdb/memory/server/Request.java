package org.namdb.memory.server;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.namdb.mvcc.coarse.TreeRequest;

/// The requests that compute servers SEND to a memory server, and their replies. Numbers are
/// big-endian.
/// ```
/// request   | kind, 1 byte | number, 8 bytes | body        reply   | status, 1 byte | body
/// ```
/// The number is the requester's, so that a request that is sent again can be distinguished from a
/// new one; 0 is none, which all of them have today. Each kind is answered by the part of the
/// server that has [registered][RequestRegistry] for it.
public final class Request {
    /// Allocates an extent: bytes, and whether the [reserve][#FROM_RESERVE] may be used.
    public static final byte ALLOCATE = 1;

    /// Gives extents, or parts of some, back.
    public static final byte FREE = 2;

    /// Allocates an extent of zeroes.
    public static final byte ALLOCATE_ZEROED = 3;

    /// Reports how full the server is.
    public static final byte USAGE = 4;

    /// Adds an entry to the catalog.
    public static final byte CATALOG_PUT = 5;

    /// Reads a piece of an entry of the catalog, from a byte on.
    public static final byte CATALOG_GET = 6;

    /// Reads the names of the catalog's entries, from a name on, or names and entries.
    public static final byte CATALOG_LIST = 7;

    /// Takes an entry out of the catalog.
    public static final byte CATALOG_REMOVE = 8;

    /// Puts an entry of the catalog in the place of the one of its name.
    public static final byte CATALOG_REPLACE = 9;

    /// Allocates an extent of zeroes that lies at a multiple of its size.
    public static final byte ALLOCATE_ALIGNED = 10;

    /// Operations on trees, of another form ([TreeRequest]).
    public static final byte TREE_OPERATIONS = TreeRequest.OPERATE;

    /// Notifies of a dropped tree, in that form.
    public static final byte TREE_DROP = TreeRequest.DROP;

    /// About the server's disk: what follows is another part's.
    public static final byte JOURNAL = 13;

    /// About [advisory locks][AdvisoryLockTable]; numbers follow, of which the first is one of the
    /// operations below. Server 0 answers it.
    /// ```
    /// TRY_LOCK, LOCK, UNLOCK   compute server, session, space, key, mode
    /// STOP_WAITING, END_LOCKS  compute server, session
    /// END_LOCKS_OF_SERVER      compute server
    /// LIST_LOCKS               how many to leave out, how many to give
    /// ```
    public static final byte ADVISORY_LOCKS = 14;

    /// The last of them.
    public static final byte LAST = ADVISORY_LOCKS;

    /// Takes a lock if it is free.
    public static final long TRY_LOCK = 1;

    /// Takes a lock, or waits for it: to be requested again until it is granted.
    public static final long LOCK = 2;

    /// Releases a lock.
    public static final long UNLOCK = 3;

    /// The session waits for no lock any more.
    public static final long STOP_WAITING = 4;

    /// The session has ended.
    public static final long END_LOCKS = 5;

    /// The compute server has ended.
    public static final long END_LOCKS_OF_SERVER = 6;

    /// Lists the locks.
    public static final long LIST_LOCKS = 7;

    /// Modes of a lock, which are bits.
    public static final int SHARED = 1;

    public static final int EXCLUSIVE = 2;

    /// What a request to lock comes to.
    public static final long LOCK_GRANTED = 0;

    public static final long LOCK_BUSY = 1;
    public static final long LOCK_DEADLOCK = 2;

    /// Of a request to allocate, behind the bytes: what the server keeps for deletes is not used.
    public static final long NOT_FROM_RESERVE = 0;

    /// Of a request to allocate: it may be.
    public static final long FROM_RESERVE = 1;

    /// Status: it was done.
    public static final byte DONE = 0;

    /// Status: there is none, or the server is full.
    public static final byte NOTHING = 1;

    /// Status: the request is malformed.
    public static final byte REFUSED = 2;

    /// Status: the server is full.
    public static final byte FULL = 3;

    /// Before a piece of an entry: the status, and the length and hash code of the whole entry.
    public static final int CATALOG_PIECE_HEAD_BYTES = 1 + 2 * Integer.BYTES;

    /// In a list of entries: the one of this name is too long for it.
    public static final int CATALOG_ENTRY_LEFT_OUT = -1;

    private static final long NO_NUMBER = 0;
    private static final int HEAD_BYTES = 9;

    private Request() {}

    /// A request with a body.
    public static byte[] of(byte kind, byte[] body) {
        return ByteBuffer.allocate(HEAD_BYTES + body.length)
                .put(kind)
                .putLong(NO_NUMBER)
                .put(body)
                .array();
    }

    /// A request with numbers.
    public static byte[] of(byte kind, long... numbers) {
        ByteBuffer buffer =
                ByteBuffer.allocate(HEAD_BYTES + 8 * numbers.length).put(kind).putLong(NO_NUMBER);
        for (long number : numbers) {
            buffer.putLong(number);
        }
        return buffer.array();
    }

    /// The reply to a request that was done, with numbers.
    static byte[] reply(long... numbers) {
        ByteBuffer buffer = ByteBuffer.allocate(1 + 8 * numbers.length).put(DONE);
        for (long number : numbers) {
            buffer.putLong(number);
        }
        return buffer.array();
    }

    /// A message about an entry of the catalog, with numbers.
    public static byte[] of(byte kind, String name, long... numbers) {
        ByteBuffer body = ByteBuffer.allocate(8 * numbers.length);
        for (long number : numbers) {
            body.putLong(number);
        }
        return of(kind, name, body.array());
    }

    /// A message about an entry of the catalog.
    public static byte[] of(byte kind, String name, byte[] body) {
        byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(HEAD_BYTES + 4 + bytes.length + body.length)
                .put(kind)
                .putLong(NO_NUMBER)
                .putInt(bytes.length)
                .put(bytes)
                .put(body)
                .array();
    }

    /// The name that such a message is about.
    public static String name(ByteBuffer request) {
        int length = request.getInt();
        if (length < 0 || length > request.remaining()) {
            throw new IllegalArgumentException("a name of " + length + " bytes");
        }
        byte[] bytes = new byte[length];
        request.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /// What follows in a message.
    public static byte[] rest(ByteBuffer message) {
        byte[] bytes = new byte[message.remaining()];
        message.get(bytes);
        return bytes;
    }
}
