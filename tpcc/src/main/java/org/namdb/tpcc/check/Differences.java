package org.namdb.tpcc.check;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/// The places that don't meet a condition: all are counted, the first few are reported.
final class Differences {
    private static final int MAX_EXAMPLES = 5;

    private final long[] counts = new long[Condition.values().length];
    private final List<List<String>> examples = new ArrayList<>();

    Differences() {
        for (int i = 0; i < counts.length; i++) {
            examples.add(new ArrayList<>());
        }
    }

    /// Counts a difference.
    ///
    /// @param sentence describes the place, what is expected and what was found; called only for
    ///     the first few
    void add(Condition condition, Supplier<String> sentence) {
        int index = condition.ordinal();
        if (counts[index]++ < MAX_EXAMPLES) {
            examples.get(index).add(sentence.get());
        }
    }

    /// One result for each condition, in the order of the clauses.
    List<ConditionResult> results() {
        return Arrays.stream(Condition.values())
                .map(c -> new ConditionResult(c, counts[c.ordinal()], examples.get(c.ordinal())))
                .toList();
    }
}
