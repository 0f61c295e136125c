package org.namdb.tpcc.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.namdb.compute.commit.AbortCause;
import org.namdb.compute.read.Row;
import org.namdb.compute.read.TableScan;
import org.namdb.compute.schema.Table;
import org.namdb.mvcc.schema.Column;
import org.namdb.tpcc.TpccOptions;
import org.namdb.tpcc.TransactionType;
import org.namdb.tpcc.schema.TpccSchema;
import org.namdb.tpcc.statistics.DeliveryLog;
import org.namdb.workload.RunOptions.ReadMode;
import org.namdb.workload.driver.RunMeasurement;
import org.namdb.workload.driver.RunObserver;
import org.namdb.workload.driver.StopSignal;
import org.namdb.workload.statistics.RunEnd;
import org.namdb.workload.statistics.RunStatistics;
import org.namdb.workload.statistics.TimelinePoint;
import org.namdb.workload.statistics.TypeStatistics;

/// Whole runs on small databases: whatever the threads and servers, the counts add up and the
/// conditions hold. `-Dnamdb.transactions=N`: runs of N transactions in place of 1,000.
class TerminalRunTest {
    private static final int TRANSACTIONS = Integer.getInteger("namdb.transactions", 1_000);

    /// Any two values of two parameters meet, but one version with four servers and two with one.
    static Stream<Arguments> everyKindOfDatabase() {
        List<Arguments> kinds = new ArrayList<>();
        for (int threads : new int[] {1, 2, 8}) {
            for (ReadMode reads : ReadMode.values()) {
                kinds.add(Arguments.of(threads, 1, reads, 1));
                kinds.add(Arguments.of(threads, 4, reads, 2));
            }
        }
        return kinds.stream();
    }

    @ParameterizedTest(name = "{0} threads, {1} memory servers, {2}, {3} versions")
    @MethodSource("everyKindOfDatabase")
    void theConditionsHoldAndTheCountsAddUp(
            int threads, int servers, ReadMode reads, int versions) {
        TpccOptions options =
                RunFixture.options(
                        "--threads "
                                + threads
                                + " --memory-servers "
                                + servers
                                + " --reads "
                                + reads
                                + " --versions "
                                + versions
                                + " --transactions "
                                + TRANSACTIONS);
        try (RunFixture fixture = new RunFixture(options)) {
            RunMeasurement measurement = fixture.run();
            assertThat(measurement.end()).isEqualTo(RunEnd.TRANSACTIONS);
            assertCountsAddUp(fixture, measurement.statistics());
            fixture.assertConsistent();
        }
    }

    private static void assertCountsAddUp(RunFixture fixture, RunStatistics statistics) {
        TypeStatistics total = statistics.total();
        assertThat(total.count() + total.givenUp()).isEqualTo(TRANSACTIONS);
        assertThat(total.givenUp()).isZero();
        assertThat(total.aborts().sum()).isEqualTo(total.retries());
        for (TransactionType type : TransactionType.all()) {
            TypeStatistics counted = statistics.type(type);
            assertThat(counted.latency().count()).isEqualTo(counted.count()).isPositive();
            assertThat(counted.verbsPerTransaction()).isPositive();
            assertThat(counted.roundTripsPerTransaction()).isPositive();
        }
        // The deck deals each thread the mix exactly, hundred by hundred.
        assertThat(statistics.type(TransactionType.NEW_ORDER).count())
                .isCloseTo(TRANSACTIONS * 45 / 100, within(TRANSACTIONS / 10L));
        long deliveries = statistics.type(TransactionType.DELIVERY).count();
        assertThat(fixture.ordersDelivered() + fixture.districtsSkipped())
                .isEqualTo(10 * deliveries);
        assertThat(
                        statistics.timeline().stream()
                                .flatMap(point -> point.counts().stream())
                                .mapToLong(Long::longValue)
                                .sum())
                .isEqualTo(TRANSACTIONS);
    }

    @Test
    void oneThreadAndASeedAlwaysDoTheSame() {
        assertThat(fingerprint(7)).isEqualTo(fingerprint(7)).isNotEqualTo(fingerprint(8));
    }

    private static List<Object> fingerprint(long seed) {
        TpccOptions options =
                RunFixture.options(
                        "--threads 1 --seed " + seed + " --transactions " + TRANSACTIONS);
        try (RunFixture fixture = new RunFixture(options)) {
            RunStatistics statistics = fixture.run().statistics();
            List<Object> print = new ArrayList<>();
            for (TransactionType type : TransactionType.all()) {
                print.add(statistics.type(type).committed());
                print.add(statistics.type(type).rolledBack());
            }
            print.add(fixture.ordersDelivered());
            TpccSchema schema = fixture.schema;
            print.add(sum(fixture, schema.districts.table, schema.districts.ytd));
            print.add(sum(fixture, schema.customers.table, schema.customers.balance));
            print.add(sum(fixture, schema.stocks.table, schema.stocks.quantity));
            print.add(sum(fixture, schema.orderLines.table, schema.orderLines.item));
            print.add(sum(fixture, schema.newOrders.table, schema.newOrders.order));
            return print;
        }
    }

