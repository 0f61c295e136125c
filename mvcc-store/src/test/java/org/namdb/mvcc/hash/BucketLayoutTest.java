package org.namdb.mvcc.hash;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.RemoteAddress;
import org.namdb.mvcc.schema.ColumnType;
import org.namdb.mvcc.schema.KeyLayout;

class BucketLayoutTest {
    @Test
    void twoOneWordKeysTakeOneCacheLine() {
        BucketLayout layout = new BucketLayout(2, 1, 40, true);
        assertThat(layout.directoryBytes()).isEqualTo(64);
        assertThat(layout.entryOffset(1)).isEqualTo(48);
        assertThat(layout.bodyOffset(0)).isEqualTo(64);
        assertThat(layout.bodyOffset(1)).isEqualTo(64 + 48);
        assertThat(layout.readBytes()).isEqualTo(64 + 2 * 48);
        assertThat(layout.bucketBytes()).isEqualTo(192);
    }

    @Test
    void withoutInliningABucketIsItsDirectory() {
        BucketLayout layout = new BucketLayout(4, 2, 500, false);
        assertThat(layout.entryBytes()).isEqualTo(32);
        assertThat(layout.bodyPointerOffset()).isEqualTo(24);
        assertThat(layout.readBytes()).isEqualTo(32 + 4 * 32);
        assertThat(layout.bucketBytes()).isEqualTo(192);
    }

    @Test
    void theGrowthWordHoldsDepthAndNumber() {
        long growth = BucketLayout.growth(40, (1L << 40) - 2);
        assertThat(BucketLayout.depth(growth)).isEqualTo(40);
        assertThat(BucketLayout.number(growth)).isEqualTo((1L << 40) - 2);
        assertThat(BucketLayout.growth(0, 0)).isZero();
    }

    @Test
    void aBucketIsForTheHashesWhoseLowBitsAreItsNumber() {
        long growth = BucketLayout.growth(3, 0b101);
        assertThat(BucketLayout.isFor(growth, 0xf00d_0000_0000_0005L)).isTrue();
        assertThat(BucketLayout.isFor(growth, 0b1101)).isTrue();
        assertThat(BucketLayout.isFor(growth, 0b0001)).isFalse();
        assertThat(BucketLayout.isFor(0, 0xf00d_0000_0000_0005L)).as("never split").isTrue();
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
        Set<Long> homes = new HashSet<>();
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

    /// However many buckets the tables have, and whatever follows in their keys.
    @Test
    void keysOfTwoTablesThatAgreeInThePrefixLieOnOneServer() {
        KeyLayout lines =
                new KeyLayout(
                        List.of("w", "code", "n"),
                        List.of(ColumnType.INT32, ColumnType.varchar(9), ColumnType.INT64));
        KeyLayout orders =
                new KeyLayout(
                        List.of("v", "name"), List.of(ColumnType.INT32, ColumnType.varchar(9)));
        for (int[] servers : new int[][] {{0}, {5, 2}, {3, 0, 1}, {0, 1, 2, 3}}) {
            HashTable a = table(lines, 4, servers, 1000);
            HashTable b = table(orders, 32, servers, 7);
            Set<Integer> used = new HashSet<>();
            for (int w = 0; w < 500; w++) {
                long[] line = new long[lines.words()];
                long[] order = new long[orders.words()];
                byte[] text = ("t" + w % 7).getBytes(StandardCharsets.UTF_8);
                lines.encode(line, 0, w);
                lines.encode(line, 1, text, 0, text.length);
                lines.encode(line, 2, 3L * w);
                orders.encode(order, 0, w);
                orders.encode(order, 1, text, 0, text.length);
                int server = RemoteAddress.server(a.home(a.hash(line)));
                assertThat(RemoteAddress.server(b.home(b.hash(order)))).isEqualTo(server);
                used.add(server);
            }
            assertThat(used)
                    .containsExactlyInAnyOrderElementsOf(Arrays.stream(servers).boxed().toList());
        }
    }

    private static HashTable table(KeyLayout key, int payload, int[] servers, long buckets) {
        long[] ranges = Arrays.stream(servers).mapToLong(s -> RemoteAddress.of(s, 4096)).toArray();
        BucketLayout layout = new BucketLayout(4, key.words(), payload, true);
        return new HashTable(1, key, 2, layout, 1, ranges, buckets);
    }

    @Test
    void aRangeIsFoundByItsServer() {
        KeyLayout key =
                new KeyLayout(List.of("w", "n"), List.of(ColumnType.INT32, ColumnType.INT8));
        HashTable table = table(key, 8, new int[] {5, 2}, 1000);
        assertThat(table.buckets()).isEqualTo(2000);
        assertThat(table.bucketsOn(5)).isEqualTo(1000);
        assertThat(table.bucketsOn(2)).isEqualTo(1000);
        assertThat(table.bucketsOn(0)).isZero();
        assertThat(RemoteAddress.server(table.bucketAddress(999))).isEqualTo(5);
        assertThat(RemoteAddress.server(table.bucketAddress(1000))).isEqualTo(2);
        assertThat(table.bucketsInRange(999)).isEqualTo(1);
    }
}
