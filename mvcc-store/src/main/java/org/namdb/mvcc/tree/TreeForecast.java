package org.namdb.mvcc.tree;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.fabric.RemoteAddress;
import org.namdb.fabric.VerbForecast;
import org.namdb.mvcc.index.OrderedForecast;

/// Foresees what operations on a tree post, in the ordinary case: nodes are as full as they get by
/// keys in no order, no other session interferes, and nothing splits. This client knows the inner
/// nodes, so that a way is the READ of a leaf, or a lookup in the index of separators comes first;
/// leaves are on the tree's memory servers in turn, but for one that is the root.
public final class TreeForecast implements OrderedForecast {
    /// How full nodes of a B-tree are that has grown by random inserts: the natural logarithm of 2.
    private static final double FILLING = 0.69;

    private final NodeLayout layout;
    private final int height;
    private final int rootServer;
    private final List<Integer> servers;
    private final VerbForecast into;
    private final int leavesTogether;

    /// Of the separators, in place of inner nodes; null if there are inner nodes.
    private final @Nullable OrderedForecast separators;

    private final boolean isOneLeaf;

    /// @param leavesTogether how many leaves a cursor reads by one round trip
    /// @param separators of the leaves, if the tree has no inner nodes
    /// @param isOneLeaf whether the tree is one leaf, as far as the client knows
    TreeForecast(
            BLinkTree tree,
            long root,
            int rootLevel,
            int leavesTogether,
            @Nullable OrderedForecast separators,
            boolean isOneLeaf,
            VerbForecast into) {
        this.leavesTogether = leavesTogether;
        this.separators = separators;
        this.isOneLeaf = isOneLeaf;
        this.layout = tree.layout();
        this.servers = tree.servers();
        this.height = rootLevel + 1;
        this.rootServer = RemoteAddress.server(root);
        this.into = into;
    }

    /// Ways to a leaf: a round trip for each, and another one for its separator.
    public void descend(double times) {
        if (separators != null) {
            separators.scan(times, found(times));
        }
        readLeaves(times);
        into.roundTrips(times);
    }

    @Override
    public void scan(double ranges, double entries) {
        double further = isOneLeaf ? 0 : Math.floor(entries / (FILLING * layout.capacity(0)));
        if (separators == null) {
            descend(ranges);
            into.roundTrips(Math.ceil(further / leavesTogether));
        } else {
            separators.scan(ranges, found(ranges) + further);
            into.roundTrips(Math.ceil((ranges + further) / leavesTogether));
            readLeaves(ranges);
        }
        readLeaves(further);
    }

    /// Descents, CAS of the leaves' latches, and the changes. A third of a leaf's entries move.
    @Override
    public void insert(double entries) {
        if (separators != null) {
            separators.scan(entries, found(entries));
            into.roundTrips(-entries);
        }
        readLeaves(entries);
        for (int server : leafServers()) {
            double here = entries / leafServers().size();
            into.cas(server, here);
            into.write(server, here, FILLING / 2 * layout.capacity(0) * layout.keyBytes());
            into.write(server, here, Long.BYTES);
        }
    }

    /// One for the leaf, and one for its latch; and one for its separator.
    @Override
    public int insertRoundTrips() {
        return separators == null ? 2 : 3;
    }

    @Override
    public int insertBytes() {
        return TreeChange.landedBytes(layout, height);
    }

    /// How many separators lead to so many leaves: to the leftmost one, none.
    private double found(double leaves) {
        return isOneLeaf ? 0 : leaves;
    }

    private void readLeaves(double leaves) {
        for (int server : leafServers()) {
            double here = leaves / leafServers().size();
            into.readValidated(server, here, Long.BYTES, layout.nodeBytes());
        }
    }

    private List<Integer> leafServers() {
        return isOneLeaf ? List.of(rootServer) : servers;
    }
}
