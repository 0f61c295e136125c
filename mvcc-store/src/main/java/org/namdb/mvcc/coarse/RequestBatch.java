package org.namdb.mvcc.coarse;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.coarse.TreeRequest.Operation;
import org.namdb.mvcc.coarse.TreeRequest.Outcome;
import org.namdb.mvcc.owner.LatchOwner;

/// Operations on trees that their memory servers do, by one request to each server:
/// ```java
/// int found = batch.add(Operation.LOOK_UP, anchor, key, 0, key);
/// batch.post();
/// queuePair.await();
/// batch.land();
/// Outcome outcome = batch.outcome(found);
/// ```
/// What has the outcome [Outcome#BUSY] is done by verbs then, by a
/// [org.namdb.mvcc.tree.TreeClient].
///
/// If a connection is lost, it is unknown which operations were done; none was done twice.
/// Reusable; belongs to one thread.
public final class RequestBatch {
    /// As much as any provider sends, with a margin.
    private static final int MAX_REQUEST_BYTES = 16 << 10;

    private static final int MAX_REPLY_BYTES = 32 << 10;

    private static final int FIRST_BYTES = 512;

    private final QueuePair queuePair;
    private final LatchOwner owner;
    private final @Nullable Part[] parts = new @Nullable Part[RemoteAddress.MAX_SERVERS];

    /// The parts that have operations: the first `used` of the array.
    private Part[] inUse = {};

    private int used;
    private int count;
    private int landedBytes;

    /// By operation: its part, how many words a key has, and where its result is.
    private Part[] partOf = {};

    private int[] keyWords = {};
    private long[] results = {};

    /// What is for one server.
    private static final class Part {
        final int server;
        long request;
        int capacity;
        int bytes;
        int operations;
        int replyBytes;
        long view;
        long nextResult;

        Part(int server) {
            this.server = server;
        }
    }

    /// @param owner as whose slot nodes are latched
    public RequestBatch(QueuePair queuePair, LatchOwner owner) {
        this.queuePair = queuePair;
        this.owner = owner;
    }

    /// Removes all operations.
    public void clear() {
        for (int i = 0; i < used; i++) {
            inUse[i].operations = 0;
        }
        count = 0;
        used = 0;
        landedBytes = 0;
    }

    /// How many operations it has.
    public int size() {
        return count;
    }

    /// Whether it has space for another operation, besides those that it has.
    ///
    /// @param words how many a key has
    /// @param most how many entries it brings at the most; 0 if it is no range
    public boolean hasSpaceFor(int server, Operation what, int words, int most) {
        Part part = parts[server];
        int bytes = TreeRequest.bytes(what, words);
        int more = resultBytes(words, most);
        if (part == null || part.operations == 0) {
            int heads = QueuePair.REPLY_HEAD_BYTES + TreeRequest.REPLY_HEAD_BYTES;
            return more <= MAX_REPLY_BYTES - heads
                    && landedBytes + heads + more <= queuePair.batchBytes();
        }
        return part.bytes + bytes <= MAX_REQUEST_BYTES
                && part.replyBytes + more <= MAX_REPLY_BYTES
                && landedBytes + more <= queuePair.batchBytes();
    }

    private static int resultBytes(int words, int most) {
        return TreeRequest.RESULT_BYTES + most * words * Long.BYTES;
    }

    /// Adds an operation, for which there [is space][#hasSpaceFor].
    ///
    /// @param anchor of the tree
    /// @param key of the tree's number of words; copied
    /// @param most how many entries of a range are requested, else 0
    /// @param last where a range ends; copied
    /// @return its index
    public int add(Operation what, long anchor, long[] key, int most, long[] last) {
        int words = key.length;
        Part part = part(RemoteAddress.server(anchor));
        // What may fail comes first: a part without memory is never posted.
        int before = part.operations == 0 ? TreeRequest.HEAD_BYTES : part.bytes;
        makeSpace(part, before + TreeRequest.bytes(what, words));
        if (count == results.length) {
            partOf = Arrays.copyOf(partOf, 2 * count + 8);
            keyWords = Arrays.copyOf(keyWords, partOf.length);
            results = Arrays.copyOf(results, partOf.length);
        }
        if (part.operations == 0) {
            begin(part);
        }
        long at = part.request + part.bytes;
        TreeRequest.putOperation(at, what, anchor, words, most, key);
        if (what.isRange()) {
            TreeRequest.putLast(at, words, last);
        }
        part.bytes += TreeRequest.bytes(what, words);
        part.operations++;
        part.replyBytes += resultBytes(words, most);
        landedBytes += resultBytes(words, most);
        partOf[count] = part;
        keyWords[count] = words;
        return count++;
    }

