package org.namdb.mvcc.tree;

import java.util.Arrays;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.ViewScope;
import org.namdb.mvcc.RemoteAllocator;

/// Memory for nodes that this thread holds ready: nodes that it has merged away, and new ones,
/// which it allocates round robin over the tree's memory servers. A dead node never becomes
/// anything but a node of the same tree, because readers may still hold pointers to it: they check
/// the header, the level and the low fence of what they arrive at, and its version goes on from
/// life to life.
///
/// A thread that deletes more than it inserts leaves its surplus to the others, on a stack in
/// remote memory:
/// ```
///   word 1 of the anchor -> dead node -> dead node -> ...        by their right sibling words
/// ```
/// A CAS replaces its head only by a new node before it, or by null. So a head that is the same as
/// before is valid, whatever happened in between: no second word depends on it.
final class FreeNodes {
    /// Where the head of the stack is, from the anchor.
    static final int HEAD = 8;

    private static final int BATCH = 32;
    private static final int MAX_NODES = 2 * BATCH;

    private final QueuePair queuePair;
    private final RemoteAllocator allocator;
    private final int nodeBytes;
    private final long head;
    private long[] nodes = new long[MAX_NODES];
    private long[] headers = new long[MAX_NODES];
    private int count;
    private int most = MAX_NODES;
    private final int[] servers;

    /// The index of the server that the next new node goes to.
    private int next;

    FreeNodes(QueuePair queuePair, RemoteAllocator allocator, BLinkTree tree) {
        this.queuePair = queuePair;
        this.allocator = allocator;
        this.nodeBytes = tree.layout().nodeBytes();
        this.head = tree.anchor() + HEAD;
        this.servers = tree.servers().stream().mapToInt(Integer::intValue).toArray();
        // The root lies beside the anchor.
        this.next =
                (tree.servers().indexOf(RemoteAddress.server(tree.anchor())) + 1) % servers.length;
    }

    /// Makes sure that `wanted` nodes are here.
    ///
    /// @throws org.namdb.mvcc.MemoryFullException if a memory server is full; what was
    ///     allocated stays
    void ensure(int wanted) {
        most = Math.max(most, wanted + BATCH);
        boolean haveOthers = true;
        while (count < wanted && haveOthers) {
            haveOthers = takeFromOthers();
        }
        while (count < wanted) {
            long node = allocator.allocate(servers[next], nodeBytes);
            next = next + 1 == servers.length ? 0 : next + 1;
            keep(node, 0);
        }
    }

    /// Reserves memory of the allocator for `wanted` nodes.
    ///
    /// @throws org.namdb.mvcc.MemoryFullException if it can't get so much; nothing has changed
    void ensureCapacity(int wanted) {
        long[] got = new long[wanted];
        int some = 0;
        try {
            for (; some < wanted; some++) {
                got[some] = allocator.allocate(servers[(next + some) % servers.length], nodeBytes);
            }
        } finally {
            while (some > 0) {
                allocator.free(got[--some], nodeBytes);
            }
        }
    }

    boolean isEmpty() {
        return count == 0;
    }

    /// Takes a node; [#takenHeader] is what its next life goes on from.
    long take() {
        count--;
        return nodes[count];
    }

    /// The header that the node taken last had died with; 0 if it is new.
    long takenHeader() {
        return headers[count];
    }

    /// Keeps a dead node.
    void give(long node, long header) {
        keep(node, header);
        if (count > most) {
            leaveToOthers(most - BATCH);
        }
    }

    /// Leaves all to the others.
    void release() {
        leaveToOthers(0);
    }

    /// Frees all: the tree is dropped.
    void discard() {
        while (count > 0) {
            allocator.free(take(), nodeBytes);
        }
    }

    private void keep(long node, long header) {
        if (count == nodes.length) {
            nodes = Arrays.copyOf(nodes, 2 * count);
            headers = Arrays.copyOf(headers, 2 * count);
        }
        nodes[count] = node;
        headers[count] = header;
        count++;
    }

    /// Takes a batch from the stack: all of it, and, unless another session has put others there
    /// meanwhile, puts back what is more than a batch.
    ///
    /// @return whether there was any
    private boolean takeFromOthers() {
        long node = readHead();
        if (node == RemoteAddress.NULL || !casHead(node, RemoteAddress.NULL)) {
            return false;
        }
        for (int taken = 0; taken < BATCH && node != RemoteAddress.NULL; taken++) {
            node = keepFirst(node);
        }
        if (node != RemoteAddress.NULL && !casHead(RemoteAddress.NULL, node)) {
            while (node != RemoteAddress.NULL) {
                node = keepFirst(node);
            }
        }
        return true;
    }

    /// Keeps a node that was taken from the stack; the next one.
    private long keepFirst(long node) {
        try (ViewScope _ = queuePair.openViews()) {
            long view = queuePair.read(node, NodeLayout.HIGH_FENCE);
            queuePair.await();
            keep(node, LocalMemory.longAt(view + NodeLayout.HEADER));
            return LocalMemory.longAt(view + NodeLayout.RIGHT_SIBLING);
        }
    }

    /// Puts the nodes from index `from` on on the stack.
    private void leaveToOthers(int from) {
        if (from >= count) {
            return;
        }
        for (int i = from; i < count; i++) {
            // Memory that was never a node has no header yet.
            long header = headers[i] == 0 ? NodeHeader.dead(0) : headers[i];
            queuePair.writeWord(nodes[i] + NodeLayout.HEADER, header);
            if (i > from) {
                queuePair.writeWord(nodes[i] + NodeLayout.RIGHT_SIBLING, nodes[i - 1]);
            }
        }
        long first = readHead();
        queuePair.writeWord(nodes[from] + NodeLayout.RIGHT_SIBLING, first);
        queuePair.await();
        while (!casHead(first, nodes[count - 1])) {
            first = readHead();
            queuePair.writeWord(nodes[from] + NodeLayout.RIGHT_SIBLING, first);
            queuePair.await();
        }
        count = from;
    }

    private long readHead() {
        return queuePair.readWord(head);
    }

    private boolean casHead(long expected, long desired) {
        return queuePair.casWord(head, expected, desired) == expected;
    }
}
