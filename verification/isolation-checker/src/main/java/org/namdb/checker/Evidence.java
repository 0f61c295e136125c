package org.namdb.checker;

import org.namdb.checker.history.History;
import org.namdb.checker.history.Transaction;

/// What follows from a history before any rule is applied to it.
final class Evidence {
    private final History history;
    private final Steps steps = new Steps();
    private final SessionOrder sessions;
    private final SlotCommits commits;
    private final SnapshotOrder snapshots;
    private final Outcomes outcomes;
    private final VersionOrder versions;

    Evidence(History history) {
        this.history = history;
        sessions = new SessionOrder(history.transactions());
        commits = new SlotCommits(history);
        snapshots = new SnapshotOrder(history, steps);
        outcomes = new Outcomes(history, steps);
        versions = new VersionOrder(history, outcomes, snapshots, steps);
    }

    History history() {
        return history;
    }

    /// Counts the work, of this and of the rules.
    Steps steps() {
        return steps;
    }

    /// Whether a transaction counts as committed.
    boolean isCommitted(Transaction transaction) {
        return outcomes.isCommitted(transaction);
    }

    SessionOrder sessions() {
        return sessions;
    }

    SlotCommits commits() {
        return commits;
    }

    SnapshotOrder snapshots() {
        return snapshots;
    }

    VersionOrder versions() {
        return versions;
    }
}
