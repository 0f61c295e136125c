package org.namdb.mvcc.coarse;

import java.util.List;
import org.namdb.mvcc.tree.BLinkTree;

/// The entries of an ordered index, spread by their hash: a tree on each memory server that has
/// a part. Shared by all threads of a process.
public final class HashPartitions {
    private final List<BLinkTree> parts;
    private final int keyWords;

    /// @param parts trees of one layout, each of which lies on one memory server, all on different
    ///     ones; their order never changes
    public HashPartitions(List<BLinkTree> parts) {
        this.parts = List.copyOf(parts);
        this.keyWords = parts.getFirst().layout().keyWords();
    }

    /// How many there are.
    int count() {
        return parts.size();
    }

    BLinkTree tree(int part) {
        return parts.get(part);
    }

    int keyWords() {
        return keyWords;
    }

    /// The part of an entry.
    int partOf(long[] entry) {
        long hash = 0;
        for (int word = 0; word < keyWords; word++) {
            hash = (hash ^ entry[word]) * 0x9e37_79b9_7f4a_7c15L;
            hash ^= hash >>> 32;
        }
        return (int) ((hash >>> 32) * parts.size() >>> 32);
    }
}
