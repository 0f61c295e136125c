package org.namdb.checker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.namdb.checker.RuleAssertions.accepted;
import static org.namdb.checker.RuleAssertions.check;
import static org.namdb.checker.RuleAssertions.refused;

import org.junit.jupiter.api.Test;

/// How a transaction counts whose client never had an answer.
class UnknownOutcomeTest {
    @Test
    void anUnknownTransactionThatNoReadSawIsIgnored() {
        Verdict verdict =
                check(
                        """
                        1 a info 0@1 10-20 0,0 w7=70
                        2 b ok   1@1 30-40 0,0 r7=0 w7=71
                        3 c ok   -   50-60 0,1 r7=71
                        """);
        assertThat(verdict.holds()).isTrue();
        assertThat(verdict.isCommitted(verdict.history().transactions().getFirst())).isFalse();
    }

    @Test
    void anUnknownTransactionThatASnapshotShowsIsCommitted() {
        Verdict verdict =
                refused(
                        """
                        1 a info 0@1 10-20 0 w7=70
                        2 b ok   -   30-40 1 r7=0
                        """,
                        Rule.STALE_READ);
        assertThat(verdict.isCommitted(verdict.history().transactions().getFirst())).isTrue();
        accepted(
                """
                1 a info 0@1 10-20 0 w7=70
                2 b ok   -   30-40 1 r7=70
                """);
    }

    @Test
    void anUnknownTransactionWhoseValueIsReadIsCommitted() {
        refused(
                """
                1 a info 0@1 10-20 0 w7=70
                2 b ok   -   15-40 0 r7=70
                """,
                Rule.FUTURE_READ);
        refused(
                """
                1 a info 0@1 10-20 0,0 w7=70 w8=80
                2 b fail -   15-40 1,0 r7=70
                3 c ok   1@1 15-30 0,0 w8=81
                """,
                Rule.LOST_UPDATE);
    }

    @Test
    void anUnknownTransactionWithoutTimestampMayBeReadByAnyTransaction() {
        accepted(
                """
                1 a ok   0@1 10-20 0 w7=70
                2 b info -   30-40 1 w7=71
                3 c ok   -   50-60 1 r7=71
                4 d ok   -   50-60 1 r7=70
                """);
        refused(
                """
                1 a info - 10-20 0 w7=70 w7=71
                2 b ok   - 30-40 0 r7=70
                """,
                Rule.INTERMEDIATE_READ);
        refused(
                """
                1 a info - 10-20 0 w7=71
                2 b ok   - 30-40 0 r7=71 r7=0
                """,
                Rule.NON_REPEATABLE_READ);
    }
}
