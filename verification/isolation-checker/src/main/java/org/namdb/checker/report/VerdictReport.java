package org.namdb.checker.report;

import java.util.List;
import org.namdb.checker.Dependency;
import org.namdb.checker.Rule;
import org.namdb.checker.Verdict;
import org.namdb.checker.Violation;

/// A verdict as text: that it holds, in a few lines; or the smallest violation with all that it
/// takes to understand it, and after that how many others there are.
public final class VerdictReport {
    private final Verdict verdict;
    private final StringBuilder text = new StringBuilder();

    private VerdictReport(Verdict verdict) {
        this.verdict = verdict;
    }

    /// The report: lines that end with `\n`.
    public static String of(Verdict verdict) {
        return new VerdictReport(verdict).write();
    }

    private String write() {
        if (verdict.holds()) {
            text.append("Snapshot isolation holds.\n\n");
        } else {
            text.append("Snapshot isolation is VIOLATED.\n\n");
            verdict.smallest().ifPresent(this::explain);
            text.append("All violations, with the smallest of each rule:\n\n");
            verdict.rules().stream().filter(rule -> verdict.count(rule) > 0).forEach(this::count);
            text.append("\nThe history:\n\n");
        }
        new SummaryText(verdict, text).append();
        return text.toString();
    }

    private void explain(Violation violation) {
        text.append("Broken rule: ")
                .append(violation.rule().label())
                .append(" (")
                .append(violation.rule().demand())
                .append(")\n\n  ")
                .append(Paragraph.wrap(violation.explanation(), 2, 2))
                .append("\n\n");
        if (!violation.cycle().isEmpty()) {
            appendCycle(violation.cycle());
        }
        new TransactionText(verdict, violation).append(text);
        text.append('\n');
    }

    private void appendCycle(List<Dependency> cycle) {
        text.append("  ").append(cycle.getFirst().from().name());
        for (Dependency dependency : cycle) {
            text.append(" --")
                    .append(dependency.label())
                    .append("--> ")
                    .append(dependency.to().name());
        }
        text.append("\n\n");
        cycle.stream()
                .map(Dependency::kind)
                .distinct()
                .forEach(kind ->
                        text.append("    ")
                                .append(kind.label())
                                .append(": ")
                                .append(kind.meaning())
                                .append('\n'));
        text.append('\n');
    }

    private void count(Rule rule) {
        String line =
                "  %-20s %9s  ".formatted(rule.label(), SummaryText.number(verdict.count(rule)));
        boolean isExplained =
                verdict.smallest().filter(violation -> violation.rule() == rule).isPresent();
        String example =
                isExplained ? "see above" : verdict.violations(rule).getFirst().explanation();
        text.append(line)
                .append(Paragraph.wrap(example, line.length(), line.length()))
                .append('\n');
    }
}
