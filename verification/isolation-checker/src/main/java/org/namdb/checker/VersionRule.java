package org.namdb.checker;

import java.util.List;
import org.namdb.checker.Dependency.Kind;
import org.namdb.checker.history.Transaction;
import org.namdb.checker.history.Write;
import org.namdb.checker.history.WriteTable;

/// Of two writers of a key, exactly one's snapshot shows the other. It is enough to compare
/// neighbours in the order of their snapshots: if the third shows the second, its snapshot
/// dominates the second's, which shows the first. (If they formed no chain, a pair of others might
/// be missed, but then the history is refused anyway.)
final class VersionRule {
    private final Evidence evidence;
    private final Findings findings;
    private final Dependencies dependencies;

    VersionRule(Evidence evidence, Findings findings) {
        this.evidence = evidence;
        this.findings = findings;
        this.dependencies = new Dependencies(evidence);
    }

    void check() {
        WriteTable writes = evidence.history().writes();
        for (int number = 0; number < writes.count(); number++) {
            Write version = writes.write(number);
            Write next = evidence.versions().next(version);
            if (next != null) {
                evidence.steps().add(1);
                compare(version.key(), version.writer(), next.writer());
            }
        }
    }

    private void compare(long key, Transaction one, Transaction other) {
        boolean oneSeen = other.snapshot().shows(one);
        boolean otherSeen = one.snapshot().shows(other);
        long nanos = Math.max(one.endNanos(), other.endNanos());
        if (!oneSeen && !otherSeen) {
            findings.add(Rule.LOST_UPDATE, 2, nanos, () -> lostUpdate(key, one, other));
        } else if (oneSeen && otherSeen) {
            findings.add(Rule.VERSION_CYCLE, 2, nanos, () -> cycle(key, one, other));
        }
    }

    private Violation lostUpdate(long key, Transaction one, Transaction other) {
        return Violation.ofCycle(
                Rule.LOST_UPDATE,
                List.of(key),
                "%s and %s both committed a write of k%d, and neither's snapshot shows the other."
                        .formatted(one.name(), other.name(), key),
                List.of(
                        dependencies.misses(one, other, key),
                        dependencies.misses(other, one, key)));
    }

    private static Violation cycle(long key, Transaction one, Transaction other) {
        return Violation.ofCycle(
                Rule.VERSION_CYCLE,
                List.of(key),
                "%s and %s both committed a write of k%d, and each one's snapshot shows the other."
                        .formatted(one.name(), other.name(), key),
                List.of(
                        new Dependency(one, Kind.WW, key, other),
                        new Dependency(other, Kind.WW, key, one)));
    }
}
