package org.namdb.checker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.namdb.checker.RuleAssertions.accepted;
import static org.namdb.checker.RuleAssertions.check;
import static org.namdb.checker.RuleAssertions.cycle;
import static org.namdb.checker.RuleAssertions.refused;
import static org.namdb.checker.RuleAssertions.smallestIs;

import org.junit.jupiter.api.Test;
import org.namdb.checker.report.VerdictReport;

/// Reads and versions: each rule's smallest violation, and the nearest history that keeps to it.
class ReadRulesTest {
    @Test
    void twoReadsOfAKeyReturnTheSame() {
        smallestIs(
                refused(
                        """
                        1 a ok 0@1 10-20 0 w7=70
                        2 b ok -   15-25 0 r7=0 r7=70
                        """,
                        Rule.NON_REPEATABLE_READ),
                Rule.NON_REPEATABLE_READ,
                2);
        accepted(
                """
                1 a ok 0@1 10-20 0 w7=70
                2 b ok -   15-25 0 r7=0 r7=0
                """);
    }

    @Test
    void aTransactionReadsWhatItWroteLast() {
        refused("1 a ok 0@1 10-20 0 w7=70 r7=0", Rule.OWN_WRITE_MISSED);
        refused("1 a ok 0@1 10-20 0 w7=70 w7=71 r7=70", Rule.OWN_WRITE_MISSED);
        accepted("1 a ok 0@1 10-20 0 r7=0 w7=70 r7=70 w7=71 r7=71 r7=71");
    }

    @Test
    void everyValueThatIsReadWasWritten() {
        smallestIs(
                refused(
                        """
                        1 a ok 0@1 10-20 0 w7=70
                        2 b ok -   30-40 1 r7=71
                        """,
                        Rule.UNWRITTEN_READ),
                Rule.UNWRITTEN_READ,
                2);
        refused(
                """
                1 a ok 0@1 10-20 0 w8=70
                2 b ok -   30-40 1 r7=70
                """,
                Rule.UNWRITTEN_READ);
        accepted(
                """
                1 a ok 0@1 10-20 0 w7=70
                2 b ok -   30-40 1 r7=70
                """);
    }

    @Test
    void noValueOfAFailedTransactionIsRead() {
        smallestIs(
                refused(
                        """
                        1 a fail - 10-20 0 w7=70
                        2 b ok   - 15-25 0 r7=70
                        """,
                        Rule.ABORTED_READ),
                Rule.ABORTED_READ,
                1,
                2);
        accepted(
                """
                1 a fail - 10-20 0 w7=70 r7=70
                2 b ok   - 15-25 0 r7=0
                """);
    }

    @Test
    void noIntermediateValueIsRead() {
        Verdict verdict =
                refused(
                        """
                        1 a ok 0@1 10-20 0 w7=70 w7=71
                        2 b ok -   30-40 1 r7=70
                        """,
                        Rule.INTERMEDIATE_READ);
        smallestIs(verdict, Rule.INTERMEDIATE_READ, 1, 2);
        assertThat(cycle(verdict)).isEqualTo("T1 wr(k7) T2 rw(k7)");
        accepted(
                """
                1 a ok 0@1 10-20 0 w7=70 w7=71
                2 b ok -   30-40 1 r7=71
                """);
    }

    @Test
    void noValueIsReadThatTheSnapshotDoesNotShow() {
        Verdict verdict =
                refused(
                        """
                        1 a ok 0@1 10-20 0 w7=70
                        2 b ok -   15-25 0 r7=70
                        """,
                        Rule.FUTURE_READ);
        smallestIs(verdict, Rule.FUTURE_READ, 1, 2);
        assertThat(cycle(verdict)).isEqualTo("T1 wr(k7) T2 misses");
        refused("1 a ok 0@1 10-20 0 r7=70 w7=70", Rule.FUTURE_READ);
        accepted(
                """
                1 a ok 0@1 10-20 0 w7=70
                2 b ok -   15-25 1 r7=70
                """);
    }

    @Test
    void aReadReturnsTheNewestVersionThatTheSnapshotShows() {
        Verdict verdict =
                refused(
                        """
                        1 a ok 0@1 10-20 0,0 w7=70
                        2 b ok 1@1 30-40 1,0 w7=71 w8=80
                        3 c ok -   50-60 1,1 r8=80 r7=70
                        """,
                        Rule.STALE_READ);
        smallestIs(verdict, Rule.STALE_READ, 2, 3);
        assertThat(cycle(verdict)).isEqualTo("T2 wr(k8) T3 rw(k7)");
        refused(
                """
                1 a ok 0@1 10-20 0 w7=70
                2 b ok -   50-60 1 r7=0
                """,
                Rule.STALE_READ);
        accepted(
                """
                1 a ok 0@1 10-20 0,0 w7=70
                2 b ok 1@1 30-50 1,0 w7=71 w8=80
                3 c ok -   40-60 1,0 r8=0 r7=70
                4 d ok -   40-60 1,1 r8=80 r7=71
                """);
    }

