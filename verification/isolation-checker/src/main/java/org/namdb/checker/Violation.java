package org.namdb.checker;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.namdb.checker.history.Transaction;

/// A place in a history that violates a rule.
///
/// @param rule the rule
/// @param transactions those that it takes to see it
/// @param keys the keys that it is about, none if it is about snapshots only
/// @param explanation what is wrong: a sentence or two
/// @param cycle dependencies that can't all hold, each from where the one before it ends; empty if
///     they would add nothing
public record Violation(
        Rule rule,
        List<Transaction> transactions,
        List<Long> keys,
        String explanation,
        List<Dependency> cycle) {
    public Violation {
        transactions = transactions.stream().distinct().toList();
        keys = keys.stream().distinct().toList();
        cycle = List.copyOf(cycle);
    }

    /// A violation that is explained by a cycle: its transactions and keys are those of the cycle,
    /// and the others that are named.
    static Violation ofCycle(
            Rule rule, List<Long> keys, String explanation, List<Dependency> cycle) {
        List<Transaction> transactions = cycle.stream().map(Dependency::from).toList();
        return new Violation(rule, transactions, withKeysOf(cycle, keys), explanation, cycle);
    }

    private static List<Long> withKeysOf(List<Dependency> cycle, List<Long> keys) {
        return Stream.concat(
                        keys.stream(), cycle.stream().map(Dependency::key).filter(Objects::nonNull))
                .toList();
    }
}
