package org.namdb.mvcc.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NodeLayoutTest {
    @Test
    void headerRoundTrips() {
        long header = NodeHeader.renewed(0, 15, 1023, 1022);
        assertThat(NodeHeader.level(header)).isEqualTo(15);
        assertThat(NodeHeader.count(header)).isEqualTo(1023);
        assertThat(NodeHeader.runEnd(header)).isEqualTo(1022);
        assertThat(NodeHeader.version(header)).isEqualTo(1);
        assertThat(NodeHeader.isOpenAt(header, 15)).isTrue();
        assertThat(NodeHeader.isOpenAt(header, 14)).isFalse();

        long latched = NodeHeader.latch(header, 16383);
        assertThat(NodeHeader.holder(latched)).isEqualTo(16383);
        assertThat(NodeHeader.holder(NodeHeader.takenOver(latched, 5))).isEqualTo(5);
        assertThat(NodeHeader.count(NodeHeader.latch(header, 7, 5))).isEqualTo(7);
        assertThat(NodeHeader.changed(latched, 3, 2)).isEqualTo(NodeHeader.changed(header, 3, 2));
        assertThat(NodeHeader.isLatched(latched)).isTrue();
        assertThat(NodeHeader.isOpenAt(latched, 15)).isFalse();
        assertThat(NodeHeader.count(latched)).isEqualTo(1023);
        assertThat(NodeHeader.level(latched)).isEqualTo(15);
        assertThat(NodeHeader.version(latched)).isEqualTo(1);

        long changed = NodeHeader.changed(header, 7, 3);
        assertThat(NodeHeader.version(changed)).isEqualTo(2);
        assertThat(NodeHeader.level(changed)).isEqualTo(15);
        assertThat(NodeHeader.count(changed)).isEqualTo(7);
        assertThat(NodeHeader.runEnd(changed)).isEqualTo(3);

        long dead = NodeHeader.dead(changed);
        assertThat(NodeHeader.isDead(dead)).isTrue();
        assertThat(NodeHeader.isOpenAt(dead, 15)).isFalse();
        assertThat(NodeHeader.version(dead)).isEqualTo(3);
        assertThat(NodeHeader.count(dead)).isEqualTo(7);
        assertThat(NodeHeader.renewed(dead, 0, 0, 0)).isEqualTo(4L << 30);
    }

    @Test
    void headerVersionWraps() {
        long last = -1L << 30;
        assertThat(NodeHeader.version(NodeHeader.changed(last, 5, 0))).isZero();
        assertThat(NodeHeader.count(NodeHeader.changed(last, 5, 0))).isEqualTo(5);
    }

    /// The parts follow each other without a gap or an overlap, and stay in the node.
    @ParameterizedTest
    @CsvSource({"1,256", "1,1024", "2,512", "3,1024", "5,256", "8,1024", "1,8192", "8,8192"})
    void partsFillTheNode(int keyWords, int nodeBytes) {
        NodeLayout layout = new NodeLayout(keyWords, nodeBytes);
        int keyBytes = 8 * keyWords;
        assertThat(NodeLayout.RIGHT_SIBLING).isEqualTo(NodeLayout.HEADER + 8);
        assertThat(NodeLayout.HIGH_FENCE).isEqualTo(NodeLayout.RIGHT_SIBLING + 8);
        assertThat(layout.lowFence()).isEqualTo(NodeLayout.HIGH_FENCE + keyBytes);
        assertThat(layout.deleted()).isEqualTo(layout.lowFence() + keyBytes);
        assertThat(layout.keys(0)).isEqualTo(layout.deleted() + 8 * layout.deletedWords());
        assertThat(64 * layout.deletedWords()).isGreaterThanOrEqualTo(layout.capacity(0));
        assertThat(layout.keys(0) + layout.capacity(0) * keyBytes)
                .isBetween(nodeBytes - keyBytes - 8, nodeBytes);
        assertThat(layout.keys(1)).isEqualTo(layout.deleted());
        assertThat(layout.children()).isEqualTo(layout.keys(1) + layout.capacity(1) * keyBytes);
        assertThat(layout.children() + 8 * layout.capacity(1))
                .isBetween(nodeBytes - keyBytes - 8, nodeBytes);
    }

    @Test
    void theDefaultNodeHolds() {
        NodeLayout layout = new NodeLayout(1, BLinkTree.DEFAULT_NODE_BYTES);
        assertThat(layout.capacity(0)).isEqualTo(122);
        assertThat(layout.capacity(1)).isEqualTo(62);
    }

    @Test
    void nodesOfLongKeysHoldADozen() {
        assertThat(BLinkTree.nodesFor(8).nodeBytes()).isEqualTo(BLinkTree.DEFAULT_NODE_BYTES);
        for (int words = 1; words <= NodeLayout.MAX_KEY_WORDS; words++) {
            assertThat(BLinkTree.nodesFor(words).capacity(0)).isGreaterThanOrEqualTo(12);
            assertThat(BLinkTree.nodesFor(words).capacity(1)).isGreaterThanOrEqualTo(12);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0,1024,1 to 33",
        "34,8192,1 to 33",
        "1,100,multiple of 64",
        "1,0,multiple of 64",
        "1,16384,multiple of 64",
        "8,256,three entries",
        "8,64,three entries"
    })
    void refusesWhatCanNotBe(int keyWords, int nodeBytes, String message) {
        assertThatThrownBy(() -> new NodeLayout(keyWords, nodeBytes))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message.replace("three", "3"));
    }

    /// Words are unsigned, the first counts most.
    @Test
    void keysAreOrderedAsUnsignedWords() {
        NodeLayout layout = new NodeLayout(2, 512);
        long[][] ascending = {
            {0, 0}, {0, 1}, {0, -1}, {1, 0}, {Long.MAX_VALUE, 5}, {-1, 0}, {-1, -1}
        };
        try (Arena arena = Arena.ofConfined()) {
            long keys = arena.allocate(16L * ascending.length, 8).address();
            for (int i = 0; i < ascending.length; i++) {
                layout.putKey(keys + 16L * i, ascending[i]);
            }
            for (int i = 0; i < ascending.length; i++) {
                assertThat(layout.lowerBound(keys, ascending.length, ascending[i])).isEqualTo(i);
                long[] copy = new long[2];
                layout.copyKey(keys + 16L * i, copy);
                assertThat(copy).isEqualTo(ascending[i]);
                for (int j = 0; j < ascending.length; j++) {
                    assertThat(layout.isBelow(keys + 16L * i, ascending[j])).isEqualTo(i < j);
                    assertThat(layout.isAtMost(keys + 16L * i, ascending[j])).isEqualTo(i <= j);
                    assertThat(layout.isEqual(keys + 16L * i, ascending[j])).isEqualTo(i == j);
                }
            }
            assertThat(layout.lowerBound(keys, 0, ascending[3])).isZero();
            assertThat(layout.lowerBound(keys, 6, ascending[6])).isEqualTo(6);
        }
    }
}
