package org.namdb.checker;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.checker.Dependency.Kind;
import org.namdb.checker.history.Snapshot;
import org.namdb.checker.history.Status;
import org.namdb.checker.history.Transaction;

/// Strong snapshot isolation: a transaction sees every commit that was acknowledged before it
/// began, and all that any transaction had seen that ended before it began. One sweep over time
/// keeps, for each slot, the newest timestamp that must be seen.
final class RealTimeRule {
    private final Evidence evidence;
    private final Findings findings;
    private final Dependencies dependencies;

    /// The commits that were acknowledged.
    private final Frontier acknowledged;

    /// What was shown to transactions that have ended.
    private final Frontier seen;

    RealTimeRule(Evidence evidence, Findings findings) {
        this.evidence = evidence;
        this.findings = findings;
        this.dependencies = new Dependencies(evidence);
        acknowledged = new Frontier(evidence.history().slots(), evidence.steps());
        seen = new Frontier(evidence.history().slots(), evidence.steps());
    }

    void check() {
        List<Transaction> byEnd = new ArrayList<>(evidence.history().transactions());
        byEnd.sort(Comparator.comparingLong(Transaction::endNanos));
        int ended = 0;
        for (Transaction transaction : evidence.sessions().all()) {
            while (byEnd.get(ended).endNanos() < transaction.beginNanos()) {
                end(byEnd.get(ended++));
            }
            if (transaction.usedSnapshot()) {
                begin(transaction);
            }
        }
    }

    private void end(Transaction transaction) {
        if (transaction.status() == Status.OK && transaction.hasTimestamp()) {
            acknowledged.raise(transaction.slot(), transaction.timestamp(), transaction);
        }
        Snapshot snapshot = transaction.snapshot();
        evidence.steps().add(snapshot.length());
        for (int slot = 0; slot < snapshot.length(); slot++) {
            seen.raise(slot, snapshot.element(slot), transaction);
        }
    }

    /// One violation at most, since others are likely to have the same cause.
    private void begin(Transaction transaction) {
        @Nullable Transaction committer = acknowledged.beyond(transaction.snapshot());
        if (committer != null) {
            findings.add(
                    Rule.REAL_TIME,
                    2,
                    transaction.endNanos(),
                    () -> missesCommit(committer, transaction));
            return;
        }
        @Nullable Transaction viewer = seen.beyond(transaction.snapshot());
        if (viewer != null) {
            findings.add(
                    Rule.REAL_TIME, 3, transaction.endNanos(), () -> goesBack(viewer, transaction));
        }
    }

    private Violation missesCommit(Transaction first, Transaction second) {
        return Violation.ofCycle(
                Rule.REAL_TIME,
                List.of(),
                "%s, but its snapshot doesn't show %s's commit %s."
                        .formatted(began(first, second), first.name(), first.commitTimestamp()),
                List.of(
                        new Dependency(first, Kind.RT, null, second),
                        dependencies.misses(second, first)));
    }

    private Violation goesBack(Transaction first, Transaction second) {
        List<Dependency> cycle = dependencies.goesBack(first, Kind.RT, second);
        String explanation =
                "%s, but its snapshot is not as new: it has %s."
                        .formatted(
                                began(first, second),
                                Dependencies.firstDifference(second.snapshot(), first.snapshot()));
        return cycle.isEmpty()
                ? new Violation(
                        Rule.REAL_TIME, List.of(first, second), List.of(), explanation, List.of())
                : Violation.ofCycle(Rule.REAL_TIME, List.of(), explanation, cycle);
    }

    private static String began(Transaction first, Transaction second) {
        return "%s began %s after %s had ended"
                .formatted(
                        second.name(),
                        Words.nanos(second.beginNanos() - first.endNanos()),
                        first.name());
    }
}