    private static long sum(RunFixture fixture, Table table, Column column) {
        return fixture.db.transact(tx -> {
            long sum = 0;
            TableScan scan = tx.scan(table, table.schema().all());
            for (Row row = scan.next(); row != null; row = scan.next()) {
                sum += row.int64(column);
            }
            return sum;
        });
    }

    @ParameterizedTest
    @EnumSource
    void aFullMemoryEndsTheRunAndBreaksNothing(ReadMode reads) {
        TpccOptions options =
                RunFixture.options(
                        "--warehouses 1 --threads 2 --reads "
                                + reads
                                + " --memory 16m --warmup 0s --duration 5m");
        try (RunFixture fixture = new RunFixture(options)) {
            RunMeasurement measurement = fixture.run();
            assertThat(measurement.end()).isEqualTo(RunEnd.MEMORY_FULL);
            TypeStatistics total = measurement.statistics().total();
            assertThat(total.aborts().of(AbortCause.MEMORY_FULL)).isPositive();
            assertThat(total.givenUp()).isEqualTo(total.aborts().of(AbortCause.MEMORY_FULL));
            assertThat(total.count()).isPositive();
            fixture.assertConsistent();
        }
    }

    @Test
    void anInterruptedRunHasWhatItMeasured() {
        TpccOptions options = RunFixture.options("--rate 2000 --warmup 0s --duration 5m");
        try (RunFixture fixture = new RunFixture(options)) {
            RunMeasurement measurement = fixture.run(new StopAtSecond(fixture.stop));
            assertThat(measurement.end()).isEqualTo(RunEnd.INTERRUPTED);
            assertThat(measurement.statistics().elapsedSeconds()).isBetween(0.5, 60.0);
            assertThat(measurement.statistics().total().count()).isPositive();
            fixture.assertConsistent();
        }
    }

    @Test
    void anInterruptInTheWarmupMeasuresNothing() {
        TpccOptions options = RunFixture.options("--rate 2000 --warmup 5m");
        try (RunFixture fixture = new RunFixture(options)) {
            RunMeasurement measurement = fixture.run(new StopAtSecond(fixture.stop));
            assertThat(measurement.statistics().elapsedSeconds()).isZero();
            assertThat(measurement.statistics().tps()).isZero();
            assertThat(measurement.completed(TransactionType.NEW_ORDER)).isPositive();
            fixture.assertConsistent();
        }
    }

    private record StopAtSecond(StopSignal stop) implements RunObserver {
        @Override
        public void progress(double share, long nowNanos) {}

        @Override
        public void second(TimelinePoint point) {
            stop.give(RunEnd.INTERRUPTED);
        }
    }

    @Test
    void aRateIsKept() {
        // No warm-up: what a stall leaves of it undone would be made up for in the window.
        TpccOptions options = RunFixture.options("--rate 400 --warmup 0s --duration 2s");
        try (RunFixture fixture = new RunFixture(options)) {
            RunMeasurement measurement = fixture.run();
            assertThat(measurement.end()).isEqualTo(RunEnd.DURATION);
            assertThat(measurement.statistics().elapsedSeconds()).isEqualTo(2);
            // What was begun is not over the rate; a busy machine may leave some of the last
            // undone.
            assertThat(measurement.statistics().total().count()).isBetween(400L, 801L);
        }
    }

    @Test
    void terminalsThatThinkAreFewTransactions() {
        TpccOptions options = RunFixture.options("--think-times --warmup 0s --duration 1s");
        try (RunFixture fixture = new RunFixture(options)) {
            assertThat(fixture.run().statistics().total().count()).isLessThan(40);
            fixture.assertConsistent();
        }
    }

    @Test
    void theDeliveryLogHasEveryDelivery() {
        TpccOptions options =
                RunFixture.options("--transactions " + TRANSACTIONS + " --out unused");
        try (RunFixture fixture = new RunFixture(options)) {
            RunMeasurement measurement = fixture.run();
            assertThat(fixture.deliveries).hasSize(2);
            List<DeliveryLog.Entry> entries = new ArrayList<>();
            for (DeliveryLog log : fixture.deliveries) {
                for (int i = 0; i < log.entries(); i++) {
                    entries.add(log.entry(i));
                }
            }
            assertThat(entries)
                    .hasSize((int) measurement.statistics().type(TransactionType.DELIVERY).count())
                    .allMatch(entry -> entry.carrier() >= 1 && entry.carrier() <= 10)
                    .allMatch(entry -> entry.doneNanos() - entry.queuedNanos() > 0);
            long orders =
                    entries.stream()
                            .flatMap(entry -> entry.orders().stream())
                            .filter(order -> order > 0)
                            .count();
            assertThat(orders).isEqualTo(fixture.ordersDelivered());
        }
    }
}
