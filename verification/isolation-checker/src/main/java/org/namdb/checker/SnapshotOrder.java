package org.namdb.checker;

import java.util.ArrayList;
import java.util.List;
import org.namdb.checker.history.History;
import org.namdb.checker.history.Snapshot;
import org.namdb.checker.history.Transaction;

/// The different snapshots of a history in an order in which each is after all that it dominates.
/// If they form a chain, this is the chain; if they don't, it is still an order in which time moves
/// forward.
final class SnapshotOrder {
    private final List<Snapshot> snapshots;
    private final int[] ranks;
    private final Transaction[] users;

    SnapshotOrder(History history, Steps steps) {
        snapshots = new ArrayList<>(history.snapshots());
        snapshots.sort((one, other) -> {
            steps.add(1);
            return one.compareTo(other);
        });
        ranks = new int[snapshots.size()];
        for (int rank = 0; rank < ranks.length; rank++) {
            ranks[snapshots.get(rank).number()] = rank;
        }
        users = new Transaction[snapshots.size()];
        for (Transaction transaction : history.transactions()) {
            int number = transaction.snapshot().number();
            Transaction user = users[number];
            if (user == null || transaction.beginNanos() < user.beginNanos()) {
                users[number] = transaction;
            }
        }
    }

    /// The snapshots in order.
    List<Snapshot> snapshots() {
        return snapshots;
    }

    /// The place of a snapshot in the order.
    int rank(Snapshot snapshot) {
        return ranks[snapshot.number()];
    }

    /// The transaction that was first to use a snapshot.
    Transaction firstUser(Snapshot snapshot) {
        return users[snapshot.number()];
    }
}
