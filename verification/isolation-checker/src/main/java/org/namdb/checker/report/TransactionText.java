package org.namdb.checker.report;

import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.namdb.checker.Verdict;
import org.namdb.checker.Violation;
import org.namdb.checker.Words;
import org.namdb.checker.history.Operation;
import org.namdb.checker.history.Snapshot;
import org.namdb.checker.history.Transaction;

/// Shows the transactions of a violation, with what matters to it.
final class TransactionText {
    private static final int MAX_SLOTS = 16;
    private static final int MAX_OPERATIONS = 12;

    private final Verdict verdict;
    private final Violation violation;
    private final List<Integer> slots;
    private final int nameWidth;

    TransactionText(Verdict verdict, Violation violation) {
        this.verdict = verdict;
        this.violation = violation;
        this.slots = slots();
        this.nameWidth =
                violation.transactions().stream()
                        .mapToInt(transaction -> transaction.name().length())
                        .max()
                        .orElse(0);
    }

    /// All slots if there are few, else those in which the transactions commit or differ.
    private List<Integer> slots() {
        int all = verdict.history().slots();
        if (all <= MAX_SLOTS) {
            return IntStream.range(0, all).boxed().toList();
        }
        TreeSet<Integer> matter = new TreeSet<>();
        for (Transaction transaction : violation.transactions()) {
            if (transaction.hasTimestamp()) {
                matter.add(transaction.slot());
            }
        }
        Snapshot first = violation.transactions().getFirst().snapshot();
        for (int slot = 0; slot < all && matter.size() < MAX_SLOTS; slot++) {
            int each = slot;
            if (violation.transactions().stream()
                    .anyMatch(transaction ->
                            transaction.snapshot().element(each) != first.element(each))) {
                matter.add(slot);
            }
        }
        return List.copyOf(matter);
    }

    void append(StringBuilder text) {
        for (Transaction transaction : violation.transactions()) {
            append(transaction, text);
        }
    }

    private void append(Transaction transaction, StringBuilder text) {
        String margin = " ".repeat(nameWidth + 4);
        text.append("  ")
                .append(transaction.name())
                .repeat(' ', nameWidth + 2 - transaction.name().length())
                .append(transaction.status().word())
                .append(", session ")
                .append(transaction.session())
                .append(commit(transaction))
                .append(", b = ")
                .append(transaction.beginNanos())
                .append(", e = ")
                .append(transaction.endNanos())
                .append('\n');
        String label =
                slots.size() == verdict.history().slots()
                        ? "snapshot "
                        : "snapshot, where it matters: ";
        text.append(margin)
                .append(label)
                .append(
                        Paragraph.wrap(
                                snapshot(transaction),
                                margin.length() + label.length(),
                                margin.length() + 2))
                .append('\n');
        appendOperations(transaction, margin, text);
    }

    private String commit(Transaction transaction) {
        if (!transaction.hasTimestamp()) {
            return transaction.operations().stream().anyMatch(Operation::isWrite)
                    ? ""
                    : ", read-only";
        }
        return ", commit " + transaction.commitTimestamp();
    }

    private String snapshot(Transaction transaction) {
        Snapshot snapshot = transaction.snapshot();
        boolean all = slots.size() == verdict.history().slots();
        return slots.stream()
                .map(slot -> (all ? "" : slot + ": ") + snapshot.element(slot))
                .collect(Collectors.joining(", ", "[", "]"));
    }

    /// Those on the violation's keys; all if it is about none.
    private void appendOperations(Transaction transaction, String margin, StringBuilder text) {
        List<Operation> shown =
                transaction.operations().stream()
                        .filter(operation ->
                                violation.keys().isEmpty()
                                        || violation.keys().contains(operation.key()))
                        .limit(MAX_OPERATIONS)
                        .toList();
        for (Operation operation : shown) {
            text.append(margin)
                    .append(operation.isWrite() ? "write " : "read  ")
                    .append(Words.assignment(operation.key(), operation.value()))
                    .append('\n');
        }
        int others = transaction.operations().size() - shown.size();
        if (others > 0) {
            text.append(margin)
                    .append(shown.isEmpty() ? "" : "and ")
                    .append(others)
                    .append(others == 1 ? " other operation\n" : " other operations\n");
        }
    }
}
