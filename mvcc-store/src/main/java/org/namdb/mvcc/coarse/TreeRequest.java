package org.namdb.mvcc.coarse;

import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.tree.NodeLayout;
import org.namdb.timestamp.CommitTimestamp;

/// What a request to do operations on trees looks like, and its reply: whole words, in the byte
/// order of the machines (a cluster has one).
/// ```
/// byte       0       1        2        4          8        12       16
/// request    | kind  |        |        | operations | slot |        | operation | operation | ..
/// operation  | what  | words  |        | most       | anchor        | key       | RANGE: last key
/// DROP       | kind  |                              | anchor        |
///
/// reply      | status |                | results    | result | result | ..
/// result     | outcome |               | entries    | the entries
/// ```
/// - slot: the timestamp slot of the session; latches that are taken for it bear it;
/// - words: how many a key of the tree has; most: how many entries of a range are requested;
/// - anchor: the tree ([org.namdb.mvcc.tree.BLinkTree]), which lies on the request's server.
///
/// The operations are done in their order. Each has a result.
public final class TreeRequest {
    /// The kind of requests with operations, among all [requests][RequestBatch] to a memory server.
    public static final byte OPERATE = 11;

    /// The kind of the notice that a tree is dropped.
    public static final byte DROP = 12;

    /// Status: see the results.
    static final byte DONE = 0;

    /// Status: the request is malformed, and has changed nothing.
    static final byte REFUSED = 2;

    static final int HEAD_BYTES = 16;
    static final int DROP_BYTES = 16;
    static final int REPLY_HEAD_BYTES = 8;
    static final int RESULT_BYTES = 8;

    private static final int OPERATION_BYTES = 16;
    private static final int COUNT = 4;
    private static final int SLOT = 8;
    private static final int WORDS = 1;
    private static final int MAX = 4;
    private static final int ANCHOR = 8;

    /// What is done to a tree.
    public enum Operation {
        /// Whether an entry is there.
        LOOK_UP,
        /// Adds an entry.
        INSERT,
        /// Removes an entry.
        REMOVE,
        /// The entries from a key up to another one, in ascending order.
        ASCEND,
        /// The entries from a key down to another one, in descending order.
        DESCEND;

        private static final Operation[] ALL = values();

        boolean isRange() {
            return this == ASCEND || this == DESCEND;
        }
    }

    /// What has come of it.
    public enum Outcome {
        /// The entry is not there; or it was there already, or not, so that nothing was changed.
        NO,
        /// The entry is there; it was added, or removed; these are all entries of the range.
        YES,
        /// These are the first entries of the range, as many as were requested, or as there was
        /// space for.
        MORE,
        /// Another session has what is needed latched: do it by verbs. Of a range these are the
        /// first entries.
        BUSY,
        /// The memory server has no memory for it. Nothing was changed.
        FULL,
        /// There is no such tree.
        NO_TREE;

        private static final Outcome[] ALL = values();
    }

    private TreeRequest() {}

    static void putHead(long request, int operations, int slot) {
        LocalMemory.putLong(request, OPERATE & 0xffL);
        LocalMemory.putByte(request, OPERATE);
        LocalMemory.putInt(request + COUNT, operations);
        LocalMemory.putLong(request + SLOT, 0);
        LocalMemory.putInt(request + SLOT, slot);
    }

    static int operations(long request) {
        return LocalMemory.intAt(request + COUNT);
    }

    static int slot(long request) {
        return LocalMemory.intAt(request + SLOT);
    }

    static void putDrop(long request, long anchor) {
        LocalMemory.putLong(request, 0);
        LocalMemory.putByte(request, DROP);
        LocalMemory.putLong(request + ANCHOR, anchor);
    }

    static long droppedAnchor(long request) {
        return LocalMemory.longAt(request + ANCHOR);
    }

    /// How long an operation is.
    static int bytes(Operation what, int keyWords) {
        return OPERATION_BYTES + Long.BYTES * keyWords * (what.isRange() ? 2 : 1);
    }

