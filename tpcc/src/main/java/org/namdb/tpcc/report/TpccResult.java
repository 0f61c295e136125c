package org.namdb.tpcc.report;

import java.util.List;
import org.namdb.tpcc.TpccOptions;
import org.namdb.tpcc.check.ConditionResult;
import org.namdb.tpcc.statistics.RunEnd;
import org.namdb.tpcc.statistics.RunStatistics;

/// A run from its options to its checks.
///
/// @param options what was asked for
/// @param machine where it ran
/// @param database what it ran on
/// @param load how the loading went
/// @param end what ended the run
/// @param statistics what it measured
/// @param memory what it did to the memory
/// @param conditions the results of the twelve checks; none if they were not checked
/// @param checkSeconds how long they took
public record TpccResult(
        TpccOptions options,
        MachineFacts machine,
        DatabaseFacts database,
        LoadFacts load,
        RunEnd end,
        RunStatistics statistics,
        MemoryFacts memory,
        List<ConditionResult> conditions,
        double checkSeconds) {

    public TpccResult {
        conditions = List.copyOf(conditions);
    }

    /// The same after the checks.
    public TpccResult checked(List<ConditionResult> found, double seconds) {
        return new TpccResult(
                options, machine, database, load, end, statistics, memory, found, seconds);
    }

    /// Whether every condition was checked and holds.
    public boolean conditionsHold() {
        return !conditions.isEmpty() && conditions.stream().allMatch(ConditionResult::holds);
    }

    /// What came out, in a sentence.
    String verdict() {
        return verdict(conditions, end);
    }

    /// The same of conditions that were checked when something had ended so.
    static String verdict(List<ConditionResult> conditions, RunEnd end) {
        if (conditions.isEmpty()) {
            return "FAILED: the consistency conditions were not checked.";
        }
        long broken = conditions.stream().filter(condition -> !condition.holds()).count();
        if (broken > 0) {
            return "FAILED: %s of the consistency conditions broken."
                    .formatted(broken == 1 ? "one" : broken);
        }
        return switch (end) {
            case DURATION, TRANSACTIONS -> "PASSED: all twelve consistency conditions hold.";
            case INTERRUPTED -> "INTERRUPTED: all twelve consistency conditions hold.";
            case MEMORY_FULL ->
                    "FAILED: the memory was full, and the run ended early; all twelve consistency conditions hold.";
        };
    }

    /// Whether the conditions hold, after a run that its memory didn't end.
    public boolean passed() {
        return conditionsHold() && end != RunEnd.MEMORY_FULL;
    }
}
