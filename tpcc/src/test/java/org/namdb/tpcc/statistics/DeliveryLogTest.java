package org.namdb.tpcc.statistics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.namdb.workload.statistics.MeasuredWindow;

/// Clause 2.7.2.2.
class DeliveryLogTest {
    private static final MeasuredWindow WINDOW = new MeasuredWindow(100, 50);

    @Test
    void whatEndsInTheMeasuredWindowIsCountedEvenIfNothingIsKept() {
        DeliveryLog log = new DeliveryLog(WINDOW, false);
        for (long end : new long[] {99, 100, 149, 150}) {
            log.add(end - 9, end, 1, 1, new long[] {7, 0, 3, 4, 5, 6, 7, 8, 9, 10});
        }
        assertThat(log.ordersDelivered()).isEqualTo(18);
        assertThat(log.districtsSkipped()).isEqualTo(2);
        assertThat(log.entries()).isZero();
    }

    @Test
    void whatIsAddedCanBeReadOverManyPieces() {
        DeliveryLog log = new DeliveryLog(WINDOW, true);
        for (int i = 0; i < 10_000; i++) {
            log.add(i, i + 5, i % 300 + 1, i % 10 + 1, new long[] {i, 0, 3, 4, 5, 6, 7, 8, 9, 10});
        }
        assertThat(log.entries()).isEqualTo(10_000);
        assertThat(log.entry(9_999))
                .isEqualTo(
                        new DeliveryLog.Entry(
                                9_999,
                                10_004,
                                100,
                                10,
                                List.of(9_999L, 0L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L)));
    }
}
