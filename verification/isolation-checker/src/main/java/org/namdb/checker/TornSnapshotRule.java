package org.namdb.checker;

import java.util.List;
import org.namdb.checker.history.Snapshot;
import org.namdb.checker.history.Transaction;

/// A snapshot that shows a transaction dominates that one's own snapshot. Along a chain it is
/// enough that the first snapshot which shows it does, since the later ones dominate that; so each
/// commit is compared once for each chain, while a pointer moves over its slot.
///
/// Where the snapshots form a single chain and none shows its own transaction, this follows: the
/// two can be compared, and the one that doesn't show the commit can't be the larger. So it is
/// violated only along with one of those rules, but it explains better.
final class TornSnapshotRule {
    private final Evidence evidence;
    private final Findings findings;
    private final Dependencies dependencies;

    TornSnapshotRule(Evidence evidence, Findings findings) {
        this.evidence = evidence;
        this.findings = findings;
        this.dependencies = new Dependencies(evidence);
    }

    void check() {
        for (List<Snapshot> chain :
                new ChainCover(evidence.snapshots(), evidence.steps()).chains()) {
            checkChain(chain);
        }
    }

    private void checkChain(List<Snapshot> chain) {
        SlotCommits commits = evidence.commits();
        int[] places = new int[commits.slots()];
        for (Snapshot snapshot : chain) {
            evidence.steps().add(snapshot.length());
            for (int slot = 0; slot < snapshot.length(); slot++) {
                List<Transaction> inSlot = commits.inSlot(slot);
                long shown = snapshot.element(slot);
                while (places[slot] < inSlot.size()
                        && inSlot.get(places[slot]).timestamp() <= shown) {
                    compare(snapshot, inSlot.get(places[slot]++));
                }
            }
        }
    }

    private void compare(Snapshot snapshot, Transaction shown) {
        evidence.steps().add(shown.snapshot().length());
        if (!snapshot.dominates(shown.snapshot())) {
            Transaction reader = evidence.snapshots().firstUser(snapshot);
            findings.add(
                    Rule.TORN_SNAPSHOT,
                    3,
                    Math.max(shown.endNanos(), reader.endNanos()),
                    () -> explain(shown, reader));
        }
    }

    private Violation explain(Transaction shown, Transaction reader) {
        Transaction seen = dependencies.witness(shown, reader);
        String torn =
                "%s's snapshot shows %s's commit %s"
                        .formatted(reader.name(), shown.name(), shown.commitTimestamp());
        if (seen == null) {
            return new Violation(
                    Rule.TORN_SNAPSHOT,
                    List.of(shown, reader),
                    List.of(),
                    "%s, but less than %s itself saw: %s."
                            .formatted(
                                    torn,
                                    shown.name(),
                                    Dependencies.firstDifference(
                                            reader.snapshot(), shown.snapshot())),
                    List.of());
        }
        return Violation.ofCycle(
                Rule.TORN_SNAPSHOT,
                List.of(),
                "%s, but not %s's %s, which %s has seen."
                        .formatted(torn, seen.name(), seen.commitTimestamp(), shown.name()),
                List.of(
                        dependencies.seenBy(seen, shown),
                        dependencies.seenBy(shown, reader),
                        dependencies.misses(reader, seen)));
    }
}
