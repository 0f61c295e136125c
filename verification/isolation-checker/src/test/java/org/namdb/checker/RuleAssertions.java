package org.namdb.checker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.namdb.checker.history.Transaction;
import org.namdb.checker.report.VerdictReport;

/// The verdict on a [Sketch].
final class RuleAssertions {
    private RuleAssertions() {}

    static Verdict check(String sketch) {
        return IsolationChecker.strict().check(Sketch.history(sketch));
    }

    static void accepted(String sketch) {
        Verdict verdict = check(sketch);
        assertThat(verdict.holds()).as(VerdictReport.of(verdict)).isTrue();
    }

    /// Refused, for these rules and no other.
    static Verdict refused(String sketch, Rule first, Rule... rest) {
        Verdict verdict = check(sketch);
        Set<Rule> broken =
                Arrays.stream(Rule.values())
                        .filter(rule -> verdict.count(rule) > 0)
                        .collect(Collectors.toSet());
        assertThat(broken).as(VerdictReport.of(verdict)).isEqualTo(EnumSet.of(first, rest));
        assertThat(verdict.holds()).isFalse();
        return verdict;
    }

    static void smallestIs(Verdict verdict, Rule rule, long... tids) {
        Violation smallest = verdict.smallest().orElseThrow();
        assertThat(smallest.rule()).isEqualTo(rule);
        assertThat(smallest.transactions().stream().map(Transaction::tid))
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(tids).boxed().toList());
    }

    /// As in `T1 wr(k7) T2 rw(k8)`.
    static String cycle(Verdict verdict) {
        return verdict.smallest().orElseThrow().cycle().stream()
                .map(dependency -> dependency.from().name() + " " + dependency.label())
                .collect(Collectors.joining(" "));
    }
}
