package org.namdb.mvcc.coarse;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.FabricException;
import org.namdb.fabric.FirstFailure;
import org.namdb.fabric.Host;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.PlantedFault;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RequestHandler;
import org.namdb.mvcc.MemoryFullException;
import org.namdb.mvcc.RemoteAllocator;
import org.namdb.mvcc.coarse.TreeRequest.Operation;
import org.namdb.mvcc.coarse.TreeRequest.Outcome;
import org.namdb.mvcc.owner.LatchOwner;
import org.namdb.mvcc.owner.LatchTimeoutException;
import org.namdb.mvcc.tree.BLinkTree;
import org.namdb.mvcc.tree.NodeLayout;
import org.namdb.mvcc.tree.TreeClient;
import org.namdb.mvcc.tree.TreeCursor;

/// Does the operations of [requests][TreeRequest] on the trees of one memory server, in its
/// process: as a [TreeClient] of each, which it opens on first use. Belongs to one thread.
///
/// Where the fabric maps no memory for workers, every operation is answered with
/// [Outcome#BUSY].
public final class TreeWorker implements RequestHandler {
    /// It gives up on a latch after the polls without a sleep.
    private static final long NO_WAIT = -1;

    /// What a queue pair for a tree lands: atomics alone, as READs are in place.
    private static final int LANDED_NODES = 16;

    private static final int ANCHOR_LANDING_BYTES = 256;

    private final int server;
    private final IntFunction<@Nullable QueuePair> map;
    private final RemoteAllocator allocator;
    private final DroppedTrees dropped;
    private final LatchOwner owner =
            new LatchOwner(0, Host.MACHINE, NO_WAIT, LatchOwner.Cancellation.NEVER);

    private ServedTree[] trees = {};
    private int treeCount;
    private int droppedCount;

    /// Where it finds trees that it has not opened yet.
    private @Nullable QueuePair anchors;

    /// Of the range that is read: how many entries there are so far.
    private int rangeEntries;

    /// The outcome of operations on a tree that was not opened.
    private Outcome withoutTree = Outcome.NO_TREE;

    /// A tree as this worker has opened it.
    private static final class ServedTree {
        final long anchor;

        /// How many trees with its anchor had been dropped before it was opened.
        final int droppedBefore;

        final QueuePair queuePair;
        final TreeClient client;
        final TreeCursor cursor;
        final long[] key;

        /// Where a range ends.
        final long[] last;

        ServedTree(
                long anchor,
                int droppedBefore,
                QueuePair queuePair,
                TreeClient client,
                int keyWords) {
            this.anchor = anchor;
            this.droppedBefore = droppedBefore;
            this.queuePair = queuePair;
            this.client = client;
            this.cursor = client.cursor();
            this.key = new long[keyWords];
            this.last = new long[keyWords];
        }
    }

    /// @param map a queue pair on the server's memory that lands so many bytes, or null
    /// @param allocator of the server's memory
    /// @param dropped what all workers of the server share
    public TreeWorker(
            int server,
            IntFunction<@Nullable QueuePair> map,
            RemoteAllocator allocator,
            DroppedTrees dropped) {
        this.server = server;
        this.map = map;
        this.allocator = allocator;
        this.dropped = dropped;
        this.droppedCount = dropped.count();
    }

    @Override
    public int handle(long request, int bytes, long reply, int replyBytes) {
        if (bytes == TreeRequest.DROP_BYTES && LocalMemory.byteAt(request) == TreeRequest.DROP) {
            return drop(TreeRequest.droppedAnchor(request), reply, replyBytes);
        }
        if (LocalMemory.byteAt(request) != TreeRequest.OPERATE
                || !TreeRequest.isWellFormed(request, bytes, server, replyBytes)) {
            return answer(TreeRequest.REFUSED, reply, replyBytes);
        }
        discardDropped();
        boolean isPlanted = PlantedFault.WORKER_LATCHES_AS_ITSELF.isPlanted();
        owner.actFor(isPlanted ? 0 : TreeRequest.slot(request));
        int count = TreeRequest.operations(request);
        long at = request + TreeRequest.HEAD_BYTES;
        long result = reply + TreeRequest.REPLY_HEAD_BYTES;
        for (int left = count - 1; left >= 0; left--) {
            long end = reply + replyBytes - (long) left * TreeRequest.RESULT_BYTES;
            result += operate(at, result, end);
            at += TreeRequest.bytes(TreeRequest.what(at), TreeRequest.keyWords(at));
        }
        TreeRequest.putReplyHead(reply, count);
        return (int) (result - reply);
    }

    private static int answer(byte status, long reply, int replyBytes) {
        if (replyBytes == 0) {
            throw new FabricException(
                    FabricException.Kind.TOO_LARGE, "a reply of 1 byte: the client takes none");
        }
        LocalMemory.putByte(reply, status);
        return 1;
    }

    /// Does an operation.
    ///
    /// @param result where its result goes, which may reach up to `end`
    /// @return how long the result is
    private int operate(long at, long result, long end) {
        ServedTree tree = null;
        Outcome outcome;
        rangeEntries = 0;
        try {
            tree = tree(TreeRequest.anchor(at), TreeRequest.keyWords(at));
            outcome = tree == null ? withoutTree : operate(tree, at, result, end);
        } catch (LatchTimeoutException e) {
            outcome = Outcome.BUSY;
        } catch (MemoryFullException e) {
            outcome = Outcome.FULL;
        } catch (RuntimeException | Error e) {
            forget(tree, e);
            throw e;
        }
        TreeRequest.putResult(result, outcome, rangeEntries);
        return TreeRequest.RESULT_BYTES + rangeEntries * Long.BYTES * TreeRequest.keyWords(at);
    }

