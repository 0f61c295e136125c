package org.namdb.mvcc.coarse;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.mvcc.tree.BLinkTree;

/// The entries of an ordered index, divided by their hash or by ranges: a tree on each memory
/// server that has a part. Shared by all threads of a process.
public final class Partitions {
    private final List<BLinkTree> trees;
    private final @Nullable RangeBounds bounds;
    private final int keyWords;

    /// @param trees trees of one layout, each of which lies on one memory server, all on different
    ///     ones; their order never changes
    /// @param bounds where the range of each but the first tree begins; null for parts by hash
    public Partitions(List<BLinkTree> trees, @Nullable RangeBounds bounds) {
        this.trees = List.copyOf(trees);
        this.bounds = bounds;
        this.keyWords = trees.getFirst().layout().keyWords();
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
        return bounds != null;
    }

    /// The share of the entries that a part is expected to have.
    double share(int part) {
        return bounds == null ? 1.0 / trees.size() : bounds.share(part);
    }

    /// The part of an entry.
    int partOf(long[] entry) {
        if (bounds != null) {
            return bounds.partOf(entry);
        }
        long hash = 0;
        for (int word = 0; word < keyWords; word++) {
            hash = (hash ^ entry[word]) * 0x9e37_79b9_7f4a_7c15L;
            hash ^= hash >>> 32;
        }
        return (int) ((hash >>> 32) * trees.size() >>> 32);
    }
}
