package org.namdb.tpcc.check;

import java.util.List;
import org.namdb.workload.report.CheckedCondition;

/// What the check of one condition found.
///
/// @param condition the condition
/// @param differences the number of places that don't meet it
/// @param examples the first few of those, one sentence each
public record ConditionResult(Condition condition, long differences, List<String> examples) {
    public ConditionResult {
        examples = List.copyOf(examples);
    }

    /// The same for reports.
    public CheckedCondition reported() {
        return new CheckedCondition(condition.clause(), condition.formula(), differences, examples);
    }

    public boolean holds() {
        return differences == 0;
    }
}
