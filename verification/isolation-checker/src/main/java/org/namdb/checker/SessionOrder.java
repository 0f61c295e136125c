package org.namdb.checker;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.namdb.checker.history.Transaction;

/// The transactions in the order in which they began, all of them and those of each session.
final class SessionOrder {
    /// Of two that began at the same time, the one that ended first is before.
    private static final Comparator<Transaction> ORDER =
            Comparator.comparingLong(Transaction::beginNanos)
                    .thenComparingLong(Transaction::endNanos);

    private final List<Transaction> all;
    private final Map<String, List<Transaction>> sessions = new LinkedHashMap<>();

    SessionOrder(List<Transaction> transactions) {
        all = new ArrayList<>(transactions);
        all.sort(ORDER);
        for (Transaction transaction : all) {
            sessions.computeIfAbsent(transaction.session(), name -> new ArrayList<>())
                    .add(transaction);
        }
    }

    List<Transaction> all() {
        return all;
    }

    Collection<List<Transaction>> sessions() {
        return sessions.values();
    }
}
