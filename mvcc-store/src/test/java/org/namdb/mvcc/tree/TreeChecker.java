package org.namdb.mvcc.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.namdb.fabric.LocalMemory;
import org.namdb.fabric.QueuePair;
import org.namdb.fabric.RemoteAddress;

/// Walks every level of a tree that no session is changing, and checks what must hold: every node
/// is of its level, unlatched and alive; fences are contiguous from the smallest key to the open
/// end; entries ascend inside of the fences; and the children of a level, in order, are the nodes
/// of the level below, with the separators that their low fences are.
final class TreeChecker {
    /// What was found.
    ///
    /// @param height how many levels there are
    /// @param leaves how many leaves
    /// @param emptyLeaves how many of them without a live entry
    /// @param entries how many entries, deleted ones too
    /// @param live how many entries that are not deleted
    record Shape(int height, int leaves, int emptyLeaves, int entries, int live) {}

    private static final class Child {
        final long node;
        final long[] low;

        Child(long node, long[] low) {
            this.node = node;
            this.low = low;
        }
    }

    private final QueuePair queuePair;
    private final BLinkTree tree;
    private final NodeView node;
    private final int keyWords;
    private int leaves;
    private int emptyLeaves;
    private int entries;
    private int live;

    TreeChecker(QueuePair queuePair, BLinkTree tree) {
        this.queuePair = queuePair;
        this.tree = tree;
        this.node = new NodeView(queuePair, tree.layout());
        this.keyWords = tree.layout().keyWords();
    }

    /// Checks a tree in which every node but the first of a level has a separator.
    Shape check() {
        return check(false);
    }

    /// Checks a tree.
    ///
    /// @param isRepaired whether nodes may lack a separator, so that only their left neighbours
    ///     lead to them
    Shape check(boolean isRepaired) {
        long word = queuePair.read(tree.anchor(), 8);
        queuePair.await();
        long root = LocalMemory.longAt(word);
        node.read(root);
        int height = node.level() + 1;
        List<Child> named = List.of(new Child(root, new long[keyWords]));
        for (int level = height - 1; level >= 0; level--) {
            named = checkLevel(named, level, isRepaired);
        }
        return new Shape(height, leaves, emptyLeaves, entries, live);
    }

    /// Checks the nodes of a level, in which those that the level above names follow each other,
    /// and returns their children.
    private List<Child> checkLevel(List<Child> named, int level, boolean isRepaired) {
        List<Child> children = new ArrayList<>();
        Set<Long> seen = new HashSet<>();
        long[] expectedLow = new long[keyWords];
        int met = 0;
        leaves = 0;
        long at = named.getFirst().node;
        while (at != RemoteAddress.NULL) {
            node.read(at);
            leaves++;
            String name = "level " + level + ", node " + RemoteAddress.describe(at);
            assertThat(seen.add(at)).as("%s is there once", name).isTrue();
            assertThat(NodeHeader.isOpenAt(node.header(), level)).as("%s is open", name).isTrue();
            assertThat(low()).as("%s: low fence", name).isEqualTo(expectedLow);
            if (met < named.size() && named.get(met).node == at) {
                assertThat(named.get(met++).low).as("%s: separator", name).isEqualTo(low());
            } else {
                assertThat(isRepaired).as("%s may lack a separator", name).isTrue();
            }
            long next = node.rightSibling();
            checkEntries(level, name, next == RemoteAddress.NULL);
            for (int index = 0; level > 0 && index < node.count(); index++) {
                children.add(new Child(node.child(index), key(index)));
            }
            expectedLow = high();
            at = next;
        }
        assertThat(met)
                .as("level %d: nodes of the level above's children", level)
                .isEqualTo(named.size());
        return children;
    }

    private void checkEntries(int level, String name, boolean last) {
        int count = node.count();
        assertThat(count).as("%s: count", name).isLessThanOrEqualTo(tree.layout().capacity(level));
        for (int index = 0; index < count; index++) {
            if (index > 0) {
                assertThat(Arrays.compareUnsigned(key(index - 1), key(index)))
                        .as("%s: entries %d and %d ascend", name, index - 1, index)
                        .isNegative();
            }
        }
        if (level > 0) {
            assertThat(count).as("%s: children", name).isPositive();
            assertThat(key(0)).as("%s: first separator", name).isEqualTo(low());
        }
        if (count > 0) {
            assertThat(Arrays.compareUnsigned(low(), key(0))).as("%s: first", name).isNotPositive();
            if (!last) {
                assertThat(Arrays.compareUnsigned(key(count - 1), high()))
                        .as("%s: last", name)
                        .isNegative();
            }
        }
        if (level == 0) {
            entries += count;
            live += node.liveCount();
            emptyLeaves += node.liveCount() == 0 ? 1 : 0;
        }
    }

    private long[] key(int index) {
        long[] key = new long[keyWords];
        tree.layout().copyKey(node.keyAt(index), key);
        return key;
    }

    private long[] low() {
        long[] key = new long[keyWords];
        node.copyLowFence(key);
        return key;
    }

    private long[] high() {
        long[] key = new long[keyWords];
        node.copyHighFence(key);
        return key;
    }
}
