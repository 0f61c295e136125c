package org.namdb.mvcc.tree;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.RemoteAllocator;

/// An ordered set of keys of fixed length in remote memory: where it is, and how its nodes are laid
/// out. There are no values: an entry is whatever the caller encodes, such as the columns of an
/// index followed by those of the primary key. Threads share this, and work on the tree with a
/// [TreeClient] each.
///
/// Source: tree-index paper, section 4 (the fine-grained index).
public final class BLinkTree {
    /// The default size of a node; the paper's page size.
    public static final int DEFAULT_NODE_BYTES = 1024;

    /// Keys of more words than this take larger nodes, so that a node of long keys still holds
    /// a dozen.
    private static final int DEFAULT_KEY_WORDS = 8;

    /// The default space of a process for copies of a tree's inner nodes: 16,384 of the default
    /// size.
    public static final long DEFAULT_CACHE_BYTES = (long) DEFAULT_NODE_BYTES << 14;

    static final int ANCHOR_BYTES = 64;

    /// Where the anchor has its magic, and the layout of nodes.
    private static final int LAYOUT = 16;

    private final long anchor;
    private final NodeLayout layout;
    private final List<Integer> servers;
    private final InnerNodes inner;

    /// The layout of nodes for keys of `keyWords` words: [#DEFAULT_NODE_BYTES], and twice or four
    /// times as much for long keys.
    public static NodeLayout nodesFor(int keyWords) {
        int scale = Integer.highestOneBit(Math.max(1, Math.ceilDiv(keyWords, DEFAULT_KEY_WORDS)));
        boolean isExact = keyWords <= DEFAULT_KEY_WORDS * scale;
        return new NodeLayout(keyWords, DEFAULT_NODE_BYTES * (isExact ? scale : 2 * scale));
    }

    /// @param anchor the remote address of three words: the root's remote address, that of the
    ///     first of the dead nodes that are to be reused, and the layout of the nodes
    /// @param layout the layout of the nodes
    /// @param servers the memory servers that new nodes go to in turn; the same for all clients of
    ///     the tree
    public BLinkTree(long anchor, NodeLayout layout, List<Integer> servers) {
        this(anchor, layout, servers, DEFAULT_CACHE_BYTES);
    }

    /// The same.
    ///
    /// @param cacheBytes what this process may use for copies of inner nodes; 0 for no copies
    public BLinkTree(long anchor, NodeLayout layout, List<Integer> servers, long cacheBytes) {
        if (servers.isEmpty()) {
            throw new IllegalArgumentException("a tree needs memory servers for its nodes");
        }
        this.anchor = anchor;
        this.layout = layout;
        this.servers = List.copyOf(servers);
        this.inner = new InnerNodes(layout, cacheBytes);
    }

    public long anchor() {
        return anchor;
    }

    public NodeLayout layout() {
        return layout;
    }

    public List<Integer> servers() {
        return servers;
    }

    /// The copies of inner nodes that all clients in this process share.
    InnerNodes inner() {
        return inner;
    }

    /// Makes an empty tree with an anchor and one leaf on memory server `server`. Its later nodes
    /// go to `servers` in turn.
    ///
    /// @throws org.namdb.mvcc.MemoryFullException if the server is full; nothing has changed
    public static BLinkTree create(
            QueuePair queuePair,
            RemoteAllocator allocator,
            int server,
            NodeLayout layout,
            List<Integer> servers) {
        allocator.reserve(server, ANCHOR_BYTES + layout.nodeBytes());
        long anchor = allocator.allocate(server, ANCHOR_BYTES);
        long root = allocator.allocate(server, layout.nodeBytes());
        long empty = queuePair.localMemory(layout.nodeBytes());
        queuePair.write(root, empty, layout.nodeBytes());
        queuePair.await();
        queuePair.writeWord(anchor + FreeNodes.HEAD, RemoteAddress.NULL);
        queuePair.writeWord(anchor + LAYOUT, layout.encoded());
        queuePair.writeWord(anchor, root);
        queuePair.await();
        assert RemoteAddress.server(root) == server : "allocated elsewhere";
        return new BLinkTree(anchor, layout, servers);
    }

    /// The layout of the tree whose anchor is at a remote address, read from there.
    ///
    /// @return null if there is no anchor
    public static @Nullable NodeLayout layoutAt(QueuePair queuePair, long anchor) {
        return NodeLayout.decoded(queuePair.readWord(anchor + LAYOUT));
    }
}
