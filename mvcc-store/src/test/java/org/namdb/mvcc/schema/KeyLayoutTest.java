package org.namdb.mvcc.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.Seeds;

class KeyLayoutTest {
    private final KeyLayout layout =
            new KeyLayout(
                    List.of("w", "d", "name", "o"),
                    List.of(
                            ColumnType.INT16,
                            ColumnType.INT8,
                            ColumnType.varchar(7),
                            ColumnType.INT32));

    @Test
    void whatIsEncodedIsDecoded() {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        Key key = new Key(layout);
        byte[] name = new byte[7];
        for (int i = 0; i < 1000; i++) {
            long w = (short) random.nextInt();
            long d = (byte) random.nextInt();
            long o = random.nextInt();
            String text = "x".repeat(random.nextInt(8));
            key.clear().add(w).add(d).add(text).add(o);
            assertThat(layout.decode(key.words(), 0)).isEqualTo(w);
            assertThat(layout.decode(key.words(), 1)).isEqualTo(d);
            assertThat(layout.decode(key.words(), 2, name)).isEqualTo(text.length());
            assertThat(layout.decode(key.words(), 3)).isEqualTo(o);
        }
    }

    @Test
    void keysCompareAsTheirColumnsDo() {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        for (int i = 0; i < 5000; i++) {
            long[] a = {random.nextInt(-2, 3), random.nextInt(-2, 3), random.nextInt(-2, 3)};
            long[] b = {random.nextInt(-2, 3), random.nextInt(-2, 3), random.nextInt(-2, 3)};
            String s = "ab".substring(0, random.nextInt(3));
            String t = "ab".substring(0, random.nextInt(3));
            Key x = new Key(layout).add(a[0]).add(a[1]).add(s).add(a[2]);
            Key y = new Key(layout).add(b[0]).add(b[1]).add(t).add(b[2]);
            int expected = Long.compare(a[0], b[0]);
            expected = expected != 0 ? expected : Long.compare(a[1], b[1]);
            expected = expected != 0 ? expected : s.compareTo(t);
            expected = expected != 0 ? expected : Long.compare(a[2], b[2]);
            int found = 0;
            for (int word = 0; found == 0 && word < layout.words(); word++) {
                found = Long.compareUnsigned(x.words()[word], y.words()[word]);
            }
            assertThat(Integer.signum(found)).isEqualTo(Integer.signum(expected));
        }
    }

    @Test
    void aPrefixSpansTheKeysThatStartWithIt() {
        Key prefix = new Key(layout).add(3).add(4);
        long[] lowest = new long[layout.words()];
        long[] highest = new long[layout.words()];
        prefix.lowest(lowest);
        prefix.highest(highest);
        Key inside = new Key(layout).add(3).add(4).add("zz").add(-1);
        Key after = new Key(layout).add(3).add(5);
        assertThat(Long.compareUnsigned(lowest[0], inside.words()[0])).isLessThanOrEqualTo(0);
        assertThat(Long.compareUnsigned(highest[0], inside.words()[0])).isGreaterThanOrEqualTo(0);
        assertThat(Long.compareUnsigned(highest[0], after.words()[0])).isLessThan(0);
    }

