package org.namdb.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// What each verb does, alone.
public interface VerbCases extends FabricCase {
    @Test
    default void memoryIsZeroedWhenItIsRegistered() {
        assertThat(readRegion(0)).containsOnly(0);
        assertThat(readRegion(1)).containsOnly(0);
    }

    @Test
    default void readDeliversWhatWriteWrote() {
        SplittableRandom random = new SplittableRandom(Seeds.next());
        long source = queuePair().localMemory(LANDING_BYTES);
        for (int round = 0; round < 200; round++) {
            int bytes = 8 * random.nextInt(1, round % 10 == 0 ? LANDING_BYTES / 8 : 40);
            long target =
                    address(
                            round % 2,
                            8L * random.nextInt((int) (FabricCase.regionBytes(0) - bytes) / 8 + 1));
            long first = random.nextLong();
            for (int i = 0; i < bytes; i += 8) {
                LocalMemory.putLong(source + i, first + i);
            }
            queuePair().write(target, source, bytes);
            queuePair().await();
            long view = queuePair().read(target, bytes);
            queuePair().await();
            for (int i = 0; i < bytes; i += 8) {
                assertThat(LocalMemory.longAt(view + i)).isEqualTo(first + i);
            }
        }
    }

    @Test
    default void writeChangesNoOtherByte() {
        long source = queuePair().localMemory(136);
        LocalMemory.fill(source, 136, (byte) -1);
        queuePair().write(address(1, 1016), source, 136);
        queuePair().await();
        long[] words = readRegion(1);
        for (int word = 0; word < words.length; word++) {
            assertThat(words[word]).isEqualTo(word >= 127 && word < 144 ? -1 : 0);
        }
        assertThat(readRegion(0)).containsOnly(0);
    }

    @Test
    default void theLastWordOfARegionCanBeReached() {
        long last = address(0, FabricCase.regionBytes(0) - 8);
        writeWord(last, 7);
        assertThat(readWord(last)).isEqualTo(7);
    }

    @Test
    default void aSuccessfulCasDeliversTheExpectedValue() {
        writeWord(address(0, 64), 10);
        long found = queuePair().compareAndSwap(address(0, 64), 10, 11);
        queuePair().await();
        assertThat(LocalMemory.longAt(found)).isEqualTo(10);
        assertThat(readWord(address(0, 64))).isEqualTo(11);
    }

    @Test
    default void aFailedCasDeliversWhatItFoundAndChangesNothing() {
        writeWord(address(0, 64), 10);
        long[] before = readRegion(0);
        long found = queuePair().compareAndSwap(address(0, 64), 9, 11);
        queuePair().await();
        assertThat(LocalMemory.longAt(found)).isEqualTo(10);
        assertThat(readRegion(0)).isEqualTo(before);
    }

    @Test
    default void fetchAndAddDeliversWhatTheWordWas() {
        long word = address(1, 8);
        writeWord(word, Long.MAX_VALUE);
        long first = queuePair().fetchAndAdd(word, 1);
        long second = queuePair().fetchAndAdd(word, -3);
        queuePair().await();
        assertThat(LocalMemory.longAt(first)).isEqualTo(Long.MAX_VALUE);
        assertThat(LocalMemory.longAt(second)).isEqualTo(Long.MIN_VALUE);
        assertThat(readWord(word)).isEqualTo(Long.MAX_VALUE - 2);
    }

    @Test
    default void oneOffsetOnTwoServersIsTwoWords() {
        queuePair().writeWord(address(0, 128), 1);
        queuePair().writeWord(address(1, 128), 2);
        queuePair().await();
        assertThat(readWord(address(0, 128))).isEqualTo(1);
        assertThat(readWord(address(1, 128))).isEqualTo(2);
    }

    @Test
    default void aViewIsTheRegionWhereReadsAreInPlaceAndACopyElsewhere() {
        writeWord(address(0, 256), 5);
        long view = queuePair().read(address(0, 256), 8);
        queuePair().await();
        assertThat(LocalMemory.longAcquire(view)).isEqualTo(5);
        writeWord(connect(), address(0, 256), 6);
        assertThat(LocalMemory.longAcquire(view)).isEqualTo(queuePair().readsInPlace(0) ? 6 : 5);
    }

    @Test
    default void aSourceMayChangeAfterTheAwait() {
        long source = queuePair().localMemory(64);
        LocalMemory.fill(source, 64, (byte) 1);
        queuePair().write(address(0, 0), source, 64);
        queuePair().await();
        LocalMemory.fill(source, 64, (byte) 2);
        assertThat(readWord(address(0, 56))).isEqualTo(0x0101010101010101L);
    }

    @Test
    default void aViewCanBeWrittenElsewhere() {
        writeWord(address(0, 64), 77);
        long view = queuePair().read(address(0, 64), 8);
        queuePair().await();
        queuePair().write(address(1, 64), view, 8);
        queuePair().await();
        assertThat(readWord(address(1, 64))).isEqualTo(77);
    }

    @Test
    default void localMemoryIsAlignedAndZeroed() {
        for (int bytes = 8; bytes < 1 << 17; bytes *= 3) {
            long memory = queuePair().localMemory(bytes);
            assertThat(memory % 64).isZero();
            for (int i = 0; i < bytes; i++) {
                assertThat(LocalMemory.byteAt(memory + i)).isZero();
            }
            LocalMemory.fill(memory, bytes, (byte) -1);
        }
    }
}
