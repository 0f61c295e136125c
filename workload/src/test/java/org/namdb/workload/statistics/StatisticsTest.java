package org.namdb.workload.statistics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.namdb.compute.commit.AbortCause;
import org.namdb.workload.SampleKind;

/// What counts, and what it adds up to.
class StatisticsTest {
    private static final long SECOND = 1_000_000_000L;
    private static final List<SampleKind> KINDS = List.of(SampleKind.values());

    private final MeasuredWindow window = new MeasuredWindow(10 * SECOND, 5 * SECOND);
    private final ThreadStatistics thread = new ThreadStatistics(window, KINDS.size());
    private final TransactionCost cost = new TransactionCost();

    private void run(SampleKind type, long startNanos, long endNanos) {
        thread.began(startNanos, startNanos);
        thread.completed(type, false, endNanos, cost);
    }

    private RunStatistics merged() {
        return RunStatistics.merge(5, KINDS.size(), List.of(thread), List.of());
    }

    @Test
    void whatEndsInTheMeasuredWindowCounts() {
        run(SampleKind.READ, 9 * SECOND, 10 * SECOND - 1);
        run(SampleKind.READ, 9 * SECOND, 10 * SECOND);
        run(SampleKind.READ, 14 * SECOND, 15 * SECOND - 1);
        run(SampleKind.READ, 14 * SECOND, 15 * SECOND);
        assertThat(merged().type(SampleKind.READ).count()).isEqualTo(2);
        assertThat(thread.live().completed(SampleKind.READ)).isEqualTo(4);
    }

    @Test
    void aWindowKeepsItsPlaceWhenTheClockWraps() {
        MeasuredWindow wrapping = new MeasuredWindow(Long.MAX_VALUE - 5, 10);
        assertThat(wrapping.contains(Long.MAX_VALUE - 6)).isFalse();
        assertThat(wrapping.contains(Long.MAX_VALUE)).isTrue();
        assertThat(wrapping.contains(Long.MIN_VALUE + 3)).isTrue();
        assertThat(wrapping.contains(Long.MIN_VALUE + 4)).isFalse();
        assertThat(wrapping.isPast(Long.MIN_VALUE + 4)).isTrue();
    }

    @Test
    void latencyCountsFromTheIntendedStart() {
        thread.began(10 * SECOND, 12 * SECOND);
        thread.completed(SampleKind.WRITE, false, 12 * SECOND + 1_000, cost);
        thread.began(12 * SECOND, 12 * SECOND + 999_999);
        thread.completed(SampleKind.WRITE, false, 13 * SECOND, cost);
        assertThat(merged().type(SampleKind.WRITE).latency().maxMicros())
                .isCloseTo(2_000_001, within(2_000.0));
        assertThat(merged().lateStarts()).isEqualTo(1);
    }

    @Test
    void retriesAbortsAndVerbsBelongToTheTransaction() {
        cost.set(30, 4_000, 6, 2);
        cost.aborts().set(0, 2);
        run(SampleKind.WRITE, 11 * SECOND, 11 * SECOND + 5);
        cost.set(10, 1_000, 2, 0);
        cost.aborts().set(0, 0);
        run(SampleKind.WRITE, 11 * SECOND, 11 * SECOND + 5);
        TypeStatistics write = merged().type(SampleKind.WRITE);
        assertThat(write.retries()).isEqualTo(2);
        assertThat(write.aborts().of(AbortCause.WRITE_CONFLICT)).isEqualTo(2);
        assertThat(write.aborts().of(AbortCause.MEMORY_FULL)).isZero();
        assertThat(write.verbsPerTransaction()).isEqualTo(20);
        assertThat(write.bytesPerTransaction()).isEqualTo(2_500);
        assertThat(write.roundTripsPerTransaction()).isEqualTo(4);
        assertThat(thread.live().aborts()).isEqualTo(2);
    }

    @Test
    void whatIsGivenUpDoesNotCountAsDone() {
        cost.aborts().set(3, 1);
        thread.began(11 * SECOND, 11 * SECOND);
        thread.gaveUp(SampleKind.SCAN, 12 * SECOND, cost);
        TypeStatistics scan = merged().type(SampleKind.SCAN);
        assertThat(scan.count()).isZero();
        assertThat(scan.givenUp()).isEqualTo(1);
        assertThat(scan.aborts().of(AbortCause.MEMORY_FULL)).isEqualTo(1);
    }

