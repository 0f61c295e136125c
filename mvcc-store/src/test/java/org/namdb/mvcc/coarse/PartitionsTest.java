package org.namdb.mvcc.coarse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.tree.BLinkTree;
import org.namdb.mvcc.tree.NodeLayout;

class PartitionsTest {
    private static List<BLinkTree> trees(int count) {
        return IntStream.range(0, count)
                .mapToObj(server ->
                        new BLinkTree(
                                RemoteAddress.of(server, 64),
                                new NodeLayout(2, 256),
                                List.of(server),
                                0))
                .toList();
    }

    @Test
    void anEntryIsInTheLastRangeWhoseBoundIsNotAboveIt() {
        Partitions ranges =
                Partitions.byRange(
                        trees(4),
                        List.of(new long[] {5, 5}, new long[] {5, 5}, new long[] {-2, 0}),
                        new double[] {0.4, 0.3, 0.2, 0.1});
        assertThat(ranges.partOf(new long[] {0, 0})).isZero();
        assertThat(ranges.partOf(new long[] {5, 4})).isZero();
        assertThat(ranges.partOf(new long[] {5, 5})).isEqualTo(2);
        assertThat(ranges.partOf(new long[] {Long.MIN_VALUE, 0})).isEqualTo(2);
        assertThat(ranges.partOf(new long[] {-2, 0, 9})).isEqualTo(3);
        assertThat(ranges.partOf(new long[] {-1, -1})).isEqualTo(3);
        assertThat(ranges.share(3)).isEqualTo(0.1);
    }

    @Test
    void hashesSpreadEntriesEvenly() {
        Partitions hashed = Partitions.byHash(trees(4));
        int[] counts = new int[4];
        for (long i = 0; i < 40_000; i++) {
            counts[hashed.partOf(new long[] {1, i})]++;
        }
        for (int count : counts) {
            assertThat(count).isBetween(9_500, 10_500);
        }
        assertThat(hashed.isByRange()).isFalse();
        assertThat(hashed.share(0)).isEqualTo(0.25);
    }

    @Test
    void boundsOfAnotherNumberOfPartsAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Partitions.byRange(trees(2), List.of(), new double[] {1}))
                .withMessage("0 bounds and 1 shares of 2 parts");
    }
}
