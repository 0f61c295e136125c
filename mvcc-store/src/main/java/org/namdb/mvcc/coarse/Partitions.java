package org.namdb.mvcc.coarse;

import java.util.Arrays;
import java.util.List;
import org.namdb.mvcc.tree.BLinkTree;

/// The entries of an ordered index, divided by their hash or by ranges: a tree on each memory
/// server that has a part. Shared by all threads of a process.
public final class Partitions {
    private final List<BLinkTree> trees;

    /// By range, the least entry of each part but the first one; else none.
    private final long[][] least;

    private final double[] shares;
    private final int keyWords;

    private Partitions(List<BLinkTree> trees, List<long[]> least, double[] shares) {
        this.trees = List.copyOf(trees);
        this.least = least.toArray(long[][]::new);
        this.shares = shares.clone();
        this.keyWords = trees.getFirst().layout().keyWords();
    }

    /// Parts by the entries' hashes.
    ///
    /// @param trees trees of one layout, each of which lies on one memory server, all on different
    ///     ones; their order never changes
    public static Partitions byHash(List<BLinkTree> trees) {
        double[] shares = new double[trees.size()];
        Arrays.fill(shares, 1.0 / trees.size());
        return new Partitions(trees, List.of(), shares);
    }

    /// Parts by ranges of entries.
    ///
    /// @param trees as above
    /// @param least the least entries of all parts but the first one, in order
    /// @param shares of the entries that the parts are expected to have
    public static Partitions byRange(List<BLinkTree> trees, List<long[]> least, double[] shares) {
        if (least.size() != trees.size() - 1 || shares.length != trees.size()) {
            throw new IllegalArgumentException(
                    "%d bounds and %d shares of %d parts"
                            .formatted(least.size(), shares.length, trees.size()));
        }
        return new Partitions(trees, least, shares);
    }

    /// How many there are.
    int count() {
        return trees.size();
    }

    BLinkTree tree(int part) {
        return trees.get(part);
    }

    int keyWords() {
        return keyWords;
    }

    /// Whether the entries of a part are all below those of the next one.
    boolean isByRange() {
        return least.length > 0;
    }

    /// The share of the entries that a part is expected to have.
    double share(int part) {
        return shares[part];
    }

    /// The part of an entry.
    int partOf(long[] entry) {
        return isByRange() ? rangeOf(entry) : (int) ((hash(entry) >>> 32) * trees.size() >>> 32);
    }

    private int rangeOf(long[] entry) {
        int part = 0;
        while (part < least.length
                && Arrays.compareUnsigned(entry, 0, keyWords, least[part], 0, keyWords) >= 0) {
            part++;
        }
        return part;
    }

    private long hash(long[] entry) {
        long hash = 0;
        for (int word = 0; word < keyWords; word++) {
            hash = (hash ^ entry[word]) * 0x9e37_79b9_7f4a_7c15L;
            hash ^= hash >>> 32;
        }
        return hash;
    }
}