    @Test
    void valuesOutsideOfTheirTypeAreRefusedByName() {
        assertThatThrownBy(() -> new Key(layout).add(40_000))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("key column w: 40000 is outside of INT16");
        assertThatThrownBy(() -> new Key(layout).add(1).add(1).add("too long for it"))
                .hasMessageContaining("name")
                .hasMessageContaining("15 bytes don't fit in 7");
        assertThatThrownBy(() -> new Key(layout).add("text"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Key(layout).add(1).add(1).add("a").add(1).add(1))
                .hasMessage("the key has only 4 columns");
    }

    @Test
    void aKeyOfMoreThan256BytesIsRefused() {
        assertThatThrownBy(() -> new KeyLayout(List.of("t"), List.of(ColumnType.varchar(257))))
                .hasMessageContaining("257 bytes");
        assertThat(new KeyLayout(List.of("t"), List.of(ColumnType.varchar(256))).words())
                .isEqualTo(KeyLayout.MAX_WORDS);
    }

    @Test
    void floatingPointNumbersKeepTheirOrder() {
        double[] ascending = {
            Double.NEGATIVE_INFINITY,
            -1e30,
            -2.5,
            -1,
            -1e-30,
            0,
            1e-30,
            1,
            2.5,
            1e30,
            Double.POSITIVE_INFINITY,
            Double.NaN
        };
        for (ColumnType type : List.of(ColumnType.FLOAT64, ColumnType.FLOAT32)) {
            KeyLayout floats = new KeyLayout(List.of("b", "f"), List.of(ColumnType.BOOLEAN, type));
            for (int i = 0; i < ascending.length; i++) {
                Key key = new Key(floats).add(1).add(ascending[i]);
                double exact =
                        type.equals(ColumnType.FLOAT32)
                                ? (double) (float) ascending[i]
                                : ascending[i];
                assertThat(Double.compare(floats.decodeFloat64(key.words(), 1), exact)).isZero();
                if (i > 0) {
                    Key before = new Key(floats).add(1).add(ascending[i - 1]);
                    assertThat(compare(before, key)).as(key + " in its place").isNegative();
                }
            }
            Key zero = new Key(floats).add(1).add(0.0);
            assertThat(compare(zero, new Key(floats).add(1).add(-0.0))).isZero();
            assertThat(compare(zero, new Key(floats).add(1).add(0))).isZero();
        }
    }

    @Test
    void byteStringsKeepTheirZeroBytesAndTheirOrder() {
        KeyLayout bytes =
                new KeyLayout(List.of("b", "n"), List.of(ColumnType.bytes(11), ColumnType.INT32));
        SplittableRandom random = new SplittableRandom(Seeds.next());
        byte[] found = new byte[11];
        for (int i = 0; i < 5000; i++) {
            byte[] a = someBytes(random);
            byte[] b = someBytes(random);
            Key x = new Key(bytes).add(a, 0, a.length).add(7);
            Key y = new Key(bytes).add(b, 0, b.length).add(7);
            assertThat(Integer.signum(compare(x, y)))
                    .isEqualTo(Integer.signum(java.util.Arrays.compareUnsigned(a, b)));
            assertThat(bytes.decode(x.words(), 0, found)).isEqualTo(a.length);
            assertThat(java.util.Arrays.copyOf(found, a.length)).isEqualTo(a);
            assertThat(bytes.decode(x.words(), 1)).isEqualTo(7);
        }
    }

    private static byte[] someBytes(SplittableRandom random) {
        byte[] some = new byte[random.nextInt(12)];
        for (int i = 0; i < some.length; i++) {
            some[i] = (byte) random.nextInt(-1, 2);
        }
        return some;
    }

    @Test
    void uuidsAreOrderedUnsigned() {
        KeyLayout uuids =
                new KeyLayout(List.of("i", "u"), List.of(ColumnType.INT16, ColumnType.UUID));
        SplittableRandom random = new SplittableRandom(Seeds.next());
        for (int i = 0; i < 1000; i++) {
            long[] a = {random.nextInt(-1, 2), random.nextLong()};
            long[] b = {random.nextInt(-1, 2), random.nextLong()};
            Key x = new Key(uuids).add(1).addUuid(a[0], a[1]);
            Key y = new Key(uuids).add(1).addUuid(b[0], b[1]);
            int expected = Long.compareUnsigned(a[0], b[0]);
            expected = expected != 0 ? expected : Long.compareUnsigned(a[1], b[1]);
            assertThat(Integer.signum(compare(x, y))).isEqualTo(Integer.signum(expected));
            assertThat(uuids.decodeUuidHigh(x.words(), 1)).isEqualTo(a[0]);
            assertThat(uuids.decodeUuidLow(x.words(), 1)).isEqualTo(a[1]);
        }
    }

    @Test
    void nullIsBehindAllValuesAndCopiesAreTheSame() {
        KeyLayout entry =
                new KeyLayout(
                        List.of("a", "b", "id"),
                        List.of(ColumnType.INT64, ColumnType.varchar(9), ColumnType.INT32),
                        List.of(true, true, false));
        KeyLayout primary = new KeyLayout(List.of("id"), List.of(ColumnType.INT32));
        Key none = new Key(entry).addNull().add("x").add(5);
        Key most = new Key(entry).add(Long.MAX_VALUE).addNull().add(5);
        Key last = new Key(entry).add(Long.MAX_VALUE).add("zzzzzzzzz").add(5);
        assertThat(compare(last, most)).isNegative();
        assertThat(compare(most, none)).isNegative();
        assertThat(entry.isNull(none.words(), 0)).isTrue();
        assertThat(entry.isNull(none.words(), 1)).isFalse();
        assertThat(none).hasToString("(NULL, 'x', 5)");
        assertThatThrownBy(() -> new Key(primary).addNull()).hasMessageContaining("can't be NULL");

        long[] id = new long[1];
        primary.copy(id, 0, entry, none.words(), 2);
        assertThat(id).isEqualTo(new Key(primary).add(5).words());

        long[] highest = new long[entry.words()];
        new Key(entry).endNotNull().highest(highest);
        assertThat(compare(most.words(), highest)).isNegative();
        assertThat(compare(none.words(), highest)).isPositive();
    }

    private static int compare(Key a, Key b) {
        return compare(a.words(), b.words());
    }

    private static int compare(long[] a, long[] b) {
        int word = java.util.Arrays.mismatch(a, b);
        return word < 0 ? 0 : Long.compareUnsigned(a[word], b[word]);
    }
}