    private void makeSpace(Part part, int bytes) {
        if (bytes > part.capacity) {
            int capacity = Math.max(FIRST_BYTES, Math.min(4 * bytes, MAX_REQUEST_BYTES));
            long larger = queuePair.localMemory(capacity);
            LocalMemory.copy(part.request, larger, part.capacity);
            part.request = larger;
            part.capacity = capacity;
        }
    }

    private Part part(int server) {
        Part known = parts[server];
        if (known == null) {
            known = new Part(server);
            parts[server] = known;
        }
        return known;
    }

    private void begin(Part part) {
        part.bytes = TreeRequest.HEAD_BYTES;
        part.replyBytes = TreeRequest.REPLY_HEAD_BYTES;
        landedBytes += QueuePair.REPLY_HEAD_BYTES + TreeRequest.REPLY_HEAD_BYTES;
        if (used == inUse.length) {
            inUse = Arrays.copyOf(inUse, used + 4);
        }
        inUse[used++] = part;
    }

    /// How many bytes land with the await.
    public int landedBytes() {
        return landedBytes;
    }

    /// Posts a request to each server that has operations.
    public void post() {
        for (int i = 0; i < used; i++) {
            Part part = inUse[i];
            TreeRequest.putHead(part.request, part.operations, owner.slot());
            part.view = queuePair.request(part.server, part.request, part.bytes, part.replyBytes);
        }
    }

    /// Finds the results, after the await. They are valid as long as other views, and until the
    /// next operation is added.
    ///
    /// @throws FabricException if a memory server refuses its request
    public void land() {
        for (int i = 0; i < used; i++) {
            Part part = inUse[i];
            long reply = part.view + QueuePair.REPLY_HEAD_BYTES;
            if (!TreeRequest.isDone(reply, QueuePair.replyLength(part.view))) {
                throw new FabricException(
                        FabricException.Kind.SYSTEM,
                        "memory server %d refuses operations on its trees".formatted(part.server));
            }
            part.nextResult = reply + TreeRequest.REPLY_HEAD_BYTES;
        }
        for (int index = 0; index < count; index++) {
            Part part = partOf[index];
            results[index] = part.nextResult;
            int entries = TreeRequest.entries(part.nextResult);
            part.nextResult += resultBytes(keyWords[index], entries);
        }
    }

    /// The outcome of operation `index`.
    public Outcome outcome(int index) {
        return TreeRequest.outcome(results[index]);
    }

    /// How many entries of a range operation `index` has brought.
    public int entries(int index) {
        return TreeRequest.entries(results[index]);
    }

    /// The native address of the first of those entries, which follow each other.
    public long firstEntry(int index) {
        return results[index] + TreeRequest.RESULT_BYTES;
    }

    /// Notifies a tree's memory server that the tree is dropped: no session uses it any more, and
    /// its workers must free what they hold for it.
    public static void drop(QueuePair queuePair, long anchor) {
        queuePair.await(); // a server has one request at a time
        long request = queuePair.localMemory(TreeRequest.DROP_BYTES);
        TreeRequest.putDrop(request, anchor);
        long view =
                queuePair.request(
                        RemoteAddress.server(anchor), request, TreeRequest.DROP_BYTES, Long.BYTES);
        queuePair.await();
        if (!TreeRequest.isDone(view + QueuePair.REPLY_HEAD_BYTES, TreeRequest.REPLY_HEAD_BYTES)) {
            throw new FabricException(
                    FabricException.Kind.SYSTEM, "a memory server does not drop its tree");
        }
    }
}