    /// The queue pairs may be [in doubt][QueuePair#isInDoubt], and a node that the tree held ready
    /// may be in use: the next request opens them again, and the nodes held ready are lost.
    private void forget(@Nullable ServedTree failed, Throwable why) {
        FirstFailure closing = new FirstFailure();
        closing.add(why);
        if (failed != null) {
            trees = Arrays.stream(trees).filter(tree -> tree != failed).toArray(ServedTree[]::new);
            treeCount = trees.length;
            closing.attempt(failed.queuePair::close);
        }
        QueuePair first = anchors;
        if (first != null) {
            anchors = null;
            closing.attempt(first::close);
        }
    }

    private Outcome operate(ServedTree tree, long at, long result, long end) {
        TreeRequest.copyKey(at, tree.key);
        Operation what = TreeRequest.what(at);
        return switch (what) {
            case LOOK_UP -> outcome(tree.client.contains(tree.key));
            case INSERT -> outcome(tree.client.insert(tree.key));
            case REMOVE -> outcome(tree.client.delete(tree.key));
            case ASCEND, DESCEND -> {
                TreeRequest.copyLast(at, tree.last);
                long entries = result + TreeRequest.RESULT_BYTES;
                int most = (int) (end - entries) / (Long.BYTES * tree.key.length);
                yield range(
                        tree,
                        what == Operation.ASCEND,
                        entries,
                        Math.min(most, TreeRequest.most(at)));
            }
        };
    }

    private static Outcome outcome(boolean isSo) {
        return isSo ? Outcome.YES : Outcome.NO;
    }

    private Outcome range(ServedTree tree, boolean ascending, long entries, int most) {
        TreeCursor cursor = tree.cursor;
        if (ascending) {
            cursor.ascendFrom(tree.key);
        } else {
            cursor.descendFrom(tree.key);
        }
        cursor.expect(most, tree.last);
        long to = entries;
        while (rangeEntries < most) {
            if (!cursor.next() || isBehind(cursor, tree.last, ascending)) {
                return Outcome.YES;
            }
            for (int word = 0; word < tree.key.length; word++) {
                LocalMemory.putLong(to, cursor.word(word));
                to += Long.BYTES;
            }
            rangeEntries++;
        }
        return Outcome.MORE;
    }

    private static boolean isBehind(TreeCursor cursor, long[] last, boolean ascending) {
        for (int word = 0; word < last.length; word++) {
            int order = Long.compareUnsigned(cursor.word(word), last[word]);
            if (order != 0) {
                return ascending ? order > 0 : order < 0;
            }
        }
        return false;
    }

    /// The tree of an anchor, opened if it is not yet; null if there is none, and [#withoutTree]
    /// has the reason.
    private @Nullable ServedTree tree(long anchor, int keyWords) {
        for (int i = 0; i < treeCount; i++) {
            if (trees[i].anchor == anchor) {
                withoutTree = Outcome.NO_TREE;
                return trees[i].key.length == keyWords ? trees[i] : null;
            }
        }
        return open(anchor, keyWords);
    }

    private @Nullable ServedTree open(long anchor, int keyWords) {
        int droppedBefore = dropped.count(anchor);
        QueuePair first = anchors();
        if (first == null) {
            withoutTree = Outcome.BUSY;
            return null;
        }
        withoutTree = Outcome.NO_TREE;
        NodeLayout layout = layout(first, anchor);
        if (layout == null || layout.keyWords() != keyWords) {
            return null;
        }
        // One of its own, whose memory goes with it.
        QueuePair queuePair = Objects.requireNonNull(map.apply(LANDED_NODES * layout.nodeBytes()));
        BLinkTree tree = new BLinkTree(anchor, layout, List.of(server), 0);
        TreeClient client = new TreeClient(queuePair, allocator, tree, owner);
        ServedTree opened = new ServedTree(anchor, droppedBefore, queuePair, client, keyWords);
        trees = Arrays.copyOf(trees, treeCount + 1);
        trees[treeCount++] = opened;
        return opened;
    }

    private static @Nullable NodeLayout layout(QueuePair queuePair, long anchor) {
        try {
            return BLinkTree.layoutAt(queuePair, anchor);
        } catch (FabricException e) { // no such address
            return null;
        }
    }

    private @Nullable QueuePair anchors() {
        if (anchors == null) {
            anchors = map.apply(ANCHOR_LANDING_BYTES);
        }
        return anchors;
    }

    private int drop(long anchor, long reply, int replyBytes) {
        if (!TreeRequest.isOf(anchor, server)) {
            return answer(TreeRequest.REFUSED, reply, replyBytes);
        }
        dropped.drop(anchor);
        discardDropped();
        return answer(TreeRequest.DONE, reply, replyBytes);
    }

    /// Frees what it holds ready for trees that were dropped. No session uses them any more, and
    /// nothing else can reach what this holds, so the other workers may do that later.
    private void discardDropped() {
        int now = dropped.count();
        if (now == droppedCount) {
            return;
        }
        droppedCount = now;
        int kept = 0;
        for (int i = 0; i < treeCount; i++) {
            ServedTree tree = trees[i];
            if (dropped.count(tree.anchor) == tree.droppedBefore) {
                trees[kept++] = tree;
            } else {
                tree.client.discard();
                tree.queuePair.close();
            }
        }
        trees = Arrays.copyOf(trees, kept);
        treeCount = kept;
    }

    /// What it holds ready of the server's memory is lost, as all of its process's state.
    @Override
    public void close() {
        for (ServedTree tree : trees) {
            tree.queuePair.close();
        }
        trees = new ServedTree[0];
        treeCount = 0;
        if (anchors != null) {
            anchors.close();
            anchors = null;
        }
    }
}
