package org.namdb.checker.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.namdb.checker.IsolationChecker;
import org.namdb.checker.history.History;
import org.namdb.checker.history.HistoryBuilder;
import org.namdb.checker.history.Operation;
import org.namdb.checker.history.Status;

/// What a person reads in the end, to the letter.
class VerdictReportTest {
    private static HistoryBuilder accounts() {
        return History.builder()
                .add(9, "c0", Status.OK, 0, 1, 1000, 1900, snap(0, 0), ops("w17=5 w30=1"))
                .add(10, "c1", Status.OK, 1, 1, 1010, 1950, snap(0, 0), ops("r4=0 w4=6"));
    }

    private static long[] snap(long... elements) {
        return elements;
    }

    private static List<Operation> ops(String text) {
        return List.of(text.split(" ", -1)).stream()
                .map(word ->
                        new Operation(
                                word.charAt(0) == 'w',
                                Long.parseLong(word.substring(1, word.indexOf('='))),
                                Long.parseLong(word.substring(word.indexOf('=') + 1))))
                .toList();
    }

    private static String report(HistoryBuilder history) {
        return VerdictReport.of(IsolationChecker.strict().check(history.build()));
    }

    @Test
    void aForkIsExplained() {
        String report =
                report(
                        accounts()
                                .add(
                                        12,
                                        "c2",
                                        Status.OK,
                                        -1,
                                        -1,
                                        1500,
                                        2100,
                                        snap(1, 0),
                                        ops("r17=5 r4=0"))
                                .add(
                                        13,
                                        "c3",
                                        Status.INFO,
                                        -1,
                                        -1,
                                        1600,
                                        2200,
                                        snap(0, 1),
                                        ops("r17=0 r4=6 w8=3 w9=3")));
        assertThat(report)
                .isEqualTo(
                        """
                        Snapshot isolation is VIOLATED.

                        Broken rule: long-fork (of any two snapshots, one shows all that the other shows)

                          T12's snapshot shows T9's commit <0, 1>, but not T10's <1, 1>; T13's shows T10's, but not
                          T9's. So neither can be the older one.

                          T9 --wr(k17)--> T12 --rw(k4)--> T10 --wr(k4)--> T13 --rw(k17)--> T9

                            wr: the second read what the first wrote
                            rw: the first read a version that the second overwrote

                          T9   ok, session c0, commit <0, 1>, b = 1000, e = 1900
                               snapshot [0, 0]
                               write k17 = 5
                               and 1 other operation
                          T12  ok, session c2, read-only, b = 1500, e = 2100
                               snapshot [1, 0]
                               read  k17 = 5
                               read  k4 = 0 (absent)
                          T10  ok, session c1, commit <1, 1>, b = 1010, e = 1950
                               snapshot [0, 0]
                               read  k4 = 0 (absent)
                               write k4 = 6
                          T13  info, session c3, b = 1600, e = 2200
                               snapshot [0, 1]
                               read  k17 = 0 (absent)
                               read  k4 = 6
                               and 2 other operations

                        All violations, with the smallest of each rule:

                          long-fork                    1  see above

                        The history:

                          transactions    4: 3 ok, 0 failed, 1 of unknown outcome
                          sessions        4
                          keys            5
                          snapshots       3 different ones, of 2 slots
                          time span       1.2 us
                          rules checked   duplicate-timestamp, timestamp-order, sees-itself, non-repeatable-read,
                                          own-write-missed, unwritten-read, aborted-read, intermediate-read,
                                          future-read, stale-read, lost-update, version-cycle, torn-snapshot, long-fork,
                                          session-overlap, session-order, real-time
                        """);
    }

