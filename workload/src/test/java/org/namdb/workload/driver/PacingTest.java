package org.namdb.workload.driver;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PacingTest {
    private static final long SECOND = 1_000_000_000L;

    @Test
    void atOnceIsWithoutWaiting() {
        AtOnce pacing = new AtOnce();
        for (int i = 0; i < 60; i++) {
            pacing.next(i * 7L);
            assertThat(pacing.intendedStartNanos()).isEqualTo(i * 7L);
            pacing.finished(i * 7L + 5);
        }
    }

    @Test
    void aRateIsSharedByThreadsThatTakeTurns() {
        AtRate first = new AtRate(100, 1_000, 0, 2);
        AtRate second = new AtRate(100, 1_000, 1, 2);
        for (int i = 0; i < 10; i++) {
            first.next(0);
            second.next(0);
            assertThat(first.intendedStartNanos()).isEqualTo(100 + 2_000_000L * i);
            assertThat(second.intendedStartNanos()).isEqualTo(100 + 2_000_000L * i + 1_000_000);
        }
    }

    @Test
    void intendedStartsDoNotWaitForASlowThread() {
        AtRate pacing = new AtRate(0, 3, 0, 1);
        long last = 0;
        for (int i = 0; i <= 300; i++) {
            pacing.next(17 * SECOND);
            last = pacing.intendedStartNanos();
            pacing.finished(18 * SECOND);
        }
        assertThat(last).isEqualTo(100 * SECOND);
    }
}
