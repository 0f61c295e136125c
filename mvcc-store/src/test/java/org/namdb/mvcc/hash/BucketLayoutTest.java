package org.namdb.mvcc.hash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.KeyLayout;

class BucketLayoutTest {
    @Test
    void threeOneWordKeysTakeOneCacheLine() {
        BucketLayout layout = new BucketLayout(3, 1, 40, true);
        assertThat(layout.directoryBytes()).isEqualTo(64);
        assertThat(layout.entryOffset(2)).isEqualTo(48);
        assertThat(layout.bodyOffset(0)).isEqualTo(64);
        assertThat(layout.bodyOffset(2)).isEqualTo(64 + 2 * 48);
        assertThat(layout.readBytes()).isEqualTo(64 + 3 * 48);
        assertThat(layout.bucketBytes()).isEqualTo(256);
    }

    @Test
    void withoutInliningABucketIsItsDirectory() {
        BucketLayout layout = new BucketLayout(4, 2, 500, false);
        assertThat(layout.entryBytes()).isEqualTo(32);
        assertThat(layout.bodyPointerOffset()).isEqualTo(24);
        assertThat(layout.readBytes()).isEqualTo(16 + 4 * 32);
        assertThat(layout.bucketBytes()).isEqualTo(192);
    }

    @Test
    void anOverflowPointerHoldsAddressAndSize() {
        long area = RemoteAddress.of(3, 1 << 20);
        long overflow = BucketLayout.overflow(area, 12);
        assertThat(BucketLayout.overflowArea(overflow)).isEqualTo(area);
        assertThat(BucketLayout.overflowLevel(overflow)).isEqualTo(12);
    }

    @Test
    void keysThatAgreeInThePrefixShareABucketAndOthersSpread() {
        KeyLayout key =
                new KeyLayout(
                        List.of("w", "o", "n"),
                        List.of(ColumnType.INT16, ColumnType.INT32, ColumnType.INT8));
        long[] arrays = {RemoteAddress.of(0, 4096), RemoteAddress.of(1, 4096)};
        HashTable table =
                new HashTable(1, key, 2, new BucketLayout(4, 1, 8, true), 1, arrays, 1000);
        long[] words = new long[1];
        int[] perServer = new int[2];
        java.util.Set<Long> homes = new java.util.HashSet<>();
        for (int o = 0; o < 1000; o++) {
            words[0] = 0;
            key.encode(words, 1, o);
            long home = table.home(table.hash(words));
            for (int n = 1; n < 5; n++) {
                long[] other = {0};
                key.encode(other, 1, o);
                key.encode(other, 2, n);
                assertThat(table.home(table.hash(other))).isEqualTo(home);
                assertThat(table.neighbours(other, words)).isTrue();
            }
            perServer[RemoteAddress.server(home)]++;
            homes.add(home);
        }
        assertThat(perServer[0]).isBetween(400, 600);
        assertThat(homes.size()).as("of 2000 buckets, for 1000 keys").isGreaterThan(700);
    }
}
