package org.namdb.mvcc.tree;

import java.util.List;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.VerbForecast;
import org.namdb.mvcc.index.OrderedForecast;

/// Forecasts what operations on a tree post, in the ordinary case: nodes are as full as they get by
/// keys in random order, no other session interferes, and nothing splits. This client has cached
/// the inner nodes, so that a descent is the READ of a leaf; leaves are on the tree's memory
/// servers in turn, but for one that is the root.
public final class TreeForecast implements OrderedForecast {
    /// How full nodes of a B-tree are that has grown by random inserts: the natural logarithm of 2.
    private static final double FILLING = 0.69;

    private final NodeLayout layout;
    private final int height;
    private final int rootServer;
    private final List<Integer> servers;
    private final VerbForecast into;
    private final int leavesTogether;

    /// @param leavesTogether how many leaves a cursor reads by one round trip
    TreeForecast(BLinkTree tree, long root, int rootLevel, int leavesTogether, VerbForecast into) {
        this.leavesTogether = leavesTogether;
        this.layout = tree.layout();
        this.servers = tree.servers();
        this.height = rootLevel + 1;
        this.rootServer = RemoteAddress.server(root);
        this.into = into;
    }

    /// Ways to a leaf: a round trip for each.
    public void descend(double times) {
        readLeaves(times);
        into.roundTrips(times);
    }

    @Override
    public void scan(double ranges, double entries) {
        descend(ranges);
        if (height > 1) {
            double leaves = Math.floor(entries / (FILLING * layout.capacity(0)));
            readLeaves(leaves);
            into.roundTrips(Math.ceil(leaves / leavesTogether));
        }
    }

    /// Descents, CAS of the leaves' latches, and the changes. A third of a leaf's entries move.
    @Override
    public void insert(double entries) {
        readLeaves(entries);
        for (int server : leafServers()) {
            double here = entries / leafServers().size();
            into.swap(server, here);
            into.write(server, here, FILLING / 2 * layout.capacity(0) * layout.keyBytes());
            into.write(server, here, Long.BYTES);
        }
    }

    /// One for the leaf, and one for its latch.
    @Override
    public int insertRoundTrips() {
        return 2;
    }

    @Override
    public int insertBytes() {
        return TreeChange.landedBytes(layout, height);
    }

    private void readLeaves(double leaves) {
        for (int server : leafServers()) {
            double here = leaves / leafServers().size();
            into.readValidated(server, here, Long.BYTES, layout.nodeBytes());
        }
    }

    private List<Integer> leafServers() {
        return height > 1 ? servers : List.of(rootServer);
    }
}
