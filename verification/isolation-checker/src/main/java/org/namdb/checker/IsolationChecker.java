package org.namdb.checker;

import java.util.EnumSet;
import java.util.Set;
import org.namdb.checker.history.History;

/// Checks whether a history was one of snapshot isolation:
/// ```
/// Verdict verdict = IsolationChecker.strict().check(history);
/// if (!verdict.holds()) {
///     throw new AssertionError(VerdictReport.of(verdict));
/// }
/// ```
/// The time it takes is near-linear in the history's size: every operation, commit and snapshot is
/// visited a fixed number of times, and only sorting takes more. Immutable; may be used by many
/// threads.
public final class IsolationChecker {
    private final Set<Rule> rules;

    private IsolationChecker(Set<Rule> rules) {
        this.rules = rules;
    }

    /// Checks every rule: strong snapshot isolation.
    public static IsolationChecker strict() {
        return new IsolationChecker(EnumSet.allOf(Rule.class));
    }

    /// Checks every rule but [Rule#REAL_TIME], for a database whose snapshots may be stale:
    /// snapshot isolation that is strong within each session.
    public static IsolationChecker allowingStale() {
        return new IsolationChecker(EnumSet.complementOf(EnumSet.of(Rule.REAL_TIME)));
    }

    /// Checks a history.
    public Verdict check(History history) {
        Evidence evidence = new Evidence(history);
        Findings findings = new Findings();
        WriteSkews skews = new WriteSkews(evidence);
        new TimestampRules(evidence, findings).check();
        new ReadRules(evidence, findings, skews).check();
        new VersionRule(evidence, findings).check();
        new TornSnapshotRule(evidence, findings).check();
        new LongForkRule(evidence, findings).check();
        new SessionRules(evidence, findings).check();
        if (rules.contains(Rule.REAL_TIME)) {
            new RealTimeRule(evidence, findings).check();
        }
        long writeSkews = findings.isEmpty() ? skews.count() : 0;
        return new Verdict(evidence, rules, findings, writeSkews);
    }
}
