package org.namdb.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RemoteAddressTest {
    private static final long LAST_OFFSET = (1L << 56) - 1;

    @Test
    void serverAndOffsetComeBack() {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        for (int i = 0; i < 10_000; i++) {
            assertComesBack(
                    random.nextInt(RemoteAddress.MAX_SERVERS),
                    random.nextLong(RemoteAddress.OFFSET_LIMIT));
        }
        for (int server : new int[] {0, 1, 127}) {
            for (long offset : new long[] {0, 8, (1L << 31) - 8, 1L << 31, 1L << 32, LAST_OFFSET}) {
                assertComesBack(server, offset);
            }
        }
    }

    private static void assertComesBack(int server, long offset) {
        long address = RemoteAddress.of(server, offset);
        assertThat(RemoteAddress.server(address)).isEqualTo(server);
        assertThat(RemoteAddress.offset(address)).isEqualTo(offset);
        assertThat(RemoteAddress.isNull(address)).isFalse();
    }

    @Test
    void theBitsAreWhereTheDiagramSays() {
        assertThat(RemoteAddress.of(0, 0)).isEqualTo(0x8000_0000_0000_0000L);
        assertThat(RemoteAddress.of(2, 0x1f40)).isEqualTo(0x8200_0000_0000_1f40L);
        assertThat(RemoteAddress.of(127, LAST_OFFSET)).isEqualTo(0xffff_ffff_ffff_ffffL);
    }

    @Test
    void zeroedMemoryIsTheNullAddress() {
        assertThat(RemoteAddress.isNull(0)).isTrue();
        assertThat(RemoteAddress.NULL).isZero();
    }

    @Test
    void anAddressPlusAnOffsetIsAnAddress() {
        assertThat(RemoteAddress.of(5, 1000) + 24).isEqualTo(RemoteAddress.of(5, 1024));
    }

    @Test
    void anAddressOutOfRangeIsRefused() {
        assertRefused(-1, 0);
        assertRefused(128, 0);
        assertRefused(0, -1);
        assertRefused(0, RemoteAddress.OFFSET_LIMIT);
    }

    private static void assertRefused(int server, long offset) {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> RemoteAddress.of(server, offset));
    }

    @Test
    void anAddressIsDescribedForPeople() {
        assertThat(RemoteAddress.describe(RemoteAddress.NULL)).isEqualTo("null");
        assertThat(RemoteAddress.describe(RemoteAddress.of(2, 0x1f40))).isEqualTo("2:0x1f40");
    }
}
