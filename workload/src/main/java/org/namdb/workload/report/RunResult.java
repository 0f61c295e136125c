package org.namdb.workload.report;

import java.util.List;
import org.namdb.workload.Benchmark;
import org.namdb.workload.RunOptions;
import org.namdb.workload.statistics.RunEnd;
import org.namdb.workload.statistics.RunStatistics;

/// A run from its options to its checks.
///
/// @param benchmark what was run
/// @param options the options
/// @param machine where it ran
/// @param database what it ran on
/// @param load the facts of the load
/// @param end what ended the run
/// @param statistics what it measured
/// @param memory what it did to the memory
/// @param counts what only this benchmark counts
/// @param conditions the results of the checks; none if they were not checked
/// @param checkSeconds how long they took
public record RunResult(
        Benchmark benchmark,
        RunOptions options,
        MachineFacts machine,
        DatabaseFacts database,
        LoadFacts load,
        RunEnd end,
        RunStatistics statistics,
        MemoryFacts memory,
        OwnCounts counts,
        List<CheckedCondition> conditions,
        double checkSeconds) {

    public RunResult {
        conditions = List.copyOf(conditions);
    }

    /// The same after the checks.
    public RunResult checked(List<CheckedCondition> found, double seconds) {
        return new RunResult(
                benchmark,
                options,
                machine,
                database,
                load,
                end,
                statistics,
                memory,
                counts,
                found,
                seconds);
    }

    /// Whether every condition was checked and holds.
    public boolean conditionsHold() {
        return !conditions.isEmpty() && conditions.stream().allMatch(CheckedCondition::holds);
    }

    /// The result, in a sentence.
    String verdict() {
        return verdict(benchmark, conditions, end);
    }

    /// The same of conditions that were checked when something had ended so.
    static String verdict(Benchmark benchmark, List<CheckedCondition> conditions, RunEnd end) {
        if (conditions.isEmpty()) {
            return "FAILED: the consistency conditions were not checked.";
        }
        long broken = conditions.stream().filter(condition -> !condition.holds()).count();
        if (broken > 0) {
            return "FAILED: %s of the consistency conditions violated."
                    .formatted(broken == 1 ? "one" : broken);
        }
        return switch (end) {
            case DURATION, TRANSACTIONS -> "PASSED: %s hold.".formatted(benchmark.allConditions());
            case INTERRUPTED -> "INTERRUPTED: %s hold.".formatted(benchmark.allConditions());
            case MEMORY_FULL ->
                    "FAILED: the memory was full, and the run ended early; %s hold."
                            .formatted(benchmark.allConditions());
        };
    }

    /// Whether the conditions hold, after a run that its memory didn't end.
    public boolean passed() {
        return conditionsHold() && end != RunEnd.MEMORY_FULL;
    }
}
