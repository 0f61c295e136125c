package org.namdb.cache.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.namdb.cache.selcc.LineGuard;
import org.namdb.cache.selcc.LineSession;

/// Whether the nodes of a tree that no thread changes are as they should be.
final class TreeCheck {
    private final LineSession session;
    private final int capacity;
    private int missing;

    private TreeCheck(LineSession session) {
        this.session = session;
        this.capacity = new TreeNode(session.lineBytes()).capacity();
    }

    /// Checks that each level's nodes have all keys in ascending order, and that those below have
    /// the bounds that their parents tell.
    ///
    /// @return how many nodes have no separator in the level above
    static int missing(LineSession session, long root) {
        TreeCheck check = new TreeCheck(session);
        int level;
        try (LineGuard node = session.shared(root)) {
            level = TreeNode.level(node);
            assertThat(TreeNode.right(node)).isEqualTo(TreeNode.NONE);
        }
        long first = root;
        for (List<long[]> children = List.of(); level >= 0; level--) {
            children = check.level(first, level, children);
            first = level == 0 ? TreeNode.NONE : children.getFirst()[1];
        }
        return check.missing;
    }

    /// @param known separators and nodes, by the level above; none for the root
    /// @return those of the level below
    private List<long[]> level(long first, int level, List<long[]> known) {
        List<long[]> below = new ArrayList<>();
        long low = Long.MIN_VALUE;
        int index = 0;
        for (long line = first; line != TreeNode.NONE; ) {
            try (LineGuard node = session.shared(line)) {
                assertThat(TreeNode.isNode(node)).isTrue();
                assertThat(TreeNode.level(node)).isEqualTo(level);
                assertThat(TreeNode.count(node)).isBetween(0, capacity);
                if (index < known.size() && known.get(index)[1] == line) {
                    assertThat(known.get(index)[0]).isEqualTo(low);
                    index++;
                } else if (!known.isEmpty()) {
                    missing++;
                }
                long least = low;
                for (int i = 0; i < TreeNode.count(node); i++) {
                    long key = TreeNode.key(node, i);
                    assertThat(i == 0 ? key >= least : key > least).as("key %d", key).isTrue();
                    assertThat(TreeNode.isBelow(node, key)).as("key %d", key).isFalse();
                    least = key;
                    below.add(new long[] {key, TreeNode.value(node, i)});
                }
                low = TreeNode.high(node);
                line = TreeNode.right(node);
            }
        }
        assertThat(index).as("separators of level %d", level).isEqualTo(known.size());
        return below;
    }
}