    @Test
    void whatWasRolledBackByRequestCounts() {
        thread.began(11 * SECOND, 11 * SECOND);
        thread.completed(SampleKind.WRITE, true, 12 * SECOND, cost);
        run(SampleKind.WRITE, 11 * SECOND, 12 * SECOND);
        RunStatistics statistics = merged();
        assertThat(statistics.type(SampleKind.WRITE).rolledBack()).isEqualTo(1);
        assertThat(statistics.type(SampleKind.WRITE).count()).isEqualTo(2);
        assertThat(statistics.of(SampleKind.WRITES_PER_MINUTE)).isEqualTo(24);
    }

    @Test
    void threadsAddUp() {
        ThreadStatistics other = new ThreadStatistics(window, KINDS.size());
        run(SampleKind.READ, 11 * SECOND, 11 * SECOND + 100_000);
        other.began(11 * SECOND, 11 * SECOND);
        other.completed(SampleKind.READ, false, 11 * SECOND + 300_000, cost);
        RunStatistics statistics =
                RunStatistics.merge(2, KINDS.size(), List.of(thread, other), List.of());
        assertThat(statistics.tps()).isEqualTo(1);
        assertThat(statistics.total().latency().percentileMicros(100)).isCloseTo(300, within(0.5));
        assertThat(statistics.total().latency().percentileMicros(50)).isCloseTo(100, within(0.2));
    }

    @Test
    void aThousandPercentilesOfAThousandValuesAreTheValues() {
        LatencyHistogram latency = new LatencyHistogram();
        for (int micros = 1; micros <= 1_000; micros++) {
            latency.record(micros * 1_000L);
        }
        for (double percentile : new double[] {50, 95, 99, 99.9, 100}) {
            assertThat(latency.percentileMicros(percentile))
                    .isCloseTo(percentile * 10, within(percentile * 0.02));
        }
        assertThat(latency.meanMicros()).isCloseTo(500.5, within(1.0));
    }

    @Test
    void anEmptyHistogramIsAllZero() {
        LatencyHistogram latency = new LatencyHistogram();
        assertThat(latency.percentileMicros(99)).isZero();
        assertThat(latency.meanMicros()).isZero();
        assertThat(latency.maxMicros()).isZero();
    }

    @Test
    void theTimelineShowsWhatHappenedBetweenTwoLooks() {
        Timeline timeline = new Timeline(KINDS, List.of(thread.live()), 8 * SECOND, window);
        run(SampleKind.WRITE, 8 * SECOND, 8 * SECOND + 50_000);
        TimelinePoint warm = timeline.sample(10 * SECOND + 1_000, 0);
        assertThat(warm.warmup()).isTrue();
        assertThat(warm.tps()).isCloseTo(0.5, within(0.001));
        assertThat(warm.of(SampleKind.WRITES_PER_MINUTE)).isCloseTo(30, within(0.1));
        assertThat(warm.p99Micros()).isCloseTo(50, within(1.0));
        cost.aborts().set(0, 3);
        run(SampleKind.READ, 10 * SECOND, 10 * SECOND + 90_000);
        TimelinePoint measured = timeline.sample(11 * SECOND, 77);
        assertThat(measured.warmup()).isFalse();
        assertThat(measured.tps()).isCloseTo(1, within(0.001));
        assertThat(measured.oldVersionBytes()).isEqualTo(77);
        assertThat(measured.of(SampleKind.WRITES_PER_MINUTE)).isZero();
        assertThat(measured.abortsPerSecond()).isCloseTo(3, within(0.001));
        assertThat(measured.p99Micros()).isCloseTo(90, within(2.0));
        assertThat(timeline.sample(12 * SECOND, 0).p99Micros()).isZero();
        assertThat(timeline.points()).hasSize(3);
        assertThat(timeline.completed()).containsExactly(1L, 1L, 0L);
        assertThat(timeline.completedNow()).isEqualTo(2);
    }

    @Test
    void countingAllocatesNothing() {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        for (int i = 0; i < 1_000; i++) {
            run(KINDS.get(i % 3), 11 * SECOND, 11 * SECOND + i * 1_000L);
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 100_000; i++) {
            run(KINDS.get(i % 3), 11 * SECOND, 11 * SECOND + i * 1_000L);
        }
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(1_000);
    }
}
