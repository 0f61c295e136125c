package org.namdb.checker.report;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.namdb.checker.Rule;
import org.namdb.checker.Verdict;
import org.namdb.checker.Words;
import org.namdb.checker.history.History;
import org.namdb.checker.history.Status;
import org.namdb.checker.history.Transaction;

/// What was checked, and by which rules.
final class SummaryText {
    private static final int LABEL_WIDTH = 16;

    private final Verdict verdict;
    private final StringBuilder text;

    SummaryText(Verdict verdict, StringBuilder text) {
        this.verdict = verdict;
        this.text = text;
    }

    void append() {
        History history = verdict.history();
        row("transactions", transactions(history.transactions()));
        row("sessions", number(verdict.sessions()));
        row("keys", number(history.keys()));
        row(
                "snapshots",
                number(history.snapshots().size())
                        + " different ones, of "
                        + plural(history.slots(), "slot"));
        row("time span", Words.nanos(span(history.transactions())));
        if (verdict.writeSkews() > 0) {
            row(
                    "write skews",
                    plural(verdict.writeSkews(), "pair") + ", which snapshot isolation allows");
        }
        row("rules checked", labels(verdict.rules()));
        Set<Rule> unchecked = EnumSet.allOf(Rule.class);
        unchecked.removeAll(verdict.rules());
        if (!unchecked.isEmpty()) {
            row("not checked", labels(unchecked));
        }
    }

    private void row(String label, String value) {
        text.append("  ")
                .append(label)
                .repeat(' ', LABEL_WIDTH - label.length())
                .append(Paragraph.wrap(value, LABEL_WIDTH + 2, LABEL_WIDTH + 2))
                .append('\n');
    }

    private String transactions(List<Transaction> transactions) {
        long noticed =
                transactions.stream()
                        .filter(transaction -> transaction.status() == Status.INFO)
                        .filter(verdict::isCommitted)
                        .count();
        return "%s: %s ok, %s failed, %s of unknown outcome%s"
                .formatted(
                        number(transactions.size()),
                        number(count(transactions, Status.OK)),
                        number(count(transactions, Status.FAIL)),
                        number(count(transactions, Status.INFO)),
                        noticed == 0
                                ? ""
                                : " (" + number(noticed) + " of those count as committed)");
    }

    private static long count(List<Transaction> transactions, Status status) {
        return transactions.stream().filter(transaction -> transaction.status() == status).count();
    }

    private static long span(List<Transaction> transactions) {
        long first = transactions.stream().mapToLong(Transaction::beginNanos).min().orElse(0);
        long last = transactions.stream().mapToLong(Transaction::endNanos).max().orElse(0);
        return last - first;
    }

    private static String labels(Set<Rule> rules) {
        return rules.stream().map(Rule::label).collect(Collectors.joining(", "));
    }

    private static String plural(long count, String unit) {
        return number(count) + " " + unit + (count == 1 ? "" : "s");
    }

    static String number(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }
}
