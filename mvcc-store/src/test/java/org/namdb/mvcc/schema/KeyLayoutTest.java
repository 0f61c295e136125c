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
                .hasMessageContaining("VARCHAR(7)");
        assertThatThrownBy(() -> new Key(layout).add("text"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Key(layout).add(1).add(1).add("a").add(1).add(1))
                .hasMessage("the key has only 4 columns");
    }

    @Test
    void aKeyOfMoreThan64BytesIsRefused() {
        assertThatThrownBy(() -> new KeyLayout(List.of("t"), List.of(ColumnType.varchar(65))))
                .hasMessageContaining("65 bytes");
    }
}
