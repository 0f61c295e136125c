package org.namdb.checker;

import java.util.BitSet;
import java.util.List;
import org.namdb.checker.history.History;
import org.namdb.checker.history.Operation;
import org.namdb.checker.history.Snapshot;
import org.namdb.checker.history.Status;
import org.namdb.checker.history.Transaction;
import org.namdb.checker.history.Write;

/// Which transactions count as committed.
///
/// One whose outcome is unknown counts if its commit timestamp is known and another transaction has
/// seen it: a snapshot shows it, or another transaction has read one of its values. Otherwise it
/// may as well have failed, and no rule is violated by supposing that it has. If its timestamp is
/// unknown too, it has no place among the versions: reads of its values are valid.
final class Outcomes {
    private final History history;
    private final Steps steps;
    private final BitSet committed = new BitSet();
    private final BitSet unknown = new BitSet();

    Outcomes(History history, Steps steps) {
        this.history = history;
        this.steps = steps;
        for (Transaction transaction : history.transactions()) {
            if (transaction.status() == Status.OK) {
                committed.set(transaction.index());
            } else if (transaction.status() == Status.INFO && transaction.hasTimestamp()) {
                unknown.set(transaction.index());
            }
        }
        if (!unknown.isEmpty()) {
            addShown();
            unknown.andNot(committed);
        }
        if (!unknown.isEmpty()) {
            addRead();
        }
    }

    boolean isCommitted(Transaction transaction) {
        return committed.get(transaction.index());
    }

    private void addShown() {
        long[] newest = new long[history.slots()];
        for (Snapshot snapshot : history.snapshots()) {
            steps.add(snapshot.length());
            for (int slot = 0; slot < snapshot.length(); slot++) {
                newest[slot] = Math.max(newest[slot], snapshot.element(slot));
            }
        }
        List<Transaction> transactions = history.transactions();
        unknown.stream()
                .filter(index ->
                        newest[transactions.get(index).slot()]
                                >= transactions.get(index).timestamp())
                .forEach(committed::set);
    }

    private void addRead() {
        for (Transaction reader : history.transactions()) {
            steps.add(reader.operations().size());
            for (Operation operation : reader.operations()) {
                if (!operation.isWrite()) {
                    addWriter(reader, operation);
                }
            }
        }
    }

    private void addWriter(Transaction reader, Operation read) {
        Write write = history.writes().find(read.key(), read.value());
        if (write != null && write.writer() != reader && unknown.get(write.writer().index())) {
            committed.set(write.writer().index());
        }
    }
}
