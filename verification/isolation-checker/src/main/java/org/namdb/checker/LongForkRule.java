package org.namdb.checker;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.namdb.checker.history.Snapshot;
import org.namdb.checker.history.Transaction;

/// Snapshots form a chain. In an order in which each snapshot is after all that it dominates, it is
/// enough that each dominates the one before: dominance is transitive.
final class LongForkRule {
    private static final Comparator<Transaction> EARLIER_FIRST =
            Comparator.comparingLong(Transaction::beginNanos).thenComparingInt(Transaction::index);

    private final Evidence evidence;
    private final Findings findings;
    private final Dependencies dependencies;

    LongForkRule(Evidence evidence, Findings findings) {
        this.evidence = evidence;
        this.findings = findings;
        this.dependencies = new Dependencies(evidence);
    }

    void check() {
        List<Snapshot> order = evidence.snapshots().snapshots();
        for (int rank = 1; rank < order.size(); rank++) {
            Snapshot before = order.get(rank - 1);
            evidence.steps().add(before.length());
            if (!order.get(rank).dominates(before)) {
                report(before, order.get(rank));
            }
        }
    }

    private void report(Snapshot one, Snapshot other) {
        Transaction reader = evidence.snapshots().firstUser(one);
        Transaction otherReader = evidence.snapshots().firstUser(other);
        boolean torn =
                isShown(reader, otherReader.snapshot()) || isShown(otherReader, reader.snapshot());
        findings.add(
                Rule.LONG_FORK,
                torn ? 3 : 4,
                Math.max(reader.endNanos(), otherReader.endNanos()),
                () ->
                        EARLIER_FIRST.compare(reader, otherReader) <= 0
                                ? explain(reader, otherReader)
                                : explain(otherReader, reader));
    }

    private static boolean isShown(Transaction transaction, Snapshot snapshot) {
        return transaction.hasTimestamp() && snapshot.shows(transaction);
    }

    private Violation explain(Transaction one, Transaction other) {
        if (isShown(one, other.snapshot()) && !isShown(other, one.snapshot())) {
            return explain(other, one);
        }
        // What `one` sees and `other` doesn't; it is `other` itself if `one` sees that.
        Transaction seen =
                isShown(other, one.snapshot()) ? other : dependencies.witness(one, other);
        Transaction missed = dependencies.witness(other, one);
        if (seen == null || missed == null) {
            return withoutWitness(one, other, seen, missed);
        }
        List<Dependency> cycle = new ArrayList<>();
        cycle.add(dependencies.seenBy(seen, one));
        cycle.add(dependencies.misses(one, missed));
        cycle.add(dependencies.seenBy(missed, other));
        if (seen != other) {
            cycle.add(dependencies.misses(other, seen));
        }
        return Violation.ofCycle(
                Rule.LONG_FORK,
                List.of(),
                ("%s's snapshot shows %s's commit %s, but not %s's %s; %s's shows %s's, but not %s's."
                                + " So neither can be the older one.")
                        .formatted(
                                one.name(),
                                seen.name(),
                                seen.commitTimestamp(),
                                missed.name(),
                                missed.commitTimestamp(),
                                other.name(),
                                missed.name(),
                                seen.name()),
                cycle);
    }

    private static Violation withoutWitness(
            Transaction one,
            Transaction other,
            @Nullable Transaction seen,
            @Nullable Transaction missed) {
        List<Transaction> transactions = new ArrayList<>(List.of(one, other));
        if (seen != null) {
            transactions.add(seen);
        }
        if (missed != null) {
            transactions.add(missed);
        }
        return new Violation(
                Rule.LONG_FORK,
                transactions,
                List.of(),
                "The snapshots of %s and %s can't be ordered: the first has %s, the second has %s."
                        .formatted(
                                one.name(),
                                other.name(),
                                Dependencies.firstDifference(one.snapshot(), other.snapshot()),
                                Dependencies.firstDifference(other.snapshot(), one.snapshot())),
                List.of());
    }
}
