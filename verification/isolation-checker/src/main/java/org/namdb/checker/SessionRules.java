package org.namdb.checker;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.checker.Dependency.Kind;
import org.namdb.checker.history.Status;
import org.namdb.checker.history.Transaction;

/// A session does one thing at a time, sees its own commits, and its snapshots never go back. Each
/// transaction is compared with the one before, which is enough, since dominance is transitive.
final class SessionRules {
    private final Evidence evidence;
    private final Findings findings;
    private final Dependencies dependencies;

    SessionRules(Evidence evidence, Findings findings) {
        this.evidence = evidence;
        this.findings = findings;
        this.dependencies = new Dependencies(evidence);
    }

    void check() {
        for (List<Transaction> session : evidence.sessions().sessions()) {
            checkOverlap(session);
            checkOrder(session);
        }
    }

    private void checkOverlap(List<Transaction> session) {
        Transaction lastToEnd = session.getFirst();
        for (Transaction transaction : session.subList(1, session.size())) {
            if (transaction.beginNanos() < lastToEnd.endNanos()) {
                reportOverlap(lastToEnd, transaction);
            }
            if (transaction.endNanos() > lastToEnd.endNanos()) {
                lastToEnd = transaction;
            }
        }
    }

    private void checkOrder(List<Transaction> session) {
        @Nullable Transaction before = null;
        for (Transaction transaction : session) {
            if (!transaction.usedSnapshot()) {
                continue;
            }
            evidence.steps().add(transaction.snapshot().length());
            if (before != null) {
                compare(before, transaction);
            }
            before = transaction;
        }
    }

    private void compare(Transaction first, Transaction second) {
        if (second.beginNanos() < first.endNanos()) {
            return; // they overlap: that is another rule
        }
        if (first.status() == Status.OK
                && first.hasTimestamp()
                && !second.snapshot().shows(first)) {
            findings.add(Rule.SESSION_ORDER, 2, second.endNanos(), () -> missesOwn(first, second));
        } else if (!second.snapshot().dominates(first.snapshot())) {
            findings.add(Rule.SESSION_ORDER, 3, second.endNanos(), () -> goesBack(first, second));
        }
    }

    private void reportOverlap(Transaction first, Transaction second) {
        findings.add(
                Rule.SESSION_OVERLAP,
                2,
                second.endNanos(),
                () ->
                        new Violation(
                                Rule.SESSION_OVERLAP,
                                List.of(first, second),
                                List.of(),
                                "%s begins in session %s, %s before %s has ended there."
                                        .formatted(
                                                second.name(),
                                                second.session(),
                                                Words.nanos(first.endNanos() - second.beginNanos()),
                                                first.name()),
                                List.of()));
    }

    private Violation missesOwn(Transaction first, Transaction second) {
        return Violation.ofCycle(
                Rule.SESSION_ORDER,
                List.of(),
                "%s follows %s in session %s, but its snapshot doesn't show %s's commit %s."
                        .formatted(
                                second.name(),
                                first.name(),
                                second.session(),
                                first.name(),
                                first.commitTimestamp()),
                List.of(
                        new Dependency(first, Kind.SO, null, second),
                        dependencies.misses(second, first)));
    }

    private Violation goesBack(Transaction first, Transaction second) {
        List<Dependency> cycle = dependencies.goesBack(first, Kind.SO, second);
        String explanation =
                "%s follows %s in session %s, but its snapshot is not as new: it has %s."
                        .formatted(
                                second.name(),
                                first.name(),
                                second.session(),
                                Dependencies.firstDifference(second.snapshot(), first.snapshot()));
        return cycle.isEmpty()
                ? new Violation(
                        Rule.SESSION_ORDER,
                        List.of(first, second),
                        List.of(),
                        explanation,
                        List.of())
                : Violation.ofCycle(Rule.SESSION_ORDER, List.of(), explanation, cycle);
    }
}
