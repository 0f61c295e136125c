package org.namdb.checker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.namdb.checker.RuleAssertions.accepted;
import static org.namdb.checker.RuleAssertions.cycle;
import static org.namdb.checker.RuleAssertions.refused;
import static org.namdb.checker.RuleAssertions.smallestIs;

import org.junit.jupiter.api.Test;

/// Sessions: each rule's smallest violation, and the nearest history that keeps to it.
class SessionRulesTest {
    @Test
    void aSessionDoesOneThingAtATime() {
        smallestIs(
                refused(
                        """
                        1 a ok 0@1 10-21 0 w7=70
                        2 a ok -   20-30 0 r7=0
                        """,
                        Rule.SESSION_OVERLAP),
                Rule.SESSION_OVERLAP,
                1,
                2);
        accepted(
                """
                1 a ok 0@1 10-20 0 w7=70
                2 a ok -   20-30 1 r7=70
                """);
    }

    @Test
    void aSessionSeesItsOwnCommits() {
        Verdict verdict =
                refused(
                        """
                        1 a ok 0@1 10-20 0 w7=70
                        2 a ok -   20-30 0 r7=0
                        """,
                        Rule.SESSION_ORDER);
        smallestIs(verdict, Rule.SESSION_ORDER, 1, 2);
        assertThat(cycle(verdict)).isEqualTo("T1 so T2 rw(k7)");
        accepted(
                """
                1 a info 0@1 10-20 0 w7=70
                2 a ok   -   20-30 0 r7=0
                """);
    }

    @Test
    void aSessionsSnapshotsNeverGoBack() {
        Verdict verdict =
                refused(
                        """
                        1 a ok   0@1 10-30 0 w7=70
                        2 b fail -   20-30 1 r7=70
                        3 b ok   -   30-40 0 r7=0
                        """,
                        Rule.SESSION_ORDER);
        smallestIs(verdict, Rule.SESSION_ORDER, 1, 2, 3);
        assertThat(cycle(verdict)).isEqualTo("T1 wr(k7) T2 so T3 rw(k7)");
        accepted(
                """
                1 a ok   0@1 10-30 0 w7=70
                2 b fail -   20-30 1 r7=70
                3 b ok   -   30-40 1 r7=70
                """);
    }

    @Test
    void aTransactionThatEndedBeforeItHadASnapshotDoesNotGoBack() {
        accepted(
                """
                1 a ok   0@1 10-20 0 w7=70
                2 b ok   -   30-40 1 r7=70
                3 b fail -   50-60 -
                4 b info -   70-80 - w7=71
                """);
        refused(
                """
                1 a ok   0@1 10-20 0 w7=70
                2 b ok   -   30-50 1 r7=70
                3 b fail -   50-60 - r7=0
                """,
                Rule.SESSION_ORDER,
                Rule.REAL_TIME);
    }
}
