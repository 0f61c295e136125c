package org.namdb.workload.report;

import java.util.List;

/// What the check of one consistency condition found.
///
/// @param clause its short name, as in `3.3.2.1`
/// @param formula what is to hold
/// @param differences the number of places that don't meet it
/// @param examples the first few of those, one sentence each
public record CheckedCondition(
        String clause, String formula, long differences, List<String> examples) {
    public CheckedCondition {
        examples = List.copyOf(examples);
    }

    public boolean holds() {
        return differences == 0;
    }
}