    static void putOperation(
            long at, Operation what, long anchor, int keyWords, int most, long[] key) {
        LocalMemory.putLong(at, 0);
        LocalMemory.putByte(at, (byte) what.ordinal());
        LocalMemory.putByte(at + WORDS, (byte) keyWords);
        LocalMemory.putInt(at + MAX, most);
        LocalMemory.putLong(at + ANCHOR, anchor);
        putKey(at + OPERATION_BYTES, keyWords, key);
    }

    /// Of a range: where it ends.
    static void putLast(long at, int keyWords, long[] last) {
        putKey(at + OPERATION_BYTES + (long) Long.BYTES * keyWords, keyWords, last);
    }

    private static void putKey(long at, int keyWords, long[] key) {
        for (int word = 0; word < keyWords; word++) {
            LocalMemory.putLong(at + 8L * word, key[word]);
        }
    }

    static Operation what(long at) {
        return Operation.ALL[LocalMemory.byteAt(at)];
    }

    static int keyWords(long at) {
        return LocalMemory.byteAt(at + WORDS);
    }

    static int most(long at) {
        return LocalMemory.intAt(at + MAX);
    }

    static long anchor(long at) {
        return LocalMemory.longAt(at + ANCHOR);
    }

    static void copyKey(long at, long[] key) {
        copy(at + OPERATION_BYTES, key);
    }

    static void copyLast(long at, long[] last) {
        copy(at + OPERATION_BYTES + (long) Long.BYTES * last.length, last);
    }

    private static void copy(long at, long[] key) {
        for (int word = 0; word < key.length; word++) {
            key[word] = LocalMemory.longAt(at + 8L * word);
        }
    }

    /// Whether a request is well-formed for memory server `server`, which answers with `replyBytes`
    /// bytes at the most.
    static boolean isWellFormed(long request, int bytes, int server, int replyBytes) {
        if (bytes < HEAD_BYTES || (bytes & 7) != 0) {
            return false;
        }
        int count = operations(request);
        int slot = slot(request);
        if (count < 0
                || slot < 0
                || slot >= CommitTimestamp.MAX_SLOTS
                || REPLY_HEAD_BYTES + (long) RESULT_BYTES * count > replyBytes) {
            return false;
        }
        long end = request + bytes;
        long at = request + HEAD_BYTES;
        for (int i = 0; i < count; i++) {
            int length = end - at < OPERATION_BYTES ? 0 : wellFormedBytes(at, server);
            if (length == 0 || length > end - at) {
                return false;
            }
            at += length;
        }
        return at == end;
    }

    /// How long the operation is whose head is at native address `at`; 0 if it is malformed.
    private static int wellFormedBytes(long at, int server) {
        int what = LocalMemory.byteAt(at);
        int keyWords = keyWords(at);
        long anchor = anchor(at);
        boolean isKnown = what >= 0 && what < Operation.ALL.length;
        return isKnown
                        && keyWords >= 1
                        && keyWords <= NodeLayout.MAX_KEY_WORDS
                        && most(at) >= 0
                        && isOf(anchor, server)
                ? bytes(Operation.ALL[what], keyWords)
                : 0;
    }

    /// Whether an anchor may be one of memory server `server`.
    static boolean isOf(long anchor, int server) {
        return !RemoteAddress.isNull(anchor)
                && RemoteAddress.server(anchor) == server
                && (RemoteAddress.offset(anchor) & 7) == 0;
    }

    static void putReplyHead(long reply, int results) {
        LocalMemory.putLong(reply, 0);
        LocalMemory.putByte(reply, DONE);
        LocalMemory.putInt(reply + COUNT, results);
    }

    static boolean isDone(long reply, int bytes) {
        return bytes >= REPLY_HEAD_BYTES && LocalMemory.byteAt(reply) == DONE;
    }

    static void putResult(long at, Outcome outcome, int entries) {
        LocalMemory.putLong(at, 0);
        LocalMemory.putByte(at, (byte) outcome.ordinal());
        LocalMemory.putInt(at + COUNT, entries);
    }

    static Outcome outcome(long at) {
        return Outcome.ALL[LocalMemory.byteAt(at)];
    }

    static int entries(long at) {
        return LocalMemory.intAt(at + COUNT);
    }
}
