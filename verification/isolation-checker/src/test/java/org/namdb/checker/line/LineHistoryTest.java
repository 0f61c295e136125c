package org.namdb.checker.line;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Linearizable histories are distinguished from others.
class LineHistoryTest {
    private static final String A = "a";
    private static final String B = "b";

    private final LineHistory history = new LineHistory();

    @Test
    void nothingIsInOrder() {
        assertThat(history.check()).isNull();
        assertThat(history.last()).isZero();
    }

    @Test
    void readsBesideAChangeMaySeeEitherInOrder() {
        history.change(A, 0, 1, 10, 20);
        history.read(B, 0, 11, 12);
        history.read(B, 1, 13, 14);
        assertThat(history.check()).isNull();
        history.read(B, 0, 15, 16);
        assertThat(history.check())
                .isEqualTo(
                        "b has read 0 from 15 to 16, though before that b has read 1 from 13 to 14");
    }

    @Test
    void aStaleReadIsFound() {
        history.change(A, 0, 1, 1, 2);
        history.read(B, 0, 3, 4);
        assertThat(history.check()).contains("though before that a has replaced 0 by 1");
    }

    @Test
    void aReadOfTheFutureIsFound() {
        history.read(B, 1, 1, 2);
        history.change(A, 0, 1, 3, 4);
        assertThat(history.check()).contains("has replaced 0 by 1 from 3 to 4, though");
    }

    @Test
    void aLostUpdateIsFound() {
        history.change(A, 0, 1, 1, 9);
        history.change(B, 0, 2, 1, 9);
        assertThat(history.check()).startsWith("lost update");
    }

    @Test
    void aValueThatNoTransactionWroteIsFound() {
        history.read(A, 7, 1, 2);
        assertThat(history.check()).isEqualTo("a has read 7 from 1 to 2, which was not there");
    }

    @Test
    void whatMayNotHaveHappenedCountsIfItWasSeen() {
        history.change(A, 0, 1, 1, LineHistory.NEVER);
        history.read(B, 0, 5, 6);
        assertThat(history.check()).isNull();
        assertThat(history.last()).isZero();
        history.change(B, 0, 2, 7, 8);
        assertThat(history.check()).isNull();
        assertThat(history.last()).isEqualTo(2);
        history.read(B, 1, 9, 10);
        assertThat(history.check()).startsWith("lost update");
    }

    private record Made(long found, long written, int begin, int end) {}

    /// Small histories, of which most are wrong, are checked by trying all orders, too.
    @Test
    void itAgreesWithTryingAllOrders() {
        SplittableRandom random = new SplittableRandom(5);
        int fine = 0;
        for (int round = 0; round < 30_000; round++) {
            int size = random.nextInt(1, 7);
            List<Made> made = new ArrayList<>();
            LineHistory judged = new LineHistory();
            for (int i = 0; i < size; i++) {
                long found = random.nextInt(4);
                long written = random.nextBoolean() ? found : 1 + i;
                int begin = random.nextInt(20);
                int end = begin + random.nextInt(12);
                made.add(new Made(found, written, begin, end));
                if (found == written) {
                    judged.read(A, found, begin, end);
                } else {
                    judged.change(A, found, written, begin, end);
                }
            }
            boolean isFine = judged.check() == null;
            assertThat(isFine).as("%s", made).isEqualTo(hasOrder(made, 0));
            fine += isFine ? 1 : 0;
        }
        assertThat(fine).isBetween(1_000, 29_000);
    }

    private static boolean hasOrder(List<Made> left, long value) {
        if (left.isEmpty()) {
            return true;
        }
        for (Made next : left) {
            boolean isFirst = left.stream().noneMatch(other -> other.end() < next.begin());
            if (isFirst && next.found() == value) {
                List<Made> rest = new ArrayList<>(left);
                rest.remove(next);
                if (hasOrder(rest, next.written())) {
                    return true;
                }
            }
        }
        return false;
    }
}
