package org.namdb.checker;

import static org.namdb.checker.RuleAssertions.accepted;
import static org.namdb.checker.RuleAssertions.refused;
import static org.namdb.checker.RuleAssertions.smallestIs;

import org.junit.jupiter.api.Test;

/// Commit timestamps: each rule's smallest violation, and the nearest history that keeps to it.
class TimestampRulesTest {
    @Test
    void noCommitTimestampIsUsedTwice() {
        Verdict verdict =
                refused(
                        """
                        1 a ok 0@1 10-20 0 w7=70
                        2 b ok 0@1 10-20 0 w8=80
                        """,
                        Rule.DUPLICATE_TIMESTAMP);
        smallestIs(verdict, Rule.DUPLICATE_TIMESTAMP, 1, 2);
        accepted(
                """
                1 a ok 0@1 10-20 0 w7=70
                2 b ok 1@1 10-20 0 w8=80
                """);
    }

    @Test
    void aTransactionOfUnknownOutcomeHasItsTimestampForItself() {
        refused(
                """
                1 a ok   0@1 10-20 0 w7=70
                2 b info 0@1 10-20 0 w8=80
                """,
                Rule.DUPLICATE_TIMESTAMP);
        accepted(
                """
                1 a ok   0@1 10-20 0 w7=70
                2 b fail 0@1 10-20 0 w8=80
                """);
    }

    @Test
    void aSessionsTimestampsRiseInASlot() {
        smallestIs(
                refused(
                        """
                        1 a info 0@2 10-20 0 w7=70
                        2 a ok   0@1 20-30 0 w8=80
                        """,
                        Rule.TIMESTAMP_ORDER),
                Rule.TIMESTAMP_ORDER,
                1,
                2);
        accepted(
                """
                1 a info 0@1 10-20 0 w7=70
                2 a ok   0@2 20-30 0 w8=80
                """);
        accepted(
                """
                1 a info 0@2 10-20 0 w7=70
                2 a ok   1@1 20-30 0 w8=80
                """);
    }

    @Test
    void noTransactionSeesItself() {
        Verdict verdict = refused("1 a ok 0@3 10-20 3 w7=70", Rule.SEES_ITSELF);
        smallestIs(verdict, Rule.SEES_ITSELF, 1);
        accepted("1 a ok 0@3 10-20 2 w7=70");
    }
}
