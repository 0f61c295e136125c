package org.namdb.checker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.namdb.checker.RuleAssertions.accepted;
import static org.namdb.checker.RuleAssertions.cycle;
import static org.namdb.checker.RuleAssertions.refused;
import static org.namdb.checker.RuleAssertions.smallestIs;

import org.junit.jupiter.api.Test;
import org.namdb.checker.report.VerdictReport;

/// Snapshots: each rule's smallest violation, and the nearest history that keeps to it; and the
/// known interleavings.
class SnapshotRulesTest {
    @Test
    void theTornVectorOfAPlainReadIsATornSnapshot() {
        // T3 reads V[0]; T1 publishes; T2 begins, sees T1, publishes V[1]; T3 reads V[1].
        Verdict verdict =
                refused(
                        """
                        1 a ok 0@1 10-20 0,0 w7=70
                        2 b ok 1@1 30-40 1,0 r7=70 w8=80
                        3 c ok -   15-60 0,1 r7=0 r8=80
                        """,
                        Rule.TORN_SNAPSHOT,
                        Rule.LONG_FORK);
        smallestIs(verdict, Rule.TORN_SNAPSHOT, 1, 2, 3);
        assertThat(cycle(verdict)).isEqualTo("T1 wr(k7) T2 wr(k8) T3 rw(k7)");
        accepted(
                """
                1 a ok 0@1 10-20 0,0 w7=70
                2 b ok 1@1 30-40 1,0 r7=70 w8=80
                3 c ok -   15-60 1,1 r7=70 r8=80
                """);
    }

    @Test
    void theLongForkOfTwoPlainReadsIsFound() {
        // T2's reader reads V[1]; T1 publishes V[0]; T3 reads both; T4 publishes V[1]; and so on,
        // the other way round.
        Verdict verdict =
                refused(
                        """
                        1 a ok 0@1 10-40 0,0 w7=70
                        2 b ok 1@1 10-40 0,0 w8=80
                        3 c ok -   20-50 1,0 r7=70 r8=0
                        4 d ok -   20-50 0,1 r7=0 r8=80
                        """,
                        Rule.LONG_FORK);
        smallestIs(verdict, Rule.LONG_FORK, 1, 2, 3, 4);
        assertThat(cycle(verdict)).isEqualTo("T1 wr(k7) T3 rw(k8) T2 wr(k8) T4 rw(k7)");
        accepted(
                """
                1 a ok 0@1 10-40 0,0 w7=70
                2 b ok 1@1 10-40 0,0 w8=80
                3 c ok -   20-50 1,0 r7=70 r8=0
                4 d ok -   20-50 1,1 r7=70 r8=80
                """);
    }

    @Test
    void aForkIsAForkEvenIfNothingWasReadOrTheCommitsAreNotThere() {
        refused(
                """
                1 a ok - 20-50 4,0
                2 b ok - 20-50 0,9
                """,
                Rule.LONG_FORK);
    }

    @Test
    void theOwnSlotShortcutIsALongFork() {
        // T2 raises its own slot on top of the snapshot that T1 has used, to see its last commit.
        refused(
                """
                1 a ok 0@1 10-20 0,0 w7=70
                2 b ok 1@1 10-20 0,0 w8=80
                3 b ok -   20-30 0,1 r7=0 r8=80
                4 c ok -   15-30 1,0 r7=70 r8=0
                """,
                Rule.LONG_FORK);
    }

    @Test
    void hugeTimestampsAreOrderedExactly() {
        refused(
                """
                1 a ok - 10-20 9223372036854775806,9223372036854775807
                2 b ok - 10-20 9223372036854775807,9223372036854775806
                """,
                Rule.LONG_FORK);
        accepted(
                """
                1 a ok - 10-20 9223372036854775807,9223372036854775807
                2 b ok - 10-20 9223372036854775807,9223372036854775806
                3 c ok - 10-20 9223372036854775806,9223372036854775806
                """);
    }

    @Test
    void aTransactionSeesWhatWasCommittedBeforeItBegan() {
        Verdict verdict =
                refused(
                        """
                        1 a ok 0@1 10-20 0 w7=70
                        2 b ok -   21-30 0 r7=0
                        """,
                        Rule.REAL_TIME);
        smallestIs(verdict, Rule.REAL_TIME, 1, 2);
        assertThat(cycle(verdict)).isEqualTo("T1 rt T2 rw(k7)");
        accepted(
                """
                1 a ok 0@1 10-20 0 w7=70
                2 b ok -   20-30 0 r7=0
                """);
        accepted(
                """
                1 a info 0@1 10-20 0 w7=70
                2 b ok   -   21-30 0 r7=0
                """);
    }

    @Test
    void aTransactionSeesWhatWasSeenBeforeItBegan() {
        Verdict verdict =
                refused(
                        """
                        1 a ok 0@1 10-90 0 w7=70
                        2 b ok -   20-30 1 r7=70
                        3 c ok -   31-40 0 r7=0
                        """,
                        Rule.REAL_TIME);
        smallestIs(verdict, Rule.REAL_TIME, 1, 2, 3);
        assertThat(cycle(verdict)).isEqualTo("T1 wr(k7) T2 rt T3 rw(k7)");
        accepted(
                """
                1 a ok 0@1 10-90 0 w7=70
                2 b ok -   20-30 1 r7=70
                3 c ok -   30-40 0 r7=0
                """);
    }

    @Test
    void staleSnapshotsAreAllowedOnDemandButNotWithinASession() {
        String stale =
                """
                1 a ok 0@1 10-20 0 w7=70
                2 b ok -   30-40 0 r7=0
                """;
        refused(stale, Rule.REAL_TIME);
        Verdict verdict = IsolationChecker.allowingStale().check(Sketch.history(stale));
        assertThat(verdict.holds()).isTrue();
        assertThat(verdict.rules())
                .doesNotContain(Rule.REAL_TIME)
                .hasSize(Rule.values().length - 1);
        assertThat(VerdictReport.of(verdict)).contains("not checked     real-time\n");
        assertThat(
                        IsolationChecker.allowingStale()
                                .check(
                                        Sketch.history(
                                                """
                                                1 a ok 0@1 10-20 0 w7=70
                                                2 a ok -   30-40 0 r7=0
                                                """))
                                .count(Rule.SESSION_ORDER))
                .isEqualTo(1);
    }
}