    @Test
    void aStaleReadNamesTheNewestVersionToo() {
        Verdict verdict =
                refused(
                        """
                        1 a ok 0@1 10-20 0 w7=70
                        2 a ok 0@2 20-30 1 w7=71
                        3 a ok 0@3 30-40 2 w7=72
                        4 b ok -   50-60 3 r7=70
                        """,
                        Rule.STALE_READ);
        smallestIs(verdict, Rule.STALE_READ, 2, 4);
        assertThat(verdict.smallest().orElseThrow().explanation())
                .isEqualTo(
                        "T4 read k7 = 70 instead of 72: its snapshot shows T2's commit <0, 2>, and newer ones up to T3's <0, 3>.");
    }

    @Test
    void noUpdateIsLost() {
        Verdict verdict =
                refused(
                        """
                        1 a ok 0@1 10-20 0,0 r7=0 w7=70
                        2 b ok 1@1 10-20 0,0 r7=0 w7=71
                        """,
                        Rule.LOST_UPDATE);
        smallestIs(verdict, Rule.LOST_UPDATE, 1, 2);
        assertThat(cycle(verdict)).isEqualTo("T1 rw(k7) T2 rw(k7)");
        refused(
                """
                1 a ok 0@1 10-20 0,0 w7=70
                2 b ok 1@1 10-20 0,0 w7=71
                """,
                Rule.LOST_UPDATE);
        accepted(
                """
                1 a ok 0@1 10-20 0,0 r7=0 w7=70
                2 b ok 1@1 10-20 1,0 r7=70 w7=71
                """);
        accepted(
                """
                1 a ok   0@1 10-20 0,0 r7=0 w7=70
                2 b fail -   10-20 0,0 r7=0 w7=71
                """);
    }

    @Test
    void twoWritersThatSeeEachOtherBreakMoreThanOneRule() {
        refused(
                """
                1 a ok 0@1 10-20 0,1 w7=70
                2 b ok 1@1 10-20 1,0 w7=71
                """,
                Rule.VERSION_CYCLE,
                Rule.TORN_SNAPSHOT,
                Rule.LONG_FORK);
    }

    @Test
    void writeSkewIsAcceptedAndCounted() {
        Verdict verdict =
                check(
                        """
                        1 a ok 0@1 10-20 0,0,0 w7=70 w8=80
                        2 b ok 1@1 30-40 1,0,0 r7=70 r8=80 w7=71
                        3 c ok 2@1 30-40 1,0,0 r7=70 r8=80 w8=81
                        """);
        assertThat(verdict.holds()).isTrue();
        assertThat(verdict.writeSkews()).isEqualTo(1);
        assertThat(VerdictReport.of(verdict)).contains("1 pair, which snapshot isolation allows");
    }

    @Test
    void readsOfFailedAndUnknownTransactionsAreChecked() {
        for (String status : new String[] {"fail", "info"}) {
            refused(
                    """
                    1 a ok 0@1 10-20 0 w7=70
                    2 b %s -   30-40 1 r7=0 w8=80
                    """
                            .formatted(status),
                    Rule.STALE_READ);
            accepted(
                    """
                    1 a ok 0@1 10-20 0 w7=70
                    2 b %s -   30-40 1 r7=70 w8=80
                    """
                            .formatted(status));
        }
    }

    @Test
    void theSmallestViolationIsExplainedAndTheEarliestOfThose() {
        Verdict verdict =
                refused(
                        """
                        1 a ok 0@1 10-20 0 w7=70
                        2 b ok -   60-70 1 r7=0
                        3 c ok -   50-60 1 r7=99
                        4 d ok -   40-50 1 r7=98
                        5 e ok -   30-40 1 r7=0
                        """,
                        Rule.STALE_READ,
                        Rule.UNWRITTEN_READ);
        smallestIs(verdict, Rule.UNWRITTEN_READ, 4);
        assertThat(verdict.count(Rule.STALE_READ)).isEqualTo(2);
        assertThat(verdict.violations(Rule.STALE_READ).getFirst().transactions().getLast().tid())
                .isEqualTo(5);
    }

    @Test
    void keysAndValuesMayBeAny64Bits() {
        accepted(
                """
                1 a ok 0@1 10-20 0 w-9223372036854775808=-1 w9223372036854775807=9223372036854775807
                2 b ok -   30-40 1 r-9223372036854775808=-1 r9223372036854775807=9223372036854775807
                """);
    }
}
