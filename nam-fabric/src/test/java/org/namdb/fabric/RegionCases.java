package org.namdb.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

/// Registered memory: size, identity, end.
public interface RegionCases extends FabricCase {
    int LARGE_SERVER = 2;

    /// More than an `int` can count. Only the pages that are touched take memory.
    long LARGE_BYTES = 3L << 30;

    @Test
    default void aRegionMayExceedTwoGigabytes() {
        long[] offsets = {0, 1 << 20, (1L << 31) - 8, 1L << 31, (1L << 31) + 8, LARGE_BYTES - 8};
        QueuePair queuePair = connect(fabric().register(LARGE_SERVER, LARGE_BYTES));
        for (long offset : offsets) {
            queuePair.writeWord(address(LARGE_SERVER, offset), ~offset);
        }
        queuePair.await();
        for (long offset : offsets) {
            long word = address(LARGE_SERVER, offset);
            assertThat(readWord(queuePair, word)).isEqualTo(~offset);
            long swapped = queuePair.compareAndSwap(word, ~offset, 1);
            long added = queuePair.fetchAndAdd(word, 1);
            queuePair.await();
            assertThat(LocalMemory.longAt(swapped)).isEqualTo(~offset);
            assertThat(LocalMemory.longAt(added)).isEqualTo(1);
        }
        assertThat(readWord(queuePair, address(LARGE_SERVER, 1L << 30))).isZero();
    }

    @Test
    default void oneVerbMayCrossTwoGigabytes() {
        QueuePair queuePair = connect(fabric().register(LARGE_SERVER, LARGE_BYTES));
        long start = address(LARGE_SERVER, (1L << 31) - 1000);
        long source = queuePair.localMemory(2000);
        for (int i = 0; i < 2000; i += 8) {
            LocalMemory.putLong(source + i, i + 1);
        }
        queuePair.write(start, source, 2000);
        queuePair.await();
        long view = queuePair.read(start, 2000);
        queuePair.await();
        for (int i = 0; i < 2000; i += 8) {
            assertThat(LocalMemory.longAt(view + i)).isEqualTo(i + 1);
        }
    }

    @Test
    default void aRegionOfTwoGigabytesEndsWhereItEnds() {
        Region region = fabric().register(LARGE_SERVER, LARGE_BYTES);
        for (long offset : new long[] {LARGE_BYTES, LARGE_BYTES + (1L << 32), 1L << 55}) {
            QueuePair queuePair = connect(region);
            assertThatExceptionOfType(FabricException.class)
                    .isThrownBy(() -> readWord(queuePair, address(LARGE_SERVER, offset)))
                    .satisfies(
                            e -> assertThat(e.kind()).isEqualTo(FabricException.Kind.BAD_ADDRESS));
        }
    }

    @Test
    default void registeredMemoryHasItsServerAndSize() {
        assertThat(region(1).server()).isEqualTo(1);
        assertThat(region(1).bytes()).isEqualTo(FabricCase.regionBytes(1));
    }

    @Test
    default void computeServersGetTheRegions() {
        assertThat(fabric().regions()).containsExactly(region(0), region(1));
    }

    @Test
    default void aServerHasOneRegion() {
        writeWord(address(1, 8), 5);
        assertThatExceptionOfType(FabricException.class)
                .isThrownBy(() -> fabric().register(1, 4096))
                .satisfies(e -> assertThat(e.kind()).isEqualTo(FabricException.Kind.SYSTEM));
        assertThat(readWord(address(1, 8))).isEqualTo(5);
    }

    @Test
    default void memoryThatTheSystemRefusesLeavesNothingBehind() {
        assertThatExceptionOfType(FabricException.class)
                .isThrownBy(() -> fabric().register(LARGE_SERVER, 1L << 55))
                .satisfies(e -> assertThat(e.kind()).isEqualTo(FabricException.Kind.SYSTEM));
        assertThatIllegalArgumentException().isThrownBy(() -> fabric().register(LARGE_SERVER, 0));
        assertThatIllegalArgumentException().isThrownBy(() -> fabric().register(LARGE_SERVER, -5));
        QueuePair queuePair = connect(fabric().register(LARGE_SERVER, 4096));
        writeWord(queuePair, address(LARGE_SERVER, 4088), 3);
        assertThat(readWord(queuePair, address(LARGE_SERVER, 4088))).isEqualTo(3);
    }
}
