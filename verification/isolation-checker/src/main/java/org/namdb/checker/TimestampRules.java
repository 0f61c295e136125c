package org.namdb.checker;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.namdb.checker.Dependency.Kind;
import org.namdb.checker.history.Transaction;

/// Commit timestamps name one transaction each, and none that its own snapshot shows.
final class TimestampRules {
    private final Evidence evidence;
    private final Findings findings;

    TimestampRules(Evidence evidence, Findings findings) {
        this.evidence = evidence;
        this.findings = findings;
    }

    void check() {
        for (int slot = 0; slot < evidence.commits().slots(); slot++) {
            checkSlot(evidence.commits().inSlot(slot));
        }
        for (List<Transaction> session : evidence.sessions().sessions()) {
            checkSession(session);
        }
    }

    private void checkSlot(List<Transaction> commits) {
        evidence.steps().add(commits.size());
        for (int place = 0; place < commits.size(); place++) {
            Transaction commit = commits.get(place);
            if (place > 0 && commits.get(place - 1).timestamp() == commit.timestamp()) {
                reportDuplicate(commits.get(place - 1), commit);
            }
            if (commit.snapshot().shows(commit)) {
                reportSeesItself(commit);
            }
        }
    }

    private void checkSession(List<Transaction> session) {
        evidence.steps().add(session.size());
        Map<Integer, Transaction> lastInSlot = new HashMap<>();
        for (Transaction transaction : session) {
            if (transaction.hasTimestamp()) {
                Transaction before = lastInSlot.put(transaction.slot(), transaction);
                if (before != null && before.timestamp() > transaction.timestamp()) {
                    reportOrder(before, transaction);
                }
            }
        }
    }

    private void reportDuplicate(Transaction one, Transaction other) {
        findings.add(
                Rule.DUPLICATE_TIMESTAMP,
                2,
                Math.max(one.endNanos(), other.endNanos()),
                () ->
                        new Violation(
                                Rule.DUPLICATE_TIMESTAMP,
                                List.of(one, other),
                                List.of(),
                                "%s and %s have the same commit timestamp %s."
                                        .formatted(
                                                one.name(), other.name(), other.commitTimestamp()),
                                List.of()));
    }

    private void reportOrder(Transaction first, Transaction second) {
        findings.add(
                Rule.TIMESTAMP_ORDER,
                2,
                second.endNanos(),
                () ->
                        new Violation(
                                Rule.TIMESTAMP_ORDER,
                                List.of(first, second),
                                List.of(),
                                "%s follows %s in session %s, but commits at %s, before %s."
                                        .formatted(
                                                second.name(),
                                                first.name(),
                                                second.session(),
                                                second.commitTimestamp(),
                                                first.commitTimestamp()),
                                List.of()));
    }

    private void reportSeesItself(Transaction transaction) {
        findings.add(
                Rule.SEES_ITSELF,
                1,
                transaction.endNanos(),
                () ->
                        Violation.ofCycle(
                                Rule.SEES_ITSELF,
                                List.of(),
                                "%s's snapshot shows slot %d up to %d, and with it %s's own commit %s."
                                        .formatted(
                                                transaction.name(),
                                                transaction.slot(),
                                                transaction.snapshot().element(transaction.slot()),
                                                transaction.name(),
                                                transaction.commitTimestamp()),
                                List.of(
                                        new Dependency(
                                                transaction, Kind.SEEN_BY, null, transaction))));
    }
}
