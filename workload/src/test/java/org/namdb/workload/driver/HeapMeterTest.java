package org.namdb.workload.driver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/// Counts what all threads of this process allocate, so bounds below are all that can be said.
class HeapMeterTest {
    private static final int CHUNK = 1 << 20;

    volatile byte[] last = new byte[0];

    @Test
    void whatWasAllocatedBeforeItStartsDoesNotCount() {
        HeapMeter meter = new HeapMeter();
        allocate(10);
        assertThat(meter.allocatedBytes()).isZero();
        meter.start();
        assertThat(meter.allocatedBytes()).isLessThan(9L * CHUNK);
    }

    @Test
    void whatAnyThreadAllocatesAfterTheFirstStartCounts() throws InterruptedException {
        HeapMeter meter = new HeapMeter();
        meter.start();
        allocate(5);
        Thread.ofVirtual().start(() -> allocate(5)).join();
        meter.start();
        assertThat(meter.allocatedBytes()).isGreaterThanOrEqualTo(10L * CHUNK);
    }

    private void allocate(int chunks) {
        for (int i = 0; i < chunks; i++) {
            last = new byte[CHUNK];
        }
    }
}
