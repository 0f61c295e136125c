package org.namdb.cache.line;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.namdb.fabric.RemoteAddress;

/// Lines and latch words share an area, and lead to each other.
class LineAreaTest {
    private static final long AREA = RemoteAddress.of(3, 5 * LineArea.BYTES);

    @Test
    void areasAreFull() {
        assertThat(new LineArea(2048).lines()).isEqualTo(510);
        assertThat(new LineArea(2048).line(AREA, 0)).isEqualTo(AREA + 4096);
        assertThat(new LineArea(2048).line(AREA, 509) + 2048).isEqualTo(AREA + LineArea.BYTES);
        assertThat(new LineArea(4096).lines()).isEqualTo(255);
        assertThat(new LineArea(4096).line(AREA, 254) + 4096).isEqualTo(AREA + LineArea.BYTES);
    }

    @Test
    void eachLineHasAWordOfItsOwnThatNoLineCovers() {
        for (int bytes = 64; bytes <= 32 << 10; bytes *= 2) {
            LineArea layout = new LineArea(bytes);
            Set<Long> latches = new HashSet<>();
            for (int number = 0; number < layout.lines(); number++) {
                long line = layout.line(AREA, number);
                assertThat(line % bytes).isZero();
                assertThat(layout.isLine(line)).isTrue();
                assertThat(line + bytes).isLessThanOrEqualTo(AREA + LineArea.BYTES);
                long latch = layout.latch(line);
                assertThat(latch)
                        .isBetween(LineArea.latches(AREA), layout.line(AREA, 0) - Long.BYTES);
                assertThat(latch % Long.BYTES).isZero();
                assertThat(latches.add(latch)).isTrue();
            }
            long left = AREA + LineArea.BYTES - layout.line(AREA, layout.lines() - 1) - bytes;
            assertThat(left).as("lines of %d bytes", bytes).isLessThan(bytes);
        }
    }

    @Test
    void anAddressOutsideOfTheLinesIsNoLine() {
        LineArea layout = new LineArea(2048);
        assertThat(layout.isLine(RemoteAddress.NULL)).isFalse();
        assertThat(layout.isLine(AREA)).isFalse();
        assertThat(layout.isLine(AREA + 2048)).isFalse();
        assertThat(layout.isLine(AREA + 4096 + 64)).isFalse();
    }

    @Test
    void aSizeThatIsNoPowerOfTwoIsRefused() {
        for (int bytes : new int[] {0, 32, 100, 3072, 64 << 10}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new LineArea(bytes))
                    .withMessageContaining("power of two from 64 to 32768");
        }
    }
}
