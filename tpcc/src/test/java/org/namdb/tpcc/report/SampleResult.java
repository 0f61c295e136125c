package org.namdb.tpcc.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.namdb.tpcc.Mix;
import org.namdb.tpcc.TpccOptions;
import org.namdb.tpcc.TransactionType;
import org.namdb.tpcc.check.Condition;
import org.namdb.tpcc.check.ConditionResult;
import org.namdb.tpcc.driver.TpccRun;
import org.namdb.tpcc.input.Deck;
import org.namdb.tpcc.input.TpccRandom;
import org.namdb.workload.report.DatabaseFacts;
import org.namdb.workload.report.LoadFacts;
import org.namdb.workload.report.MachineFacts;
import org.namdb.workload.report.MemoryFacts;
import org.namdb.workload.report.OwnCounts;
import org.namdb.workload.report.RunResult;
import org.namdb.workload.statistics.MeasuredWindow;
import org.namdb.workload.statistics.RunEnd;
import org.namdb.workload.statistics.RunStatistics;
import org.namdb.workload.statistics.SampleCost;
import org.namdb.workload.statistics.ThreadStatistics;
import org.namdb.workload.statistics.Timeline;
import org.namdb.workload.statistics.TransactionCost;

/// A made-up run of 3 seconds of warm-up and 9 that count, the same at every call.
final class SampleResult {
    static final int SECONDS = 12;

    private static final long SECOND_NANOS = 1_000_000_000L;
    private static final long[] MEAN_NANOS = {55_000, 14_000, 21_000, 320_000, 240_000};

    private SampleResult() {}

    static RunResult passed() {
        return of(RunEnd.DURATION, results(List.of()));
    }

    static RunResult failed() {
        return of(
                RunEnd.MEMORY_FULL,
                results(List.of("warehouse 1, district 3: <2,999> orders & 3,001 expected")));
    }

    private static RunResult of(RunEnd end, List<ConditionResult> conditions) {
        TpccOptions options = TpccOptions.of(2, 24L << 30, "--warmup 3s --duration 9s");
        MachineFacts machine =
                new MachineFacts(
                        "a processor", 2, 24L << 30, "Linux", "a JVM", "0", "2026-01-01 12:00:00");
        return new RunResult(
                TpccRun.TPCC,
                options,
                machine,
                new DatabaseFacts(null, 1, 8L << 30, 0),
                new LoadFacts("warehouse", 4, 2_001_234, 2.5, 512L << 20),
                end,
                statistics(),
                new MemoryFacts(1_000_000, 1_000_000 + 123_456, 100, 93.62),
                OwnCounts.NONE,
                conditions.stream().map(ConditionResult::reported).toList(),
                0.75);
    }

    private static List<ConditionResult> results(List<String> examples) {
        return Arrays.stream(Condition.values())
                .map(condition ->
                        new ConditionResult(
                                condition,
                                condition == Condition.ORDER_HAS_ALL_LINES ? examples.size() : 0,
                                condition == Condition.ORDER_HAS_ALL_LINES ? examples : List.of()))
                .toList();
    }

    private static RunStatistics statistics() {
        MeasuredWindow window = new MeasuredWindow(3 * SECOND_NANOS, 9 * SECOND_NANOS);
        ThreadStatistics thread = new ThreadStatistics(window, TransactionType.COUNT);
        Timeline timeline = new Timeline(TransactionType.all(), List.of(thread.live()), 0, window);
        TpccRandom random = new TpccRandom(7);
        Deck deck = new Deck(Mix.STANDARD, random);
        TransactionCost cost = new TransactionCost();
        for (int second = 0; second < SECONDS; second++) {
            int transactions = random.uniform(28_000, 32_000) / (second == 0 ? 3 : 1);
            for (int i = 0; i < transactions; i++) {
                long end = second * SECOND_NANOS + (i + 1) * SECOND_NANOS / (transactions + 1);
                run(thread, deck.next(), random, end, cost);
            }
            timeline.sample((second + 1) * SECOND_NANOS, 1_000_000L * (second + 1));
        }
        return RunStatistics.merge(
                9, TransactionType.COUNT, new ArrayList<>(List.of(thread)), timeline.points());
    }

    private static void run(
            ThreadStatistics thread,
            TransactionType type,
            TpccRandom random,
            long end,
            TransactionCost cost) {
        long nanos = MEAN_NANOS[type.index()] / 2;
        int conflicts = random.chance(2) ? 1 : 0;
        SampleCost.set(cost, 3 + nanos / 1_000, nanos / 3, 4 + conflicts, conflicts);
        nanos += random.exponentialNanos(nanos) * (random.chance(1) ? 10 : 1);
        thread.began(end - nanos, end - nanos);
        thread.completed(type, type == TransactionType.NEW_ORDER && random.chance(1), end, cost);
    }
}
