package org.namdb.checker;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/// What was found: all violations are counted, and of each rule the few that are smallest and
/// earliest are kept. Only those are worth an explanation, so the others are never explained.
final class Findings {
    private static final int MAX_KEPT = 5;

    private final long[] counts = new long[Rule.values().length];
    private final List<List<Found>> kept =
            Stream.generate(() -> (List<Found>) new ArrayList<Found>())
                    .limit(counts.length)
                    .toList();

    private record Found(int size, long nanos, Supplier<Violation> explanation) {
        static final Comparator<Found> BEST_FIRST =
                Comparator.comparingInt(Found::size).thenComparingLong(Found::nanos);

        Violation explain() {
            return explanation.get();
        }
    }

    /// Adds a violation.
    ///
    /// @param size how many transactions it takes to see it
    /// @param nanos when it could be seen first
    /// @param explanation makes the violation
    void add(Rule rule, int size, long nanos, Supplier<Violation> explanation) {
        counts[rule.ordinal()]++;
        List<Found> best = kept.get(rule.ordinal());
        Found found = new Found(size, nanos, explanation);
        int place = best.size();
        while (place > 0 && Found.BEST_FIRST.compare(found, best.get(place - 1)) < 0) {
            place--;
        }
        if (place < MAX_KEPT) {
            best.add(place, found);
        }
        if (best.size() > MAX_KEPT) {
            best.removeLast();
        }
    }

    boolean isEmpty() {
        return kept.stream().allMatch(List::isEmpty);
    }

    /// How many violations of a rule there are.
    long count(Rule rule) {
        return counts[rule.ordinal()];
    }

    /// The smallest violations of a rule, the smallest first, the earlier first among those of
    /// one size.
    List<Violation> violations(Rule rule) {
        return kept.get(rule.ordinal()).stream().map(Found::explain).toList();
    }

    /// The smallest of all; of those of one size the earliest, and then that of the rule which
    /// explains most.
    Optional<Violation> smallest() {
        return kept.stream()
                .flatMap(List::stream)
                .min(Found.BEST_FIRST) // the first of equals, and rules are in that order
                .map(Found::explain);
    }
}
