package org.namdb.mvcc.tree;

import java.util.List;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.VerbForecast;
import org.namdb.mvcc.index.OrderedForecast;

/// Foresees what operations on a tree post, in the ordinary case: nodes are as full as they get by
/// keys in no order, nobody interferes, and nothing splits. The root is where this client knows it;
/// the other nodes are on the tree's memory servers in turn.
public final class TreeForecast implements OrderedForecast {
    /// How full nodes of a B-tree are that has grown by random inserts: the natural logarithm of 2.
    private static final double FILLING = 0.69;

    private final NodeLayout layout;
    private final int height;
    private final int rootServer;
    private final List<Integer> servers;
    private final VerbForecast into;

    TreeForecast(BLinkTree tree, long root, int rootLevel, VerbForecast into) {
        this.layout = tree.layout();
        this.servers = tree.servers();
        this.height = rootLevel + 1;
        this.rootServer = RemoteAddress.server(root);
        this.into = into;
    }

    /// Ways from the root to a leaf: a round trip for each level.
    public void descend(double times) {
        readWays(times);
        into.roundTrips(times * height);
    }

    private void readWays(double times) {
        into.readValidated(rootServer, times, Long.BYTES, layout.nodeBytes());
        readBelowRoot(times * (height - 1));
    }

    @Override
    public void scan(double ranges, double entries) {
        descend(ranges);
        if (height > 1) {
            double leaves = Math.floor(entries / (FILLING * layout.capacity(0)));
            readBelowRoot(leaves);
            into.roundTrips(leaves);
        }
    }

    /// Ways down, swaps of the leaves' latches, and the changes. A third of a leaf's entries move.
    @Override
    public void insert(double entries) {
        readWays(entries);
        for (int server : height > 1 ? servers : List.of(rootServer)) {
            double here = entries / (height > 1 ? servers.size() : 1);
            into.swap(server, here);
            into.write(server, here, FILLING / 2 * layout.capacity(0) * layout.keyBytes());
            into.write(server, here, Long.BYTES);
        }
    }

    /// One for each level, and one for the leaf's latch.
    @Override
    public int insertRoundTrips() {
        return height + 1;
    }

    @Override
    public int insertBytes() {
        return TreeInsertion.landedBytes(layout, height);
    }

    private void readBelowRoot(double nodes) {
        for (int server : servers) {
            into.readValidated(server, nodes / servers.size(), Long.BYTES, layout.nodeBytes());
        }
    }
}
