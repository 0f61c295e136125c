package org.namdb.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LocalMemoryTest {
    private final Arena arena = Arena.ofConfined();
    private final long memory = arena.allocate(64, 64).address();

    @AfterEach
    void close() {
        arena.close();
    }

    @Test
    void everyWidthComesBack() {
        LocalMemory.putLong(memory, Long.MIN_VALUE + 1);
        LocalMemory.putInt(memory + 9, Integer.MIN_VALUE + 2);
        LocalMemory.putShort(memory + 13, (short) -3);
        LocalMemory.putByte(memory + 15, (byte) -4);
        LocalMemory.putLongUnaligned(memory + 17, Long.MAX_VALUE);
        assertThat(LocalMemory.longAt(memory)).isEqualTo(Long.MIN_VALUE + 1);
        assertThat(LocalMemory.intAt(memory + 9)).isEqualTo(Integer.MIN_VALUE + 2);
        assertThat(LocalMemory.shortAt(memory + 13)).isEqualTo((short) -3);
        assertThat(LocalMemory.byteAt(memory + 15)).isEqualTo((byte) -4);
        assertThat(LocalMemory.longUnaligned(memory + 17)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void orderedStoresAreSeenByEveryLoad() {
        LocalMemory.putLongRelease(memory, 1);
        assertThat(LocalMemory.longAcquire(memory)).isEqualTo(1);
        LocalMemory.putLongVolatile(memory, 2);
        assertThat(LocalMemory.longAt(memory)).isEqualTo(2);
    }

    @Test
    void atomicsReturnWhatTheWordWas() {
        assertThat(LocalMemory.compareAndExchange(memory, 0, 5)).isZero();
        assertThat(LocalMemory.compareAndExchange(memory, 0, 6)).isEqualTo(5);
        assertThat(LocalMemory.fetchAndAdd(memory, -7)).isEqualTo(5);
        assertThat(LocalMemory.longAt(memory)).isEqualTo(-2);
    }

    @Test
    void bytesAreCopiedInOutAndAcross() {
        byte[] in = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
        LocalMemory.copyFrom(in, 1, memory + 3, 10);
        LocalMemory.copy(memory + 3, memory + 30, 10);
        byte[] out = new byte[12];
        LocalMemory.copyTo(memory + 30, out, 2, 10);
        assertThat(Arrays.copyOfRange(out, 2, 12)).isEqualTo(Arrays.copyOfRange(in, 1, 11));
        assertThat(LocalMemory.byteAt(memory + 2)).isZero();
        assertThat(LocalMemory.byteAt(memory + 13)).isZero();
    }

    @Test
    void fillSetsItsBytesAndNoOthers() {
        for (int start = 0; start < 16; start++) {
            for (int bytes = 0; bytes < 32; bytes++) {
                LocalMemory.zero(memory, 64);
                LocalMemory.fill(memory + start, bytes, (byte) 0xa5);
                for (int i = 0; i < 64; i++) {
                    boolean isFilled = i >= start && i < start + bytes;
                    assertThat(LocalMemory.byteAt(memory + i))
                            .isEqualTo(isFilled ? (byte) 0xa5 : (byte) 0);
                }
            }
        }
    }

    @Test
    void aSegmentIsTheMemory() {
        LocalMemory.segment(memory + 8, 8).fill((byte) 1);
        assertThat(LocalMemory.longAt(memory + 8)).isEqualTo(0x0101010101010101L);
        assertThat(LocalMemory.longAt(memory + 16)).isZero();
    }
}