    @Test
    void theSmallestOfSeveralViolationsIsExplained() {
        String report =
                report(
                        accounts()
                                .add(
                                        12,
                                        "c2",
                                        Status.OK,
                                        -1,
                                        -1,
                                        1500,
                                        2100,
                                        snap(1, 0),
                                        ops("r17=5 r4=0"))
                                .add(
                                        13,
                                        "c3",
                                        Status.INFO,
                                        -1,
                                        -1,
                                        1600,
                                        2200,
                                        snap(0, 1),
                                        ops("r17=0 r4=6 w8=3 w9=3"))
                                .add(
                                        14,
                                        "c3",
                                        Status.FAIL,
                                        -1,
                                        -1,
                                        2300,
                                        2400,
                                        snap(1, 1),
                                        ops("r17=0")));
        assertThat(report)
                .isEqualTo(
                        """
                        Snapshot isolation is VIOLATED.

                        Broken rule: stale-read (a read returns the newest version that the snapshot shows)

                          T14 read k17 = 0 (absent) instead of 5: its snapshot shows T9's commit <0, 1>.

                          T9 --seen by--> T14 --rw(k17)--> T9

                            seen by: the second's snapshot shows the first's commit
                            rw: the first read a version that the second overwrote

                          T9   ok, session c0, commit <0, 1>, b = 1000, e = 1900
                               snapshot [0, 0]
                               write k17 = 5
                               and 1 other operation
                          T14  fail, session c3, read-only, b = 2300, e = 2400
                               snapshot [1, 1]
                               read  k17 = 0 (absent)

                        All violations, with the smallest of each rule:

                          stale-read                   1  see above
                          long-fork                    1  T12's snapshot shows T9's commit <0, 1>, but not T10's <1, 1>;
                                                          T13's shows T10's, but not T9's. So neither can be the older
                                                          one.

                        The history:

                          transactions    5: 3 ok, 1 failed, 1 of unknown outcome
                          sessions        4
                          keys            5
                          snapshots       4 different ones, of 2 slots
                          time span       1.4 us
                          rules checked   duplicate-timestamp, timestamp-order, sees-itself, non-repeatable-read,
                                          own-write-missed, unwritten-read, aborted-read, intermediate-read,
                                          future-read, stale-read, lost-update, version-cycle, torn-snapshot, long-fork,
                                          session-overlap, session-order, real-time
                        """);
    }

    @Test
    void aHistoryThatHoldsIsAShortMatter() {
        assertThat(
                        report(
                                accounts()
                                        .add(
                                                11,
                                                "c1",
                                                Status.INFO,
                                                1,
                                                2,
                                                1960,
                                                2000,
                                                snap(1, 1),
                                                ops("r4=6 w4=7"))
                                        .add(
                                                12,
                                                "c2",
                                                Status.OK,
                                                -1,
                                                -1,
                                                2010,
                                                9_100,
                                                snap(1, 2),
                                                ops("r4=7"))))
                .isEqualTo(
                        """
                        Snapshot isolation holds.

                          transactions    4: 3 ok, 0 failed, 1 of unknown outcome (1 of those count as committed)
                          sessions        3
                          keys            3
                          snapshots       3 different ones, of 2 slots
                          time span       8.1 us
                          rules checked   duplicate-timestamp, timestamp-order, sees-itself, non-repeatable-read,
                                          own-write-missed, unwritten-read, aborted-read, intermediate-read,
                                          future-read, stale-read, lost-update, version-cycle, torn-snapshot, long-fork,
                                          session-overlap, session-order, real-time
                        """);
    }

    @Test
    void ofManySlotsAndOperationsOnlyThoseThatMatterAreShown() {
        long[] before = new long[500];
        long[] after = new long[500];
        after[400] = 3;
        StringBuilder reads = new StringBuilder("r7=0");
        for (int key = 100; key < 120; key++) {
            reads.append(" r").append(key).append("=0");
        }
        assertThat(
                        report(
                                History.builder()
                                        .add(
                                                1,
                                                "a",
                                                Status.OK,
                                                400,
                                                3,
                                                10,
                                                20,
                                                before,
                                                ops("w7=70"))
                                        .add(
                                                2,
                                                "b",
                                                Status.OK,
                                                -1,
                                                -1,
                                                30,
                                                40,
                                                after,
                                                ops(reads.toString()))))
                .contains(
                        """
                          T1  ok, session a, commit <400, 3>, b = 10, e = 20
                              snapshot, where it matters: [400: 0]
                              write k7 = 70
                          T2  ok, session b, read-only, b = 30, e = 40
                              snapshot, where it matters: [400: 3]
                              read  k7 = 0 (absent)
                              and 20 other operations
                        """);
    }
}
