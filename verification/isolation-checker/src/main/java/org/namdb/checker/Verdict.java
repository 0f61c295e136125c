package org.namdb.checker;

import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.namdb.checker.history.History;
import org.namdb.checker.history.Transaction;

/// What was found out about a history.
public final class Verdict {
    private final Evidence evidence;
    private final Set<Rule> rules;
    private final Findings findings;
    private final Map<Rule, List<Violation>> violations = new EnumMap<>(Rule.class);
    private final Optional<Violation> smallest;
    private final long writeSkews;

    Verdict(Evidence evidence, Set<Rule> rules, Findings findings, long writeSkews) {
        this.evidence = evidence;
        this.rules = rules;
        this.findings = findings;
        this.writeSkews = writeSkews;
        for (Rule rule : rules) {
            violations.put(rule, findings.violations(rule));
        }
        this.smallest = findings.smallest();
    }

    /// Whether the history keeps to all rules that were checked.
    public boolean holds() {
        return findings.isEmpty();
    }

    /// The violation that is easiest to understand: it takes the fewest transactions, and is the
    /// earliest of those.
    public Optional<Violation> smallest() {
        return smallest;
    }

    /// How many violations of a rule there are. One mistake of the database may be counted more
    /// than once.
    public long count(Rule rule) {
        return findings.count(rule);
    }

    /// A few violations of a rule, the smallest and earliest first.
    public List<Violation> violations(Rule rule) {
        return violations.getOrDefault(rule, List.of());
    }

    /// The rules that were checked.
    public Set<Rule> rules() {
        return Collections.unmodifiableSet(rules);
    }

    /// The history.
    public History history() {
        return evidence.history();
    }

    /// Whether a transaction counts as committed: also one whose outcome is unknown, if it was
    /// noticed.
    public boolean isCommitted(Transaction transaction) {
        return evidence.isCommitted(transaction);
    }

    /// How many sessions there are.
    public int sessions() {
        return evidence.sessions().sessions().size();
    }

    /// How many pairs of transactions have each overwritten what the other had read, which snapshot
    /// isolation allows. Not counted, and 0, if a rule is violated.
    public long writeSkews() {
        return writeSkews;
    }

    /// How much work it was: operations and commits visited, elements of snapshots compared.
    public long steps() {
        return evidence.steps().count();
    }
}
